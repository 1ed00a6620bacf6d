//! Scores as JSON.

use serde_json::{Value, json};
use wattle_gate_bench::GateScores;

use super::Options;

/// All figures of a run.
pub fn document(options: &Options, otava: &str, scores: &GateScores, equal: &GateScores) -> Value {
    json!({
        "series": options.series,
        "seed": options.seed,
        "otava": otava,
        "documented_limits": rows(scores),
        "equal_false_alarms": rows(equal),
    })
}

fn rows(scores: &GateScores) -> Vec<Value> {
    scores
        .iter()
        .map(|((kind, tool), score)| {
            let found: Vec<f64> = (0..5).map(|size| score.found_soon(size)).collect();
            json!({
                "kind": kind.name(),
                "tool": tool.text(),
                "false_alarms_per_100_commits": score.false_alarms(),
                "found_within_5_commits": { "1%": found[0], "2%": found[1], "3%": found[2], "5%": found[3], "10%": found[4] },
                "found": score.found(),
                "right_directions": score.right_signs(),
                "delay_commits": score.delay(),
                "f1": score.f1(),
                "jaccard": score.similarity(),
                "runs_per_commit": score.quiet_runs_per_commit(),
                "runs_per_commit_with_steps": score.runs_per_commit(),
            })
        })
        .collect()
}
