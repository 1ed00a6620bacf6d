//! `wattle demo --effects`: errors and coverage on simulated phones that are harder than their model.

use crate::support::{list, number, wattle};
use serde_json::Value;

fn figures(summary: &Value, mode: &str, level: &str, key: &str) -> f64 {
    let modes = list(summary, "/modes");
    let mode = modes.iter().find(|it| it["mode"] == mode).expect("the mode");
    let levels = list(mode, "/levels");
    let level = levels.iter().find(|it| it["level"] == level).expect("the level");
    number(level, &format!("/pooled/{key}"))
}

#[test]
fn its_json_follows_its_schema_and_is_documented() {
    let flags = ["activity=0.2,leakage=1.6,contention,rail-gain=0.02", "--seeds", "2"];
    let run = || {
        wattle(["demo", "--effects", flags[0], flags[1], flags[2], "--seconds", "4", "--json", "-"])
            .json()
    };
    let summary = run();
    let schema = include_str!("../../../../docs/schema/demo-effects-1.schema.json");
    let schema = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let errors: Vec<_> = validator.iter_errors(&summary).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let page = include_str!("../../../../docs/demo-effects.md");
    let level = &summary["modes"][0]["levels"][2];
    for value in [&summary, &summary["modes"][0], level, &level["pooled"]] {
        for key in value.as_object().expect("an object").keys() {
            let is_there =
                page.contains(&format!("`{key}`")) || page.contains(&format!("`{key}[]`"));
            assert!(is_there, "{key} is not documented");
        }
    }
    assert_eq!(summary["effects"]["leakage"], 1.6);
    assert_eq!(summary["seeds"], serde_json::json!([1, 2]));
    assert_eq!(summary, run(), "the same seeds give the same figures");
    // Activity of 20 % cannot be seen in a rail: whoever finds every method to a percent has seen the truth.
    let error = figures(&summary, "rails", "method", "mean_error");
    assert!((0.01..0.5).contains(&error), "{error}");
}

#[test]
fn effects_make_estimates_worse_and_the_sweep_shows_it() {
    let run = |effects| {
        let modes = ["--modes", "no-rails"];
        let fixed = ["--seeds", "3", "--seconds", "4", "--json", "-"];
        let mut arguments = vec!["demo", "--effects", effects];
        arguments.extend(modes.iter().chain(&fixed));
        wattle(arguments).json()
    };
    let (none, hard) = (run("none"), run("activity=0.4,dsu=3,binning=0.2"));
    let error = |summary: &Value| figures(summary, "no-rails", "method", "weighted_error");
    assert!(error(&hard) > 1.5 * error(&none), "{} and {}", error(&none), error(&hard));
    let coverage = |summary: &Value| figures(summary, "no-rails", "method", "coverage");
    assert!(coverage(&hard) < coverage(&none), "{} and {}", coverage(&none), coverage(&hard));
}

#[test]
fn every_effect_is_documented_with_its_size_and_range() {
    let page = include_str!("../../../../docs/demo-effects.md");
    for effect in wattle_sim::Effect::ALL {
        let (least, most) = effect.range();
        let row = if least < most {
            format!("| `{}` | {} | {least} to {most} |", effect.name(), effect.usual_size())
        } else {
            format!("| `{}` | on | |", effect.name())
        };
        assert!(page.contains(&row), "no {row:?}");
    }
}

#[test]
fn a_trace_of_one_phone_can_be_kept_and_reported() {
    let folder = tempfile::tempdir().expect("folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (trace, model) = (path("hard.pftrace"), path("hard.toml"));
    let one = ["demo", "--effects", "standard", "--seconds", "2", "--trace", &trace];
    let refused = wattle(one);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("--seeds 1"), "{}", refused.stderr);
    let mut kept = one.to_vec();
    kept.extend(["--seeds", "1", "--device-model", &model, "--quiet"]);
    assert_eq!(wattle(kept).code, Some(0));
    let report = wattle(["report", &trace, "--device-model", &model, "--json", "-"]).json();
    assert!(number(&report, "/total_joules") > 0.1);
}

#[test]
fn people_get_a_table() {
    let flags = ["--seeds", "2", "--seconds", "2", "--modes", "rails,counters"];
    let mut arguments = vec!["demo", "--effects", "standard"];
    arguments.extend(flags);
    let run = wattle(arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for words in ["activity=0.2", "counters=1", "coverage", "method ≥ 0.2 %", "device ≥ 1 %"] {
        assert!(run.stdout.contains(words), "no {words:?} in:\n{}", run.stdout);
    }
    let refused = wattle(["demo", "--effects", "heat"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("leakage"), "{}", refused.stderr);
}
