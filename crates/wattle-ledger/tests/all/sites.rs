//! Places in the app's code: which path is of which, from which lines, and how much of the code ran.

use crate::common::{Phone, window};
use wattle_ledger::{AttributionOptions, Ledger};
use wattle_timeline::{CodeSite, InlinedPlace, Invocation, SiteId, SiteKind, ThreadId};

fn id(index: usize) -> SiteId {
    SiteId::new(index).expect("a place")
}

/// Places: `class.method`, of a call with its line and the method it stands in. A method with a descriptor is of a map.
fn places(phone: &mut Phone, places: &[(&str, bool, Option<u32>, Option<usize>)]) {
    for (name, is_of_map, line, within) in places {
        let (class, method) = name.rsplit_once('.').expect("a class");
        let names = &mut phone.timeline.names;
        phone.timeline.code.sites.sites.push(CodeSite {
            kind: if within.is_some() { SiteKind::Call } else { SiteKind::Method },
            class: names.intern(class),
            method: names.intern(method),
            descriptor: is_of_map.then(|| names.intern("()V")),
            file: is_of_map.then(|| names.intern("Main.java")),
            line: *line,
            within: within.map(id),
        });
    }
}

const PLACES: &[(&str, bool, Option<u32>, Option<usize>)] = &[
    ("a.Main.run", true, Some(10), None),
    ("b.Toast.show", true, Some(12), Some(0)),
    ("b.Toast.show", true, Some(14), Some(0)),
    ("a.Main.work", true, None, None),
    ("a.Main.never", true, None, None),
    ("a.Other.only", true, None, None),
    ("b.Toast.show", true, None, Some(5)),
    ("a.Unused.x", true, None, None),
    ("Logged.run", false, None, None),
];

/// A millisecond of one core at 1 W; slices with their places.
fn phone(slices: &[(i64, i64, &str, u16, Option<usize>)]) -> (Phone, ThreadId) {
    let mut phone = Phone::new(1, 1000);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 1000, app)]);
    phone.core(0, &[(1000, 1.0)]);
    let without: Vec<_> = slices.iter().map(|it| (it.0, it.1, it.2, it.3)).collect();
    phone.calls(app, &without);
    phone.timeline.code.slices.site = slices.iter().map(|it| it.4.map(id)).collect();
    places(&mut phone, PLACES);
    let call = |caller, callee, line| Invocation { caller: id(caller), callee: id(callee), line };
    let names = &mut phone.timeline.names;
    let (class, method) = (names.intern("a.Gone"), names.intern("inner"));
    phone.timeline.code.sites.inlined =
        vec![InlinedPlace { site: id(2), class, method, line: Some(5) }];
    phone.timeline.code.sites.invocations = vec![call(0, 3, 20), call(0, 3, 22), call(3, 3, 40)];
    (phone, app)
}

const SLICES: &[(i64, i64, &str, u16, Option<usize>)] = &[
    (100, 400, "run", 0, Some(0)),
    (110, 120, "show", 1, Some(1)),
    (130, 150, "show", 1, Some(2)),
    (160, 170, "show", 1, Some(1)),
    (200, 300, "work", 1, Some(3)),
    (210, 220, "work", 2, Some(3)),
    (310, 320, "section", 1, None),
    (500, 500, "show", 0, Some(6)),
    (600, 700, "run", 0, Some(8)),
];

#[test]
fn calls_of_one_name_are_apart_by_their_lines() {
    let (phone, _) = phone(SLICES);
    let ledger = phone.check(&[
        ("app", "cpu", "core", 600.0),
        ("app: run", "cpu", "core", 250.0),
        ("app: run > show", "cpu", "core", 40.0),
        ("app: run > work", "cpu", "core", 90.0),
        ("app: run > work > work", "cpu", "core", 10.0),
        ("app: run > section", "cpu", "core", 10.0),
    ]);
    let paths: Vec<_> = ledger
        .rows
        .paths
        .iter()
        .map(|path| (path.name.as_str(), path.calls, path.site, path.from_lines.as_slice()))
        .collect();
    let expected: [(&str, u64, Option<u32>, &[u32]); 9] = [
        ("", 0, None, &[]),
        ("run", 1, Some(0), &[]),
        ("show", 2, Some(1), &[12]),
        ("show", 1, Some(2), &[14]),
        ("work", 1, Some(3), &[20, 22]),
        ("work", 1, Some(3), &[40]),
        ("section", 1, None, &[]),
        ("show", 1, Some(5), &[]),
        ("run", 1, Some(6), &[]),
    ];
    assert_eq!(paths, expected);
    let sites: Vec<_> = ledger
        .rows
        .sites
        .iter()
        .map(|site| (format!("{}.{}", site.class, site.method), site.line, site.within))
        .collect();
    let expected = [
        ("a.Main.run", Some(10), None),
        ("b.Toast.show", Some(12), Some(0)),
        ("b.Toast.show", Some(14), Some(0)),
        ("a.Main.work", None, None),
        // A method is listed for a call in it.
        ("a.Other.only", None, None),
        ("b.Toast.show", None, Some(4)),
        ("Logged.run", None, None),
    ];
    let expected = expected.map(|(name, line, within)| (name.to_owned(), line, within));
    assert_eq!(sites, expected);
    let [inlined] = ledger.rows.inlined.as_slice() else { panic!("{:?}", ledger.rows.inlined) };
    assert_eq!((inlined.site, &*inlined.class, inlined.line), (2, "a.Gone", Some(5)));
    // What is written is read.
    let read = Ledger::from_bytes(&ledger.to_bytes().expect("bytes")).expect("a ledger");
    assert_eq!(read, ledger);
}

#[track_caller]
fn check_coverage(slices: &[(i64, i64, &str, u16, Option<usize>)], expected: &[(&str, u64, u64)]) {
    let (phone, _) = phone(slices);
    let mut options = AttributionOptions::default();
    options.window = Some(window(0, 500));
    let ledger = phone.attribute(&options);
    let found: Vec<_> = ledger
        .sheets
        .coverage
        .iter()
        .map(|it| (it.class.as_str(), it.methods, it.executed))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn coverage_counts_what_ran_inside_the_window() {
    let unused = ("a.Unused", 1, 0);
    check_coverage(&[], &[("a.Main", 3, 0), ("a.Other", 1, 0), unused]);
    // The call in `only` begins where the window ends.
    check_coverage(SLICES, &[("a.Main", 3, 2), ("a.Other", 1, 0), unused]);
    let call = (499, 499, "show", 0, Some(6));
    check_coverage(&[call], &[("a.Main", 3, 0), ("a.Other", 1, 1), unused]);
    // Open all the time.
    let open = (-50, i64::MAX, "never", 0, Some(4));
    check_coverage(&[open], &[("a.Main", 3, 1), ("a.Other", 1, 0), unused]);
}

/// Places that point nowhere: nothing is listed of them.
#[test]
fn places_that_are_not_there() {
    let (mut phone, _) = phone(&[(100, 400, "run", 0, Some(99)), (110, 120, "show", 1, Some(1))]);
    phone.timeline.code.sites.sites[1].within = Some(id(2));
    let ledger = phone.attribute(&AttributionOptions::default());
    assert_eq!(ledger.rows.sites.len(), 1);
    assert_eq!(ledger.rows.sites[0].within, None);
    assert_eq!(
        ledger.rows.paths.iter().map(|path| path.site).collect::<Vec<_>>(),
        [None, None, Some(0)]
    );
}
