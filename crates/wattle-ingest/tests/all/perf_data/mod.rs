//! Files of `perf record` and simpleperf. `perf script` is the independent reader of those that it can read; what newer recorders
//! wrote is brought to the form of its time first.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

mod older;
mod script;

use crate::perf_data_writer as writer;
use std::path::Path;
use std::process::{Command, Output};

use script::Sampled;
use wattle_ingest::read_bytes;
use wattle_testdata::requires;
use wattle_timeline::{FrameAddress, FrameKind, Severity, Timeline};
use writer::{Form, Writer};

fn read(path: &Path) -> Timeline {
    let name = path.file_name().unwrap().to_str().unwrap();
    read_bytes(name, &std::fs::read(path).unwrap()).unwrap()
}

/// Returns the output of `perf script` for a file, in a form that it can read.
fn oracle(path: &Path, stacks: Stacks) -> Vec<Sampled> {
    let bytes = older::for_perf_6_1(&std::fs::read(path).unwrap());
    let copy = std::env::temp_dir().join(format!(
        "wattle-perf-data-{}-{}",
        std::process::id(),
        path.file_name().unwrap().to_str().unwrap()
    ));
    std::fs::write(&copy, bytes).unwrap();
    let fields = "comm,pid,tid,time,period,event,ip,dso";
    let output = Command::new("perf")
        .args([
            "script",
            "--force",
            "--ns",
            "--no-inline",
            "--show-kernel-path",
            "-F",
            fields,
            "-i",
        ])
        .arg(&copy)
        .arg("--show-mmap-events")
        .args((stacks == Stacks::Foreign).then_some("-G"))
        .output();
    std::fs::remove_file(&copy).unwrap();
    let output = output.unwrap();
    script::parse(&String::from_utf8_lossy(&output.stdout))
}

/// Source of a file's stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stacks {
    /// From the file.
    Recorded,
    /// From copies of the stack that `perf` unwinds; of those the file itself has the innermost frame alone.
    Unwound,
    /// The same, of a machine whose stacks this `perf` cannot unwind.
    Foreign,
}

#[track_caller]
fn check(path: &Path, stacks: Stacks) {
    let mut expected = oracle(path, stacks);
    assert!(!expected.is_empty(), "perf script prints nothing of {}", path.display());
    let timeline = read(path);
    // Without a stack they are the scheduler's.
    expected.retain(|sample| sample.event != "sched:sched_switch" || sample.stack.len() > 1);
    let mut found = script::of_timeline(&timeline, stacks == Stacks::Recorded);
    assert_eq!(found.len(), expected.len(), "{}: number of samples", path.display());
    if stacks != Stacks::Recorded {
        // The innermost frame of the program; of the kernel's perf prints what is in a chain, and no others.
        for sample in found.iter_mut().chain(&mut expected) {
            sample.stack.retain(|(_, file)| file != KERNEL);
            sample.stack.truncate(1);
        }
        // On its way out of `execve` a program has registers of one program and mappings of another: perf gives up on a few.
        let given_up = expected.iter().filter(|sample| sample.stack.is_empty()).count();
        assert!(
            stacks == Stacks::Foreign || given_up * 10 <= expected.len(),
            "{given_up} without a stack"
        );
        for (found, _) in
            found.iter_mut().zip(&expected).filter(|(_, expected)| expected.stack.is_empty())
        {
            found.stack.clear();
        }
        assert!(
            timeline
                .code
                .samples
                .samples
                .iter()
                .all(|sample| sample.is_truncated || sample.site.is_none())
        );
    }
    // A child has its parent's name until it executes its own program; threads of a timeline have their last name.
    for (found, _) in found.iter_mut().zip(&expected).filter(|(_, expected)| expected.comm == SHELL)
    {
        SHELL.clone_into(&mut found.comm);
    }
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{}: sample {index}", path.display());
    }
}

#[requires(data, program = "perf")]
#[test]
fn real_files_are_as_perf_script_prints_them() {
    for (name, stacks) in [
        ("linux-perf-data-fibo.compressed2.pipe.data", Stacks::Unwound),
        ("linux-perf-data-sleep.compressed.data", Stacks::Recorded),
        ("linux-perf-data-sleep.compressed.pipe.data", Stacks::Recorded),
        ("linux-perf-data-sleep.compressed2.data", Stacks::Recorded),
        ("linux-perf-data-sleep.data", Stacks::Recorded),
        ("simpleperf-has_embedded_native_libs_apk_perf.data", Stacks::Foreign),
        ("simpleperf-perf.data", Stacks::Recorded),
        ("simpleperf-perf_b.data", Stacks::Recorded),
        ("simpleperf-perf_g_fp.data", Stacks::Recorded),
        ("LinuxTracepoints-perf.data", Stacks::Recorded),
    ] {
        check(&wattle_testdata::path(&format!("perfdata/{name}")), stacks);
    }
}

/// Name of the program that starts all others of [`WORK`].
const SHELL: &str = "sh";

/// Recordings made here and now: what is asked for, and where the stacks come from.
const RECORDINGS: &[(&[&str], Stacks)] = &[
    (&["-e", "cpu-clock", "-g"], Stacks::Recorded),
    (&["-e", "cpu-clock", "-g", "-z"], Stacks::Recorded),
    (&["-e", "cpu-clock", "-F", "997", "-g"], Stacks::Recorded),
    (
        &["-e", "cpu-clock", "-g", "-k", "monotonic", "--buildid-mmap", "--switch-events"],
        Stacks::Recorded,
    ),
    (&["-e", "{cpu-clock,task-clock}:S", "-g"], Stacks::Recorded),
    (&["-e", "task-clock", "--call-graph", "dwarf"], Stacks::Unwound),
    (&["-e", "cpu-clock,page-faults", "-d", "-W", "-s", "--namespaces"], Stacks::Recorded),
    (&["-e", "sched:sched_switch", "-e", "cpu-clock", "-g"], Stacks::Recorded),
];

/// A program with children, threads of its own names, and something to do.
const WORK: &str =
    "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; ls /usr/bin | sort | wc -l > /dev/null";

/// A program that goes to sleep and wakes often: at least two switches a time.
const NAPS: &str = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); sleep 0.001; done";

fn record(path: &Path, arguments: &[&str], work: &str) -> bool {
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-o"]).arg(path).args(arguments).args(["--", "sh", "-c", work]);
    perf.output().is_ok_and(|output| output.status.success()) && path.exists()
}

#[requires(program = "perf")]
#[test]
fn recordings_of_this_machine_are_as_perf_script_prints_them() {
    for (index, (arguments, stacks)) in RECORDINGS.iter().enumerate() {
        let path = std::env::temp_dir()
            .join(format!("wattle-recorded-{}-{index}.data", std::process::id()));
        assert!(record(&path, arguments, WORK), "perf cannot record {arguments:?}");
        check(&path, *stacks);
        std::fs::remove_file(&path).unwrap();
    }
}

/// Recordings after each of which a busy machine may have lost events.
const ATTEMPTS: usize = 8;

/// Switches of all CPUs as `perf script` prints them, and as they are read. A machine that is busy with other tests loses events, which
/// is no matter of the reader: that is tried again.
fn switches_without_losses() -> (Output, Timeline) {
    let path = std::env::temp_dir().join(format!("wattle-sched-{}.data", std::process::id()));
    let asked = [
        ["-a", "-m", "2048"].as_slice(),
        &["-e", "sched:sched_switch", "-e", "sched:sched_waking", "-e", "power:cpu_idle"],
    ]
    .concat();
    let mut attempts = 0;
    loop {
        attempts += 1;
        assert!(record(&path, &asked, NAPS), "perf cannot record sched:sched_switch");
        let output = Command::new("perf")
            .args(["script", "--ns", "-F", "cpu,time,event,trace", "-i"])
            .arg(&path)
            .output()
            .unwrap();
        let timeline = read(&path);
        std::fs::remove_file(&path).unwrap();
        let artifact = &timeline.quality.artifacts[0];
        let is_whole = artifact.lost_events == 0 && artifact.events.contains_key("sched_switch");
        if is_whole || attempts == ATTEMPTS {
            return (output, timeline);
        }
    }
}

/// Switches as `perf script` prints them: `sched_switch` of the whole machine is an exact scheduler.
#[requires(program = "perf")]
#[test]
fn tracepoints_of_all_cpus_are_a_scheduler() {
    let (output, timeline) = switches_without_losses();
    // `[001] 12.000000001: sched:sched_switch: … prev_pid=1 … ==> next_comm=x next_pid=2 …`
    let mut expected: Vec<Vec<(i64, i64, u32)>> = vec![Vec::new(); timeline.cpus.len()];
    let mut on: std::collections::HashMap<usize, (i64, u32)> = std::collections::HashMap::new();
    let mut switches = 0;
    for line in String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.contains("sched_switch:"))
    {
        switches += 1;
        let (cpu, rest) = line.trim().trim_start_matches('[').split_once(']').unwrap();
        let cpu: usize = cpu.parse().unwrap();
        let time: i64 = rest.split(':').next().unwrap().trim().replace('.', "").parse().unwrap();
        let number = |name: &str| -> u32 {
            rest.rsplit_once(name).unwrap().1.split(' ').next().unwrap().parse().unwrap()
        };
        // Where the one that left is not the one that had come, events were lost.
        if let Some((since, tid)) = on.insert(cpu, (time, number("next_pid=")))
            && since < time
            && tid == number("prev_pid=")
        {
            expected[cpu].push((since, time, tid));
        }
    }
    assert_eq!(timeline.quality.artifacts[0].lost_events, 0, "the machine is too busy for perf");
    // Fewer do not tell a recording of all threads from one of some.
    assert!(switches >= 100, "perf recorded {switches} switches of this machine");
    assert_eq!(timeline.quality.artifacts[0].events["sched_switch"], switches);
    for (cpu, expected) in timeline.cpus.iter().zip(&expected) {
        let slices = cpu.sched.iter().filter(|slice| slice.end_state.is_some());
        let found: Vec<_> = slices
            .map(|slice| {
                let tid = timeline.tasks.threads[slice.thread.index()].tid.0;
                (slice.window.start.value(), slice.window.end.value(), tid)
            })
            .collect();
        assert!(&found == expected, "{} slices, {} expected", found.len(), expected.len());
    }
}

const WRITERS: [Writer; 4] =
    [Writer::Perf, Writer::Simpleperf1, Writer::Simpleperf2, Writer::SimpleperfRecords];

/// All forms that a file can have.
fn forms() -> impl Iterator<Item = Form> {
    WRITERS.into_iter().flat_map(|writer| {
        let orders = [(false, false), (false, true), (true, false), (true, true)];
        orders.into_iter().map(move |(is_big, is_pipe)| Form { is_big, is_pipe, writer })
    })
}

/// A frame as it is written down here: function, file, address.
type Told = (&'static str, &'static str, u64);

/// Stacks of the written file, innermost first, with all functions and addresses of calls.
const KERNEL: &str = "[kernel.kallsyms]";
const LIBRARY: &str = "/data/app/libx.so";
const STACKS: [&[Told]; 5] = [
    &[("draw", LIBRARY, 0x620)],
    &[
        ("schedule", KERNEL, 0xffff_8000_0000_0210),
        ("do_idle", KERNEL, 0xffff_8000_0000_0110),
        ("draw", LIBRARY, 0x610),
        ("a.b.C.run", "/data/app/base.vdex", 0x121),
    ],
    &[("draw", LIBRARY, 0x630), ("draw", LIBRARY, 0x671)],
    &[("draw", LIBRARY, 0x630), ("draw", LIBRARY, 0x671)],
    &[("draw", LIBRARY, 0x640)],
];
/// After the start, thread, CPU, event, weight, whether the stack is cut.
const SAMPLES: [(i64, u32, u32, &str, u64, bool); 5] = [
    (5, 7, 2, "task-clock", 400, false),
    (10, 8, 3, "task-clock", 500, false),
    (30, 8, 3, "cpu-cycles", 600, true),
    (40, 8, 3, "cpu-cycles", 900, false),
    (50, 8, 3, "task-clock", 300, true),
];

#[track_caller]
fn check_form(form: Form) {
    let timeline = read_bytes("perf.data", &writer::story(form)).unwrap();
    let name = |name| timeline.names.get(name).to_owned();
    let samples = &timeline.code.samples;
    let found: Vec<_> = samples
        .samples
        .iter()
        .map(|sample| {
            let tid = timeline.tasks.threads[sample.thread.index()].tid.0;
            let event = name(samples.event(sample.event).unwrap().name);
            let after = sample.time.value() - writer::START as i64;
            (after, tid, sample.cpu.unwrap().0, event, sample.weight, sample.is_truncated)
        })
        .collect();
    let expected: Vec<_> =
        SAMPLES.iter().map(|s| (s.0, s.1, s.2, s.3.to_owned(), s.4, s.5)).collect();
    assert_eq!(found, expected, "{form:?}");
    let is_perf = form.writer == Writer::Perf;
    for (sample, expected) in samples.samples.iter().zip(STACKS) {
        let found: Vec<_> = samples
            .stack(sample.site)
            .enumerate()
            .map(|(depth, frame)| {
                let address = match frame.address {
                    FrameAddress::InFile(address) | FrameAddress::Absolute(address) => address,
                    other => unreachable!("{other:?}"),
                };
                // `perf` has return addresses; the third frame of a long stack is where the program was interrupted.
                let is_caller = depth > 0 && (frame.kind == FrameKind::Kernel || depth != 2);
                let back = u64::from(is_perf && is_caller);
                (frame.function.map(name), frame.mapping.map(name), address + back)
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(function, file, address)| {
                ((!is_perf).then(|| (*function).to_owned()), Some((*file).to_owned()), *address)
            })
            .collect();
        assert_eq!(found, expected, "{form:?}");
    }
    let quality = &timeline.quality.artifacts[0];
    assert_eq!(quality.lost_events, 3, "{form:?}");
    for kind in ["namespaces", "ksymbol", "record of an unknown kind", "unwinding_result"] {
        assert_eq!(quality.unread.get(kind), Some(&1), "{form:?}: {kind}");
    }
    let slices: Vec<_> = timeline.cpus[3].sched.iter().collect();
    assert_eq!(slices.len(), 1, "{form:?}");
    assert_eq!(slices[0].window.duration().value(), 100, "{form:?}");
    let thread = &timeline.tasks.threads[slices[0].thread.index()];
    assert_eq!((thread.tid.0, thread.name.map(name)), (8, Some("RenderThread".to_owned())));
    let ids: Vec<_> = samples.build_ids.iter().map(|(file, id)| (name(*file), name(*id))).collect();
    assert_eq!(ids, [(LIBRARY.to_owned(), "abcdef01".to_owned())]);
    let device = (timeline.device.model.as_deref(), timeline.device.sdk);
    assert_eq!(device, if is_perf { (None, None) } else { (Some("Pixel 6"), Some(33)) });
}

#[test]
fn every_form_says_the_same() {
    for form in forms() {
        check_form(form);
    }
}

#[test]
fn frames_say_what_kind_of_code_they_are() {
    let form = Form { is_big: false, is_pipe: false, writer: Writer::Simpleperf2 };
    let timeline = read_bytes("perf.data", &writer::story(form)).unwrap();
    let kinds: Vec<_> = timeline
        .code
        .samples
        .stack(timeline.code.samples.samples[1].site)
        .map(|it| it.kind)
        .collect();
    assert_eq!(kinds, [FrameKind::Kernel, FrameKind::Kernel, FrameKind::Native, FrameKind::Java]);
}

/// A recording that was killed has no size of its records and no features.
#[test]
fn what_was_broken_off_is_read_to_its_end() {
    for form in forms().filter(|form| !form.is_pipe) {
        let mut bytes = writer::story(form);
        let order =
            |value: u64| if form.is_big { value.to_be_bytes() } else { value.to_le_bytes() };
        let long = |at: usize| {
            let bytes: [u8; 8] = bytes[at..at + 8].try_into().unwrap();
            if form.is_big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) }
        };
        let end = (long(40) + long(48)) as usize;
        bytes.truncate(end);
        bytes[48..56].copy_from_slice(&order(0));
        let timeline = read_bytes("perf.data", &bytes).unwrap();
        assert_eq!(timeline.code.samples.samples.len(), SAMPLES.len(), "{form:?}");
        let notes = &timeline.quality.artifacts[0].notes;
        assert!(notes.iter().any(|note| note.code == "unfinished"), "{form:?}: {notes:?}");
    }
}

#[test]
fn another_recording_behind_the_first_is_said() {
    for form in forms().filter(|form| !form.is_pipe) {
        let one = writer::story(form);
        let timeline = read_bytes("perf.data", &[&*one, &one].concat()).unwrap();
        assert_eq!(timeline.code.samples.samples.len(), SAMPLES.len(), "{form:?}");
        let notes = &timeline.quality.artifacts[0].notes;
        let note = notes.iter().find(|note| note.code == "another-recording").expect("a note");
        assert_eq!(note.offset, Some(one.len() as u64), "{form:?}");
    }
}

#[requires(data)]
#[test]
fn a_cut_real_file_gives_what_was_there() {
    let real = [
        "simpleperf-perf.data",
        "linux-perf-data-sleep.compressed2.data",
        "linux-perf-data-sleep.data",
    ];
    check_cuts(real.map(|name| wattle_testdata::bytes(&format!("perfdata/{name}"))));
}

#[test]
fn a_cut_file_gives_what_was_there() {
    check_cuts(forms().map(writer::story));
}

/// Cut anywhere, what was there is read, never more of it than the whole has, and it is said.
fn check_cuts(files: impl IntoIterator<Item = Vec<u8>>) {
    for whole in files {
        let all = read_bytes("perf.data", &whole).unwrap().code.samples.samples.len();
        let mut last = 0;
        for percent in 1..100 {
            let cut = &whole[..whole.len() * percent / 100];
            let Ok(timeline) = read_bytes("perf.data", cut) else { continue };
            let found = timeline.code.samples.samples.len();
            // Samples may come out of what the features would have made more of, so only their number is compared.
            assert!(found <= all && found >= last, "{percent} %: {found} of {all}, {last} before");
            last = found;
            let artifact = &timeline.quality.artifacts[0];
            assert!(
                artifact.notes.iter().any(|note| note.severity >= Severity::Warning),
                "{percent} % of {}: nothing is said",
                whole.len()
            );
        }
        assert!(last > 0, "no sample of {} bytes was there before the end", whole.len());
    }
}
