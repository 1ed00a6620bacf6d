//! The columns of tracks in a range of time, for hosts that answer with them when a page is zoomed into.

use wattle_ledger::{TimeTracks, TrackKind};
use wattle_units::Nanos;

use super::packed_data::packed_bytes;
use super::page_tracks::{UsedNumbers, write};
use crate::clean::clean;

/// The stretches of tracks as the page's scripts read them.
#[derive(Clone, Debug)]
pub struct PackedRange {
    /// Length of one unit of time of the columns, in nanoseconds.
    pub tick: Nanos,
    /// By value of slices: the name.
    pub names: Vec<String>,
    /// By value of running threads, less one: index into the ledger's threads.
    pub threads: Vec<u32>,
    /// The columns of all tracks one after the other: steps, lengths, values, depths where there are any. Numbers are variable-length
    /// (seven bits a byte, the lowest first); values are less the one before and have their sign in the lowest bit. Gzip in base64.
    pub packed: String,
}

impl PackedRange {
    /// The stretches of some tracks, whose slices have these names, with times to a tick.
    pub fn new(tracks: &TimeTracks, of_slices: &[String], tick: Nanos) -> Self {
        let (mut names, mut threads) = (UsedNumbers::default(), UsedNumbers::default());
        let mut bytes = Vec::new();
        for track in &tracks.tracks {
            write(track, tick.value().max(1), &mut bytes, |value| match track.kind {
                TrackKind::Slices => names.number(value),
                TrackKind::CpuRuns if value > 0 => threads.number(value - 1) + 1,
                _ => value,
            });
        }
        let name = |value: &i64| {
            let text = usize::try_from(*value).ok().and_then(|at| of_slices.get(at));
            text.map_or_else(String::new, |text| clean(text))
        };
        Self {
            tick,
            names: names.order.iter().map(name).collect(),
            threads: threads.order.iter().filter_map(|it| u32::try_from(*it).ok()).collect(),
            packed: packed_bytes(&bytes),
        }
    }
}
