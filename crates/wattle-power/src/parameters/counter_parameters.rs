//! Counters as parameters.

use wattle_timeline::{CounterScope, CounterTrack, Direction, Steps, Timeline};
use wattle_units::BootNanos;

use super::{ParameterOwner, ParameterPart};

/// Packets are counted in bins of this length: a packet has no length in time, a rate needs one.
const BIN: i64 = 100_000_000;

/// The tracks of a name.
pub(super) fn tracks<'a>(
    timeline: &'a Timeline,
    name: &str,
) -> impl Iterator<Item = &'a CounterTrack> + Clone {
    let id = timeline.names.find(name);
    timeline.system.counters.iter().filter(move |track| Some(track.name) == id)
}

/// Whether all tracks of the name only rise, and at least one does; counters that are known to accumulate do so even
/// while they stand still.
pub(super) fn is_cumulative(timeline: &Timeline, name: &str) -> bool {
    let known = ["_bytes", "_packets", ".busy", ".idle"].iter().any(|end| name.ends_with(end));
    let mut rises = known;
    for track in tracks(timeline, name) {
        if !track.value.is_sorted() {
            return false;
        }
        rises |= track.value.len() > 2 && track.value.first() < track.value.last();
    }
    rises
}

fn owner(timeline: &Timeline, scope: CounterScope) -> ParameterOwner {
    let of_process = |process: wattle_timeline::ProcessId| {
        timeline.tasks.processes.get(process.index()).and_then(|process| process.uid)
    };
    let uid = match scope {
        CounterScope::Global => None,
        CounterScope::Cpu(cpu) => return ParameterOwner::Core(cpu),
        CounterScope::Uid(uid) => Some(uid),
        CounterScope::Process(process) => of_process(process),
        CounterScope::Thread(thread) => timeline
            .tasks
            .threads
            .get(thread.index())
            .and_then(|thread| of_process(thread.process?)),
    };
    uid.map_or(ParameterOwner::Device, ParameterOwner::App)
}

/// An app that was not counted yet had nothing to count.
fn none_before(part: &mut ParameterPart, timeline: &Timeline) {
    let start = timeline.window.start;
    if matches!(part.owner, ParameterOwner::App(_))
        && part.value.first().is_some_and(|(time, _)| time > start)
    {
        let known = part.value.iter();
        part.value = [(start, Some(0.0))].into_iter().chain(known).collect();
    }
}

/// The value itself. It holds after the last sample too.
pub(super) fn level(timeline: &Timeline, name: &str) -> Vec<ParameterPart> {
    let part = |track: &CounterTrack| {
        let samples = track.time.iter().copied().zip(track.value.iter().copied().map(Some));
        ParameterPart::new(owner(timeline, track.scope), samples.collect())
    };
    tracks(timeline, name).map(part).collect()
}

/// Returns the increase of the counter per second, from sample to sample; unknown where it falls. `None` without a
/// counter of the name.
pub(super) fn rate(timeline: &Timeline, name: &str) -> Option<Vec<ParameterPart>> {
    let part = |track: &CounterTrack| {
        let mut value = Steps::with_capacity(track.time.len());
        let times = track.time.windows(2).zip(track.value.windows(2));
        for (times, values) in times {
            let (&[from, to], &[before, after]) = (times, values) else { continue };
            let seconds = (to - from).seconds();
            if seconds > 0.0 {
                value.push(from, Some((after - before) / seconds).filter(|rate| *rate >= 0.0));
            }
        }
        if let Some(last) = track.time.last().filter(|_| !value.is_empty()) {
            value.push(*last, None);
        }
        let mut part = ParameterPart::new(owner(timeline, track.scope), value);
        none_before(&mut part, timeline);
        part
    };
    let parts: Vec<ParameterPart> = tracks(timeline, name).map(part).collect();
    (!parts.is_empty()).then_some(parts)
}

/// `net.INTERFACE.rx_bytes` by the packets of a recording: bytes a second, an app each.
pub(super) fn packets(timeline: &Timeline, name: &str) -> Option<Vec<ParameterPart>> {
    let (interface, what) = name.strip_prefix("net.")?.rsplit_once('.')?;
    let direction = match what {
        "rx_bytes" => Direction::Ingress,
        "tx_bytes" => Direction::Egress,
        _ => return None,
    };
    let id = timeline.names.find(interface)?;
    let start = timeline.window.start;
    let mut owners: Vec<(ParameterOwner, Vec<(i64, f64)>)> = Vec::new();
    let of =
        timeline.hardware.packets.iter().filter(|p| p.interface == id && p.direction == direction);
    for packet in of {
        let bin = (packet.time - start).value().div_euclid(BIN);
        let owner = packet.uid.map_or(ParameterOwner::Device, ParameterOwner::App);
        let known = owners.iter().position(|(known, _)| *known == owner);
        let index = known.unwrap_or(owners.len());
        if known.is_none() {
            owners.push((owner, Vec::new()));
        }
        let bins = owners.get_mut(index);
        let Some((_, bins)) = bins else { continue };
        match bins.last_mut().filter(|(last, _)| *last >= bin) {
            Some((_, bytes)) => *bytes += packet.bytes as f64,
            None => bins.push((bin, packet.bytes as f64)),
        }
    }
    let at = |bin: i64| BootNanos::new(start.value().saturating_add(bin.saturating_mul(BIN)));
    let parts = owners.into_iter().map(|(owner, bins)| {
        let mut value = Steps::with_capacity(bins.len() * 2);
        value.push(start, Some(0.0));
        for (bin, bytes) in bins {
            value.push(at(bin), Some(bytes / (BIN as f64 * 1e-9)));
            value.push(at(bin + 1), Some(0.0));
        }
        ParameterPart::new(owner, value)
    });
    Some(parts.collect::<Vec<_>>()).filter(|parts| !parts.is_empty())
}
