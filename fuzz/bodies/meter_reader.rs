//! Any bytes as a power meter's file: reading ends without a panic, every sample has a time, and times are in order.

use wattle_ingest::read_bytes;

/// The head of Joulescope's files, and of one of Monsoon's that captured the main channel.
fn heads() -> Vec<Vec<u8>> {
    let joulescope = [&b"jlsfmt\r\n \n \x1a  \xb2\x1c"[..], &[0; 16]].concat();
    let mut monsoon = vec![0; 1024];
    for (at, byte) in [(0, 212), (144, 16), (145, 1), (149, 4), (159, 0x10), (316, 3)] {
        monsoon[at] = byte;
    }
    let tables = [
        "# BattOr\n",
        "Time (s),Main Avg Current (mA),Main Avg Voltage (V)\n0,1,4\n",
        "Time(ms),Main(mA),\n",
        "time;power\n2026-11-22 10:15:00;1\n",
        "energy_joules,duration_ms,error_flag\n",
    ];
    tables.iter().map(|table| table.as_bytes().to_vec()).chain([joulescope, monsoon]).collect()
}

pub fn run(bytes: &[u8]) {
    for head in heads() {
        let Ok(timeline) = read_bytes("fuzz", &[&head[..], bytes].concat()) else { continue };
        for meter in &timeline.energy.meters {
            assert_eq!(meter.time.len(), meter.power.len());
            assert!(meter.time.is_sorted());
        }
    }
}
