//! Which rules look, and what is wrong to ask for.

use wattle_diagnose::{
    Acceptance, DiagnoseError, DiagnoseOptions, Diagnosis, Input, KnownFindings, diagnose, rules,
};
use wattle_ledger::Ledger;

use super::scene::{Scene, only};

#[track_caller]
fn refuses(change: impl FnOnce(&mut DiagnoseOptions), says: &str) {
    let scene = Scene::new(1000.0);
    let ledger = Ledger::empty(scene.timeline.window);
    let input = Input { timeline: &scene.timeline, power: &scene.power, ledger: &ledger };
    let mut options = DiagnoseOptions::default();
    change(&mut options);
    let error = diagnose(input, &options).unwrap_err();
    let is_known =
        matches!(error, DiagnoseError::NoSuchRule { .. } | DiagnoseError::BadOption { .. });
    assert!(is_known && error.to_string().contains(says), "{error} lacks {says:?}");
}

#[test]
fn what_there_is_not_is_refused() {
    let set = |name: &str, value| (name.to_owned(), value);
    refuses(|it| it.rules.only.push("busy-weight".into()), "busy-wait, short-sleep");
    refuses(|it| it.rules.skip.push("lazy-wait".into()), "no rule \"lazy-wait\"");
    refuses(|it| it.rules.thresholds.push(set("lazy-wait.least", 1.0)), "no rule \"lazy-wait\"");
    refuses(|it| it.rules.thresholds.push(set("busy-wait.most", 1.0)), "least-time");
    refuses(|it| it.rules.thresholds.push(set("busy-wait", 1.0)), "RULE.THRESHOLD=NUMBER");
    refuses(|it| it.rules.thresholds.push(set("busy-wait.least-time", -1.0)), "from 0 on");
    refuses(|it| it.rules.thresholds.push(set("busy-wait.least-time", f64::NAN)), "from 0 on");
}

#[test]
fn rules_are_chosen() {
    let scene = Scene::new(1000.0);
    let looked = |change: &dyn Fn(&mut DiagnoseOptions)| -> Vec<&'static str> {
        let mut options = DiagnoseOptions::default();
        change(&mut options);
        // Rules say that they have nothing to look at.
        let notes = scene.diagnose(&options).notes;
        let is_there = |id: &str| notes.iter().any(|note| note.text.contains(id));
        rules().iter().map(|rule| rule.id).filter(|id| is_there(id)).collect()
    };
    assert_eq!(looked(&|_| {}).len(), rules().len());
    assert_eq!(
        looked(&|it| it.rules.only = vec!["job-wakes".into(), "busy-wait".into()]),
        ["busy-wait", "job-wakes"]
    );
    assert_eq!(looked(&|it| it.rules.skip = vec!["busy-wait".into()]).len(), rules().len() - 1);
}

#[test]
fn the_table_is_whole() {
    for (index, rule) in rules().iter().enumerate() {
        let is_name = |name: &str| {
            name.chars().all(|it| it.is_ascii_lowercase() || it == '-') && !name.is_empty()
        };
        assert!(is_name(rule.id), "{}", rule.id);
        assert!(
            rules().iter().skip(index + 1).all(|other| other.id != rule.id),
            "{} twice",
            rule.id
        );
        for text in [rule.title, rule.looks_for, rule.why, rule.remedy] {
            assert!(text.len() > 20 && !text.contains("  "), "{}: {text:?}", rule.id);
        }
        assert!(!rule.references.is_empty() && !rule.thresholds.is_empty(), "{}", rule.id);
        for (index, threshold) in rule.thresholds.iter().enumerate() {
            assert!(is_name(threshold.name) && threshold.value.is_finite(), "{threshold:?}");
            assert!(
                threshold.meaning.ends_with('.') && !threshold.unit.is_empty(),
                "{threshold:?}"
            );
            let rest = &rule.thresholds[index + 1..];
            assert!(rest.iter().all(|other| other.name != threshold.name), "{threshold:?} twice");
        }
    }
}

/// A choice that accepts findings.
fn accept(rule: &str, subject: Option<&str>, until: Option<&str>) -> Acceptance {
    Acceptance {
        rule: rule.to_owned(),
        subject: subject.map(str::to_owned),
        reason: "it is known".to_owned(),
        until: until.map(str::to_owned),
        ..Acceptance::default()
    }
}

/// A thread that naps, in an app.
fn napping() -> Diagnosis {
    let naps = (1..=400_u32).map(|i| f64::from(i) * 5.0).map(|t| (t, t + 0.5, 1, true));
    let diagnosis = Scene::new(5000.0).runs(naps).diagnose(&only("short-sleep", &[]));
    assert_eq!(diagnosis.findings.len(), 1);
    diagnosis
}

#[test]
fn accepted_findings_are_set_aside() {
    let check = |choice: Acceptance, accepted: usize, note: Option<&str>| {
        let mut diagnosis = napping();
        diagnosis.accept(std::slice::from_ref(&choice), "2026-05-05");
        assert_eq!(diagnosis.accepted.len(), accepted, "{choice:?}");
        assert_eq!(diagnosis.findings.len(), 1 - accepted, "{choice:?}");
        let codes = ["acceptance-over", "acceptance-unused"];
        let mut notes = diagnosis.notes.iter().map(|it| it.code.as_str());
        assert_eq!(notes.find(|it| codes.contains(it)), note, "{choice:?}");
    };
    check(accept("short-sleep", None, None), 1, None);
    check(accept("short-*", Some("com.example.*"), Some("2026-05-05")), 1, None);
    // Its last day was yesterday: the finding counts again, and that is said.
    check(accept("short-sleep", None, Some("2026-05-04")), 0, Some("acceptance-over"));
    check(accept("short-sleep", Some("com.other"), None), 0, Some("acceptance-unused"));
    check(accept("busy-wait", None, None), 0, Some("acceptance-unused"));
    let thread =
        Acceptance { thread: Some("com.example.app".to_owned()), ..accept("*", None, None) };
    check(thread, 1, None);
    let place = Acceptance { place: Some("poll".to_owned()), ..accept("*", None, None) };
    check(place, 0, Some("acceptance-unused"));
    // A choice that is over does not hide one that is not.
    let mut diagnosis = napping();
    let choices = [accept("*", None, Some("2020-01-01")), accept("*", None, None)];
    diagnosis.accept(&choices, "2026-05-05");
    assert_eq!((diagnosis.findings.len(), diagnosis.accepted.len()), (0, 1));
}

#[test]
fn a_baseline_knows_findings_whatever_their_numbers() {
    let known = KnownFindings::from_diagnosis(&napping());
    let text = serde_json::to_string(&known).unwrap();
    let read: KnownFindings = serde_json::from_str(&text).unwrap();
    assert!(read.is_of_this_version());
    let mut later = napping();
    later.findings[0].title = "another period".to_owned();
    later.findings[0].thread = Some("com.example.app (4711)".to_owned());
    later.accept_known(&read);
    assert_eq!((later.findings.len(), later.accepted.len()), (0, 1));
    // What is accepted stays in the next baseline.
    assert_eq!(KnownFindings::from_diagnosis(&later), known);
    let mut other = napping();
    other.findings[0].who = Some("com.example.other".to_owned());
    other.accept_known(&read);
    assert_eq!((other.findings.len(), other.accepted.len()), (1, 0));
}
