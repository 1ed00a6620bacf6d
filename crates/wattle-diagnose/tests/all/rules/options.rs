//! Which rules look, and what is wrong to ask for.

use wattle_diagnose::{DiagnoseError, DiagnoseOptions, Input, diagnose, rules};
use wattle_ledger::Ledger;

use super::scene::Scene;

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
