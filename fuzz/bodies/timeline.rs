//! Invariants of every timeline, whatever was read.

use wattle_timeline::Timeline;

/// Whether a file is packed as a whole, so that more may come out of it than it has.
#[allow(dead_code, reason = "not all targets ask")]
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"PK")
}

/// Panics where a timeline does not hold together.
pub fn check(timeline: &Timeline) {
    assert!(timeline.window.start <= timeline.window.end);
    for cpu in &timeline.cpus {
        let mut last = None;
        for slice in cpu.sched.iter() {
            // A thread that came with the last event of its CPU is there without a length.
            let is_open = slice.end_state.is_none();
            assert!(slice.window.start < slice.window.end || is_open && slice.window.is_empty());
            assert!(last.is_none_or(|end| end <= slice.window.start), "slices overlap");
            assert!(slice.thread.index() < timeline.tasks.threads.len());
            last = Some(slice.window.end);
        }
        assert!(cpu.frequency.times().is_sorted());
        assert!(cpu.idle.times().is_sorted());
    }
    for thread in &timeline.tasks.threads {
        assert!(thread.process.is_none_or(|p| p.index() < timeline.tasks.processes.len()));
    }
    assert!(timeline.code.frames.is_sorted_by_key(|frame| frame.actual.start));
    for frame in &timeline.code.frames {
        assert!(frame.actual.start <= frame.actual.end);
        assert!(frame.process.is_none_or(|p| p.index() < timeline.tasks.processes.len()));
    }
    let slices = &timeline.code.slices;
    let mut next = 0;
    for track in &slices.tracks {
        assert_eq!(track.first, next, "tracks follow each other");
        next += track.count;
        assert!(slices.of(track).all(|slice| slice.start <= slice.end));
        assert!(slices.of(track).map(|slice| slice.start).is_sorted());
    }
    assert_eq!(next as usize, slices.len());
    for site in slices.site.iter().flatten() {
        assert!(timeline.code.sites.get(*site).is_some(), "a slice of a place that is not there");
    }
    for counter in &timeline.system.counters {
        assert_eq!(counter.time.len(), counter.value.len());
        assert!(counter.time.is_sorted());
    }
    for rail in &timeline.energy.rails {
        assert!(rail.time.is_sorted());
    }
    for (index, site) in timeline.code.samples.sites.iter().enumerate() {
        assert!(site.caller.is_none_or(|caller| (caller as usize) < index));
    }
}
