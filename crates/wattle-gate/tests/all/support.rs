//! Runs and policies.

use serde_json::json;
use wattle_gate::{
    Baseline, BaselineOrigin, CheckRow, Energy, GateError, GateReport, GateRun, Policy, check,
};
use wattle_random::SplitMix64;

/// A policy of `wattle.toml`'s part `[check]`.
#[track_caller]
pub fn policy(text: &str) -> Policy {
    toml::from_str(text).expect("a policy")
}

/// An energy with an interval of so many parts of it to both sides.
pub fn energy(joules: f64, half: f64) -> Energy {
    Energy { joules, low: joules * (1.0 - half), high: joules * (1.0 + half) }
}

/// A run of the app with this energy: a third is its CPU, a tenth one method.
pub fn run(name: &str, joules: f64) -> GateRun {
    let mut run = GateRun { name: name.to_owned(), ..GateRun::default() };
    "com.example.news".clone_into(&mut run.facts.app.package);
    run.facts.circumstances.scenario = Some("feed".to_owned());
    run.facts.device.title = Some("Pixel 6a".to_owned());
    run.facts.device.model_name = Some("pixel-6a".to_owned());
    run.app = Some(energy(joules, 0.04));
    run.total = Some(energy(5.0 * joules, 0.04));
    run.components.insert("cpu".to_owned(), energy(joules / 3.0, 0.04));
    run.methods.insert("com.example.news.Feed.load".to_owned(), energy(joules / 10.0, 0.04));
    run.methods.insert("com.example.news.Feed.draw".to_owned(), energy(joules / 20.0, 0.04));
    run
}

/// Runs around a mean with normal noise.
pub fn runs(name: &str, count: usize, mean: f64, noise: f64, seed: u64) -> Vec<GateRun> {
    let mut random = SplitMix64::new(seed);
    (0..count)
        .map(|number| run(&format!("{name}{number}"), mean * (1.0 + noise * random.normal())))
        .collect()
}

/// A run that was made at this temperature.
pub fn at_celsius(mut run: GateRun, celsius: f64) -> GateRun {
    run.facts.circumstances.conditions = Some(json!({ "battery": { "temperature": celsius } }));
    run
}

#[track_caller]
pub fn judged(policy_text: &str, current: &[GateRun], baseline: &[GateRun]) -> GateReport {
    tried(policy_text, current, baseline).expect("a report")
}

/// The same, where it may be refused.
pub fn tried(
    policy_text: &str,
    current: &[GateRun],
    baseline: &[GateRun],
) -> Result<GateReport, GateError> {
    let origin = BaselineOrigin::History(Some("main".to_owned()));
    check(&policy(policy_text), current, &Baseline { runs: baseline, last: 10, origin })
}

/// The only row.
#[track_caller]
pub fn row(report: &GateReport) -> &CheckRow {
    assert_eq!(report.rows.len(), 1, "{report:?}");
    &report.rows[0]
}
