//! Any bytes as sampled stacks in each form: reading ends without a panic, what is told holds together, and nothing is counted twice.

use wattle_ingest::read_bytes;

use crate::timeline;

/// Text before stacks in each form.
const STARTS: [&[u8]; 8] = [
    b"# ========\n# captured on: today\n# event : name = cycles, use_clockid = 1, clockid = 1\n# ========\n#\n",
    b"a b 1/2 [000] 1.000000: 5 cycles: \n\t1234 main (/a)\n\n",
    b"a 1 [000] 1.000000: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=b next_pid=2 next_prio=1\n",
    b"a 1 [000] 1.000000: PERF_RECORD_SWITCH IN\na 1 [000] 2.000000: PERF_RECORD_SWITCH_CPU_WIDE OUT next pid/tid: 1/2\n",
    b"java-1/2;a/B:.c_[j];d_[k] 7\njava;[libc.so];[unknown] 2\n",
    b"SIMPLEPERF\x01\x00",
    b"SIMPLEPERF\x01\x00\x10\x00\x00\x00\x0a\x0e\x08\x05\x10\x07\x1a\x06\x08\x01\x10\x00\x18\x00\x20\x05",
    b"meta_info:\n  trace_offcpu: false\nsample:\n  event_type: cpu-cycles\n  time: 5\n  thread_id: 7\n",
];

pub fn run(bytes: &[u8]) {
    for start in STARTS {
        let Ok(timeline) = read_bytes("fuzz", &[start, bytes].concat()) else { continue };
        timeline::check(&timeline);
        let samples = &timeline.code.samples;
        for sample in &samples.samples {
            assert!(sample.site.is_none_or(|site| (site as usize) < samples.sites.len()));
            assert!(samples.event(sample.event).is_some());
            assert!(sample.thread.index() < timeline.tasks.threads.len());
            assert!((timeline.window.start..=timeline.window.end).contains(&sample.time));
        }
        for total in &samples.totals {
            assert!(samples.event(total.event).is_some());
            assert!(total.thread.index() < timeline.tasks.threads.len());
        }
        let records: u64 = timeline.quality.artifacts.iter().map(|it| it.records).sum();
        assert!((samples.samples.len() + samples.totals.len()) as u64 <= records);
    }
}
