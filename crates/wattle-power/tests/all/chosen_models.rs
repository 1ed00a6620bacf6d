//! The models that are chosen for real recordings, and for generated ones of every rung of the ladder.

use std::fmt::Write as _;

use wattle_power::{
    DeviceModel, ModelRung, PowerEstimate, PowerOptions, RailSummary, estimate, library,
};
use wattle_testdata::requires;
use wattle_timeline::{
    Architecture, CpuFacts, CpuId, CpuTimeline, Emulator, IdleState, OperatingSystem, Rail,
    SchedSlice, Steps, ThreadId, Timeline, Window,
};
use wattle_units::{BootNanos, Hertz, Provenance};

/// Folders of the real data, with the number of their files that can be read as recordings.
const FOLDERS: [(&str, usize); 15] = [
    ("perfdata", 14),
    ("perf_script", 5),
    ("perfetto", 6),
    ("perfetto/pairs", 4),
    ("perfetto/rails", 8),
    ("perfetto/emanafa", 6),
    ("perfetto/diff_tests", 65),
    ("systrace", 7),
    ("etl", 11),
    ("bugreport", 1),
    ("batterystats", 3),
    ("navitas_logs", 2),
    ("logcat", 1),
    ("art_trace", 8),
    ("power_meter", 1),
];

/// Files beside recordings, by the ends of their names.
const OTHERS: [&str; 6] = [".json", ".csv", ".md", ".expected", ".sql", ".truth.csv"];

/// `file | rung, model, provenance | device`, for every recording that names its device or has a model.
const EXPECTED: &str = "
perfdata/LinuxTracepoints-perf.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/firefox-simpleperf-task-clock.trace.gz | d, MT6858, assumed | ? ? ?
perfdata/linux-perf-data-fibo.compressed2.pipe.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/linux-perf-data-sleep.compressed.data | d, MT6858, assumed | ? linux arm64
perfdata/linux-perf-data-sleep.compressed.pipe.data | d, MT6858, assumed | ? linux arm64
perfdata/linux-perf-data-sleep.compressed2.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/linux-perf-data-sleep.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/simpleperf-has_embedded_native_libs_apk_perf.data | d, msm8940 (freqbench), assumed | ? android arm64
perfdata/simpleperf-perf.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/simpleperf-perf.data.perfscript.txt | d, any x86 computer, assumed | ? ? ?
perfdata/simpleperf-perf_b.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/simpleperf-perf_g_fp.data | d, any x86 computer, assumed | ? linux x86_64
perfdata/simpleperf-perf_g_fp.data.perfscript.txt | d, sdm845 (freqbench), assumed | ? ? ?
perfdata/simpleperf-perf_with_add_counter.data | d, any x86 computer, assumed | ? linux x86_64
perf_script/flamegraph-perf-java-stacks-01.txt | d, any x86 computer, assumed | ? linux x86_64
perf_script/ms-perf.data.txt | d, any x86 computer, assumed | ? linux x86_64
perf_script/speedscope-forks.txt | d, any x86 computer, assumed | ? linux x86_64
perf_script/speedscope-simple-with-header.txt | d, any x86 computer, assumed | ? linux x86_64
perfetto/api32_startup_warm_pixel6a.perfetto-trace | a, Tensor, modelled | bluejay android arm64
perfetto/ms_cpu_sampling.perfetto-trace | emulator | ? android x86_64
perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace | a, sm8250 (freqbench), modelled | x1q android arm64
perfetto/nia_pixel7pro_atrace.perfetto-trace | none | cheetah android arm64
perfetto/power_rails_pixel6pro.perfetto-trace | none | raven android arm64
perfetto/studio_perflib_ftrace.perfetto-trace | c, msm8998 (freqbench), modelled | ? ? ?
perfetto/pairs/binder-spam_before.pftrace | emulator | vsoc_x86_64 android x86_64
perfetto/pairs/cpu-spin_after.pftrace | emulator | vsoc_x86_64 android x86_64
perfetto/pairs/cpu-spin_before.pftrace | emulator | vsoc_x86_64 android x86_64
perfetto/pairs/long-trace-battery_before.pftrace | emulator | vsoc_x86_64 android x86_64
perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace | a, Tensor, modelled | oriole android arm64
perfetto/rails/rails_only_pixel7a_3min_gpt.perfetto-trace | none | lynx android arm64
perfetto/rails/rails_only_pixel7a_50mbps_mimo_0.perfetto-trace | none | lynx android arm64
perfetto/rails/rails_only_pixel7a_pixel7_5G_standby_0.perfetto-trace | none | lynx android arm64
perfetto/rails/rails_only_pixel7a_pixel7_camera_1.perfetto-trace | none | lynx android arm64
perfetto/rails/rails_only_pixel7a_pixel7_standby_0.perfetto-trace | none | lynx android arm64
perfetto/rails/rails_only_pixel8_chatgpt.perfetto-trace | none | shiba android arm64
perfetto/rails/rails_only_pixel8_standby.perfetto-trace | none | shiba android arm64
perfetto/emanafa/trace-1623058691-1622418866.0 | c, sdm710 (freqbench), assumed | ? ? arm64
perfetto/emanafa/trace-1623058691-1622418866.0.systrace | c, sdm710 (freqbench), assumed | ? ? ?
perfetto/emanafa/trace-1623926538-1622418867.0 | c, sdm710 (freqbench), assumed | ? ? arm64
perfetto/emanafa/trace-1623926538-1622418867.0.systrace | c, sdm710 (freqbench), assumed | ? ? ?
perfetto/emanafa/trace-1626775333-1614351254.0 | c, sdm670 (freqbench), assumed | ? ? arm64
perfetto/emanafa/trace-1626775333-1614351254.0.systrace | c, sdm670 (freqbench), assumed | ? ? ?
perfetto/diff_tests/parser_process_tracking-unknown_thread_name_tracking.txt | d, msm8953 (freqbench), assumed | ? ? ?
perfetto/diff_tests/stdlib_linux-linux_cpu_idle_stats.pftrace | d, msm8953 (freqbench), assumed | ? ? ?
perfetto/diff_tests/tables-machine.pftrace | none | ? linux x86_64
systrace/catapult-android_systrace.html | d, msm8953 (freqbench), assumed | ? ? ?
systrace/catapult-android_systrace.txt | d, msm8953 (freqbench), assumed | ? ? ?
systrace/petra-systrace_example | d, msm8940 (freqbench), assumed | ? ? ?
systrace/trappy-trace_surfaceflinger.html | c, msm8998 (freqbench), assumed | ? ? ?
etl/SEMISYNTHETIC-cswitch-net45x86.etl.zip | d, any x86 computer, assumed | ? windows ?
etl/perfview-net.4.5.x86-2016.etl.zip | d, any x86 computer, assumed | ? windows ?
bugreport/chkbugreport-deadlock.txt | none | passion ? arm
art_trace/firefox-art-trace-regular.trace.gz | d, MT6858, assumed | ? ? ?
art_trace/perflib-basic-api10.trace | d, MT6858, assumed | ? ? ?
art_trace/perflib-basic.trace | d, MT6858, assumed | ? ? ?
art_trace/perflib-exception.trace | d, MT6858, assumed | ? ? ?
art_trace/perflib-mismatched.trace | d, MT6858, assumed | ? ? ?
art_trace/perflib-streaming.trace | d, MT6858, assumed | ? ? ?
power_meter/catapult-battor-with-systrace.zip | d, msm8953 (freqbench), assumed | ? ? ?
";

/// One line of [`EXPECTED`].
fn line(name: &str, timeline: &Timeline, found: &PowerEstimate) -> String {
    let device = &timeline.device;
    let mut line = format!("{name} | ");
    match &found.model {
        Some(model) => {
            let rung = model.rung().map_or("-", ModelRung::name);
            let _ = write!(line, "{rung}, {}, {}", model.name, model.provenance);
        }
        None => line.push_str(if device.virtual_device().is_some() { "emulator" } else { "none" }),
    }
    let architecture = device.architecture.map_or("?", Architecture::name);
    let system = device.system.map_or("?", OperatingSystem::name);
    let _ = write!(line, " | {} {system} {architecture}", device.device_name().unwrap_or("?"));
    line
}

#[requires(data)]
#[test]
fn every_real_recording_has_the_model_of_its_device_or_none() {
    let root = wattle_testdata::root().unwrap();
    let mut lines = Vec::new();
    let mut counts = Vec::new();
    for (folder, _) in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| {
            let name = path.to_string_lossy();
            path.is_file() && !OTHERS.iter().any(|end| name.ends_with(end))
        });
        files.sort();
        let mut count = 0;
        for path in files {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            let Ok(timeline) = wattle_ingest::read_paths(&[path]) else { continue };
            count += 1;
            let found = estimate(&timeline, &PowerOptions::default()).unwrap();
            let is_emulator = timeline.device.virtual_device().is_some();
            assert!(!is_emulator || found.tracks.is_empty(), "{name}: energy of an emulator");
            let device = &timeline.device;
            let is_named = device.device_name().is_some() || device.architecture.is_some();
            if found.model.is_some() || is_named || is_emulator {
                lines.push(line(&name, &timeline, &found));
            }
        }
        counts.push((folder, count));
    }
    let expected: Vec<&str> = EXPECTED.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, expected, "{counts:?}\n{}", lines.join("\n"));
    assert_eq!(counts, FOLDERS);
}

fn always<T: Copy + PartialEq>(value: T) -> Steps<T> {
    [(BootNanos::new(0), value)].into_iter().collect()
}

/// A second of a device whose CPUs all run, at these clocks one after the other.
fn recording(clocks: &[&[u64]]) -> Timeline {
    let window = Window::new(BootNanos::new(0), BootNanos::new(1_000_000_000));
    let mut timeline = Timeline { window, ..Timeline::default() };
    for clocks in clocks {
        let mut cpu = CpuTimeline { idle: always(IdleState(-1)), ..CpuTimeline::default() };
        let clock = |(index, kilohertz): (usize, &u64)| {
            (BootNanos::new(index as i64 * 1_000_000), Hertz::from_kilohertz(*kilohertz))
        };
        cpu.frequency = clocks.iter().enumerate().map(clock).collect();
        cpu.sched.push(SchedSlice { window, thread: ThreadId(0), end_state: None });
        timeline.cpus.push(cpu);
    }
    timeline
}

/// So many CPUs at one clock that no table has.
fn cpus(count: usize) -> Timeline {
    recording(&vec![[123_457].as_slice(); count])
}

/// The clocks of each CPU of a model of the library, in kilohertz.
fn tables(name: &str) -> Vec<Vec<u64>> {
    let model = library().iter().find(|model| model.name == name).unwrap();
    let count = model.policies.iter().map(|policy| policy.cpus.len()).sum::<usize>() as u32;
    let policy = |cpu| &model.policies[model.policy_of(CpuId(cpu)).unwrap()];
    (0..count).map(|cpu| policy(cpu).frequencies().map(Hertz::kilohertz).collect()).collect()
}

/// The rung, the model, its provenance and the reason.
#[track_caller]
fn check(timeline: &Timeline, expected: Option<(ModelRung, &str, Provenance, &str)>) {
    let found = estimate(timeline, &PowerOptions::default()).unwrap();
    let model = found.model.as_ref().map(|model| {
        (model.rung().unwrap(), model.name.as_str(), model.provenance, model.chosen.as_str())
    });
    assert_eq!(model, expected, "{:?}", found.notes);
    assert_eq!(found.tracks.is_empty(), expected.is_none());
    if expected.is_none() {
        let note = found.notes.iter().find(|note| note.code == "no-device-model").unwrap();
        assert!(note.text.contains("--device-model"), "{}", note.text);
    }
}

#[test]
fn each_rung_has_its_evidence() {
    let modelled = Provenance::Modelled;
    let mut timeline = cpus(8);
    timeline.device.fingerprint = Some("samsung/x1quex/x1q:11/RP1A/G981U1:user/x".to_owned());
    timeline.device.board = Some("kona".to_owned());
    let code_name = "the device's code name x1q → SM8250";
    check(&timeline, Some((ModelRung::A, "sm8250 (freqbench)", modelled, code_name)));
    timeline.device.fingerprint = None;
    let board = "board \"kona\" of the recording";
    check(&timeline, Some((ModelRung::B, "sm8250 (freqbench)", modelled, board)));
    timeline.device.board = None;
    timeline.device.hardware = Some("Qualcomm Technologies, Inc SM8250".to_owned());
    let hardware = "hardware \"Qualcomm Technologies, Inc SM8250\" of the recording";
    check(&timeline, Some((ModelRung::B, "sm8250 (freqbench)", modelled, hardware)));
    timeline.device.hardware = None;
    let tables = tables("sm8250 (freqbench)");
    for (index, clocks) in tables.iter().enumerate() {
        let frequencies = clocks.iter().copied().map(Hertz::from_kilohertz).collect();
        timeline.device.cpus.push(CpuFacts { frequencies, ..CpuFacts::default() });
        timeline.cpus[index].frequency = always(Hertz::from_kilohertz(clocks[0]));
    }
    let all: usize = [0, 4, 7].into_iter().map(|cpu| tables[cpu].len()).sum();
    let clocks = format!("its CPU clocks: {all} of {all} are in the model's tables");
    check(&timeline, Some((ModelRung::C, "sm8250 (freqbench)", modelled, &clocks)));
}

/// Fewer clocks than twelve are in the tables of several SoCs.
#[test]
fn a_match_of_a_handful_of_clocks_is_assumed() {
    let tables = tables("msm8998 (freqbench)");
    for count in [2, 3, 4] {
        let clocks: Vec<&[u64]> = tables.iter().map(|clocks| &clocks[..count]).collect();
        let timeline = recording(&clocks);
        let found = estimate(&timeline, &PowerOptions::default()).unwrap().model.unwrap();
        assert_eq!(found.provenance, Provenance::Assumed, "{count} {}", found.chosen);
    }
}

/// Clocks of a SoC that the library has do not make a model of a device whose SoC is another one.
#[test]
fn clocks_do_not_contradict_the_named_soc() {
    let tables = tables("msm8998 (freqbench)");
    let clocks: Vec<&[u64]> = tables.iter().map(Vec::as_slice).collect();
    let mut timeline = recording(&clocks);
    timeline.device.soc = Some("SM9999".to_owned());
    let found = estimate(&timeline, &PowerOptions::default()).unwrap().model.unwrap();
    assert_eq!((found.rung(), found.provenance), (Some(ModelRung::C), Provenance::Assumed));
}

#[test]
fn an_architecture_is_never_contradicted() {
    let assumed = Provenance::Assumed;
    let mut timeline = cpus(5);
    timeline.device.architecture = Some(Architecture::Arm64);
    for system in [OperatingSystem::Linux, OperatingSystem::Android] {
        timeline.device.system = Some(system);
        let found = estimate(&timeline, &PowerOptions::default()).unwrap().model.unwrap();
        assert_ne!(found.name, "any x86 computer");
        assert_eq!((found.rung(), found.provenance), (Some(ModelRung::D), assumed));
        assert_eq!(found.chosen, "its CPUs (at least 5, aarch64), the most similar in the library");
    }
    timeline.device.architecture = Some(Architecture::X86_64);
    check(&timeline, None);
    timeline.device.codename = Some("x1q".to_owned());
    check(&timeline, None);
    timeline.device.codename = None;
    timeline.device.system = Some(OperatingSystem::Linux);
    let system = "system Linux of the recording";
    check(&timeline, Some((ModelRung::D, "any x86 computer", assumed, system)));
}

/// Two or four CPUs that were seen are not all that a phone has: no watch stands in for it.
#[test]
fn cpus_that_were_seen_are_the_fewest_that_a_device_has() {
    for count in [1, 2, 4, 8] {
        let mut timeline = cpus(count);
        timeline.device.system = Some(OperatingSystem::Android);
        let found = estimate(&timeline, &PowerOptions::default()).unwrap().model.unwrap();
        let model = library().iter().find(|model| model.name == found.name).unwrap();
        let all = model.policies.iter().map(|policy| policy.cpus.len()).sum::<usize>();
        assert_eq!((all, found.provenance), (8, Provenance::Assumed), "{count}: {}", found.name);
    }
}

/// An emulator with two rails that somebody made up.
fn emulator(facts: impl FnOnce(&mut wattle_timeline::DeviceFacts)) -> Timeline {
    let mut timeline = cpus(8);
    facts(&mut timeline.device);
    for name in ["S4M_VDD_CPUCL0", "VSYS_PWR_DISPLAY"] {
        let name = timeline.names.intern(name);
        timeline.energy.rails.push(Rail {
            name,
            subsystem: None,
            sampling_rate: 0,
            time: (0..10).map(|at| BootNanos::new(at * 100_000_000)).collect(),
            energy: (0..10).map(|at| at * 3_000).collect(),
        });
    }
    timeline
}

#[track_caller]
fn check_emulator(timeline: &Timeline, kind: Emulator) {
    assert_eq!(timeline.device.virtual_device(), Some(kind));
    check(timeline, None);
    let found = estimate(timeline, &PowerOptions::default()).unwrap();
    let is_used = |rail: &RailSummary| rail.booked;
    assert!(!found.rails.iter().any(is_used), "a rail of an emulator is no measurement");
    assert!(found.battery.is_none());
    let codes: Vec<&str> = found.notes.iter().map(|note| note.code.as_str()).collect();
    assert!(codes.contains(&"rails-of-emulator"), "{codes:?}");
    // A model of the user's own is used, its rails still are not.
    let mut options = PowerOptions::default();
    let own = library().iter().find(|model| model.name == "Tensor").unwrap();
    options.device_models.push(DeviceModel { name: "mine".to_owned(), ..own.clone() });
    let found = estimate(timeline, &options).unwrap();
    let model = found.model.unwrap();
    assert_eq!((model.name.as_str(), model.rung()), ("mine", None));
    assert!(!found.tracks.is_empty() && !found.rails.iter().any(is_used));
}

#[test]
fn an_emulator_has_energy_by_the_users_model_alone() {
    let named = |board: &str| {
        let board = board.to_owned();
        emulator(|device| device.board = Some(board))
    };
    check_emulator(&named("goldfish"), Emulator::Android);
    check_emulator(&named("ranchu"), Emulator::Android);
    check_emulator(&named("vsoc_x86_64"), Emulator::Cuttlefish);
    check_emulator(&named("vbox86p"), Emulator::Genymotion);
    check_emulator(&named("genymotion"), Emulator::Genymotion);
    check_emulator(&named("waydroid"), Emulator::Waydroid);
    check_emulator(&named("redroid_x86_64"), Emulator::Redroid);
    // What it says of itself is worth more than a phone's name that it shows to apps.
    let spoofed = emulator(|device| {
        device.codename = Some("oriole".to_owned());
        device.emulator = Some(Emulator::Android);
    });
    check_emulator(&spoofed, Emulator::Android);
}
