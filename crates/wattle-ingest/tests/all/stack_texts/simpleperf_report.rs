//! Reports of simpleperf against a decoder of a few lines that is written here, from the comments of `cmd_report_sample.proto`.

use std::collections::BTreeMap;

use wattle_ingest::{read_all_bytes, read_bytes};
use wattle_testdata::requires;
use wattle_timeline::{FrameAddress, FrameKind, Timeline};
use wattle_wire::Writer;

const REAL: &str = "perfdata/firefox-simpleperf-task-clock.trace.gz";

/// Fields of a message: number, number value, bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let varint = |bytes: &mut &[u8]| {
        let mut value = 0u64;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return value;
            }
        }
        unreachable!("a number ends")
    };
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let (number, kind) = (tag >> 3, tag & 7);
        let value = varint(&mut bytes);
        if kind == 2 {
            let (inside, rest) = bytes.split_at(value as usize);
            found.push((number, 0, inside));
            bytes = rest;
        } else {
            assert_eq!(kind, 0, "the report has numbers and messages alone");
            found.push((number, value, &[]));
        }
    }
    found
}

fn one(of: &[(u64, u64, &[u8])], number: u64) -> u64 {
    of.iter().find(|field| field.0 == number).map_or(0, |field| field.1)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Time, thread's number and name, event, weight, and functions with files and addresses, innermost first.
type Told = (i64, u32, String, String, u64, Vec<(String, String, u64)>);

#[derive(Default)]
struct Report {
    samples: Vec<Told>,
    /// Time, thread, whether it came.
    switches: Vec<(i64, u32, bool)>,
    threads: BTreeMap<u32, (u32, String)>,
}

fn independent(bytes: &[u8]) -> Report {
    let mut at = 12;
    let mut records = Vec::new();
    loop {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        at += 4;
        if length == 0 {
            break;
        }
        records.extend(fields(&bytes[at..at + length]));
        at += length;
    }
    let of = |kind: u64| {
        records.iter().filter(move |field| field.0 == kind).map(|field| fields(field.2))
    };
    let all = |fields: &[(u64, u64, &[u8])], number| -> Vec<String> {
        fields.iter().filter(|field| field.0 == number).map(|field| text(field.2)).collect()
    };
    let mut report = Report::default();
    let files: BTreeMap<u64, (String, Vec<String>)> =
        of(3).map(|file| (one(&file, 1), (all(&file, 2).concat(), all(&file, 3)))).collect();
    for thread in of(4) {
        let (tid, pid) = (one(&thread, 1) as u32, one(&thread, 2) as u32);
        report.threads.insert(tid, (pid, all(&thread, 3).concat()));
    }
    let events: Vec<String> = of(5).flat_map(|meta| all(&meta, 1)).collect();
    for sample in of(1) {
        let chain = sample.iter().filter(|field| field.0 == 3).map(|field| fields(field.2));
        let chain = chain.map(|entry| {
            let (path, symbols) = &files[&one(&entry, 2)];
            let symbol = one(&entry, 3) as i32;
            let name = if symbol < 0 { "?".to_owned() } else { symbols[symbol as usize].clone() };
            (name, path.clone(), one(&entry, 1))
        });
        let tid = one(&sample, 2) as u32;
        report.samples.push((
            one(&sample, 1) as i64,
            tid,
            report.threads[&tid].1.clone(),
            events[one(&sample, 5) as usize].clone(),
            one(&sample, 4),
            chain.collect(),
        ));
    }
    for switch in of(6) {
        report.switches.push((
            one(&switch, 2) as i64,
            one(&switch, 3) as u32,
            one(&switch, 1) == 1,
        ));
    }
    report
}

fn read(timeline: &Timeline) -> Vec<Told> {
    let name = |id| timeline.names.get(id).to_owned();
    let samples = timeline.code.samples.samples.iter();
    samples
        .map(|sample| {
            let thread = &timeline.tasks.threads[sample.thread.0 as usize];
            let stack = timeline.code.samples.stack(sample.site).map(|frame| {
                let address = match frame.address {
                    FrameAddress::InElf(address) => address,
                    other => unreachable!("reports have addresses in files: {other:?}"),
                };
                let function = frame.function.map_or("?".to_owned(), name);
                (function, frame.mapping.map_or(String::new(), name), address)
            });
            let event = timeline.code.samples.event(sample.event).unwrap();
            let comm = thread.name.map_or("?".to_owned(), name);
            let (time, tid) = (sample.time.value(), thread.tid.0);
            (time, tid, comm, name(event.name), sample.weight, stack.collect())
        })
        .collect()
}

#[track_caller]
fn unpacked() -> Vec<u8> {
    let packed = wattle_testdata::bytes(REAL);
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&*packed), &mut bytes)
        .unwrap();
    bytes
}

#[requires(data)]
#[test]
fn a_real_report_holds_what_an_independent_reading_finds() {
    let packed = wattle_testdata::bytes(REAL);
    let bytes = unpacked();
    let report = independent(&bytes);
    assert_eq!((report.samples.len(), report.switches.len()), (2110, 1286));
    let timeline = read_bytes(REAL, &packed).unwrap();
    let found = read(&timeline);
    assert_eq!(found.len(), report.samples.len());
    let mut expected = report.samples.clone();
    expected.sort_by_key(|sample| sample.0);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    for thread in timeline.tasks.threads.iter().skip(1) {
        let (pid, name) = &report.threads[&thread.tid.0];
        assert_eq!(timeline.names.get(thread.name.unwrap()), name);
        assert_eq!(timeline.tasks.processes[thread.process.unwrap().0 as usize].pid.0, *pid);
    }
    let artifact = &timeline.quality.artifacts[0];
    assert_eq!(artifact.format, "simpleperf-report");
    assert_eq!(artifact.events["task-clock"], 1484);
    assert_eq!(artifact.events["sched:sched_switch"], 626);
    for frame in &timeline.code.samples.frames {
        let path = timeline.names.get(frame.mapping.unwrap());
        let expected = match path.rsplit('.').next().unwrap() {
            "jar" | "oat" | "vdex" => FrameKind::Java,
            "kallsyms]" => FrameKind::Kernel,
            "[JIT app cache]" => FrameKind::Jit,
            _ => FrameKind::Native,
        };
        assert_eq!(frame.kind, expected, "{path}");
    }
}

/// The time that threads were on CPUs is that between their switches.
#[requires(data)]
#[test]
fn switches_tell_when_threads_ran() {
    let bytes = unpacked();
    let report = independent(&bytes);
    let mut expected: BTreeMap<u32, i64> = BTreeMap::new();
    let mut threads: BTreeMap<u32, Vec<(i64, bool)>> = BTreeMap::new();
    for (time, tid, is_on) in &report.switches {
        threads.entry(*tid).or_default().push((*time, *is_on));
    }
    for (tid, mut switches) in threads {
        switches.sort_unstable();
        let samples =
            || report.samples.iter().filter(|sample| sample.1 == tid).map(|sample| sample.0);
        let mut total = 0;
        // On since its first sample, if it leaves first.
        let first = switches[0];
        if !first.1
            && let Some(sample) = samples().filter(|time| *time <= first.0).min()
        {
            total += first.0 - sample;
        }
        for pair in switches.windows(2) {
            assert_ne!(pair[0].1, pair[1].1, "switches of {tid} take turns");
            total += if pair[0].1 { pair[1].0 - pair[0].0 } else { 0 };
        }
        let last = switches[switches.len() - 1];
        if last.1
            && let Some(sample) = samples().filter(|time| *time > last.0).max()
        {
            total += sample - last.0;
        }
        expected.insert(tid, total);
    }
    let timeline = read_bytes(REAL, &bytes).unwrap();
    let mut found: BTreeMap<u32, i64> = expected.keys().map(|tid| (*tid, 0)).collect();
    for cpu in &timeline.cpus {
        assert!(cpu.sched_is_inferred);
        for slice in cpu.sched.iter() {
            let tid = timeline.tasks.threads[slice.thread.0 as usize].tid.0;
            *found.get_mut(&tid).unwrap() += slice.window.duration().value();
        }
    }
    assert_eq!(found, expected);
}

/// A report with a sample of each kind of execution, one whose unwinding failed, and nothing behind it if it is cut off there.
pub fn made() -> Vec<u8> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    let mut record = |write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::new();
        write(&mut writer);
        records.push(writer.into_bytes());
    };
    record(&|w| w.message(5, |meta| meta.string(1, "cpu-cycles:u")));
    record(&|w| {
        w.message(1, |sample| {
            sample.varint(1, 5_000_000_000);
            sample.varint(2, 9);
            for (symbol, execution) in [(0, Some(1)), (1, Some(2)), (2, Some(3)), (-1, None)] {
                sample.message(3, |entry| {
                    entry.varint(1, 0x1234);
                    entry.varint(2, 0);
                    entry.int(3, symbol);
                    if let Some(execution) = execution {
                        entry.varint(4, execution);
                    }
                });
            }
            sample.varint(4, 1000);
            sample.message(6, |result| {
                result.varint(1, 4);
                result.varint(3, 2);
            });
        });
    });
    record(&|w| {
        w.message(2, |lost| {
            lost.varint(1, 2);
            lost.varint(2, 7);
        });
    });
    record(&|w| {
        w.message(3, |file| {
            file.varint(1, 0);
            file.string(2, "/apex/com.android.art/lib64/libart.so");
            for name in ["a.B.run", "a.B.go", "art::Invoke"] {
                file.string(3, name);
            }
        });
    });
    record(&|w| {
        w.message(4, |thread| {
            thread.varint(1, 9);
            thread.varint(2, 8);
            thread.string(3, "worker");
        });
    });
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in records {
        bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&record);
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

#[test]
fn kinds_of_execution_and_failed_unwinding() {
    let timeline = read_bytes("report", &made()).unwrap();
    let sample = timeline.code.samples.samples[0];
    assert!(sample.is_truncated);
    assert_eq!((sample.time.value(), sample.weight), (5_000_000_000, 1000));
    let kinds: Vec<_> = timeline.code.samples.stack(sample.site).map(|frame| frame.kind).collect();
    let expected = [FrameKind::Java, FrameKind::Jit, FrameKind::Native, FrameKind::Native];
    assert_eq!(kinds, expected);
    let functions = timeline.code.samples.stack(sample.site).map(|frame| frame.function.is_some());
    assert_eq!(functions.collect::<Vec<_>>(), [true, true, true, false]);
    let artifact = &timeline.quality.artifacts[0];
    assert_eq!(artifact.lost_events, 7);
    let codes: Vec<&str> = artifact.notes.iter().map(|note| &*note.code).collect();
    assert_eq!(codes, ["perf-lost", "samples-missing", "unwind-errors", "sample-clock-own"]);
}

/// Through the monotonic clock, where another artifact knows it, samples come to boot time; where nothing does, they lose their times.
#[test]
fn clocks_lead_to_boot_time_or_nowhere() {
    let trace = |sync: &str| {
        format!(
            "# tracer: nop\n a-9     (    8) [000] d..2 100.000000: sched_switch: prev_comm=a prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=120\n{sync}"
        )
    };
    let synced = trace(
        " atrace-7 (    7) [001] ...1   100.000100: tracing_mark_write: trace_event_clock_sync: parent_ts=4.000000\n",
    );
    let timeline = read_all_bytes(&[("trace", synced.as_bytes()), ("report", &made())]).unwrap();
    let time = timeline.code.samples.samples[0].time.value();
    assert!((time - 101_000_000_000).abs() < 2_000_000, "{time}");
    let alignment = timeline.quality.alignments.iter().find(|it| it.artifact == "report").unwrap();
    assert!(alignment.residual_ns.is_some());

    let timeline = read_all_bytes(&[("trace", trace("").as_bytes()), ("report", &made())]).unwrap();
    assert_eq!(timeline.code.samples.samples.len(), 0);
    assert_eq!(timeline.code.samples.totals.len(), 1);
    assert_eq!(timeline.code.samples.totals[0].weight, 1000);
    let notes = &timeline.quality.artifacts[1].notes;
    assert!(notes.iter().any(|note| note.code == "sample-clock-unknown"), "{notes:?}");
}

#[test]
fn reports_as_text() {
    let text = "\
meta_info:
  trace_offcpu: true
  event_type: cpu-clock:u
sample:
  event_type: cpu-clock:u
  time: 1000
  event_count: 250
  thread_id: 9
  thread_name: a b
  vaddr_in_file: 12ab
  file: /system/framework/framework.jar
  symbol: android.os.Looper.loop
  execution_type: jit_jvm_method
  callchain:
    vaddr_in_file: 34
    file: /elf
    symbol: elf[+34]
    execution_type: native_method
context_switch:
  switch_on: false
  time: 1500
  thread_id: 9
lost_situation:
  sample_count: 1
  lost_count: 3
";
    let timeline = read_bytes("text", text.as_bytes()).unwrap();
    let sample = timeline.code.samples.samples[0];
    assert_eq!((sample.time.value(), sample.weight), (1000, 250));
    let stack: Vec<_> = timeline
        .code
        .samples
        .stack(sample.site)
        .map(|frame| {
            let name = |id| timeline.names.get(id).to_owned();
            (frame.function.map(name), frame.mapping.map(name), frame.kind)
        })
        .collect();
    let some = |text: &str| Some(text.to_owned());
    let expected = [
        (some("android.os.Looper.loop"), some("/system/framework/framework.jar"), FrameKind::Jit),
        (None, some("/elf"), FrameKind::Native),
    ];
    assert_eq!(stack, expected);
    let thread = &timeline.tasks.threads[sample.thread.0 as usize];
    assert_eq!(timeline.names.get(thread.name.unwrap()), "a b");
    let runs: Vec<_> = timeline.cpus[0].sched.iter().map(|slice| slice.window).collect();
    assert_eq!((runs[0].start.value(), runs[0].end.value()), (1000, 1500));
    assert_eq!(timeline.quality.artifacts[0].lost_events, 3);
}

/// A report that was cut off gives the samples before; names that stand at its end are then missing.
#[requires(data)]
#[test]
fn what_is_cut_off_gives_what_was_there() {
    let bytes = unpacked();
    let mut before = 0;
    for percent in (0..=100).step_by(5) {
        let cut = (bytes.len() * percent / 100).max(12);
        let timeline = read_bytes("cut", &bytes[..cut]).unwrap();
        let count = timeline.code.samples.samples.len();
        assert!(count >= before, "{count} samples at {percent} %, {before} before");
        before = count;
        let is_cut = timeline.quality.artifacts[0].notes.iter().any(|note| note.code == "cut");
        assert_eq!(is_cut, percent < 100, "{percent} %");
    }
    assert_eq!(before, 2110);
}
