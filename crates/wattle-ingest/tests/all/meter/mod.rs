//! Files of power meters: real ones, held against figures that were computed apart (Python over the same files); and a real
//! trace with a meter made for it, whose clock is known.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

mod made;

use std::fmt::Write as _;
use std::io::Read as _;

use wattle_ingest::{MeterOptions, MeterStart, ReadOptions, read_all_bytes, read_all_bytes_as};
use wattle_testdata::requires;
use wattle_timeline::{MeterTrack, Timeline};

/// Each sample until the next.
fn joules(meter: &MeterTrack) -> f64 {
    let times = meter.time.windows(2).map(|pair| (pair[1] - pair[0]).seconds());
    times.zip(&meter.power).map(|(seconds, power)| seconds * power.value()).sum()
}

/// The members of a packed archive, by name.
fn members(path: &str, mut each: impl FnMut(&str, &[u8])) {
    let packed = wattle_testdata::bytes(path);
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if !bytes.is_empty() {
            each(&name, &bytes);
        }
    }
}

#[track_caller]
fn battor() -> Vec<u8> {
    let packed = wattle_testdata::bytes("power_meter/catapult-battor-with-systrace.zip");
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(packed)).unwrap();
    let mut bytes = Vec::new();
    archive.by_name("battor.txt").unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[requires(data)]
#[test]
fn battor_is_read_to_the_last_sample() {
    let bytes = battor();
    let timeline = wattle_ingest::read_bytes("battor.txt", &bytes).unwrap();
    let [meter] = &timeline.energy.meters[..] else {
        panic!("one meter: {:?}", timeline.energy.meters.len())
    };
    assert_eq!(timeline.names.get(meter.instrument), "battor");
    assert_eq!(meter.time.len(), 30_624);
    assert_eq!(meter.time.last().unwrap().value(), 15_311_500_000);
    assert!((joules(meter) - 11.195_767_564_881_354).abs() < 1e-9, "{}", joules(meter));
    let [artifact] = &timeline.quality.artifacts[..] else { panic!("one artifact") };
    assert_eq!((artifact.bytes, artifact.records), (1_072_816, 30_624));
    assert!(artifact.notes.is_empty(), "{:?}", artifact.notes);
}

/// 27 apps, three runs each, three times over; each run is in three of the files.
#[requires(data)]
#[test]
fn monsoons_runs_are_all_read() {
    let (mut tables, mut runs, mut sum, mut seconds) = (0, 0, 0.0, 0.0);
    let mut others = Vec::new();
    members("power_meter/s2-nexus5x-monsoon-2020.06.29.tar.gz", |name, bytes| {
        match wattle_ingest::read_bytes(name, bytes) {
            Ok(timeline) => {
                tables += 1;
                for meter in &timeline.energy.meters {
                    assert_eq!(timeline.names.get(meter.instrument), "monsoon");
                    runs += 1;
                    sum += joules(meter);
                    seconds += (*meter.time.last().unwrap() - meter.time[0]).seconds();
                }
            }
            Err(error) => others.push((name.rsplit('/').next().unwrap().to_owned(), error)),
        }
    });
    assert_eq!((tables, runs), (327, 729));
    assert!((sum - 52_681.729_070_725_836).abs() < 1e-6, "{sum}");
    assert!((seconds - 131_512.479).abs() < 1e-6, "{seconds}");
    assert_eq!(others.len(), 3);
    for (name, error) in others {
        assert_eq!(name, "config.json");
        assert!(error.to_string().contains("looks like JSON"), "{error}");
    }
}

/// A file that is no meter's is rejected with a clear message.
#[requires(data)]
#[test]
fn other_tables_have_a_clear_answer() {
    for (path, count) in [
        ("power_meter/s2-nexus5x-batterystats-cpu-baseline-display.tar.gz", 378),
        ("power_meter/freqbench-gs101-sdm845-sm8250-msm8998-exynos9611.tar.gz", 14),
    ] {
        let mut tried = 0;
        members(path, |name, bytes| {
            tried += 1;
            let error = wattle_ingest::read_bytes(name, bytes).expect_err(name).to_string();
            let times_go_back = name.ends_with("/results.csv");
            let expected = if times_go_back { "times that go on" } else { "looks like" };
            assert!(error.contains("expected") && error.contains(expected), "{name}: {error}");
            if name.ends_with("results.json") {
                assert!(error.contains("freqbench"), "{name}: {error}");
            }
            // Said to be a meter's, the answer names what is missing.
            if std::path::Path::new(name).extension().is_some_and(|it| it == "csv") {
                let error = made::as_meter(name, bytes, &MeterOptions::default()).expect_err(name);
                assert!(error.contains("as a power meter's file: expected"), "{name}: {error}");
            }
        });
        assert_eq!(tried, count, "{path}");
    }
}

/// Written with Jetperch's own library (pyjls 0.17), 300 samples of current and voltage with the time of day; the figures are of its
/// reader.
#[test]
fn joulescope_is_read_as_its_makers_read_it() {
    let bytes = include_bytes!("../../meters/joulescope-300-samples.jls");
    let timeline = wattle_ingest::read_bytes("one.jls", bytes).unwrap();
    let [meter] = &timeline.energy.meters[..] else { panic!("one meter") };
    assert_eq!(timeline.names.get(meter.instrument), "joulescope");
    assert_eq!(meter.time.len(), 300);
    assert_eq!(meter.time[0].value(), 1_750_000_000_000_000_000);
    // The time of day was given as a floating-point number.
    assert!((meter.time[299].value() - 1_750_000_000_299_000_000).abs() <= 300);
    assert!((meter.power[0].value() - 0.796_000_015_676_021_6).abs() < 1e-12);
    assert!((meter.power[299].value() - 0.677_680_438_999_413_3).abs() < 1e-12);
    assert!((joules(meter) - 0.238_809_578_083_721_8).abs() < 1e-6, "{}", joules(meter));
    // Cut off anywhere it is what there is of it, or an error.
    for length in 0..bytes.len() {
        let _ = wattle_ingest::read_bytes("cut.jls", &bytes[..length]);
    }
}

/// A real trace, and Monsoon's table of the power that its busy cores would have drawn.
#[track_caller]
fn check_with_trace(path: &str, offset_ns: i64, noise: f64) {
    let trace = wattle_testdata::bytes(path);
    let timeline = wattle_ingest::read_bytes(path, &trace).unwrap();
    let table = made::monsoon(&timeline, offset_ns, noise);
    let read = read_all_bytes(&[("trace", &trace), ("meter.csv", table.as_bytes())]).unwrap();
    assert_eq!(read.window, timeline.window, "a meter does not make a recording longer");
    assert_eq!(read.energy.meters.len(), 1, "{path}: {:?}", read.quality.notes);
    let alignment = &read.quality.alignments.last().unwrap();
    let first = read.energy.meters[0].time[0] - timeline.window.start;
    let off = alignment.offset_ns - offset_ns;
    assert!((first.milliseconds() + 300.0).abs() < 1.0, "{first:?}");
    let residual = alignment.residual_ns.unwrap();
    assert!(off.abs() <= 1_000_000 && off.abs() <= residual, "{path}: {off} ns off: {alignment:?}");
    assert!(alignment.by.contains("likeness"), "{alignment:?}");
}

#[requires(data)]
#[test]
fn a_meter_is_brought_to_a_real_trace() {
    let offset = |path: &str, noise: f64| {
        check_with_trace(path, 1_234_567_890, noise);
        check_with_trace(path, -98_765_432_100, noise);
    };
    offset("perfetto/api32_startup_warm_pixel6a.perfetto-trace", 0.05);
    offset("perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace", 0.2);
    offset("perfetto/ms_cpu_sampling.perfetto-trace", 0.2);
}

#[requires(data)]
#[test]
fn a_meter_of_another_run_is_refused() {
    let path = "perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace";
    let trace = wattle_testdata::bytes(path);
    let battor = battor();
    let artifacts: [(&str, &[u8]); 2] = [("trace", &trace), ("battor.txt", &battor)];
    let read = read_all_bytes(&artifacts).unwrap();
    assert!(read.energy.meters.is_empty(), "{:?}", read.quality.alignments);
    let note = read.quality.notes.iter().find(|note| note.code == "meter-unaligned").unwrap();
    assert!(note.text.contains("correlation"), "{}", note.text);
    assert!(note.text.contains("--meter-offset"), "{}", note.text);

    let mut options = ReadOptions::default();
    options.meter.start = Some(MeterStart::AfterStart(-2_000_000_000));
    let read = read_all_bytes_as(&artifacts, &options).unwrap();
    let start = read.window.start.value();
    assert_eq!(read.energy.meters[0].time[0].value(), start - 2_000_000_000);
    let alignment = read.quality.alignments.last().unwrap();
    assert_eq!((alignment.by.as_str(), alignment.residual_ns), ("--meter-offset", None));
    options.meter.start = Some(MeterStart::At(5));
    let read = read_all_bytes_as(&artifacts, &options).unwrap();
    assert_eq!(read.energy.meters[0].time[0].value(), 5);
    let is_elsewhere = |timeline: &Timeline| {
        timeline.quality.notes.iter().any(|note| note.code == "meter-elsewhere")
    };
    assert!(is_elsewhere(&read));
}

/// Marks that the meter's program wrote both into its file and into the recording need no likeness.
#[requires(data)]
#[test]
fn totals_of_runs_are_never_guessed() {
    let path = "perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace";
    let trace = wattle_testdata::bytes(path);
    let mut table = "energy_joules,duration_ms,error_flag\n".to_owned();
    for joules in [10, 20] {
        writeln!(table, "{joules},5000,False").unwrap();
        let read = read_all_bytes(&[("trace", &trace), ("runs.csv", table.as_bytes())]).unwrap();
        assert!(read.energy.meters.is_empty());
        let note = read.quality.notes.iter().find(|note| note.code == "meter-unaligned").unwrap();
        assert!(note.text.contains("total"), "{}", note.text);
    }
}

/// The real pair: between two marks the meter's program switched the boost regulator of a Nexus 5, a pattern that both have. By
/// it the meter began at 578057.3471 s of the trace (correlation of 0.63 in Python, over half milliseconds); by the
/// likeness of its power and the busy cores, which needs no pattern, at 578057.3465 s (0.68, over two milliseconds).
#[requires(data)]
#[test]
fn battor_is_brought_to_its_systrace() {
    let packed = wattle_testdata::bytes("power_meter/catapult-battor-with-systrace.zip");
    let timeline = wattle_ingest::read_bytes("battor.zip", &packed).unwrap();
    let [meter] = &timeline.energy.meters[..] else { panic!("{:?}", timeline.quality.notes) };
    let alignment = timeline.quality.alignments.last().unwrap();
    assert_eq!(timeline.energy.sync_marks.len(), 2);
    assert!(alignment.by.contains("regulator 8941_smbb_boost"), "{alignment:?}");
    let residual = alignment.residual_ns.unwrap();
    assert_eq!(meter.time[0].value(), alignment.offset_ns);
    for (what, found) in [("pattern", 578_057_347_084_000_i64), ("cores", 578_057_346_507_000)] {
        let off = (alignment.offset_ns - found).abs();
        assert!(off <= 2_000_000 && off <= residual, "{what}: {off} ns off: {alignment:?}");
    }
    assert!(residual < 10_000_000, "{alignment:?}");
    // What it measured while the trace was recorded.
    assert!(timeline.window.start.value() > meter.time[0].value());
    assert!(timeline.window.end < *meter.time.last().unwrap());

    // Without the marks: by the cores alone.
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(packed)).unwrap();
    let mut trace = String::new();
    archive.by_name("systrace.txt").unwrap().read_to_string(&mut trace).unwrap();
    let unmarked: String =
        trace.split_inclusive('\n').filter(|line| !line.contains("clock_sync")).collect();
    let battor = battor();
    let read = read_all_bytes(&[("trace", unmarked.as_bytes()), ("battor.txt", &battor)]).unwrap();
    let by_cores = read.quality.alignments.last().unwrap();
    assert!(by_cores.by.contains("likeness"), "{by_cores:?}");
    let off = (by_cores.offset_ns - alignment.offset_ns).abs();
    let allowed = residual + by_cores.residual_ns.unwrap();
    assert!(off <= allowed && off <= 2_000_000, "{off} ns apart: {by_cores:?} {alignment:?}");
    println!("{alignment:?}\n{by_cores:?}");
}
