//! Meters made for a recording, and files that are said to be a meter's.

use std::fmt::Write as _;

use wattle_ingest::{MeterOptions, ReadOptions, read_paths_as};
use wattle_timeline::Timeline;

/// Reads bytes as a user does who says `--meter`.
pub fn as_meter(name: &str, bytes: &[u8], options: &MeterOptions) -> Result<Timeline, String> {
    let folder = std::env::temp_dir().join(format!("wattle-meter-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name.rsplit('/').next().unwrap());
    std::fs::write(&path, bytes).unwrap();
    let meter = MeterOptions { files: vec![path.clone()], ..options.clone() };
    let read = ReadOptions { meter, ..ReadOptions::default() };
    let found = read_paths_as(&[], &read, &mut wattle_ingest::NoProgress);
    std::fs::remove_file(&path).unwrap();
    found.map_err(|error| error.to_string())
}

/// A table of PowerTool at 5 kHz, from 0.3 s before to 0.2 s behind the trace: 0.4 W, 0.35 W for each busy core of any clock, and noise of so
/// many watts. What is added to its times is the trace's.
pub fn monsoon(timeline: &Timeline, offset_ns: i64, noise: f64) -> String {
    let (start, end) = (timeline.window.start.value(), timeline.window.end.value());
    let from = start - 300_000_000;
    let step = 200_000;
    let samples = usize::try_from((end + 200_000_000 - from) / step).unwrap();
    let mut busy = vec![0_i32; samples + 1];
    let index = |time: i64| usize::try_from((time - from) / step).unwrap().min(samples);
    for cpu in &timeline.cpus {
        for slice in cpu.sched.iter().filter(|slice| !slice.thread.is_idle()) {
            busy[index(slice.window.start.value())] += 1;
            busy[index(slice.window.end.value())] -= 1;
        }
    }
    let mut table =
        "Time (s),Main Avg Current (mA),Main Avg Power (mW),Main Avg Voltage (V)\n".to_owned();
    let (mut cores, mut state) = (0, 12_345_u64);
    for (index, change) in busy.iter().take(samples).enumerate() {
        cores += change;
        // A linear congruential generator, even from -1 to 1.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let even = (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let watts = 0.4 + 0.35 * f64::from(cores) + noise * even;
        let time = (from + index as i64 * step - offset_ns) as f64 / 1e9;
        writeln!(table, "{time:.6},{:.4},{:.4},4.0", watts / 4.0 * 1e3, watts * 1e3).unwrap();
    }
    table
}
