//! Real traces of real phones, held against an independent reading of the same bytes.
//!
//! Every number comes from `oracle/decode.py` (Google's protobuf runtime, Perfetto's schema, Perfetto's rules
//! retold), written into `golden/`, or from the expectations that the origin of a trace publishes. The
//! oracle itself was checked against what Perfetto's trace processor says of the Pixel 6a trace: 11,078
//! on-CPU slices, 673 processes, 3,438 threads.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

mod code;
mod golden;
mod machine;
mod people;

use std::sync::OnceLock;

use serde_json::Value;
use wattle_testdata::requires;
use wattle_timeline::{Severity, SliceScope, Timeline, Window};
use wattle_units::BootNanos;

/// A trace as Wattle reads it.
#[track_caller]
fn read(path: &str) -> Timeline {
    let bytes = wattle_testdata::bytes(path);
    wattle_ingest::read_bytes(path, &bytes).unwrap()
}

/// All that a recording of the last event can say of the window: it holds every event that the oracle read,
/// and nothing a minute away from one.
#[track_caller]
fn check_window(timeline: &Timeline, golden: &Value) {
    let Window { start, end } = timeline.window;
    let [first, last] = ["first_event", "last_event"].map(|key| golden[key].as_i64());
    let (first, last) = (BootNanos::new(first.unwrap()), BootNanos::new(last.unwrap()));
    assert!(start <= first && last <= end, "{start:?} {first:?} {last:?} {end:?}");
    assert!((first - start).seconds() < 1.0, "{start:?} is long before {first:?}");
    assert!((end - last).seconds() < 1.0, "{end:?} is long after {last:?}");
}

/// One artifact of the right size, nothing graver than an information about it, every event counted.
#[track_caller]
fn check_quality(timeline: &Timeline, golden: &Value, bytes: u64) {
    let [artifact] = &timeline.quality.artifacts[..] else {
        panic!("one artifact expected: {:?}", timeline.quality.artifacts);
    };
    assert_eq!(artifact.format, "perfetto");
    assert_eq!(artifact.bytes, bytes);
    let packets: u64 =
        golden["packets"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(artifact.records, packets, "packets");
    assert_ne!(timeline.quality.worst(), Some(Severity::Error), "{:?}", artifact.notes);
    // What is used and what is not are two halves of the oracle's count of each kind.
    let mut kinds = std::collections::BTreeMap::<&str, u64>::new();
    for (kind, count) in golden["ftrace_events"].as_object().unwrap() {
        let kind = match kind.as_str() {
            "compact_switch" => "sched_switch",
            "compact_waking" => "sched_waking",
            kind => kind,
        };
        *kinds.entry(kind).or_default() += count.as_u64().unwrap();
    }
    kinds.extend(golden["packets"].as_object().unwrap().iter().filter_map(|(kind, count)| {
        // A packet without a kind that the schema knows may hold one that the reader knows by number.
        (kind != "none").then_some((kind.as_str(), count.as_u64().unwrap()))
    }));
    // Events without a message of their own are counted by their names: see `packet_kinds::generic_events`.
    kinds.remove("generic");
    let found = |kind: &str| {
        let [used, unread] = [&artifact.events, &artifact.unread].map(|map| map.get(kind).copied());
        used.unwrap_or(0) + unread.unwrap_or(0)
    };
    let wrong: Vec<_> = kinds.iter().filter(|(kind, count)| found(kind) != **count).collect();
    let counted: Vec<_> = wrong.iter().map(|(kind, _)| found(kind)).collect();
    assert!(wrong.is_empty(), "{wrong:?} are counted as {counted:?} in {artifact:?}");
}

macro_rules! traces {
    ($($name:ident: $path:literal, $golden:literal;)*) => {$(
        mod $name {
            use super::*;

            fn timeline() -> &'static Timeline {
                static TIMELINE: OnceLock<Timeline> = OnceLock::new();
                TIMELINE.get_or_init(|| read($path))
            }

            fn check(check: impl FnOnce(&Timeline, &Value)) {
                let golden = golden::parse(include_str!(concat!("../../golden/", $golden, ".json")));
                check(timeline(), &golden);
            }

            #[requires(data)]
            #[test]
            fn quality() {
                let bytes = wattle_testdata::bytes($path).len() as u64;
                check(|timeline, golden| check_quality(timeline, golden, bytes));
            }

            #[requires(data)]
            #[test]
            fn window() {
                check(check_window);
            }

            #[requires(data)]
            #[test]
            fn device() {
                check(people::check_device);
            }

            #[requires(data)]
            #[test]
            fn packages() {
                check(people::check_packages);
            }

            #[requires(data)]
            #[test]
            fn processes() {
                check(people::check_processes);
            }

            #[requires(data)]
            #[test]
            fn threads() {
                check(people::check_threads);
            }

            #[requires(data)]
            #[test]
            fn sched() {
                check(machine::check_sched);
            }

            #[requires(data)]
            #[test]
            fn frequency_and_idle() {
                check(machine::check_states);
            }

            #[requires(data)]
            #[test]
            fn nothing_from_nowhere() {
                check(machine::check_absent);
            }

            #[requires(data)]
            #[test]
            fn interrupts() {
                check(machine::check_interrupts);
            }

            #[requires(data)]
            #[test]
            fn wakeups() {
                check(machine::check_wakeups);
            }

            #[requires(data)]
            #[test]
            fn meters() {
                check(machine::check_meters);
            }

            #[requires(data)]
            #[test]
            fn slices() {
                check(code::check_slices);
            }

            #[requires(data)]
            #[test]
            fn nesting() {
                check(|timeline, _| code::check_nesting(timeline));
            }

            #[requires(data)]
            #[test]
            fn counters() {
                check(code::check_counters);
            }

            #[requires(data)]
            #[test]
            fn samples() {
                check(code::check_samples);
            }
        }
    )*};
}

traces! {
    pixel6a: "perfetto/api32_startup_warm_pixel6a.perfetto-trace", "api32_startup_warm_pixel6a";
    cpu_sampling: "perfetto/ms_cpu_sampling.perfetto-trace", "ms_cpu_sampling";
    galaxy_s21: "perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace", "ms_sched_freq_idle_galaxyS21";
    pixel7pro: "perfetto/nia_pixel7pro_atrace.perfetto-trace", "nia_pixel7pro_atrace";
    pixel6pro: "perfetto/power_rails_pixel6pro.perfetto-trace", "power_rails_pixel6pro";
    studio: "perfetto/studio_perflib_ftrace.perfetto-trace", "studio_perflib_ftrace";
    emanafa_15s: "perfetto/emanafa/trace-1623058691-1622418866.0", "trace-1623058691-1622418866.0";
    emanafa_7s: "perfetto/emanafa/trace-1623926538-1622418867.0", "trace-1623926538-1622418867.0";
    emanafa_pixel: "perfetto/emanafa/trace-1626775333-1614351254.0", "trace-1626775333-1614351254.0";
}

/// Every trace of the folder has a module above.
#[requires(data)]
#[test]
fn no_trace_is_left_out() {
    let folder = wattle_testdata::path("perfetto");
    let here = include_str!("mod.rs");
    let names = [folder.clone(), folder.join("emanafa")].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap())
    });
    let traces: Vec<_> =
        names.filter(|n| n.ends_with(".perfetto-trace") || n.ends_with(".0")).collect();
    assert_eq!(traces.len(), 9, "{traces:?}");
    for trace in traces {
        assert!(here.contains(&format!("{trace}\"")), "{trace} is not tested");
    }
}

/// Perfetto's trace processor on the Pixel 6a trace (`wattson_reference/README.md`).
#[requires(data)]
#[test]
fn perfettos_own_counts_of_the_pixel_6a() {
    let timeline = read("perfetto/api32_startup_warm_pixel6a.perfetto-trace");
    assert_eq!(timeline.cpus.iter().map(|cpu| cpu.sched.len()).sum::<usize>(), 11_078);
    assert_eq!(timeline.tasks.processes.iter().filter(|p| p.pid.0 != 0).count(), 673 - 1);
    // Two of them (7786, 7787) are counted twice: a process tree is stamped when its collection begins, and
    // names threads that are born only then.
    assert_eq!(timeline.tasks.threads.len(), 3_438);
    assert_eq!(timeline.hardware.gpus.len(), 2);
}

/// `wattson_reference/…rails.csv`: `max − min` of every rail in µWs, and the number of samples.
#[requires(data)]
#[test]
fn perfettos_own_rails_of_the_pixel_6a() {
    let path = "perfetto/wattson_reference/api32_startup_warm_pixel6a.rails.csv";
    let csv = wattle_testdata::bytes(path);
    let timeline = read("perfetto/api32_startup_warm_pixel6a.perfetto-trace");
    let csv = String::from_utf8(csv).unwrap();
    let mut rows: Vec<_> = csv.lines().skip(1).filter(|line| !line.is_empty()).collect();
    rows.sort_unstable();
    assert_eq!(rows.len(), timeline.energy.rails.len());
    let mut energies: Vec<_> = timeline
        .energy
        .rails
        .iter()
        .map(|rail| {
            let (first, last) = (rail.energy.first().unwrap(), rail.energy.last().unwrap());
            (rail.energy.len().to_string(), (last - first).to_string())
        })
        .collect();
    let mut expected: Vec<_> = rows
        .iter()
        .map(|row| {
            let cells: Vec<_> = row.split(',').map(|cell| cell.trim_matches('"')).collect();
            let [.., samples, energy] = cells[..] else { panic!("{row}") };
            (samples.to_owned(), (energy.parse::<f64>().unwrap() as u64).to_string())
        })
        .collect();
    expected.sort_unstable();
    energies.sort_unstable();
    assert_eq!(energies, expected);
}

/// Microsoft-Performance-Tools' own expectations of the Galaxy S21 trace (`PerfettoUnitTest`).
#[requires(data)]
#[test]
fn microsofts_expectations_of_the_galaxy_s21() {
    let timeline = read("perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace");
    let mut slices: Vec<_> = timeline
        .cpus
        .iter()
        .enumerate()
        .flat_map(|(cpu, timeline)| timeline.sched.iter().map(move |slice| (slice, cpu)))
        .collect();
    slices.sort_by_key(|(slice, _)| slice.window.start);
    // The last of the 15,267 rows starts with the last event of the trace: no length, no slice.
    assert_eq!(slices.len(), 15_267 - 1, "CPU scheduling rows");
    let who = |row: usize| {
        let thread = &timeline.tasks.threads[slices[row].0.thread.index()];
        (timeline.names.get(thread.name.unwrap()), thread.tid.0)
    };
    assert_eq!(who(0), ("kworker/u17:9", 834));
    assert_eq!(who(5801), ("TraceLogApiTest", 20855));
    assert!(slices[5801].0.end_state.unwrap().is_runnable(), "row 5801 ends preempted");
    assert!(!slices[1].0.end_state.unwrap().is_runnable(), "row 1 ends dead");

    let hello = timeline.names.find("Hello Trace").unwrap();
    let rows: Vec<_> = timeline
        .code
        .slices
        .tracks
        .iter()
        .flat_map(|track| timeline.code.slices.of(track).map(move |slice| (track.scope, slice)))
        .filter(|(_, slice)| slice.name == hello)
        .collect();
    let [(SliceScope::Thread(thread), slice)] = rows[..] else { panic!("{rows:?}") };
    assert_eq!(timeline.tasks.threads[thread.index()].tid.0, 20855);
    assert_eq!(slice.start, slice.end, "an instant");
}

/// Microsoft-Performance-Tools' own expectations of the sampling trace.
#[requires(data)]
#[test]
fn microsofts_expectations_of_the_sampling_trace() {
    let timeline = read("perfetto/ms_cpu_sampling.perfetto-trace");
    let samples: Vec<_> =
        timeline.code.samples.samples.iter().filter(|s| s.site.is_some()).collect();
    assert_eq!(samples.len(), 684);
    assert_eq!(samples[0].time, BootNanos::new(3_958_539_411_500));
    let thread = &timeline.tasks.threads[samples[0].thread.index()];
    let process = &timeline.tasks.processes[thread.process.unwrap().index()];
    assert_eq!((process.pid.0, thread.tid.0), (446, 446));
    assert!(timeline.names.get(process.name.unwrap()).ends_with("traced_probes"));
    let systemui = timeline.tasks.processes.iter().find(|p| p.pid.0 == 980).unwrap();
    assert_eq!(timeline.names.get(systemui.name.unwrap()), "com.android.systemui");
    assert_eq!(systemui.uid.unwrap().0, 10135);
}

/// Android Studio's own expectations of the Pixel 6 Pro's rails (`CountersRequestHandlerTest`): the joules of
/// a rail are last minus first, exactly.
#[requires(data)]
#[test]
fn studios_expectations_of_the_pixel_6_pro() {
    let timeline = read("perfetto/power_rails_pixel6pro.perfetto-trace");
    let expected = [
        ("S10M_VDD_TPU", 8_920_933_000_000, 8_925_528_000_000, 45_010_544, 45_050_919),
        ("VSYS_PWR_MODEM", 8_920_933_000_000, 8_925_528_000_000, 706_394_215, 706_802_171),
        ("VSYS_PWR_RFFE", 8_920_933_000_000, 8_925_528_000_000, 329_485_043, 329_658_344),
        ("S2M_VDD_CPUCL2", 8_920_933_000_000, 8_925_528_000_000, 315_816_544, 315_851_107),
        ("S3M_VDD_CPUCL1", 8_920_933_000_000, 8_925_528_000_000, 201_472_568, 201_538_891),
        ("S4M_VDD_CPUCL0", 8_920_933_000_000, 8_925_528_000_000, 914_570_290, 915_041_009),
        ("S5M_VDD_INT", 8_920_933_000_000, 8_925_528_000_000, 170_596_149, 170_741_769),
        ("S1M_VDD_MIF", 8_920_933_000_000, 8_925_528_000_000, 276_383_853, 276_582_588),
        ("VSYS_PWR_MMWAVE", 8_920_934_000_000, 8_925_530_000_000, 29_615_531, 29_638_919),
        ("L2S_VDD_AOC_RET", 8_920_934_000_000, 8_925_530_000_000, 101_084_540, 101_194_992),
        ("S9S_VDD_AOC", 8_920_934_000_000, 8_925_530_000_000, 59_499_148, 59_714_693),
        ("S5S_VDDQ_MEM", 8_920_934_000_000, 8_925_530_000_000, 49_491_308, 49_530_909),
        ("S10S_VDD2L", 8_920_934_000_000, 8_925_530_000_000, 98_630_257, 98_686_276),
        ("S4S_VDD2H_MEM", 8_920_934_000_000, 8_925_530_000_000, 216_253_421, 216_410_943),
        ("S2S_VDD_G3D", 8_920_934_000_000, 8_925_530_000_000, 20_970_895, 20_988_306),
        ("VSYS_PWR_DISPLAY", 8_920_934_000_000, 8_925_530_000_000, 59_750_307, 61_007_557),
    ];
    assert_eq!(timeline.energy.rails.len(), expected.len());
    for (name, first, last, min, max) in expected {
        let named = timeline.names.find(name).unwrap();
        let rail = timeline.energy.rails.iter().find(|rail| rail.name == named).unwrap();
        assert_eq!(rail.time.len(), 6, "{name}");
        let ends = (rail.time[0].value(), rail.time[5].value());
        assert_eq!(ends, (first, last), "{name}");
        assert_eq!((rail.energy[0], rail.energy[5]), (min, max), "{name}");
    }
    let [battery] = &timeline.energy.batteries[..] else {
        panic!("{:?}", timeline.energy.batteries)
    };
    let first = battery.samples[0];
    let currents = || battery.samples.iter().filter_map(|sample| sample.current);
    assert_eq!(battery.samples.len(), 6);
    assert_eq!(first.time.value(), 8_920_929_625_859);
    assert_eq!(battery.samples[5].time.value(), 8_925_520_871_060);
    assert_eq!((first.charge, first.capacity_percent), (Some(4_968_000), Some(100.0)));
    assert_eq!((currents().min(), currents().max()), (Some(421_250), Some(448_750)));
    assert_eq!(first.voltage, None, "what the trace does not say is not 0");
}
