//! JSON.

use serde_json::{Value, json};

use crate::judged_run::Energy;
use crate::{CheckRow, GateReport, Measured};

/// Name and version of the form.
const FORMAT: &str = "wattle-check/1";

/// The check as JSON, described in `docs/check.md`.
pub fn json(report: &GateReport, is_strict: bool) -> String {
    let refused = report.baseline.refused.iter();
    let refused: Vec<Value> =
        refused.map(|(run, reason)| json!({ "run": run, "reason": reason })).collect();
    let rows: Vec<Value> = report.rows.iter().map(row).collect();
    let document = json!({
        "format": FORMAT,
        "verdict": report.verdict().name(),
        "passes": report.passes(is_strict),
        "headline": report.headline(),
        "app": report.app,
        "runs": report.runs,
        "baseline": {
            "described": report.baseline.described,
            "runs": report.baseline.runs,
            "refused": refused,
        },
        "rules": rows,
    });
    format!("{document:#}\n")
}

fn row(row: &CheckRow) -> Value {
    let change = row.change.map(|change| {
        json!({
            "difference_joules": change.joules.value(),
            "difference_interval_joules": [change.interval.low.value(), change.interval.high.value()],
            "share": row.share(),
            "p_value": change.p_value,
            "detectable_joules": change.detectable.value(),
            "runs_needed": change.outlook.runs_needed(),
        })
    });
    json!({
        "subject": row.rule.subject.to_string(),
        "scenario": row.rule.scenario.as_ref().map(ToString::to_string),
        "at_most_joules": row.rule.at_most.map(|limit| limit.0.value()),
        "grow_at_most": row.rule.grow_at_most.map(|it| json!({ "share": it.share, "joules": it.joules.value() })),
        "verdict": row.verdict.name(),
        "text": row.text,
        "cause": row.cause.map(crate::ScatterCause::describe),
        "measured": row.measured.map(measured),
        "baseline": row.baseline.map(measured),
        "change": change,
    })
}

fn measured(of: Measured) -> Value {
    let Energy { joules, low, high } = of.energy;
    json!({ "joules": joules, "interval_joules": [low, high], "runs": of.runs })
}
