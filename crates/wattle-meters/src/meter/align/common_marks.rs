//! Marks that both the meter and the recording have.

use wattle_timeline::{CounterTrack, Timeline};

use super::Alignment;
use super::correlate::{Pair, find};
use super::pieces::Pieces;
use crate::meter::meter_series::{MeterMark, Series};

/// The name of the counter that says whether a regulator is on.
pub(crate) fn regulator_counter(name: &str) -> String {
    format!("{name} State")
}

/// A value of `key=value key=value`.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

/// By marks of the same name: the meter's program wrote into the trace what it wrote into its file.
pub(crate) fn by_names(marks: &[MeterMark], timeline: &Timeline) -> Option<Alignment> {
    let mut pairs: Vec<(i64, i64)> = Vec::new();
    for mark in &timeline.energy.sync_marks {
        let text = timeline.names.get(mark.text);
        let found = marks.iter().find(|own| text.split([' ', '=']).any(|word| word == own.id));
        pairs.extend(found.map(|own| (own.time, mark.time.value())));
    }
    pairs.sort_unstable();
    let (first, last) = (*pairs.first()?, *pairs.last()?);
    let apart = last.0.saturating_sub(first.0);
    let offset = |pair: (i64, i64)| pair.1.saturating_sub(pair.0);
    let moved = offset(last).saturating_sub(offset(first));
    // Marks are written by programs, which may be late by a millisecond: only far ones tell a drift.
    let has_drift = apart >= 10_000_000_000 && moved.unsigned_abs() < apart.unsigned_abs() / 2000;
    let drift = has_drift.then(|| moved as f64 / apart as f64);
    let fitted = |time: i64| {
        let along = drift.map_or(0.0, |drift| drift * (time - first.0) as f64);
        offset(first).saturating_add(along.round() as i64)
    };
    let miss = pairs
        .iter()
        .map(|(own, boot)| offset((*own, *boot)).saturating_sub(fitted(*own)).saturating_abs())
        .max();
    Some(Alignment {
        from: first.0,
        offset: offset(first),
        drift_ppb: drift.map(|drift| (drift * 1e9).round() as i64),
        // One mark cannot contradict itself.
        residual: miss.filter(|_| pairs.len() > 1),
        by: "marks of the meter's program in the trace".to_owned(),
        readings: u32::try_from(pairs.len()).unwrap_or(u32::MAX),
    })
}

/// By a pattern of loads that the meter's program made between two marks, switching a regulator (`trace_event_clock_sync:
/// name=battor regulator=NAME`). `None`: the recording has no such marks.
pub(crate) fn by_pattern(
    series: &Series,
    timeline: &Timeline,
    within: Option<(i64, i64)>,
) -> Option<Result<Alignment, String>> {
    let marks: Vec<(i64, &str)> = timeline
        .energy
        .sync_marks
        .iter()
        .filter_map(|mark| {
            let name = value(timeline.names.get(mark.text), "regulator")?;
            Some((mark.time.value(), name))
        })
        .collect();
    let (first, last) = (*marks.first()?, *marks.last()?);
    let name = regulator_counter(first.1);
    let counter = timeline.system.counters.iter().find(|it| timeline.names.get(it.name) == name);
    let Some(counter) = counter else {
        return Some(Err(format!(
            "the trace has sync marks, but no events of the regulator {}",
            first.1
        )));
    };
    let pattern = pattern(counter, first.0, last.0);
    let meter = Pieces { time: series.time.clone(), value: series.power.clone() };
    let pair = Pair { reference: &pattern, meter: &meter, drops_slow: false };
    Some(
        find(pair, within)
            .map_err(|reason| format!("by the pattern of {}: {reason}", first.1))
            .map(|peak| Alignment {
                from: series.time.first().copied().unwrap_or_default(),
                offset: peak.offset,
                drift_ppb: None,
                residual: Some(peak.residual),
                by: format!(
                    "sync pattern of the regulator {} (correlation {:.2}, elsewhere {:.2} at most)",
                    first.1, peak.correlation, peak.next
                ),
                readings: u32::try_from(pattern.time.len()).unwrap_or(u32::MAX),
            }),
    )
}

/// The counter between the marks.
fn pattern(counter: &CounterTrack, from: i64, to: i64) -> Pieces {
    let mut pieces = Pieces::default();
    for (time, value) in counter.time.iter().zip(&counter.value) {
        if (from..=to).contains(&time.value()) {
            pieces.time.push(time.value());
            pieces.value.push(*value);
        }
    }
    pieces
}
