//! Changes that are there, and that are not.

use wattle_store::RunFilter;

use crate::kept::{History, Version};

#[test]
fn a_step_is_found_where_it_is() {
    let mut history = History::new();
    history.keep_versions(0..14, &Version::default());
    history.keep_versions(14..22, &Version { joules: 2.2, decode: 0.5, ..Version::default() });
    let page = history.page();
    let [series] = page.series.as_slice() else { panic!("{page:#?}") };
    let [change] = series.changes.as_slice() else { panic!("{:#?}", series.changes) };
    assert_eq!((change.range.last_good, change.range.first_bad), (13, 14), "{change:#?}");
    assert!((0.1..0.3).contains(&change.joules), "{change:#?}");
    assert!(change.interval_joules[0] < 0.2 && 0.2 < change.interval_joules[1], "{change:#?}");
    let blame = change.blame.as_ref().expect("a method");
    assert_eq!(blame.method, "com.example.news.Decoder.decode");
    assert!((blame.joules - 0.2).abs() < 1e-6, "{blame:?}");
    assert_eq!(series.standing.open, [0]);
    let [before, since] = series.levels.as_slice() else { panic!("{:#?}", series.levels) };
    assert_eq!((before.first, before.last, since.first, since.last), (0, 13, 14, 21));
    assert!((before.joules - 2.0).abs() < 0.03 && (since.joules - 2.2).abs() < 0.03);
    let band = series.standing.band_joules.expect("a band");
    assert!(band[0] < 2.2 && 2.2 < band[1] && band[1] - band[0] < 0.2, "{band:?}");
    assert_eq!((series.standing.missing, series.standing.commits), (0, 8));
}

#[test]
fn what_does_not_change_has_no_change() {
    let mut history = History::new();
    history.keep_versions(0..40, &Version::default());
    let page = history.page();
    let series = &page.series[0];
    assert_eq!((series.changes.len(), series.standing.missing), (0, 0), "{:#?}", series.changes);
    assert!(series.standing.open.is_empty());
    let share = series.standing.detectable_share.expect("known scatter");
    // Three runs that scatter by 1 %: 0.58 % of the mean, 3.24 times that.
    assert!((0.01..0.04).contains(&share), "{share}");
}

#[test]
fn an_increase_that_was_undone_is_not_open() {
    let mut history = History::new();
    history.keep_versions(0..14, &Version::default());
    history.keep_versions(14..26, &Version { joules: 2.3, ..Version::default() });
    history.keep_versions(26..38, &Version::default());
    let page = history.page();
    let series = &page.series[0];
    let signs: Vec<f64> = series.changes.iter().map(|change| change.joules.signum()).collect();
    assert_eq!(signs, [1.0, -1.0], "{:#?}", series.changes);
    assert!(series.standing.open.is_empty());
}

#[test]
fn a_short_history_says_so_and_judges_nothing() {
    let mut history = History::new();
    history.keep_versions(0..2, &Version::default());
    history.keep_versions(2..6, &Version { joules: 20.0, ..Version::default() });
    let page = history.page();
    let standing = &page.series[0].standing;
    assert_eq!(standing.missing, 5);
    assert!(page.series[0].changes.is_empty() && page.series[0].suspected.is_none());
    assert!(standing.band_joules.is_none() && standing.detectable_share.is_none());
}

/// Devices, scenarios and branches are apart: the step between them is none of a series.
#[test]
fn only_what_is_comparable_is_judged_together() {
    let mut history = History::new();
    let other = Version { joules: 9.0, ..Version::default() };
    history.keep_versions(0..12, &Version::default());
    history.keep_versions(12..24, &Version { device: "Galaxy S9", ..other.clone() });
    history.keep_versions(24..36, &Version { scenario: "cold start", ..other.clone() });
    history.keep_versions(36..48, &Version { branch: "topic", ..other.clone() });
    history.keep_versions(48..52, &Version::default());
    let page = history.page();
    assert_eq!(page.series.len(), 4);
    for series in &page.series {
        assert!(series.changes.is_empty(), "{:?}: {:#?}", series.place, series.changes);
        assert_eq!(series.standing.missing, 0, "{:?}", series.place);
    }
    // The series with the latest run first, its branch with most versions first.
    let places: Vec<_> =
        page.series.iter().map(|it| (it.commits.len(), it.place.branch.clone())).collect();
    assert_eq!(places[0], (16, Some("main".to_owned())));
    assert_eq!(places[1], (12, Some("topic".to_owned())));
    let filter = RunFilter { branch: Some("topic".to_owned()), ..RunFilter::default() };
    assert_eq!(history.page_where(filter).series.len(), 1);
}
