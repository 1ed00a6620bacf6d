use wattle_ledger::{JudgedRail, JudgedStretch};
use wattle_units::Estimate;

use super::{RailTrace, RailTraces};
use crate::error_line::{Intervals, Line, Predictions, Role, lines_with};
use crate::error_table::SetEntry;

pub(crate) const SET: &str = "rails";
/// The model alone.
const PLAIN: &str = "plain curves";
/// The fit of rails to periods of other times.
const FITTED: &str = "rails fitted to other blocks";
/// Periods with less of their trace's energy on all rails are noise of the monitor: relative errors of them mean little.
const MATTERS: f64 = 0.01;

/// Errors of each rail's total and periods, and those of all rails together.
pub(crate) fn judge(traces: &RailTraces) -> (SetEntry, Vec<Line>) {
    let judged = &traces.judged;
    let rails: Vec<(&RailTrace, &JudgedRail)> =
        judged.iter().flat_map(|trace| trace.rails.iter().map(move |rail| (trace, rail))).collect();
    let of_all = |stretches: fn(&JudgedRail) -> &[JudgedStretch]| {
        rails.iter().flat_map(|(_, rail)| stretches(rail)).copied().collect::<Vec<_>>()
    };
    let large = judged.iter().flat_map(large_periods).collect::<Vec<_>>();
    let best = Role::Best;
    let mut lines = totals("rail totals", &rails);
    lines.extend(held_out("rail periods", &of_all(|rail| &rail.periods), best));
    lines.extend(held_out("rail periods from 1 %", &large, best));
    lines.extend(held_out("windows of 250 ms", &of_all(|rail| &rail.windows), best));
    for trace in judged {
        let of_trace = |stretches: fn(&JudgedRail) -> &[JudgedStretch]| {
            trace.rails.iter().flat_map(stretches).copied().collect::<Vec<_>>()
        };
        for (what, stretches) in [
            ("periods", of_trace(|rail| &rail.periods)),
            ("windows", of_trace(|rail| &rail.windows)),
        ] {
            let target = format!("{}, {what}", trace.device);
            lines.extend(held_out(&target, &stretches, Role::Interpretable));
        }
    }
    for of in &rails {
        let (trace, rail) = of;
        let name = format!("{} {}", trace.device, rail.rail);
        lines.extend(totals(&format!("{name}, total"), &[*of]));
        lines.extend(held_out(&format!("{name}, periods"), &rail.periods, Role::Interpretable));
    }
    (entry(traces, rails.len()), lines)
}

fn entry(traces: &RailTraces, rails: usize) -> SetEntry {
    let judged = &traces.judged;
    let periods: usize = judged.iter().flat_map(|it| &it.rails).map(|it| it.periods.len()).sum();
    let mut notes: Vec<String> = judged.iter().map(described).collect();
    if !judged.is_empty() {
        notes.push(
            "expected sizes of slopes, floors and differences of code are those of a Pixel 6 and a Pixel 6a: on these, \
             fitted figures are not of an unseen kind of phone"
                .to_owned(),
        );
    }
    notes.extend(traces.omitted.iter().cloned());
    SetEntry {
        name: SET,
        files: judged.iter().map(|trace| trace.file.clone()).collect(),
        rows: periods,
        groups: format!("periods of {rails} rails in {} traces", judged.len()),
        held_out: "plain curves: all rails of the recording; fitted: one of 5 blocks of time, all rails of it"
            .to_owned(),
        inputs: "clocks, idle states and scheduler of the trace; published curves, none learnt from the device's rails"
            .to_owned(),
        truth: "energy that the device's own power monitor counted".to_owned(),
        notes,
    }
}

/// One trace in words.
fn described(trace: &RailTrace) -> String {
    let RailTrace { file, device, model, rails } = trace;
    let periods: usize = rails.iter().map(|rail| rail.periods.len()).sum();
    let windows: usize = rails.iter().map(|rail| rail.windows.len()).sum();
    let joules: f64 = rails.iter().map(|rail| rail.measured.value()).sum();
    format!(
        "{file}: {device}, model {model}, {} rails, {periods} periods, {windows} windows, {joules:.3} J",
        rails.len()
    )
}

/// The periods of a trace with a part of its energy that matters.
fn large_periods(trace: &RailTrace) -> Vec<JudgedStretch> {
    let all: f64 = trace.rails.iter().map(|rail| rail.measured.value()).sum();
    let periods = trace.rails.iter().flat_map(|rail| &rail.periods);
    periods.filter(|period| period.measured.value() >= MATTERS * all).copied().collect()
}

fn totals(target: &str, rails: &[(&RailTrace, &JudgedRail)]) -> Vec<Line> {
    let measured: Vec<f64> = rails.iter().map(|(_, rail)| rail.measured.value()).collect();
    let (plain, intervals) =
        predictions((PLAIN, Role::Baseline), rails.iter().map(|(_, rail)| Some(rail.plain)));
    lines_with(SET, target, &measured, &[(&plain, Some(intervals))])
}

fn held_out(target: &str, stretches: &[JudgedStretch], role: Role) -> Vec<Line> {
    let measured: Vec<f64> = stretches.iter().map(|it| it.measured.value()).collect();
    let plain = stretches.iter().map(|it| Some(it.plain));
    let (plain, of_plain) = predictions((PLAIN, Role::Baseline), plain);
    let (fitted, of_fitted) = predictions((FITTED, role), stretches.iter().map(|it| it.fitted));
    let said = [(&plain, Some(of_plain)), (&fitted, Some(of_fitted))];
    lines_with(SET, target, &measured, &said)
}

/// The predictions of a model with its own intervals; what it does not predict is no number.
fn predictions(
    (model, role): (&'static str, Role),
    estimates: impl Iterator<Item = Option<Estimate>>,
) -> (Predictions, Intervals) {
    let of = |estimate: Option<Estimate>| {
        let (low, high) = estimate
            .map_or((f64::NAN, f64::NAN), |it| (it.interval.low.value(), it.interval.high.value()));
        (estimate.map_or(f64::NAN, |it| it.joules.value()), (low, high))
    };
    let (predicted, intervals) = estimates.map(of).unzip();
    (Predictions { model, role, predicted, has_interval: true }, intervals)
}
