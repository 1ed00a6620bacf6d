//! Single damaged bytes: how many of those that move a total are noticed.

use wattle_testdata::requires;

use crate::read_totals::ReadTotals;

/// Flips of each file.
const FLIPS: u64 = 150;

/// Small and medium recordings of all binary formats and of statistics.
const FILES: &[&str] = &[
    "perfetto/rails/rails_only_pixel7a_pixel7_5G_standby_0.perfetto-trace",
    "perfetto/rails/rails_only_pixel7a_pixel7_camera_1.perfetto-trace",
    "perfetto/power_rails_pixel6pro.perfetto-trace",
    "perfetto/emanafa/trace-1626775333-1614351254.0",
    "perfetto/pairs/cpu-spin_before.pftrace",
    "perfdata/simpleperf-perf_g_fp.data",
    "perfdata/simpleperf-perf_with_add_counter.data",
    "perfdata/simpleperf-perf.data",
    "perfdata/linux-perf-data-sleep.data",
    "perfdata/LinuxTracepoints-perf.data",
    "etl/sawbuck-process_data_64_v3.etl",
    "etl/tx-Process.etl",
    "art_trace/perflib-basic.trace",
    "art_trace/perflib-exception.trace",
    "art_trace/perflib-mismatched.trace",
    "batterystats/emanafa-energy_saving.log",
    "batterystats/navitas-batterystats-1.txt",
];

/// Numbers that look random: Knuth's linear congruential generator, upper half.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) % limit.max(1)
    }
}

/// Flips, those that moved a total, and those of them that were noticed.
#[derive(Default)]
struct Counts {
    flips: u64,
    moved: u64,
    noticed: u64,
}

fn flip_file(name: &str, flips: u64, silent: &mut Vec<String>) -> Counts {
    let mut bytes = wattle_testdata::bytes(name);
    let whole = ReadTotals::read(name, &bytes).expect("a recording");
    let mut numbers = Numbers(bytes.len() as u64);
    let mut counts = Counts::default();
    for nth in 0..flips {
        let at = numbers.below(bytes.len() as u64) as usize;
        let before = bytes[at];
        let change =
            if nth % 2 == 0 { 1 << numbers.below(8) } else { 1 + numbers.below(255) as u8 };
        bytes[at] ^= change;
        counts.flips += 1;
        let damaged = ReadTotals::read(name, &bytes);
        let moved = damaged.as_ref().map_or(Some("refused"), |damaged| whole.moved(damaged));
        let is_noticed = damaged.is_none_or(|damaged| whole.is_warned(&damaged));
        if let Some(total) = moved {
            counts.moved += 1;
            counts.noticed += u64::from(is_noticed);
            if !is_noticed {
                silent.push(format!("{name} {at} {before:#04x}->{:#04x} {total}", bytes[at]));
            }
        }
        bytes[at] = before;
    }
    counts
}

/// Most flips that move a total are noticed; the share is printed. `cargo xtask flips` measures the same of whole reports.
#[requires(data)]
#[test]
fn single_flips_are_noticed() {
    let (mut all, mut silent) = (Counts::default(), Vec::new());
    for name in FILES {
        let counts = flip_file(name, FLIPS, &mut silent);
        println!("{:>5} {:>5} {:>5}  {name}", counts.flips, counts.moved, counts.noticed);
        all.flips += counts.flips;
        all.moved += counts.moved;
        all.noticed += counts.noticed;
    }
    println!("{}", silent.join("\n"));
    let share = all.noticed as f64 / all.moved.max(1) as f64;
    println!("{} flips, {} moved a total, {:.1} % noticed", all.flips, all.moved, share * 100.0);
    assert!(all.moved > 100, "{} flips moved a total", all.moved);
    assert!(share > 0.9, "{share}: {}", silent.join("\n"));
}
