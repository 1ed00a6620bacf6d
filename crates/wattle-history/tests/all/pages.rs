//! The data of pages.

use wattle_history::{PageRequest, history_page};
use wattle_report::{HTML_LIMIT, HistoryBudget, history_html};
use wattle_store::RunFilter;

use crate::kept::{APP, History, Version};

#[test]
fn a_page_has_components_methods_budget_and_the_version_before() {
    let mut history = History::new();
    history.keep_versions(0..6, &Version { name: "1.0", ..Version::default() });
    history.keep_versions(6..14, &Version { name: "1.1", joules: 1.0, ..Version::default() });
    let budget = |scenario: Option<&str>| {
        (scenario == Some("feed scroll"))
            .then(|| HistoryBudget { joules: 1.5, rule: "app".to_owned() })
    };
    let request =
        PageRequest { app: APP, is_total: false, filter: RunFilter::default(), budget: &budget };
    let page = history_page(&mut history.store, &request).expect("a page");
    let series = &page.series[0];
    assert_eq!(series.standing.budget.as_ref().map(|it| it.joules), Some(1.5));
    let release = series.standing.release.as_ref().expect("1.0");
    assert_eq!(release.name, "1.0");
    assert!((release.joules - 2.0).abs() < 0.05, "{release:?}");
    let names = |parts: &[wattle_report::HistoryPart]| -> Vec<String> {
        parts.iter().map(|part| part.name.clone()).collect()
    };
    assert_eq!(names(&series.components), ["cpu", "display"]);
    assert_eq!(
        names(&series.methods),
        ["com.example.news.Decoder.decode", "com.example.news.Feed.bind"]
    );
    for (at, commit) in series.commits.iter().enumerate() {
        let sum: f64 = series.components.iter().filter_map(|part| part.joules[at]).sum();
        assert!((sum - commit.joules).abs() < 1e-4 * commit.joules, "{sum} {commit:?}");
        assert_eq!(commit.runs, 3);
        assert!(commit.run.starts_with("run:"), "{commit:?}");
    }
    let of_device = PageRequest { is_total: true, ..request };
    let device = history_page(&mut history.store, &of_device).expect("a page");
    assert_eq!(device.quantity, "total");
    assert_eq!(names(&device.series[0].components), ["cpu"]);
    assert!((device.series[0].commits[0].joules - 3.0).abs() < 0.1);
}

/// Places in a shortened page name the same versions, and a page never grows beyond its limit.
#[test]
fn a_shortened_page_means_the_same() {
    let mut history = History::new();
    history.keep_versions(0..14, &Version::default());
    history.keep_versions(14..28, &Version { joules: 2.3, ..Version::default() });
    history.keep_versions(28..40, &Version { joules: 2.0, ..Version::default() });
    let page = history.page();
    let whole = &page.series[0];
    assert_eq!(whole.changes.len(), 2, "{:#?}", whole.changes);
    let short = page.shortened(20);
    let short = &short.series[0];
    assert_eq!((short.commits.len(), short.omitted), (20, 20));
    assert_eq!(short.changes.len(), 1);
    let same = |of: &wattle_report::HistorySeries, at: usize| of.commits[at].commit.clone();
    let (a, b) = (&whole.changes[1].range, &short.changes[0].range);
    for (one, other) in [(a.last_good, b.last_good), (a.first_bad, b.first_bad)] {
        assert_eq!(same(whole, one), same(short, other));
    }
    assert_eq!(same(whole, whole.standing.since), same(short, short.standing.since));
    assert_eq!(short.components[0].joules, whole.components[0].joules[20..]);
    assert_eq!(short.levels.iter().map(|it| it.last).max(), Some(19));
    let html = history_html(&page).expect("a page");
    assert!(html.len() < HTML_LIMIT, "{}", html.len());
}

/// Kept names are others' text.
#[test]
fn names_are_never_markup() {
    let mut history = History::new();
    let name = "</script><img src=x onerror=alert(1)>";
    history.keep(&Version { name, scenario: name, branch: name, ..Version::default() }, 1);
    let html = history_html(&history.page()).expect("a page");
    assert!(!html.contains("<img"), "a name became markup");
    assert_eq!(html.matches("</script").count(), 2);
}

#[test]
fn no_runs_make_a_page() {
    let mut history = History::new();
    let page = history.page();
    assert!(page.series.is_empty());
    history_html(&page).expect("a page");
}
