//! Any bytes as battery statistics in every form: reading ends without a panic, and what is told holds together.

use wattle_ingest::read_bytes;

pub fn run(bytes: &[u8]) {
    let begins: [&[u8]; 6] = [
        b"",
        b"Battery History (1% used):\n 0 (1) RESET:TIME: 2020-01-01-00-00-00\n 0 (2) 050 ",
        b"Statistics since last charge:\n  Total run time: 1s realtime, 1s uptime\n  u0a1:\n    ",
        b"Statistics since last charge:\n  Estimated power use (mAh):\n    ",
        b"9,0,i,vers,35,1,A,A\n9,hsp,0,1,\"a\"\n9,h,0:RESET:TIME:1600000000000\n",
        &[0x08, 35, 0x10, 1, 0x1a, 1, b'A'],
    ];
    for begin in begins {
        let Ok(timeline) = read_bytes("fuzz", &[begin, bytes].concat()) else { continue };
        for usage in &timeline.system.usage {
            assert!(usage.value.is_finite() && usage.value >= 0.0, "{usage:?}");
            assert!(usage.window.start <= usage.window.end, "{usage:?}");
        }
        for track in &timeline.system.states {
            assert!(track.level.times().is_sorted());
        }
    }
}
