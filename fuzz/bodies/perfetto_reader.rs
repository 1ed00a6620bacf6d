//! Any bytes: reading ends without a panic, and what it gives holds together.

use wattle_ingest::{read_bytes, read_stream};

pub fn run(bytes: &[u8]) {
    let whole = read_bytes("fuzz", bytes);
    // A stream is read as the same bytes are, however it comes.
    let streamed = read_stream("fuzz", bytes);
    assert_eq!(whole.is_ok(), streamed.is_ok());
    let Ok(timeline) = whole else { return };
    assert!(timeline.window.start <= timeline.window.end);
    for cpu in &timeline.cpus {
        let mut last = None;
        for slice in cpu.sched.iter() {
            assert!(slice.window.start < slice.window.end);
            assert!(last.is_none_or(|end| end <= slice.window.start), "slices overlap");
            assert!(slice.thread.index() < timeline.threads.len());
            last = Some(slice.window.end);
        }
        assert!(cpu.frequency.times().is_sorted());
        assert!(cpu.idle.times().is_sorted());
    }
    for thread in &timeline.threads {
        assert!(thread.process.is_none_or(|p| p.index() < timeline.processes.len()));
    }
    let slices = &timeline.slices;
    let mut next = 0;
    for track in &slices.tracks {
        assert_eq!(track.first, next, "tracks follow each other");
        next += track.count;
        assert!(slices.of(track).all(|slice| slice.start <= slice.end));
        assert!(slices.of(track).map(|slice| slice.start).is_sorted());
    }
    assert_eq!(next as usize, slices.len());
    for counter in &timeline.counters {
        assert_eq!(counter.time.len(), counter.value.len());
        assert!(counter.time.is_sorted());
    }
    for rail in &timeline.rails {
        assert!(rail.time.is_sorted());
    }
    for (index, site) in timeline.samples.sites.iter().enumerate() {
        assert!(site.caller.is_none_or(|caller| (caller as usize) < index));
    }
    let streamed = streamed.unwrap_or_default();
    assert_eq!(timeline.threads, streamed.threads, "reading is not deterministic");
    assert_eq!(timeline.counters.len(), streamed.counters.len());
}
