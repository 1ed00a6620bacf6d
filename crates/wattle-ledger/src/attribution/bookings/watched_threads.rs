//! The threads whose single calls are looked at.

use wattle_timeline::{SliceScope, Timeline};

/// By thread whether its single calls are looked at: those that have places in the code, or all; never the recorder's own, of which
/// `records` tells.
pub(crate) fn watched_threads(timeline: &Timeline, records: &[bool], all: bool) -> Vec<bool> {
    let mut watched = vec![false; timeline.tasks.threads.len()];
    if !all && timeline.code.slices.site.iter().all(Option::is_none) {
        return watched;
    }
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let is_recorder = records.get(thread.index()) == Some(&true);
        let Some(watched) = watched.get_mut(thread.index()).filter(|_| !is_recorder) else {
            continue;
        };
        *watched |= all || timeline.code.slices.of(track).any(|slice| slice.site.is_some());
    }
    watched
}
