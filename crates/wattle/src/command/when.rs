//! `--from`, `--to` and `--slice`: which part of a recording is accounted for.

use std::collections::BTreeSet;

use anyhow::{Context as _, anyhow, bail};
use wattle_ledger::with_numbers_grouped;
use wattle_timeline::{NameId, SliceScope, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::nearest::suggestion;
use super::slice_pattern::SlicePattern;

/// The window that the flags ask for; `None` is the whole recording.
pub fn window(
    slice: Option<&str>,
    from: Option<&str>,
    to: Option<&str>,
    timeline: &Timeline,
) -> anyhow::Result<Option<Window>> {
    if let Some(slice) = slice {
        return slice_window(slice, timeline).map(Some);
    }
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    let instant = |text: Option<&str>, otherwise: BootNanos, flag: &str| match text {
        Some(text) => {
            parse_instant(text, timeline.window.start).with_context(|| format!("{flag} {text}"))
        }
        None => Ok(otherwise),
    };
    let from = instant(from, timeline.window.start, "--from")?;
    let to = instant(to, timeline.window.end, "--to")?;
    let asked = Window::new(from.max(timeline.window.start), to.min(timeline.window.end));
    if asked.is_empty() {
        bail!(
            "--from/--to leave nothing of the recording, which lasts {:.3} s (boot clock @{} to @{})",
            timeline.window.duration().seconds(),
            timeline.window.start.value(),
            timeline.window.end.value()
        );
    }
    Ok(Some(asked))
}

/// `1.5`, `1.5s`, `300ms`, `20us`, `7ns` after the start, or `@N` on the boot clock.
pub fn parse_instant(text: &str, start: BootNanos) -> anyhow::Result<BootNanos> {
    const EXPECTED: &str = "expected seconds since the start (1.5, 300ms) or @NANOSECONDS";
    if let Some(absolute) = text.strip_prefix('@') {
        let nanos: i64 = absolute.parse().map_err(|_| anyhow!("{EXPECTED}"))?;
        return Ok(BootNanos::new(nanos));
    }
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let scale = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        _ => bail!("{EXPECTED}"),
    };
    let number: f64 = number.trim().parse().map_err(|_| anyhow!("{EXPECTED}"))?;
    if !number.is_finite() {
        bail!("{EXPECTED}");
    }
    Ok(start + Nanos::from_seconds(number * scale))
}

/// The first slice of the name or pattern, or the one asked for with `NAME#3`, counted by time.
fn slice_window(asked: &str, timeline: &Timeline) -> anyhow::Result<Window> {
    let pattern = SlicePattern::new(asked, timeline);
    let is_meant: Vec<bool> = timeline.names.texts().map(|name| pattern.matches(name)).collect();
    let slices = &timeline.code.slices;
    let meant = |name: NameId| is_meant.get(name.index()).copied().unwrap_or(false);
    let mut found: Vec<Window> = slices
        .tracks
        .iter()
        .flat_map(|track| slices.of(track))
        .filter(|slice| meant(slice.name))
        .map(|slice| slice.clipped(timeline.window))
        .filter(|window| !window.is_empty())
        .collect();
    found.sort_by_key(|window| window.start);
    let (text, noun) = (pattern.text, pattern.noun());
    if let Some(window) = found.get(pattern.number - 1) {
        return Ok(*window);
    }
    if found.is_empty() {
        let similar = similar(&pattern.letters(), timeline);
        bail!("--slice {text}: no {noun} in the recording{similar}");
    }
    let plural = noun.replacen("slice", "slices", 1).replace("matches", "match");
    bail!("--slice {asked}: the recording has {} {plural}", found.len());
}

/// The suggestion of slices with names near to the one that was asked for. Names that differ by numbers alone are one.
fn similar(name: &str, timeline: &Timeline) -> String {
    let tracks = timeline.code.slices.tracks.iter();
    let tracks = tracks
        .filter(|track| matches!(track.scope, SliceScope::Thread(_) | SliceScope::Process(_)));
    let slices = tracks.flat_map(|track| timeline.code.slices.of(track));
    let ids: BTreeSet<NameId> = slices.map(|slice| slice.name).collect();
    let names = ids.into_iter().map(|name| with_numbers_grouped(timeline.names.get(name)));
    let names: BTreeSet<_> = names.collect();
    suggestion(name, names.iter().map(|name| &**name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<i64>) {
        let found = parse_instant(text, BootNanos::new(1_000)).ok().map(BootNanos::value);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn instants() {
        check("1", Some(1_000_001_000));
        check("1.5s", Some(1_500_001_000));
        check("300ms", Some(300_001_000));
        check("-1us", Some(0));
        check("@42", Some(42));
        check("", None);
        check("1.5 h", None);
        check("soon", None);
        check("inf", None);
        check("@", None);
    }
}
