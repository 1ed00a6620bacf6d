//! Sections of threads that have a name in common.

use wattle_timeline::{CallSlice, ProcessId, SliceScope, Timeline};

/// The sections of threads whose names begin so, with the process, thread by thread. Threads without a process, or without such a
/// section, are left out.
pub(super) fn named_sections(
    timeline: &Timeline,
    beginning: &str,
) -> impl Iterator<Item = (ProcessId, Vec<CallSlice>)> {
    let is_meant: Vec<bool> =
        timeline.names.texts().map(|name| name.starts_with(beginning)).collect();
    timeline.code.slices.tracks.iter().filter_map(move |track| {
        let SliceScope::Thread(thread) = track.scope else { return None };
        let process = timeline.tasks.threads.get(thread.index())?.process?;
        let slices = timeline.code.slices.of(track);
        let meant = slices.filter(|slice| is_meant.get(slice.name.0 as usize) == Some(&true));
        let meant: Vec<CallSlice> = meant.collect();
        (!meant.is_empty()).then_some((process, meant))
    })
}
