//! JSON.

use serde_json::{Value, json};

use crate::judged_run::Energy;
use crate::{
    CheckRow, CommitChange, GateReport, HistoryFinding, HistoryJudgement, Measured, ScatterCause,
};

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
        "commits": report.commits,
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
        "judged_scenario": row.scenario,
        "scenario": row.rule.scenario.as_ref().map(ToString::to_string),
        "at_most_joules": row.rule.at_most.map(|limit| limit.0.value()),
        "grow_at_most": row.rule.grow_at_most.map(|it| json!({ "share": it.share, "joules": it.joules.value() })),
        "verdict": row.verdict.name(),
        "text": row.text,
        "cause": row.cause.map(ScatterCause::describe),
        "measured": row.measured.map(measured),
        "baseline": row.baseline.map(measured),
        "change": change,
        "history": row.history.as_ref().map(history),
    })
}

/// The judgement by the commits before.
fn history(judged: &HistoryJudgement) -> Value {
    let (finding, change, rerun, cause) = match &judged.finding {
        HistoryFinding::Quiet => ("quiet", None, None, None),
        HistoryFinding::Outside => ("outside", None, None, None),
        HistoryFinding::Here(change) => ("here", Some(change), None, None),
        HistoryFinding::Earlier(change) => ("earlier", Some(change), None, None),
        HistoryFinding::Suspected { change, rerun } => {
            ("suspected", Some(change), Some(rerun), None)
        }
        HistoryFinding::Flaky(cause) => ("flaky", None, None, Some(*cause)),
    };
    json!({
        "commits": judged.commits,
        "finding": finding,
        "change": change.map(commit_change),
        "rerun": rerun.map(|it| json!({ "before": it.before, "after": it.after, "pairs": it.pairs })),
        "cause": cause.map(|cause| ScatterCause::Series(cause).describe()),
        "since": judged.since.as_ref().map(commit_change),
    })
}

fn commit_change(change: &CommitChange) -> Value {
    json!({
        "commit": change.commit,
        "last_good": change.last_good,
        "commits_ago": change.commits_ago,
        "joules": change.joules,
        "interval_joules": [change.low, change.high],
        "share": change.share(),
        "by_reruns": change.by_reruns,
    })
}

fn measured(of: Measured) -> Value {
    let Energy { joules, low, high } = of.energy;
    json!({ "joules": joules, "interval_joules": [low, high], "runs": of.runs })
}
