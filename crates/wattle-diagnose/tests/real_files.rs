//! Real recordings: every figure is that of a plain count, finite, and within the others.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod built;

use built::invariants;
use wattle_diagnose::{DiagnoseOptions, Diagnosis, IdleChoice, Input, diagnose};
use wattle_power::PowerOptions;
use wattle_timeline::Timeline;

fn look(timeline: &Timeline, idle: IdleChoice) -> Diagnosis {
    let power = wattle_power::estimate(timeline, &PowerOptions::default()).unwrap_or_default();
    let ledger = built::ledger(timeline, &power);
    let mut options = DiagnoseOptions::default();
    options.idle = idle;
    diagnose(Input { timeline, power: &power, ledger: &ledger }, &options).unwrap()
}

#[track_caller]
fn check(file: &str) -> Option<Diagnosis> {
    let path = wattle_testdata::find(file)?;
    let timeline = wattle_ingest::read_paths(&[path]).unwrap();
    let found = look(&timeline, IdleChoice::Find);
    invariants::check(file, &timeline, &found);
    let whole = look(&timeline, IdleChoice::Whole);
    invariants::check(file, &timeline, &whole);
    println!(
        "{file}: {} threads, {} regions, {} groups, {}; {}",
        whole.threads.len(),
        whole.regions.len(),
        whole.groups.len(),
        whole.regions.first().map_or_else(String::new, |it| format!("{it:?}")),
        found.idle.why
    );
    Some(whole)
}

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

#[test]
fn a_profile_without_scheduler_has_busy_stretches_only() {
    check("perfdata/linux-perf-data-sleep.data");
    if let Some(found) = check("perfdata/simpleperf-perf_g_fp.data") {
        assert!(found.notes.iter().any(|note| note.code == "regions-of-samples"));
        assert!(found.regions.iter().all(|region| region.period.is_none()));
    }
    check("perfdata/linux-perf-data-fibo.compressed2.pipe.data");
    check("perfdata/firefox-simpleperf-task-clock.trace.gz");
}

#[test]
fn windows_logs() {
    check("etl/SEMISYNTHETIC-cswitch-net45x86.etl.zip");
    check("etl/perfview-net.4.5.x86-2016.etl.zip");
}
