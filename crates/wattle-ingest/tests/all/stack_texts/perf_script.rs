//! Text of `perf script` and collapsed stacks, against independent readings: a reader of a few lines here, and what Brendan Gregg's
//! `stackcollapse-perf.pl` made of the same text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wattle_ingest::{read_all_bytes, read_bytes};
use wattle_testdata::requires;
use wattle_timeline::{
    Frame, FrameAddress, FrameKind, SampleUnit, StackSample, ThreadId, Timeline,
};

/// One sample: thread, number, CPU, nanoseconds, period, event, and the functions with their files, innermost first.
type Told = (String, u32, Option<u32>, i64, u64, String, Vec<(String, String)>);

/// Reads the layouts of the real files in a few lines: paragraphs, or lines without a stack.
fn independent(text: &str) -> Vec<Told> {
    let mut told: Vec<Told> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if let Some(frame) = line.strip_prefix('\t') {
            let (_, rest) =
                frame.trim().split_once(' ').unwrap_or((frame, "[unknown] ([unknown])"));
            let (function, file) = rest.rsplit_once(" (").unwrap();
            let file = file.strip_suffix(')').unwrap();
            told.last_mut().unwrap().6.push((function.to_owned(), file.to_owned()));
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_time = |word: &&str| word.ends_with(':') && word.contains('.');
        let at = words.iter().position(is_time).unwrap();
        let (seconds, micros) = words[at].trim_end_matches(':').split_once('.').unwrap();
        let time =
            (seconds.parse::<i64>().unwrap() * 1_000_000 + micros.parse::<i64>().unwrap()) * 1000;
        let (mut before, mut cpu) = (&words[..at], None);
        if before.last().unwrap().starts_with('[') {
            cpu = before.last().unwrap().trim_matches(['[', ']']).parse().ok();
            before = &before[..before.len() - 1];
        }
        let tid = before.last().unwrap().rsplit('/').next().unwrap().parse().unwrap();
        let comm = before[..before.len() - 1].join(" ");
        let period = words[at + 1].parse().ok();
        let rest = &words[at + 1 + usize::from(period.is_some())..];
        let event = rest[0].strip_suffix(':').unwrap().to_owned();
        let here = rest.get(1).map(|_| ("[unknown]".to_owned(), "[unknown]".to_owned()));
        told.push((comm, tid, cpu, time, period.unwrap_or(0), event, here.into_iter().collect()));
    }
    // A thread is called what it was called last.
    let last: BTreeMap<u32, String> =
        told.iter().map(|sample| (sample.1, sample.0.clone())).collect();
    for sample in &mut told {
        sample.0.clone_from(&last[&sample.1]);
    }
    told
}

/// The same of what was read.
fn read(timeline: &Timeline) -> Vec<Told> {
    let name = |id: Option<wattle_timeline::NameId>| {
        id.map_or("[unknown]".to_owned(), |id| timeline.names.get(id).to_owned())
    };
    let told = |sample: &StackSample| {
        let stack = timeline.code.samples.stack(sample.site);
        let stack = stack.map(|frame| (name(frame.function), name(frame.mapping))).collect();
        let event = timeline.code.samples.event(sample.event).unwrap();
        let thread = &timeline.tasks.threads[sample.thread.0 as usize];
        (
            name(thread.name),
            thread.tid.0,
            sample.cpu.map(|cpu| cpu.0),
            sample.time.value(),
            sample.weight,
            name(Some(event.name)),
            stack,
        )
    };
    timeline.code.samples.samples.iter().map(told).collect()
}

/// Java's methods as they are read: `Lio/netty/A;.run` is `io.netty.A.run`.
fn as_java(mut told: Vec<Told>) -> Vec<Told> {
    for (function, file) in told.iter_mut().flat_map(|sample| &mut sample.6) {
        if file.strip_suffix(".map").is_some()
            && let Some((class, method)) = function.split_once(";.")
        {
            *function = format!("{}.{method}", class[1..].replace('/', "."));
        }
    }
    told
}

/// The file's samples are those of the independent reading, which finds so many.
#[track_caller]
fn check(file: &str, count: usize) {
    let bytes = wattle_testdata::bytes(file);
    let mut expected = as_java(independent(&String::from_utf8_lossy(&bytes)));
    expected.sort_by_key(|sample| sample.3);
    assert_eq!(expected.len(), count, "{file}: samples of the independent reading");
    let timeline = read_bytes(file, &bytes).unwrap();
    let found = read(&timeline);
    assert_eq!(found.len(), expected.len(), "{file}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{file}");
    }
    assert_eq!(timeline.quality.artifacts[0].format, "perf-script");
    assert_eq!(timeline.quality.artifacts[0].unread, BTreeMap::new(), "{file}");
}

#[requires(data)]
#[test]
fn real_texts_hold_what_an_independent_reading_finds() {
    check("perf_script/flamegraph-perf-java-stacks-01.txt", 46);
    check("perf_script/ms-perf.data.txt", 102);
    check("perf_script/speedscope-forks.txt", 561);
    check("perf_script/speedscope-simple-with-header.txt", 136);
    check("perfdata/simpleperf-perf.data.perfscript.txt", 2409);
    check("perfdata/simpleperf-perf_g_fp.data.perfscript.txt", 10);
}

/// Samples collapsed as `stackcollapse-perf.pl --all` does it, with Java's names as they are read here.
fn collapsed(timeline: &Timeline) -> BTreeMap<String, u64> {
    let entry = |frame: &Frame| {
        let name = |id| timeline.names.get(id).to_owned();
        let text = match (frame.function, frame.mapping) {
            // It leaves arguments out.
            (Some(function), _) => name(function).split('(').next().unwrap().to_owned(),
            (None, Some(file)) => format!("[{}]", name(file).rsplit('/').next().unwrap()),
            (None, None) => "[unknown]".to_owned(),
        };
        let mark = match frame.kind {
            FrameKind::Kernel => "_[k]",
            FrameKind::Jit => "_[j]",
            _ => "",
        };
        text + mark
    };
    let mut found = BTreeMap::new();
    // The script counts a stack when it finds the empty line behind it, which the last one of the text does not have.
    let counted = timeline.code.samples.samples.len() - 1;
    for sample in timeline.code.samples.samples.iter().take(counted) {
        let thread = &timeline.tasks.threads[sample.thread.0 as usize];
        let mut stack: Vec<_> = timeline.code.samples.stack(sample.site).map(entry).collect();
        stack.push(timeline.names.get(thread.name.unwrap()).to_owned());
        stack.reverse();
        *found.entry(stack.join(";")).or_default() += 1;
    }
    found
}

#[requires(data)]
#[test]
fn stacks_are_those_of_stackcollapse() {
    let text = wattle_testdata::bytes("perf_script/flamegraph-perf-java-stacks-01.txt");
    let golden =
        wattle_testdata::bytes("perf_script/flamegraph-perf-java-stacks-01-collapsed-all.txt");
    let timeline = read_bytes("text", &text).unwrap();
    let mut expected = BTreeMap::new();
    for line in String::from_utf8_lossy(&golden).lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        let entries = stack.split(';').map(|entry| match entry.split_once(":.") {
            Some((class, method)) => format!("{}.{method}", class.replace('/', ".")),
            None => entry.to_owned(),
        });
        let entries: Vec<_> = entries.collect();
        expected.insert(entries.join(";"), count.parse::<u64>().unwrap());
    }
    assert_eq!(collapsed(&timeline), expected);

    // And the collapsed file itself holds the same.
    let folded = read_bytes("folded", &golden).unwrap();
    assert_eq!(folded.quality.artifacts[0].format, "folded");
    assert_eq!(folded.code.samples.samples.len(), 0);
    let total: u64 = folded.code.samples.totals.iter().map(|total| total.weight).sum();
    assert_eq!(total, timeline.code.samples.samples.len() as u64 - 1);
    let names = |thread: ThreadId| {
        let name = folded.tasks.threads[thread.0 as usize].name;
        name.map_or("?", |name| folded.names.get(name))
    };
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for total in &folded.code.samples.totals {
        *by_name.entry(names(total.thread)).or_default() += total.weight;
    }
    let expected = BTreeMap::from([("ab", 7), ("java", 32), ("perf", 5), ("swapper", 1)]);
    assert_eq!(by_name, expected);
}

/// A text, and what is read of it: `comm tid cpu time weight event; frames`, and totals.
fn told(text: &str) -> Vec<String> {
    let timeline = read_bytes("text", text.as_bytes()).unwrap();
    let name = |id| timeline.names.get(id);
    let frames = |site| {
        let frame = |frame: &Frame| {
            let mut told = frame.function.map_or("?", name).to_owned();
            if let Some(file) = frame.mapping {
                write!(told, "({})", name(file)).unwrap();
            }
            told += match frame.kind {
                FrameKind::Kernel => "k",
                FrameKind::Jit => "j",
                FrameKind::Java => "v",
                FrameKind::Native => "",
            };
            if frame.inlined {
                told += "i";
            }
            match frame.address {
                FrameAddress::InFile(at) => write!(told, "@{at:x}").unwrap(),
                FrameAddress::Absolute(at) => write!(told, "={at:x}").unwrap(),
                FrameAddress::InElf(_) | FrameAddress::Unknown => {}
            }
            if let (Some(file), Some(line)) = (frame.file, frame.line) {
                write!(told, " {}:{line}", name(file)).unwrap();
            }
            told
        };
        let all: Vec<_> = timeline.code.samples.stack(site).map(frame).collect();
        all.join(" < ")
    };
    let thread = |thread: ThreadId| {
        let thread = &timeline.tasks.threads[thread.0 as usize];
        let comm = thread.name.map_or("?", name);
        let process = thread.process.and_then(|id| timeline.tasks.processes.get(id.0 as usize));
        let pid = process.map_or("?".to_owned(), |process| process.pid.0.to_string());
        if thread.tid.0 > 1 << 22 {
            comm.to_owned()
        } else {
            format!("{comm} {pid}/{}", thread.tid.0)
        }
    };
    let event = |id| timeline.code.samples.event(id).map_or("?", |event| name(event.name));
    let mut all = Vec::new();
    for sample in &timeline.code.samples.samples {
        let cpu = sample.cpu.map_or("-".to_owned(), |cpu| cpu.0.to_string());
        let end = if sample.is_truncated { " …" } else { "" };
        all.push(format!(
            "{} [{cpu}] {} {} {}: {}{end}",
            thread(sample.thread),
            sample.time.value(),
            sample.weight,
            event(sample.event),
            frames(sample.site),
        ));
    }
    for total in &timeline.code.samples.totals {
        let (event, weight) = (event(total.event), total.weight);
        all.push(format!("{} {weight} {event}: {}", thread(total.thread), frames(total.site)));
    }
    all
}

#[track_caller]
fn check_told(text: &str, expected: &[&str]) {
    assert_eq!(told(text), expected, "{text}");
}

#[test]
fn layouts_of_perf_script() {
    // As perf 6.1 prints them: lines of the source, inlined functions, names with blanks, addresses of the kernel and in files.
    check_told(
        "my prog  12/13    [001] 47889.946812:   10309278 cpu-clock:u: \n\t            1177 inner+0x3e (inlined)\n  t.c:2\n\t            1177 main+0x3e (/tmp/tx/my prog)\n  t.c:7\n\t           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)\n  libc-start.c:74\n\n",
        &[
            "my prog 12/13 [1] 47889946812000 10309278 cpu-clock:u: inner(/tmp/tx/my prog)i@1177 t.c:2 < main(/tmp/tx/my prog)@1177 t.c:7 < __libc_start_call_main(/usr/lib/libc.so.6)@2724a libc-start.c:74",
        ],
    );
    // Unwound astray, and cut off by the end of the text.
    check_told(
        "a 7 1.000001: cycles: \n\tffffffff81000130 entry+0x76 ([kernel.kallsyms])\n\t 606258d4c544155 [unknown] ([unknown])\n\na 7 1.000002: cycles: \n\t 1234 main (/a)\n",
        &[
            "a ?/7 [-] 1000001000 0 cycles: entry([kernel.kallsyms])k=ffffffff81000130 < ?=606258d4c544155 …",
            "a ?/7 [-] 1000002000 0 cycles: main(/a)@1234 …",
        ],
    );
    // Without stacks, with tabs for blanks as simpleperf's report_sample.py writes it, and with nanoseconds.
    check_told(
        "             a b 12/13 [002] 5.000000009:    1969734 cycles:HG:            400513 main (/a)\n",
        &["a b 12/13 [2] 5000000009 1969734 cycles:HG: main(/a)=400513"],
    );
    check_told(
        "e.sample\t10/11 [001] 3.000001: 250000 task-clock:\n\t    7f00001234 android.os.Looper.loop (/system/framework/framework.jar)\n\t    1234 __libc_init (/apex/libc.so)\n\n",
        &[
            "e.sample 10/11 [1] 3000001000 250000 task-clock: android.os.Looper.loop(/system/framework/framework.jar)v=7f00001234 < __libc_init(/apex/libc.so)@1234",
        ],
    );
    // A virtual machine's own names, one with what is compiled into it.
    check_told(
        "java 9 2.000000: cycles: \n\t7f01 La/B;::run(I)V->La/C;::go (/tmp/perf-9.map)\n\t7f02 Interpreter (/tmp/perf-9.map)\n\t7f03 start_thread (/lib/libpthread.so)\n\n",
        &[
            "java ?/9 [-] 2000000000 0 cycles: a.C.go(/tmp/perf-9.map)ji=7f01 < a.B.run(/tmp/perf-9.map)j=7f01 < Interpreter(/tmp/perf-9.map)j=7f02 < start_thread(/lib/libpthread.so)@7f03",
        ],
    );
}

#[test]
fn samples_without_times_are_counted() {
    // `-F comm,tid,event,ip,sym,dso`, twice the same; `-F comm,ip,sym`; `-F ip,sym`.
    let sample = "a b  1237 cycles: \n\t 1234 main (/a)\n\n";
    check_told(&[sample, sample].concat(), &["a b ?/1237 2 samples: main(/a)@1234"]);
    check_told(
        "perf-exec \n\tffffffff81332715 kvm_flush\n\tffffffff81342e73 flush_tlb\n\nb c \n\t7f00001234 f\n\n",
        &[
            "perf-exec 1 samples: kvm_flushk=ffffffff81332715 < flush_tlbk=ffffffff81342e73",
            "b c 1 samples: f=7f00001234",
        ],
    );
    check_told(
        "\n\tffffffff81332715 kvm_flush\n\n\n\tffffffff81332715 kvm_flush\n\n",
        &["swapper 0/0 2 samples: kvm_flushk=ffffffff81332715"],
    );
    check_told(
        "       a    1003009 cpu-clock:  ffffffff81332715 kvm ([kernel.kallsyms])\n",
        &["a 1003009 cpu-clock: kvm([kernel.kallsyms])k=ffffffff81332715"],
    );
}

#[test]
fn tracepoints_tell_of_the_scheduler() {
    let text = "\
perf  1181 [000] 10.000000: sched:sched_switch: prev_comm=perf prev_pid=1181 prev_prio=120 prev_state=D ==> next_comm=a b next_pid=18 next_prio=0
\tffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])

a b    18 [000] 10.000250: sched:sched_switch: a b:18 [0] S ==> swapper/0:0 [120]
\tffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])

a b    18 [000] 10.000300: power:cpu_frequency: state=1200000 cpu_id=0
";
    let timeline = read_bytes("text", text.as_bytes()).unwrap();
    let slices: Vec<_> = timeline.cpus[0]
        .sched
        .iter()
        .map(|slice| {
            let tid = timeline.tasks.threads[slice.thread.0 as usize].tid.0;
            (slice.window.start.value(), slice.window.end.value(), tid)
        })
        .collect();
    assert_eq!(slices, [(10_000_000_000, 10_000_250_000, 18), (10_000_250_000, 10_000_300_000, 0)]);
    assert!(!timeline.cpus[0].sched_is_inferred);
    assert_eq!(timeline.cpus[0].frequency.iter().count(), 1);
    assert_eq!(timeline.code.samples.samples.len(), 3);
    let artifact = &timeline.quality.artifacts[0];
    assert_eq!(artifact.events["sched:sched_switch"], 2);
    let unit = timeline.code.samples.event(timeline.code.samples.samples[0].event).unwrap().unit;
    assert_eq!(unit, SampleUnit::Occurrences);
}

#[test]
fn records_tell_of_threads() {
    let text = "\
swapper     0 [000]     0.000000: PERF_RECORD_COMM: kthreadd:2/2
a    18 [000] 10.000000: PERF_RECORD_FORK(18:19):(18:18)
a    19 [000] 10.000100: PERF_RECORD_COMM: worker:18/19
a    19 [001] 10.000200: PERF_RECORD_SWITCH IN
a    19 [001] 10.000300: cycles: \n\t1234 main (/a)\n
a    19 [001] 10.000700: PERF_RECORD_SWITCH OUT preempt
a    19 [001] 10.000800: PERF_RECORD_LOST lost 5
";
    let timeline = read_bytes("text", text.as_bytes()).unwrap();
    let worker = timeline.tasks.threads.iter().find(|thread| thread.tid.0 == 19).unwrap();
    assert_eq!(timeline.names.get(worker.name.unwrap()), "worker");
    let process = &timeline.tasks.processes[worker.process.unwrap().0 as usize];
    assert_eq!(process.pid.0, 18);
    let runs: Vec<_> = timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter()).collect();
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (runs[0].window.start.value(), runs[0].window.end.value()),
        (10_000_200_000, 10_000_700_000)
    );
    assert_eq!(timeline.quality.artifacts[0].lost_events, 5);
}

#[test]
fn collapsed_stacks_name_threads_or_nobody() {
    check_told(
        "java-12/13;a/B:.run_[j];vfs_write_[k] 3\njava-12/13;a/B:.run_[j] 4\nmain;f;g 2\n[main tid=7];a/B.run;a/C.go_[i] 5\n",
        &[
            "java 12/13 3 samples: vfs_writek < a.B.runj",
            "java 12/13 4 samples: a.B.runj",
            "thread not named 2 samples: g < f < main",
            "main ?/7 5 samples: a.C.goji < a.B.runv",
        ],
    );
}

#[test]
fn differentials_of_collapsed_stacks_are_refused() {
    let error = read_bytes("diff", b"main;f;g 2 5\nmain;f;h 0 7\n").unwrap_err().to_string();
    assert!(error.contains("two counts a line"), "{error}");
}

/// A text that says its clock comes to boot time through it; one that says nothing keeps its own time alone, and none beside others.
#[test]
fn clocks_of_perf_script() {
    let trace = "# tracer: nop
 a-9     (    8) [000] d..2 100.000000: sched_switch: prev_comm=a prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=120
 atrace-7 (    7) [001] ...1   100.000100: tracing_mark_write: trace_event_clock_sync: parent_ts=4.000000
";
    let text = |clock: &str| {
        format!(
            "# ========\n# captured on: today\n# event : name = cycles{clock}\n# ========\n#\na 9 [000] 5.000000: cycles: \n\t1234 main (/a)\n\n"
        )
    };
    let read = |clock: &str, with_trace: bool| {
        let text = text(clock);
        let both = [("trace", trace.as_bytes()), ("text", text.as_bytes())];
        let timeline = read_all_bytes(&both[usize::from(!with_trace)..]).unwrap();
        let time = timeline.code.samples.samples.first().map(|sample| sample.time.value());
        let codes =
            timeline.quality.artifacts.last().unwrap().notes.iter().map(|note| note.code.clone());
        (time, timeline.code.samples.totals.len(), codes.collect::<Vec<_>>().join(" "))
    };
    let monotonic = ", use_clockid = 1, clockid = 1";
    let (time, totals, _) = read(monotonic, true);
    assert!(time.is_some_and(|time| (time - 101_000_000_000).abs() < 2_000_000), "{time:?}");
    assert_eq!(totals, 0);
    assert_eq!(read("", false), (Some(5_000_000_000), 0, "sample-clock-own".to_owned()));
    let (time, totals, codes) = read("", true);
    assert_eq!((time, totals), (None, 1));
    assert!(codes.contains("sample-clock-unknown"), "{codes}");
    assert_eq!(read(", use_clockid = 1, clockid = 7", true).0, Some(5_000_000_000));
}
