//! Damaged and malicious files of power meters: never a panic, a hang or memory without bound.

use crate::meter_reader;
use std::fmt::Write as _;

use proptest::prelude::*;
use wattle_ingest::{read_all_bytes, read_bytes};

const JOULESCOPE: &[u8] = include_bytes!("../meters/joulescope-300-samples.jls");

/// A trace in text, of one core that is busy for a tenth of each second.
fn trace(first: u64) -> String {
    let line = |at: u64, prev: u32, next: u32| {
        format!(
            " a-{prev} [000] ...1 {}.{:06}: sched_switch: prev_comm=a prev_pid={prev} prev_prio=120 prev_state=S ==> next_comm=b \
             next_pid={next} next_prio=120\n",
            at / 1_000_000,
            at % 1_000_000
        )
    };
    let mut text = "# tracer: nop\n".to_owned();
    for second in 0..30 {
        let at = first.saturating_add(second * 1_000_000);
        text += &line(at, 0, 5);
        text += &line(at.saturating_add(100_000), 5, 0);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        meter_reader::run(&bytes);
    }

    #[test]
    fn any_rows_end(rows in "([-+0-9.,;:e< >TZ\"a-]{0,24}\n){0,12}") {
        meter_reader::run(rows.as_bytes());
    }

    #[test]
    fn numbers_of_any_size_end(rows in proptest::collection::vec((any::<i64>(), any::<f64>()), 0..12)) {
        let mut table = String::new();
        for (time, power) in rows {
            writeln!(table, "{time},{power:e}").unwrap();
        }
        for head in ["time (ns),power (W)\n", "time (s),power (W)\n", "energy_joules,duration_ms\n", "t,p\n"] {
            let _ = read_bytes("fuzz", [head, &table].concat().as_bytes());
        }
    }

    #[test]
    fn a_changed_joulescope_file_ends(at in 0..JOULESCOPE.len(), byte: u8) {
        let mut bytes = JOULESCOPE.to_vec();
        bytes[at] = byte;
        let _ = read_bytes("fuzz", &bytes);
    }

    /// Times far from the trace's, near the ends of what numbers hold, or in a row of any steps.
    #[test]
    fn any_times_beside_a_trace_end(
        first in prop_oneof![Just(0_u64), Just(9_000_000_000_000_u64), any::<u32>().prop_map(u64::from)],
        start: i64,
        step in 1_i64..100_000_000_000_000,
    ) {
        let mut table = "time (ns),power (W)\n".to_owned();
        for index in 0_i64..50 {
            let time = start.saturating_add(step.saturating_mul(index));
            writeln!(table, "{time},{}", index % 7).unwrap();
        }
        let trace = trace(first);
        let _ = read_all_bytes(&[("trace", trace.as_bytes()), ("meter.csv", table.as_bytes())]);
    }
}
