//! TPUs from the tracks that their driver's service records.
//!
//! Nothing in a trace is a TPU's state as such. The service records a slice for each operating point on a
//! track `DVFS` (`1036 MHz Cluster 0`), and one for each request on tracks `TPU Requests`. (Perfetto
//! `wattson/tpu/freq_idle.sql`.)

use std::collections::BTreeMap;

use wattle_import::{ClockFacts, Derivation, DerivationStage};
use wattle_timeline::{SliceTrack, Steps, Timeline, TpuTimeline};
use wattle_units::{BootNanos, Hertz};

/// The cluster number of an operating point that both clusters share.
const BOTH: u32 = 2;

/// More requests than the hardware takes come from lost ends.
const MAX_REQUESTS: i64 = 16;

/// The TPU timelines that follow from slices.
pub(super) struct Tpus;

impl Derivation for Tpus {
    fn stage(&self) -> DerivationStage {
        DerivationStage::Tracks
    }

    fn derive(self: Box<Self>, timeline: &mut Timeline, _: &ClockFacts) {
        if timeline.hardware.tpus.is_empty() {
            derive_tpus(timeline);
        }
    }
}

/// Adds the TPU timelines that a timeline's slices tell of.
fn derive_tpus(timeline: &mut Timeline) {
    let mut frequency: BTreeMap<u32, Vec<(BootNanos, Hertz)>> = BTreeMap::new();
    for slice in slices_of(timeline, "DVFS") {
        let name = timeline.names.get(slice.name);
        let digits = name.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let Ok(megahertz) = digits.parse::<u64>() else { continue };
        let cluster = match name {
            name if name.contains("Cluster Both") => BOTH,
            name if name.contains("Cluster 0") => 0,
            name if name.contains("Cluster 1") => 1,
            _ => BOTH,
        };
        let changes = frequency.entry(cluster).or_default();
        changes.push((slice.start, Hertz::from_kilohertz(megahertz.saturating_mul(1000))));
        if !slice.is_unfinished() {
            changes.push((slice.end, Hertz::ZERO));
        }
    }
    if frequency.is_empty() {
        return;
    }
    let requests = requests(timeline);
    for (cluster, mut changes) in frequency {
        // Where one operating point ends and the next begins, the one that begins holds.
        changes.sort_by_key(|(time, frequency)| (*time, *frequency != Hertz::ZERO));
        timeline.hardware.tpus.push(TpuTimeline {
            cluster,
            frequency: Steps::from_changes(changes),
            requests: requests.clone(),
        });
    }
}

fn requests(timeline: &Timeline) -> Steps<u32> {
    let mut changes = Vec::new();
    for slice in slices_of(timeline, "TPU Requests") {
        changes.push((slice.start, 1));
        if !slice.is_unfinished() {
            changes.push((slice.end, -1));
        }
    }
    changes.sort_unstable();
    let mut running = 0i64;
    let steps = changes.into_iter().map(|(time, change)| {
        running += change;
        (time, running.clamp(0, MAX_REQUESTS) as u32)
    });
    steps.collect()
}

fn slices_of<'a>(
    timeline: &'a Timeline,
    name: &str,
) -> impl Iterator<Item = wattle_timeline::CallSlice> + 'a {
    let name = timeline.names.find(name);
    let is_named = move |track: &&SliceTrack| name.is_some() && track.name == name;
    let tracks = timeline.code.slices.tracks.iter().filter(is_named);
    tracks.flat_map(|track| timeline.code.slices.of(track))
}
