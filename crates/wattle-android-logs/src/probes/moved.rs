//! Sections that say how many bytes the call around them moved: `wattle.bytes <n>` (`docs/probe-formats.md`).

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, SliceScope, Timeline};

/// Prefix of the names of such sections.
const NAME: &str = "wattle.bytes ";

/// Gives their numbers to the slices around them, and takes them out. One that stands in none tells of a call that began
/// before the recording; one that encloses others is somebody else's and stays.
pub(crate) fn resolve(timeline: &mut Timeline) {
    let mut moved: FxHashMap<NameId, u32> = FxHashMap::default();
    for index in 0..timeline.names.len() {
        let name = NameId(u32::try_from(index).unwrap_or(u32::MAX));
        let number = timeline.names.get(name).strip_prefix(NAME);
        if let Some(bytes) = number.and_then(|number| number.parse().ok()) {
            moved.insert(name, bytes);
        }
    }
    if moved.is_empty() {
        return;
    }
    let slices = &mut timeline.code.slices;
    let mut keep = vec![true; slices.len()];
    let mut found: Vec<(usize, u32)> = Vec::new();
    for track in &slices.tracks {
        if !matches!(track.scope, SliceScope::Thread(_)) {
            continue;
        }
        let mut open: Vec<usize> = Vec::new();
        let mut of_track = (track.first as usize..).zip(slices.of(track)).peekable();
        while let Some((index, slice)) = of_track.next() {
            open.truncate(slice.depth.into());
            let encloses = of_track.peek().is_some_and(|(_, next)| next.depth > slice.depth);
            if let (Some(bytes), false) = (moved.get(&slice.name), encloses) {
                found.extend(open.last().map(|call| (*call, *bytes)));
                if let Some(kept) = keep.get_mut(index) {
                    *kept = false;
                }
                continue;
            }
            open.push(index);
        }
    }
    for (call, bytes) in &found {
        slices.set_bytes(*call, slices.bytes_of(*call).saturating_add(*bytes));
    }
    if keep.contains(&false) {
        slices.retain(&keep);
    }
}
