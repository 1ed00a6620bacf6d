//! Sections of the sink `trace`: slices whose name is a label of a probe.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{
    NameId, Note, ProbeCost, ProcessId, Severity, SiteId, SliceOrigin, SliceScope, Timeline,
};

use super::cost::Pairs;
use super::map::ProbeMaps;
use super::map_id::ShortId;
use super::slices::{CALIBRATION, unknown_map};
use super::{label, moved};

/// Gives such slices their names, origins, places and bytes, and takes the costs of probes from them.
pub(crate) fn resolve(timeline: &mut Timeline, maps: &ProbeMaps) {
    moved::resolve(timeline);
    let known = timeline.names.len();
    let mut unknown: BTreeMap<ShortId, u64> = BTreeMap::new();
    let mut labels: FxHashMap<NameId, (NameId, SliceOrigin, Option<SiteId>)> = FxHashMap::default();
    for index in 0..known {
        let name = NameId(u32::try_from(index).unwrap_or(u32::MAX));
        let Some(label) = label::parse(timeline.names.get(name)) else { continue };
        let map = maps.get(label.map);
        let meaning = map.and_then(|map| Some((map, map.meaning(label.id)?)));
        let (text, origin, site) = match meaning {
            _ if label.id == 0 => (CALIBRATION.to_owned(), SliceOrigin::Recorder, None),
            Some((map, meaning)) => (meaning.name.to_string(), meaning.origin, map.site(meaning)),
            None => {
                *unknown.entry(label.map).or_default() += 1;
                (label.name.to_owned(), SliceOrigin::ProbedMethod, None)
            }
        };
        labels.insert(name, (timeline.names.intern(&text), origin, site));
    }
    if labels.is_empty() {
        return;
    }
    let slices = &mut timeline.code.slices;
    slices.origin.resize(slices.start.len(), SliceOrigin::Recorded);
    slices.site.resize(slices.start.len(), None);
    let columns = slices.name.iter_mut().zip(&mut slices.origin).zip(&mut slices.site);
    for ((name, origin), site) in columns {
        if let Some(resolved) = labels.get(name) {
            (*name, *origin, *site) = *resolved;
        }
    }
    if slices.site.iter().all(Option::is_none) {
        slices.site = Vec::new();
    }
    for (map, count) in unknown {
        // Without any map the labels' own names are nearly as good.
        let severity = if maps.is_empty() { Severity::Info } else { Severity::Warning };
        let note = Note::new(severity, "probe-map-missing", unknown_map(map, maps));
        timeline.quality.notes.push(note.times(count));
    }
    let costs = costs(timeline);
    timeline.code.probe_costs.extend(costs);
}

/// By process, from the thread that timed most.
fn costs(timeline: &Timeline) -> Vec<ProbeCost> {
    let Some(calibration) = timeline.names.find(CALIBRATION) else { return Vec::new() };
    let mut best: BTreeMap<ProcessId, ProbeCost> = BTreeMap::new();
    let with_own: Vec<_> =
        timeline.code.probe_costs.iter().filter_map(|cost| cost.process).collect();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let process = timeline.tasks.threads.get(thread.index()).and_then(|thread| thread.process);
        let Some(process) = process.filter(|process| !with_own.contains(process)) else { continue };
        let mut pairs = Pairs::default();
        for slice in timeline.code.slices.of(track) {
            let is_timed = slice.origin == SliceOrigin::Recorder && slice.name == calibration;
            if is_timed && !slice.is_unfinished() {
                pairs.pair(slice.start.value(), slice.end.value());
            } else {
                pairs.interrupt();
            }
        }
        let Some(cost) = pairs.cost() else { continue };
        let cost = ProbeCost { process: Some(process), ..cost };
        let known = best.entry(process).or_insert(cost);
        if known.pairs < cost.pairs {
            *known = cost;
        }
    }
    best.into_values().collect()
}
