//! Damaged and malicious stacks: never a panic, a hang or memory without bound.

use proptest::prelude::*;
use wattle_ingest::read_bytes;

use super::stack_texts_reader;
use super::timeline;

/// A line of each kind.
const LINES: &str = "\
# ========
# captured on: Sun Oct 25 23:31:43 2015
# event : name = cycles, use_clockid = 1, clockid = 1
# ========
#
a b  12/13    [001] 47889.946812:   10309278 cpu-clock:u: 
\t            1177 inner+0x3e (inlined)
  t.c:2
\t            1177 main+0x3e (/tmp/my prog)
\tffffffff8104f45a native_write_msr_safe ([kernel.kallsyms])
\t 7f01 La/B;::run(I)V->La/C;::go (/tmp/perf-9.map)
\t 606258d4c544155 [unknown] ([unknown])

a 13 [000] 47890.000000: sched:sched_switch: prev_comm=a prev_pid=13 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=8 next_prio=120
b 8 [000] 47890.000100: power:cpu_frequency: state=1200000 cpu_id=0
b 8 [000] 47890.000200: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:    12/13
b 8 [000] 47890.000300: PERF_RECORD_FORK(8:9):(8:8)
b 8 [000] 47890.000400: PERF_RECORD_LOST lost 12
b 8 47890.000500: 
\t1234
";

const FOLDED: &str = "\
java-12/13;Interpreter_[j];a/B:.run_[j];a/C:::go_[j]_[i];vfs_write_[k] 12
swapper;[unknown];[libc.so.6] 3
main;f(int, char const*);g 99999999999999999999999
[main tid=7];a/B.run 0.5
";

const TEXT: &str = "\
meta_info:
  trace_offcpu: true
  event_type: cpu-clock
sample:
  event_type: cpu-clock
  time: 1000
  event_count: 250
  thread_id: 9
  thread_name: a b
  vaddr_in_file: 12ab
  file: /elf
  symbol: elf[+34]
  callchain:
    vaddr_in_file: 34
    file: unknown
    symbol: unknown
context_switch:
  switch_on: false
  time: 1500
  thread_id: 9
";

fn damage(
    bytes: &mut Vec<u8>,
    places: &[(prop::sample::Index, u8)],
    cut: Option<prop::sample::Index>,
    part: Option<(prop::sample::Index, prop::sample::Index)>,
) {
    for (place, byte) in places {
        let place = place.index(bytes.len());
        bytes[place] = *byte;
    }
    if let Some((from, to)) = part {
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let copied = bytes[from.min(to)..from.max(to)].to_vec();
        bytes.splice(from..from, copied);
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_stacks_never_panic(
        form in 0..4usize,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        part in prop::option::of(any::<(prop::sample::Index, prop::sample::Index)>()),
    ) {
        let mut bytes = match form {
            0 => LINES.as_bytes().to_vec(),
            1 => FOLDED.as_bytes().to_vec(),
            2 => TEXT.as_bytes().to_vec(),
            _ => super::simpleperf_report::made(),
        };
        damage(&mut bytes, &places, cut, part);
        if let Ok(timeline) = read_bytes("damaged", &bytes) {
            timeline::check(&timeline);
        }
        stack_texts_reader::run(&bytes);
    }

    #[test]
    fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..600)) {
        stack_texts_reader::run(&noise);
    }

    /// However often the text of samples is put behind itself, as many samples come out of it.
    #[test]
    fn samples_add_up(times in 1..6usize) {
        let one = read_bytes("text", LINES.as_bytes()).unwrap();
        let many = read_bytes("text", LINES.repeat(times).as_bytes()).unwrap();
        prop_assert_eq!(many.code.samples.samples.len(), times * one.code.samples.samples.len());
        prop_assert_eq!(many.code.samples.frames.len(), one.code.samples.frames.len());
        let folded = |text: &str| -> u64 {
            let timeline = read_bytes("folded", text.as_bytes()).unwrap();
            timeline.code.samples.totals.iter().filter(|it| it.weight < 1000).map(|it| it.weight).sum()
        };
        prop_assert_eq!(folded(&FOLDED.repeat(times)), times as u64 * folded(FOLDED));
    }
}

/// A length that a record claims is not allocated before its bytes are there, and stacks without end are cut.
#[test]
fn claims_are_not_believed() {
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    bytes.extend_from_slice(&0x0fff_ffff_u32.to_le_bytes());
    bytes.extend_from_slice(b"\x0a\x02");
    let timeline = read_bytes("claims", &bytes).unwrap();
    assert!(timeline.quality.artifacts[0].notes.iter().any(|note| note.code == "cut"));

    let deep = format!("a 1 1.000000: cycles: \n{}\n", "\t1234 f (/a)\n".repeat(100_000));
    let timeline = read_bytes("deep", deep.as_bytes()).unwrap();
    assert_eq!(timeline.code.samples.samples.len(), 1);
    assert!(timeline.code.samples.sites.len() <= 4096);
    assert!(timeline.code.samples.samples[0].is_truncated);
}
