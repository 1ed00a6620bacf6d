//! From a meter's clock to boot time, once everything else of a recording is read. The surest way that there is data for is taken:
//! what the user says, marks in both, a pattern of loads, times of day, and last the likeness of power and CPU activity.

mod common_marks;
mod correlate;
mod cpu_activity;
mod drift;
mod pieces;
#[cfg(test)]
mod synthetic;

use wattle_timeline::{ClockAlignment, Note, Severity, Timeline};

use super::meter_options::{MeterOptions, MeterStart};
use super::meter_series::{MeterClock, MeterFile, Series};
use correlate::{Pair, find};
use pieces::Pieces;
use wattle_import::text::SECOND;
use wattle_import::{Clock, ClockFacts, Fit};

/// Largest difference between the clocks of two machines that are set over the network.
const NETWORK_TIME: i64 = 10 * SECOND;

/// Distance within which a pattern is searched, from the offset at which cores and power are alike.
const NEAR: i64 = SECOND / 10;

/// Relation of a meter's clock to boot time.
#[derive(Clone, Debug, PartialEq)]
struct Alignment {
    /// A time of the meter.
    from: i64,
    /// Nanoseconds to add to it.
    offset: i64,
    /// Drift of the offset.
    drift_ppb: Option<i64>,
    residual: Option<i64>,
    by: String,
    readings: u32,
}

impl Alignment {
    fn to_boot(&self, time: i64) -> i64 {
        let after = i128::from(time) - i128::from(self.from);
        let drift = after * i128::from(self.drift_ppb.unwrap_or(0)) / 1_000_000_000;
        time.saturating_add(self.offset).saturating_add(drift as i64)
    }
}

/// Puts meters on a finished timeline, each in the recording's clock; what cannot be aligned is left out, and it is said.
pub(super) fn add(
    files: Vec<(String, MeterFile)>,
    options: &MeterOptions,
    clocks: &ClockFacts,
    timeline: &mut Timeline,
) {
    for (name, file) in files {
        let aligned = align(&file, options, clocks, timeline);
        match aligned {
            Ok(alignment) => {
                let from = file.series.iter().filter_map(Series::span).map(|span| span.0).min();
                let from = from.unwrap_or(alignment.from);
                timeline.quality.alignments.push(ClockAlignment {
                    artifact: name.clone(),
                    clock: clock_name(file.clock).to_owned(),
                    by: alignment.by.clone(),
                    offset_ns: alignment.to_boot(from).saturating_sub(from),
                    drift_ppb: alignment.drift_ppb,
                    residual_ns: alignment.residual,
                    readings: alignment.readings,
                });
                for series in file.series {
                    let track =
                        series.into_track(&mut timeline.names, |time| alignment.to_boot(time));
                    let is_outside =
                        track.time.last().is_none_or(|last| *last <= timeline.window.start)
                            || track.time.first().is_none_or(|first| *first >= timeline.window.end);
                    if is_outside {
                        let text = format!(
                            "{name}: the meter measured at another time than the recording was made"
                        );
                        timeline.quality.notes.push(Note::new(
                            Severity::Error,
                            "meter-elsewhere",
                            text,
                        ));
                    }
                    timeline.energy.meters.push(track);
                }
            }
            Err(reason) => {
                let text = format!(
                    "{name}: the meter's clock could not be brought to the recording's, so it is not used: {reason}; say when its \
                     first sample was taken with --meter-offset"
                );
                timeline.quality.notes.push(Note::new(Severity::Error, "meter-unaligned", text));
            }
        }
    }
}

/// Puts a meter on a timeline that has nothing else, in its own clock.
pub(super) fn alone(files: Vec<MeterFile>, builder: &mut wattle_timeline::TimelineBuilder) {
    for file in files {
        for series in file.series {
            let track = series.into_track(&mut builder.names, |time| time);
            builder.energy().meter(track);
        }
    }
}

fn clock_name(clock: MeterClock) -> &'static str {
    match clock {
        MeterClock::Own => "meter",
        MeterClock::Unix => "realtime of the meter's computer",
        MeterClock::Local => "local time of the meter's computer",
    }
}

fn align(
    file: &MeterFile,
    options: &MeterOptions,
    clocks: &ClockFacts,
    timeline: &Timeline,
) -> Result<Alignment, String> {
    let Some(series) = file.series.first() else { return Err("it has no samples".to_owned()) };
    let first = series.time.first().copied().unwrap_or_default();
    if file.are_runs && file.series.len() > 1 {
        return Err(format!(
            "it holds totals of {} runs, and nothing says which of them was recorded",
            file.series.len()
        ));
    }
    if let Some(start) = options.start {
        return Ok(by_user(first, start, timeline));
    }
    if let Some(found) = common_marks::by_names(&file.marks, timeline) {
        return Ok(found);
    }
    if file.are_runs {
        return Err(
            "it holds the total of a run, without samples that could be found again".to_owned()
        );
    }
    let mut reasons = Vec::new();
    match common_marks::by_pattern(series, timeline, None) {
        Some(Ok(found)) => return Ok(found),
        Some(Err(reason)) => reasons.push(reason),
        None => {}
    }
    let has_pattern = !reasons.is_empty();
    let epoch = by_epoch(file.clock, first, clocks);
    if let Some((found, true)) = epoch {
        return Ok(found);
    }
    let near = epoch.map(|(found, _)| found);
    let within = near.as_ref().map(|it| (it.offset - NETWORK_TIME, it.offset + NETWORK_TIME));
    match by_activity(series, timeline, within) {
        // Near to where the cores say it is, a pattern that is too short to be found anywhere is sure, and sharper.
        Ok(found) if has_pattern => {
            let near = (found.offset - NEAR, found.offset + NEAR);
            let pattern =
                common_marks::by_pattern(series, timeline, Some(near)).and_then(Result::ok);
            return Ok(pattern.unwrap_or(found));
        }
        Ok(found) => return Ok(found),
        Err(reason) => reasons.push(format!("by CPU activity: {reason}")),
    }
    near.ok_or_else(|| reasons.join("; "))
}

fn by_user(first: i64, start: MeterStart, timeline: &Timeline) -> Alignment {
    let boot = match start {
        MeterStart::At(boot) => boot,
        MeterStart::AfterStart(after) => timeline.window.start.value().saturating_add(after),
    };
    Alignment {
        from: first,
        offset: boot.saturating_sub(first),
        drift_ppb: None,
        residual: None,
        by: "--meter-offset".to_owned(),
        readings: 1,
    }
}

/// By the time of day. False: only the device's clock is known, and how far the computer's is from it nobody says.
fn by_epoch(clock: MeterClock, first: i64, clocks: &ClockFacts) -> Option<(Alignment, bool)> {
    let unix = match clock {
        MeterClock::Own => return None,
        MeterClock::Unix => first,
        MeterClock::Local => first.saturating_sub(clocks.zone_minutes?.saturating_mul(60 * SECOND)),
    };
    let told = |fit: &Fit, is_same: bool| {
        let by = if is_same {
            fit.by()
        } else {
            format!("{}, if the meter's computer and the device had the same time", fit.by())
        };
        let alignment = Alignment {
            from: first,
            offset: fit.to_boot(unix).saturating_sub(first),
            drift_ppb: fit.drift_ppb(),
            residual: is_same.then(|| fit.residual()),
            by,
            readings: fit.readings,
        };
        (alignment, is_same)
    };
    match clocks.fit(Clock::Host) {
        Some(host) => Some(told(&host, true)),
        None => clocks.fit(Clock::Real).map(|real| told(&real, false)),
    }
}

/// By the likeness of the meter's power and what CPUs did.
fn by_activity(
    series: &Series,
    timeline: &Timeline,
    within: Option<(i64, i64)>,
) -> Result<Alignment, String> {
    let activity = cpu_activity::pieces(timeline);
    if activity.time.is_empty() {
        return Err("the recording does not say what CPUs did".to_owned());
    }
    let meter = Pieces { time: series.time.clone(), value: series.power.clone() };
    let pair = Pair { reference: &activity, meter: &meter, drops_slow: true };
    let peak = find(pair, within)?;
    let like = format!(
        "likeness of power and CPU activity (correlation {:.2}, elsewhere {:.2} at most)",
        peak.correlation, peak.next
    );
    if let Some(line) = drift::line(pair, &peak) {
        return Ok(Alignment {
            from: line.at - line.offset,
            offset: line.offset,
            drift_ppb: line.drift_ppb,
            residual: Some(line.residual),
            by: like,
            readings: line.windows,
        });
    }
    Ok(Alignment {
        from: series.time.first().copied().unwrap_or_default(),
        offset: peak.offset,
        drift_ppb: None,
        residual: Some(peak.residual),
        by: like,
        readings: 1,
    })
}
