//! Event trace logs of Windows, against counts and truth that were computed without this reader.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

mod clr_walker;
mod walker;

use std::collections::BTreeMap;
use std::io::Read as _;

use serde_json::Value;
use wattle_ingest::{read_bytes, read_paths};
use wattle_testdata::requires;
use wattle_timeline::{
    ArtifactQuality, DiskKind, FrameAddress, FrameKind, Note, OperatingSystem, Severity, Timeline,
};

const SAMPLED: &str = "perfview-net.4.5.x86-2016.etl.zip";
const SWITCHED: &str = "SEMISYNTHETIC-cswitch-net45x86.etl.zip";

/// Every log, as `EXPECTED_COUNTS.json` names them.
#[track_caller]
fn expected() -> serde_json::Map<String, Value> {
    let bytes = wattle_testdata::bytes("etl/EXPECTED_COUNTS.json");
    let all: Value = serde_json::from_slice(&bytes).unwrap();
    let logs = all["files"].as_object().unwrap().clone();
    assert_eq!(logs.len(), 11);
    logs
}

#[track_caller]
fn read(file: &str) -> Timeline {
    read_paths(&[wattle_testdata::path(&format!("etl/{file}"))]).unwrap()
}

/// The bytes of a log, unpacked if it lies in an archive.
#[track_caller]
fn bytes(file: &str) -> Vec<u8> {
    let bytes = wattle_testdata::bytes(&format!("etl/{file}"));
    if !bytes.starts_with(b"PK") {
        return bytes;
    }
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut log = Vec::new();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).unwrap();
        if member.name().unwrap().contains(".etl") {
            member.read_to_end(&mut log).unwrap();
        }
    }
    log
}

/// All events by name, used or not; those with a schema are counted by provider and event, and go by their provider here.
fn counts(quality: &ArtifactQuality) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::default();
    for (name, count) in quality.events.iter().chain(&quality.unread) {
        *all.entry(name.clone()).or_default() += count;
    }
    all
}

/// The counts of one kind of events, taken out of those that were found. Providers are known by the names that their logs tell, where the
/// walker knows their GUID only: of those the counts must fit.
#[track_caller]
fn take_providers(found: BTreeMap<String, u64>, told: &serde_json::Map<String, Value>, log: &str) {
    let mut by_provider: BTreeMap<String, u64> = BTreeMap::default();
    for (name, count) in found {
        let provider = name.split('/').next().unwrap().to_owned();
        *by_provider.entry(provider).or_default() += count;
    }
    let mut unnamed = Vec::new();
    for (provider, count) in told {
        match by_provider.remove(provider) {
            Some(found) => assert_eq!(Some(found), count.as_u64(), "{log}: {provider}"),
            None => unnamed.push(count.as_u64().unwrap()),
        }
    }
    let mut others: Vec<u64> = by_provider.values().copied().collect();
    unnamed.sort_unstable();
    others.sort_unstable();
    assert_eq!(others, unnamed, "{log}: {by_provider:?}");
}

#[requires(data)]
#[test]
fn events_are_counted_as_an_independent_walker_counts_them() {
    let expected = expected();
    for (name, told) in expected {
        let (file, _) = name.split_once('!').unwrap_or((&name, ""));
        let timeline = read(file);
        let [quality] = timeline.quality.artifacts.as_slice() else {
            panic!("{name}: {} artifacts", timeline.quality.artifacts.len())
        };
        let mut found = counts(quality);
        for kinds in ["kernel_events", "classic_events"] {
            for (kind, count) in told[kinds].as_object().unwrap() {
                assert_eq!(found.remove(kind), count.as_u64(), "{name}: {kind}");
            }
        }
        let providers = told["manifest_or_tracelogging_events"].as_object().unwrap();
        take_providers(found, providers, &name);
        let header = &told["header"];
        assert_eq!(Some(quality.lost_events), header["events_lost"].as_u64(), "{name}");
        assert_eq!(Some(timeline.device.cpus.len() as u64), header["cpus"].as_u64(), "{name}");
        assert_eq!(timeline.device.system, Some(OperatingSystem::Windows));
        let (os, build) = (header["os"].as_str().unwrap(), &header["build"]);
        assert_eq!(timeline.device.kernel, Some(format!("Windows {os}.{build}")), "{name}");
        let errors: Vec<&Note> =
            quality.notes.iter().filter(|it| it.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let span = (timeline.window.end - timeline.window.start).value() as f64 / 1e9;
        let told_span = told["time_span_s_if_qpc"].as_f64().unwrap();
        // The walker does not count the log's own header, which comes some milliseconds before the first event.
        assert!((span - told_span).abs() < 0.02, "{name}: {span} s, {told_span} s");
    }
}

/// Per thread: how often it came to a CPU and how long it was there, in nanoseconds, between the first and the last switch of each CPU.
fn runs(timeline: &Timeline) -> BTreeMap<u32, (u64, i64)> {
    let mut all = BTreeMap::<u32, (u64, i64)>::default();
    for cpu in &timeline.cpus {
        // What ends with the recording, not with a switch, is not counted.
        for slice in cpu.sched.iter().filter(|slice| slice.end_state.is_some()) {
            let tid = timeline.tasks.threads[slice.thread.index()].tid.0;
            let run = all.entry(tid).or_default();
            run.0 += 1;
            run.1 += slice.window.duration().value();
        }
    }
    all
}

#[requires(data)]
#[test]
fn switches_give_each_thread_its_time() {
    let truth = wattle_testdata::bytes("etl/SEMISYNTHETIC-cswitch-net45x86.truth.csv");
    let timeline = read(SWITCHED);
    let truth = String::from_utf8(truth).unwrap();
    let mut found = runs(&timeline);
    let (mut threads, mut cut) = (0, 0);
    for line in truth.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |index: usize| cells[index].parse::<i64>().unwrap();
        let tid = u32::try_from(number(0)).unwrap();
        // Ticks of 100 ns.
        let told = (number(3) as u64, number(4) * 100);
        let ran = found.remove(&tid).unwrap_or_default();
        assert_eq!(ran.0, told.0, "{line}");
        // The switches were made, CPU by CPU: where they have a thread on two CPUs, it is taken to have left the first.
        assert!(ran.1 <= told.1, "{line}: {ran:?}");
        cut += told.1 - ran.1;
        if !cells[2].is_empty() {
            let is_it = |thread: &&wattle_timeline::Thread| {
                let process = thread.process.map(|it| &timeline.tasks.processes[it.index()]);
                thread.tid.0 == tid
                    && process.is_some_and(|it| {
                        i64::from(it.pid.0) == number(1)
                            && it.name.is_some_and(|name| timeline.names.get(name) == cells[2])
                    })
            };
            assert!(timeline.tasks.threads.iter().any(|it| is_it(&it)), "{line}: no such thread");
        }
        threads += 1;
    }
    assert!(threads > 80);
    assert!(found.is_empty(), "{found:?}");
    let note = timeline.quality.notes.iter().find(|note| note.code == "thread-on-two-cpus");
    let note = note.expect("a note");
    let noted = format!("; {:.3} ms of", cut as f64 / 1e6);
    assert!(note.count == 13 && note.text.contains(&noted), "{noted:?}, {note:?}");
}

/// Processes by number and name, as an event told of them.
#[requires(data)]
#[test]
fn processes_are_those_of_an_independent_walker() {
    let expected = expected();
    for (name, _) in expected {
        let (file, _) = name.split_once('!').unwrap_or((&name, ""));
        let (bytes, timeline) = (bytes(file), read(file));
        for (pid, image) in walker::processes(&bytes, name.contains("_64_").then_some(8)) {
            let is_it = |process: &&wattle_timeline::Process| {
                process.pid.0 == pid
                    && process.name.is_some_and(|it| timeline.names.get(it) == image)
            };
            assert!(timeline.tasks.processes.iter().any(|it| is_it(&it)), "{name}: {pid} {image}");
        }
        for (pid, tid) in walker::threads(&bytes).into_iter().filter(|(_, tid)| *tid != 0) {
            let is_it = |thread: &&wattle_timeline::Thread| {
                let process = thread.process.map(|it| timeline.tasks.processes[it.index()].pid.0);
                thread.tid.0 == tid && process == Some(pid)
            };
            assert!(timeline.tasks.threads.iter().any(|it| is_it(&it)), "{name}: {tid} of {pid}");
        }
    }
}

/// `image_data_*` and `process_data_*` of sawbuck: what their test program logged.
#[requires(data)]
#[test]
fn classic_events_of_either_size_of_pointers_are_understood() {
    for file in ["process_data_32_v3", "process_data_64_v2", "process_data_64_v3"] {
        let timeline = read(&format!("sawbuck-{file}.etl"));
        let named = |pid: u32, name: &str| {
            timeline.tasks.processes.iter().any(|process| {
                process.pid.0 == pid
                    && process.name.is_some_and(|it| timeline.names.get(it) == name)
            })
        };
        assert!(named(0, "Idle"), "{file}");
        assert!(named(4, "System"), "{file}");
        assert!(
            timeline.tasks.processes.iter().any(|process| {
                process.name.is_some_and(|it| timeline.names.get(it) == "notepad.exe")
                    && process.start.is_some()
                    && process.end.is_some()
            }),
            "{file}: notepad began and ended"
        );
    }
    for file in ["image_data_32_v1", "image_data_64_v2"] {
        let timeline = read(&format!("sawbuck-{file}.etl"));
        let [quality] = timeline.quality.artifacts.as_slice() else { panic!("{file}") };
        assert_eq!(quality.events["MSNT Image/3"], 24, "{file}: {:?}", quality.unread);
    }
}

#[requires(data)]
#[test]
fn samples_have_stacks_in_images() {
    let timeline = read(SAMPLED);
    let samples = &timeline.code.samples;
    let names: Vec<&str> = samples.events.iter().map(|it| timeline.names.get(it.name)).collect();
    assert_eq!(names, ["SampledProfile"]);
    assert_eq!(samples.samples.len(), 16_865);
    // 1 ms, by PerfInfo/CollStart.
    assert!(samples.samples.iter().all(|sample| sample.weight == 1_000_000));
    let (mut mapped, mut kernel, mut frames, mut with_callers) = (0_u64, 0_u64, 0_u64, 0_u64);
    for sample in &samples.samples {
        let stack: Vec<_> = samples.stack(sample.site).collect();
        assert!(!stack.is_empty());
        with_callers += u64::from(stack.len() > 1);
        for frame in stack {
            frames += 1;
            mapped += u64::from(matches!(frame.address, FrameAddress::InElf(_)));
            if frame.kind == FrameKind::Kernel {
                kernel += 1;
            }
        }
    }
    // What was compiled while it ran lies in no image.
    assert!(mapped * 10 > frames * 8, "{mapped} of {frames}");
    assert!(kernel > 0);
    // So many samples have stack events that hold more than one address together (counted apart).
    assert_eq!(with_callers, 3577);
    let of = |module: &str| {
        samples
            .frames
            .iter()
            .any(|frame| frame.mapping.is_some_and(|it| timeline.names.get(it).ends_with(module)))
    };
    assert!(of("ntoskrnl.exe") && of("ntdll.dll") && of("clr.dll"));
    assert!(timeline.is_schedule_inferred(), "no switches were recorded");
}

/// Every address of every sampled stack, by the methods that the runtime told of: loaded, unloaded, listed at the end.
#[requires(data)]
#[test]
fn methods_of_dotnet_are_those_of_an_independent_walker() {
    let timeline = read(SAMPLED);
    let (methods, stacks) = clr_walker::walk(&bytes(SAMPLED));
    assert!(methods.len() > 600 && stacks.len() == 18_532);
    let samples = &timeline.code.samples;
    let tid_of =
        |sample: &wattle_timeline::StackSample| timeline.tasks.threads[sample.thread.index()].tid.0;
    let by_place: BTreeMap<_, _> =
        samples.samples.iter().map(|it| ((it.time.value(), tid_of(it)), it)).collect();
    let (mut named, mut bare) = (0, 0);
    let mut modules = std::collections::BTreeSet::new();
    for stack in stacks {
        // 10 MHz.
        let Some(sample) = by_place.get(&(stack.time * 100, stack.tid)) else { continue };
        let frames: Vec<_> = samples.stack(sample.site).collect();
        // The program's part is the outer one.
        let Some(offset) = frames.len().checked_sub(stack.addresses.len()) else { continue };
        for (depth, address) in stack.addresses.iter().enumerate() {
            if *address >> 63 != 0 {
                break;
            }
            let place = if offset + depth == 0 { *address } else { address.saturating_sub(1) };
            let expected = clr_walker::name_at(&methods, stack.pid, place, stack.time);
            let frame = frames[offset + depth];
            let found = frame.function.map(|it| timeline.names.get(it));
            assert_eq!(found, expected, "{address:#x} of {} at {}", stack.pid, stack.time);
            named += u64::from(found.is_some());
            bare += u64::from(found.is_none() && frame.mapping.is_none());
            if let Some(module) = frame.mapping.filter(|_| found.is_some()) {
                modules.insert(timeline.names.get(module).to_owned());
            }
        }
    }
    // Python counts the same in a third reading. What is left bare is stubs, which no event names.
    assert_eq!((named, bare), (3358, 112));
    assert!(modules.contains(r"C:\temp\test.exe") && modules.len() == 4, "{modules:?}");
}

#[requires(data)]
#[test]
fn operations_of_disks_are_put_together() {
    let timeline = read(SAMPLED);
    let of = |kind| timeline.hardware.disk.iter().filter(move |it| it.kind == kind && it.end_seen);
    assert_eq!(of(DiskKind::Write).count(), 471);
    assert_eq!(of(DiskKind::Read).count(), 65);
    assert_eq!(of(DiskKind::Flush).count(), 6);
    // ReadInit 66, one of which had not ended.
    assert_eq!(timeline.hardware.disk.iter().filter(|it| !it.end_seen).count(), 1);
    for operation in timeline.hardware.disk.iter().filter(|it| it.end_seen) {
        assert!(operation.begin_seen, "{operation:?}");
        // The kernel's own measure leaves out what an operation waited for others, and is read a little later.
        let service = operation.service.unwrap().value();
        assert!(service < operation.window.duration().value() + 100_000, "{operation:?}");
    }
    let named = timeline.hardware.disk.iter().filter(|it| it.file.is_some()).count();
    assert!(named > 400, "{named} of {}", timeline.hardware.disk.len());
}

/// A log that is cut off anywhere gives what is whole of it, and says so.
#[requires(data)]
#[test]
fn a_log_that_is_cut_off_gives_its_beginning() {
    let expected = expected();
    for (name, _) in expected {
        let (file, _) = name.split_once('!').unwrap_or((&name, ""));
        let bytes = bytes(file);
        let mut before = 0;
        for percent in 1..100 {
            let cut = &bytes[..bytes.len() * percent / 100];
            let Ok(timeline) = read_bytes("cut.etl", cut) else {
                assert!(cut.len() < 512, "{name}: {percent} %");
                continue;
            };
            let [quality] = timeline.quality.artifacts.as_slice() else { panic!("{name}") };
            assert!(quality.records >= before, "{name}: {percent} %");
            before = quality.records;
            let is_noted = quality.notes.iter().any(|note| {
                matches!(note.code.as_str(), "truncated" | "etl-buffers-missing" | "no-log-header")
            });
            assert!(is_noted, "{name}: {percent} %: {:?}", quality.notes);
        }
        assert!(before > 0, "{name}");
    }
}

/// Bytes that are something else give something else, and no harm.
#[requires(data)]
#[test]
fn damage_does_no_harm() {
    for file in [
        "airbus-ShutdownPerfDiagLogger.etl",
        "tx-Process.etl",
        "sawbuck-image_data_64_v2.etl",
        "perfview-SelfDescribingSingleEvent.etl",
    ] {
        let bytes = bytes(file);
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        for round in 0..24 {
            let mut bytes = bytes[..bytes.len().min(1 << 19)].to_vec();
            for _ in 0..(1 << (round % 12)) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // Heads of buffers and of the first events are hit more often than others.
                let at = if state & 1 == 0 {
                    (state >> 8) as usize % 4096
                } else {
                    (state >> 8) as usize % bytes.len()
                };
                bytes[at] = (state >> 40) as u8;
            }
            let _ = read_bytes("damaged.etl", &bytes);
        }
    }
}
