//! Keys of findings in JSON, in the order in which they are written.

use wattle_table::{Column, Row, describe};
use wattle_timeline::Window;
use wattle_units::Estimate;

use crate::description::estimate;
use crate::{AcceptedFinding, CodePlace, Confidence, Evidence, Finding};

const SEVERITIES: &[&str] = &["note", "warning", "error"];

describe!(
    Evidence,
    "evidence",
    "one observation",
    [
        Column::text("text", "a sentence with figures", |row: &Evidence| &row.text),
        Column::maybe_object::<Window>(
            "window",
            "its time; absent where only totals are known",
            |row: &Evidence| row.window.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
    ]
);

describe!(
    CodePlace,
    "place",
    "a place in the program",
    [
        Column::text("function", "function or method", |row: &CodePlace| &row.function),
        Column::maybe_text("file", "source file", |row: &CodePlace| row.file.as_deref()).optional(),
        Column::maybe_id("line", "line in it", |row: &CodePlace| row.line).optional(),
        Column::maybe_texts(
            "stack",
            "callers, outermost first, itself last; absent where they are unknown",
            |row: &CodePlace| Some(row.stack.as_slice()).filter(|it| !it.is_empty())
        )
        .optional(),
    ]
);

describe!(
    Confidence,
    "confidence",
    "confidence in a finding",
    [
        Column::word(
            "level",
            "high: pattern and needlessness are both recorded; medium: one of them is inferred; low: harmless causes fit as well",
            &["low", "medium", "high"],
            |row: &Confidence| Some(&row.level)
        ),
        Column::text("reason", "the reason, in a sentence", |row: &Confidence| &row.reason),
    ]
);

describe!(
    Finding,
    "finding",
    "a defect",
    [
        Column::text("rule", "id of the rule, see wattle explain", |row: &Finding| &row.rule.0),
        Column::word("severity", "its severity", SEVERITIES, |row: &Finding| Some(&row.severity)),
        Column::object::<Confidence>(
            "confidence",
            "confidence that it is a defect, with the reason",
            |row: &Finding| &row.confidence
        ),
        Column::text("title", "the defect in a line", |row: &Finding| &row.title),
        Column::maybe_text(
            "who",
            "process, package or uid; absent for the device as a whole",
            |row: &Finding| row.who.as_deref()
        )
        .optional(),
        Column::maybe_text("thread", "thread, with its tid", |row: &Finding| row.thread.as_deref())
            .optional(),
        Column::list::<Evidence>(
            "evidence",
            "observations, the most severe first",
            |row: &Finding| { &row.evidence }
        ),
        Column::maybe_object::<CodePlace>("place", "place in the program", |row: &Finding| {
            row.place.as_ref().map(|it| it as &dyn Row)
        })
        .optional(),
        Column::maybe_object::<Estimate>(
            "at_stake",
            "potential saving; absent where no energy is known",
            |row: &Finding| estimate(row.at_stake.as_ref())
        )
        .optional(),
        Column::maybe_number(
            "joules_per_hour",
            "the same for each hour of the recording",
            |row: &Finding| row.joules_per_hour
        )
        .optional(),
        Column::text("remedy", "the fix", |row: &Finding| &row.remedy),
    ]
);

describe!(
    AcceptedFinding,
    "accepted_finding",
    "a finding that somebody accepts, by wattle.toml or a baseline",
    [
        Column::object::<Finding>("finding", "the finding", |row: &AcceptedFinding| &row.finding),
        Column::text("reason", "the reason for accepting it", |row: &AcceptedFinding| &row.reason),
        Column::maybe_text("until", "last day on which it is accepted", |row: &AcceptedFinding| {
            row.until.as_deref()
        })
        .optional(),
    ]
);
