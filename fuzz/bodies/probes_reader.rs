//! Any bytes as records of probes, as log lines of probes and as a probe map: reading ends without a panic, and slices nest.

use wattle_ingest::read_bytes;
use wattle_timeline::Timeline;

fn check(timeline: &Timeline) {
    let slices = &timeline.code.slices;
    assert!(slices.origin.is_empty() || slices.origin.len() == slices.len());
    for track in &slices.tracks {
        let mut open: Vec<wattle_timeline::CallSlice> = Vec::new();
        let mut last = wattle_units::BootNanos::MIN;
        for slice in slices.of(track) {
            assert!(last <= slice.start && slice.start <= slice.end);
            last = slice.start;
            open.truncate(slice.depth as usize);
            if slice.depth < u16::MAX {
                assert_eq!(open.len(), slice.depth as usize, "a slice without what encloses it");
                assert!(open.last().is_none_or(|outer| slice.end <= outer.end), "slices cross");
                open.push(slice);
            }
        }
    }
    for cost in &timeline.code.probe_costs {
        assert!(cost.low <= cost.pair && cost.pair <= cost.high && cost.pairs > 0);
    }
}

pub fn run(bytes: &[u8]) {
    let head = b"WTLPROBE\x01\0";
    let lines = b"H1 00000000 0 ";
    for start in [&b""[..], head, lines, b"{\"wattle_probe_map\":1}\n"] {
        if let Ok(timeline) = read_bytes("fuzz", &[start, bytes].concat()) {
            check(&timeline);
        }
    }
}
