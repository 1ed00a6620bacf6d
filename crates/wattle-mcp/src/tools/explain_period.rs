//! `explain` of a period of time.

use wattle_report::Report;
use wattle_units::Nanos;

use super::ToolArguments;
use super::explain_consumer::components;
use super::greatest_consumers::period as asked_period;
use super::recording_words::has_method;
use super::recording_words::{answer_about, mean_power, period_coverage, share, timeless_line};
use crate::answer::{
    AnswerRow, NextQuestion, ToolAnswer, ToolError, percent, period as period_text,
};
use crate::opened::{EnergyQuery, GroupKind, OpenedRecording, energy_groups};

/// Rows of each kind.
const MOST_ROWS: usize = 6;

pub(super) fn period(
    opened: &OpenedRecording,
    report: &Report,
    arguments: &ToolArguments,
) -> Result<ToolAnswer, ToolError> {
    let Some(range) = asked_period(opened, arguments)? else {
        return Err(ToolError::new("explain: expected from or to, in seconds"));
    };
    let query = EnergyQuery { time: Some(range), ..EnergyQuery::default() };
    let apps = energy_groups(&opened.ledger, GroupKind::App, query);
    let Some(total) =
        energy_groups(&opened.ledger, GroupKind::All, query).first().map(|it| it.energy)
    else {
        let text = format!("No energy is known from {}.", period_text(range.from, range.to));
        let mut answer = answer_about(opened, report, text);
        answer.coverage = period_coverage(opened, query);
        return Ok(answer);
    };
    let part = share(total, report.energy.total.0);
    let part = part.map(|part| format!(", {} of the total", percent(part)));
    let power = mean_power(total, Nanos::from_seconds(range.to - range.from));
    let power = power.map(|power| format!("; mean power {power}"));
    let text = format!(
        "From {} {} used {total} {}{}{}.",
        period_text(range.from, range.to),
        if opened.timeless_components().is_empty() {
            "the device"
        } else {
            "the components whose times are known"
        },
        total.provenance,
        part.unwrap_or_default(),
        power.unwrap_or_default()
    );
    let mut answer = answer_about(opened, report, text);
    answer.coverage = period_coverage(opened, query);
    answer.fact(
        "The period is rounded outwards to whole steps of time. Its energy is a part of the whole recording's estimate; \
         an estimate of this time alone (`wattle report FILE --from … --to …`) rests on less and can differ",
    );
    answer.fact(timeless_line(opened));
    answer.fact(components(opened, query));
    let row = |kind: &'static str| {
        move |group: crate::opened::EnergyGroup| {
            AnswerRow::new(kind, group.name)
                .with_energy(Some(group.energy))
                .with_share(share(group.energy, Some(total)))
        }
    };
    answer.rows = apps.into_iter().take(MOST_ROWS).map(row("app")).collect();
    let paths = energy_groups(&opened.ledger, GroupKind::CallPath, query);
    let first = paths.first().map(|it| it.name.clone());
    answer.rows.extend(paths.into_iter().take(MOST_ROWS).map(row("call_path")));
    answer.heading = String::from("Programs, then call paths (self), in this time:");
    let method = first.and_then(|path| path.rsplit(" > ").next().map(str::to_owned));
    let whole = opened.report(None);
    let next = if let Some(method) = method.filter(|name| has_method(&whole, name)) {
        NextQuestion::new("explain", "what it does in the whole recording").with("method", method)
    } else {
        let has_threads = !energy_groups(&opened.ledger, GroupKind::Thread, query).is_empty();
        NextQuestion::new("top", "the same time in another view")
            .with("by", if has_threads { "thread" } else { "component" })
            .with("from", range.from)
            .with("to", range.to)
    };
    answer.next.push(next.with("recording", opened.handle.as_str()));
    Ok(answer)
}
