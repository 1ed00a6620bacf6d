//! Real recordings: every figure is that of a plain count, finite, and within the others.

use wattle_diagnose::{DiagnoseOptions, Diagnosis, IdleChoice, Input, diagnose};
use wattle_power::PowerOptions;
use wattle_testdata::requires;
use wattle_timeline::Timeline;

use crate::built::{self, invariants};

fn look(timeline: &Timeline, idle: IdleChoice) -> Diagnosis {
    let power = wattle_power::estimate(timeline, &PowerOptions::default()).unwrap_or_default();
    let ledger = built::ledger(timeline, &power);
    let mut options = DiagnoseOptions::default();
    options.idle = idle;
    diagnose(Input { timeline, power: &power, ledger: &ledger }, &options).unwrap()
}

#[track_caller]
fn check(file: &str) -> Diagnosis {
    let path = wattle_testdata::path(file);
    let timeline = wattle_ingest::read_paths(&[path]).unwrap();
    let found = look(&timeline, IdleChoice::Find);
    invariants::check(file, &timeline, &found);
    let whole = look(&timeline, IdleChoice::Whole);
    invariants::check(file, &timeline, &whole);
    whole
}

#[requires(data)]
#[test]
fn perfetto_traces() {
    for file in [
        "perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace",
        "perfetto/studio_perflib_ftrace.perfetto-trace",
        "perfetto/power_rails_pixel6pro.perfetto-trace",
        "perfetto/ms_cpu_sampling.perfetto-trace",
    ] {
        check(file);
    }
}

#[requires(data)]
#[test]
fn texts_of_ftrace() {
    for file in [
        "systrace/catapult-android_systrace.txt",
        "systrace/catapult-compressed_atrace_data.txt",
        "systrace/trappy-trace.txt",
    ] {
        check(file);
    }
}

#[requires(data)]
#[test]
fn a_profile_without_scheduler_has_busy_stretches_only() {
    check("perfdata/linux-perf-data-sleep.data");
    let found = check("perfdata/simpleperf-perf_g_fp.data");
    assert!(found.notes.iter().any(|note| note.code == "regions-of-samples"));
    assert!(found.regions.iter().all(|region| region.period.is_none()));
    check("perfdata/linux-perf-data-fibo.compressed2.pipe.data");
    check("perfdata/firefox-simpleperf-task-clock.trace.gz");
}

#[requires(data)]
#[test]
fn windows_logs() {
    check("etl/SEMISYNTHETIC-cswitch-net45x86.etl.zip");
    check("etl/perfview-net.4.5.x86-2016.etl.zip");
}
