//! Tracks of the page: what each is as JSON, all stretches as packed columns that a worker of the page reads.

use serde::Serialize;
use wattle_ledger::{Ledger, TimeTrack, TimeTracks, TrackKind};
use wattle_units::Nanos;

use super::packed_data::packed_bytes;
use super::strings::Strings;
use super::tree::Tree;
use crate::clean::clean;

/// A recording below this has times to a hundred nanoseconds, others to a microsecond.
const SHORT: Nanos = Nanos::new(1_000_000_000);

/// The most stretches of a page with so many nodes of its call tree. A stretch takes about five bytes.
pub const fn stretches(nodes: usize) -> usize {
    // Stretches of sections bring their names, so a page of which everything else was left out has none of them.
    let least = if nodes < 100 { nodes * 1000 } else { 100_000 };
    least + nodes * 8
}

/// All tracks of a page.
#[derive(Serialize)]
pub struct PageTracks {
    /// Length of one unit of time of the columns, in nanoseconds.
    tick_ns: i64,
    /// By value of slices: index into the page's names.
    names: Vec<usize>,
    /// By value of running threads, less one: row of the tree.
    threads: Vec<i64>,
    /// Stretches that the ledger has; a host may answer with them by range of time.
    kept: usize,
    /// By thread of the ledger: row of the tree, if the ledger has more than the page. Each less the one before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<i64>,
    /// The recording does not contain on which CPU a thread ran.
    cpus_are_virtual: bool,
    tracks: Vec<PageTrack>,
    /// The columns of all tracks one after the other: steps, lengths, values, depths. Numbers are variable-length (seven bits a byte, the lowest
    /// first); values are less the one before and have their sign in the lowest bit. Gzip in base64.
    packed: String,
}

/// One track without its stretches.
#[derive(Serialize)]
struct PageTrack {
    kind: TrackKind,
    name: String,
    /// CPU, uid, or row of the tree of a thread or process; −1 without.
    owner: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<String>,
    /// Number of stretches.
    count: usize,
    has_depths: bool,
    /// Number of stretches around the innermost one of the ledger.
    deepest: u16,
    /// Shorter stretches are merged or left out; 0 where all are as recorded.
    detail_s: f64,
    left_out: u64,
}

impl PageTracks {
    /// The tracks of a ledger with at most so many stretches; rows are those of the tree.
    pub fn new(
        ledger: &Ledger,
        given: &TimeTracks,
        (tree, most): (&Tree, usize),
        names: &mut Strings,
    ) -> Self {
        let given = given.clone().within(most);
        let tick = if ledger.recording.window.duration() < SHORT { 100 } else { 1000 };
        let mut used = UsedNumbers::default();
        let mut threads = UsedNumbers::default();
        let mut bytes = Vec::new();
        let places = tree.places();
        let row = |rows: &[Option<usize>], at: u32| {
            rows.get(at as usize).copied().flatten().map_or(-1, |row| row as i64)
        };
        let mut tracks = Vec::new();
        let kept = ledger.over_time.tracks.as_ref();
        let deepest = |nth: usize| {
            let track = kept.and_then(|kept| kept.tracks.get(nth));
            track.and_then(|track| track.depths.iter().max()).copied().unwrap_or(0)
        };
        for (nth, track) in given.tracks.iter().enumerate() {
            write(track, tick, &mut bytes, |value| match track.kind {
                TrackKind::Slices => used.number(value),
                TrackKind::CpuRuns if value > 0 => threads.number(value - 1) + 1,
                _ => value,
            });
            tracks.push(PageTrack {
                kind: track.kind,
                name: clean(&track.name),
                owner: match (track.kind, track.owner) {
                    (_, None) => -1,
                    (TrackKind::Slices, Some(thread)) => row(&places.threads, thread),
                    (TrackKind::Frames, Some(process)) => row(&places.processes, process),
                    (_, Some(owner)) => i64::from(owner),
                },
                component: track.component.as_ref().map(|component| component.name().to_owned()),
                count: track.len(),
                has_depths: !track.depths.is_empty(),
                deepest: deepest(nth),
                detail_s: track.detail.seconds(),
                left_out: track.left_out,
            });
        }
        let name = |value: &i64| {
            let text = usize::try_from(*value).ok().and_then(|at| given.names.get(at));
            text.map_or("", String::as_str)
        };
        let kept = kept.map_or(0, TimeTracks::stretches);
        let rows = if kept > given.stretches() {
            let rows = 0..places.threads.len() as u32;
            steps(rows.map(|thread| row(&places.threads, thread)))
        } else {
            Vec::new()
        };
        Self {
            tick_ns: tick,
            kept,
            rows,
            names: used.order.iter().map(|value| names.id(name(value))).collect(),
            threads: threads
                .order
                .iter()
                .map(|thread| u32::try_from(*thread).map_or(-1, |at| row(&places.threads, at)))
                .collect(),
            cpus_are_virtual: ledger.rows.cpus.iter().any(|cpu| cpu.is_virtual),
            tracks,
            packed: packed_bytes(&bytes),
        }
    }
}

/// Each number less the one before.
fn steps(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut last = 0;
    let step = |number: i64| number - std::mem::replace(&mut last, number);
    numbers.map(step).collect()
}

/// Numbers in order of their first use.
#[derive(Default)]
pub struct UsedNumbers {
    /// The numbers.
    pub order: Vec<i64>,
    known: std::collections::BTreeMap<i64, i64>,
}

impl UsedNumbers {
    /// The place of a number in the order.
    pub fn number(&mut self, value: i64) -> i64 {
        let next = self.order.len() as i64;
        let number = *self.known.entry(value).or_insert(next);
        if number == next {
            self.order.push(value);
        }
        number
    }
}

/// Appends the columns of a track; instants are rounded to ticks, so that errors do not add up.
pub fn write(track: &TimeTrack, tick: i64, to: &mut Vec<u8>, mut value: impl FnMut(i64) -> i64) {
    let mut last = 0;
    for stretch in track.stretches() {
        let start = stretch.start / tick;
        unsigned(start - last, to);
        last = start;
    }
    for stretch in track.stretches() {
        unsigned(stretch.end() / tick - stretch.start / tick, to);
    }
    last = 0;
    for stretch in track.stretches() {
        let next = value(stretch.value);
        let step = next.wrapping_sub(last);
        unsigned((step << 1) ^ (step >> 63), to);
        last = next;
    }
    for depth in &track.depths {
        unsigned(i64::from(*depth), to);
    }
}

fn unsigned(value: i64, to: &mut Vec<u8>) {
    let mut rest = value as u64;
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use wattle_ledger::TrackStretch;

    use super::*;

    #[test]
    fn columns_are_variable_length_numbers() {
        let stretch = |start, length, value| TrackStretch { start, length, value, depth: 0 };
        let track = TimeTrack::new(TrackKind::Rail, String::new())
            .with(&[stretch(1_000, 130_000, 3), stretch(200_900, 0, 1)]);
        let mut bytes = Vec::new();
        write(&track, 1000, &mut bytes, |value| value);
        assert_eq!(bytes, [1, 0xc7, 1, 0x82, 1, 0, 6, 3]);
    }
}
