//! Which stretches of time are regions, by hand-made timelines.

use crate::built::{MILLISECOND, Machine, look, look_with_energy, of, regions_of, window};
use wattle_diagnose::{
    DiagnoseError, DiagnoseOptions, IdleChoice, Input, ProcessChoice, RegionKind, diagnose,
};
use wattle_ledger::Ledger;
use wattle_power::PowerEstimate;
use wattle_timeline::{CpuTimeline, Timeline};
use wattle_units::Nanos;

/// Checks the regions, in microseconds, that follow from the activity of thread 7 in 10 s.
#[track_caller]
fn check(plan: impl FnOnce(&mut Machine, wattle_timeline::ThreadId), expected: &[(i64, i64)]) {
    let mut machine = Machine::new(10_000);
    let process = machine.process(7, "app");
    let thread = machine.thread(Some(process), 7, "worker");
    plan(&mut machine, thread);
    let found = look(&machine.finish(), &DiagnoseOptions::default());
    assert_eq!(regions_of(&found, 7), expected);
}

/// Some wake-ups that nobody should complain about: twice a second, never at one pace.
fn quiet(machine: &mut Machine, thread: wattle_timeline::ThreadId, from: i64, to: i64) {
    let mut time = from;
    let mut step = 300_000;
    while time < to {
        machine.run(thread, time, 100 + step % 77);
        step = step * 7 % 900_001 + 100_000;
        time += step;
    }
}

#[test]
fn a_quiet_thread_has_no_region() {
    check(|_, _| {}, &[]);
    check(|machine, thread| quiet(machine, thread, 0, 10_000_000), &[]);
    // Ten wake-ups a second, spread unevenly.
    check(
        |machine, thread| {
            let mut time = 0;
            for index in 0..90 {
                time += 20_000 + index * 7919 % 160_000;
                machine.run(thread, time, 300);
            }
        },
        &[],
    );
}

#[test]
fn a_busy_loop_is_one_however_it_is_cut() {
    // Now and then another thread takes its turn.
    let cut = |machine: &mut Machine, thread| {
        quiet(machine, thread, 0, 2_900_000);
        for index in 0..250 {
            machine.run_on(thread, 3_000_000 + index * 4000, 3990);
        }
    };
    check(cut, &[(3_000_000, 3_999_990)]);
    let whole = |machine: &mut Machine, thread| machine.run(thread, 3_000_000, 1_000_000);
    check(whole, &[(3_000_000, 4_000_000)]);
    // All the time: no window is busier than the thread's own mean.
    check(|machine, thread| machine.run(thread, 0, 10_000_000), &[(0, 10_000_000)]);
}

#[test]
fn a_timer_is_one_even_if_it_ticks_all_the_time() {
    let all = |machine: &mut Machine, thread| machine.tick(thread, (0, 10_000_000), 5000, 100);
    check(all, &[(0, 9_995_100)]);
    let some = |machine: &mut Machine, thread| {
        quiet(machine, thread, 0, 3_000_000);
        machine.tick(thread, (4_000_000, 6_000_000), 5000, 60);
    };
    check(some, &[(4_000_000, 5_995_060)]);
    let slow = |machine: &mut Machine, thread| machine.tick(thread, (0, 9_000_000), 50_000, 200);
    check(slow, &[(0, 8_950_200)]);
    let twice = |machine: &mut Machine, thread| {
        machine.tick(thread, (1_000_000, 2_000_000), 5000, 60);
        machine.tick(thread, (4_000_000, 5_000_000), 5000, 60);
    };
    check(twice, &[(1_000_000, 1_995_060), (4_000_000, 4_995_060)]);
    // Twice a second is not worth a word.
    check(|machine, thread| machine.tick(thread, (0, 10_000_000), 500_000, 200), &[]);
}

#[test]
fn many_wakeups_in_a_short_time_are_a_region() {
    let burst = |machine: &mut Machine, thread| {
        quiet(machine, thread, 0, 2_900_000);
        let mut time = 3_000_000;
        for index in 0..400 {
            machine.run(thread, time, 150 + index % 7 * 20);
            time += 400 + index * 7919 % 1300;
        }
        machine.run(thread, 9_000_000, 100);
    };
    let mut machine = Machine::new(10_000);
    let process = machine.process(7, "app");
    let thread = machine.thread(Some(process), 7, "worker");
    burst(&mut machine, thread);
    let found = look(&machine.finish(), &DiagnoseOptions::default());
    let regions: Vec<_> = of(&found, 7).collect();
    assert_eq!((regions.len(), regions[0].events), (1, 400));
    assert_eq!(regions[0].window.start, window(3_000_000, 0).start);
    assert_eq!(regions[0].share_of_process, 1.0);
}

#[test]
fn one_long_event_among_short_ones_is_a_region_by_itself() {
    let mut machine = Machine::new(10_000);
    let process = machine.process(7, "app");
    let thread = machine.thread(Some(process), 7, "worker");
    quiet(&mut machine, thread, 0, 4_000_000);
    machine.run(thread, 5_000_000, 30_000);
    quiet(&mut machine, thread, 5_500_000, 10_000_000);
    let found = look(&machine.finish(), &DiagnoseOptions::default());
    assert_eq!(regions_of(&found, 7), [(5_000_000, 5_030_000)]);
    let region = of(&found, 7).next().unwrap();
    assert_eq!((region.kind, region.events), (RegionKind::SingleEvent, 1));
    assert_eq!((region.mean_interval, region.period), (None, None));
}

#[test]
fn figures_of_a_region_are_those_of_its_events() {
    let mut machine = Machine::new(10_000);
    let process = machine.process(7, "app");
    let worker = machine.thread(Some(process), 7, "worker");
    let other = machine.thread(Some(process), 8, "other");
    let stranger = machine.thread(None, 9, "stranger");
    machine.tick(worker, (2_000_000, 4_000_000), 5000, 500);
    for (thread, times) in [(other, 1..=100), (stranger, 1..=300)] {
        for index in times {
            machine.run(thread, 2_000_000 + index * index * 20, 10);
        }
    }
    let timeline = machine.finish();
    let found = look_with_energy(&timeline, &DiagnoseOptions::default());
    assert_eq!(regions_of(&found, 7), [(2_000_000, 3_995_500)]);
    let region = of(&found, 7).next().unwrap();
    assert_eq!(region.events, 400);
    assert_eq!(region.share_of_process, 400.0 / 500.0);
    // All of the process, and those of the stranger before 3,995,500: 20 k² < 1,995,500.
    assert_eq!(region.share_of_machine, 400.0 / (500.0 + 300.0));
    assert_eq!(region.cpu, Nanos::new(200 * MILLISECOND));
    let length = 1.9955;
    assert!((region.cpu_use - 0.2 / length).abs() < 1e-12);
    assert!((region.cpu_use_of_machine - 0.2 / length / 3.0).abs() < 1e-12);
    assert_eq!(region.mean_interval, Some(Nanos::new(5 * MILLISECOND)));
    assert!(region.interval_variation.unwrap() < 1e-9);
    assert_eq!(region.period, Some(Nanos::new(5 * MILLISECOND)));
    assert_eq!(region.period_share, Some(1.0));
    assert!((region.wakeups_per_second - 400.0 / length).abs() < 1e-9);
    // 105 mW at work, and nobody to share the cluster with for most of the time.
    let energy = region.energy.unwrap();
    let per_second = energy.joules.value() / 0.2;
    assert!((0.1..0.11).contains(&per_second), "{per_second} W while it ran");
    assert!(energy.interval.low <= energy.joules && energy.joules <= energy.interval.high);
    let saved = region.saved.unwrap();
    assert!(saved.joules < energy.joules && saved.joules.value() > 0.9 * energy.joules.value());
    assert!((region.watts.unwrap() - energy.joules.value() / length).abs() < 1e-12);
    let thread = &found.threads[region.thread as usize];
    assert!(energy.joules <= thread.energy.unwrap().joules);
}

#[test]
fn threads_without_process_are_looked_at_by_themselves() {
    let mut machine = Machine::new(10_000);
    let thread = machine.thread(None, 42, "kworker");
    machine.run(thread, 1_000_000, 1_000_000);
    let found = look(&machine.finish(), &DiagnoseOptions::default());
    assert_eq!(regions_of(&found, 42), [(1_000_000, 2_000_000)]);
    assert_eq!((found.subjects[0].process, found.subjects[0].pid.0), (None, 42));
}

#[test]
fn only_idle_intervals_are_looked_at() {
    let mut machine = Machine::new(10_000);
    let process = machine.process(7, "app");
    let thread = machine.thread(Some(process), 7, "worker");
    machine.run(thread, 1_000_000, 3_000_000);
    machine.run(thread, 6_000_000, 1_000_000);
    let timeline = machine.finish();
    let mut options = DiagnoseOptions::default();
    options.idle =
        IdleChoice::Given(vec![window(2_000_000, 3_000_000), window(2_500_000, 5_000_000)]);
    let found = look(&timeline, &options);
    assert_eq!(found.idle.windows, [window(2_000_000, 5_000_000)]);
    assert_eq!(regions_of(&found, 7), [(2_000_000, 4_000_000)]);
    assert_eq!(found.threads[0].cpu, Nanos::new(2000 * MILLISECOND));
    options.idle = IdleChoice::Given(vec![window(90_000_000, 95_000_000)]);
    let found = look(&timeline, &options);
    assert_eq!((found.regions.len(), found.threads.len()), (0, 0));
}

#[track_caller]
fn check_choice(choice: &str, expected: &[u32]) {
    let mut machine = Machine::new(1000);
    for (number, name) in (10..).zip(["/system/bin/app", "Other.exe", "quiet"]) {
        let process = machine.process(number, name);
        let thread = machine.thread(Some(process), number, "main");
        if name != "quiet" {
            machine.run(thread, 0, i64::from(number) * 100);
        }
    }
    let mut options = DiagnoseOptions::default();
    if !choice.is_empty() {
        options.processes = vec![ProcessChoice::from_word(choice)];
    }
    let found = look(&machine.finish(), &options);
    let pids: Vec<u32> = found.subjects.iter().map(|it| it.pid.0).collect();
    assert_eq!(pids, expected, "{choice}");
}

#[test]
fn processes_are_chosen_by_name_or_number() {
    // All that did something, the busiest first.
    check_choice("", &[11, 10]);
    check_choice("app", &[10]);
    check_choice("11", &[11]);
    check_choice("other", &[11]);
    // Who was asked for is there even if it did nothing.
    check_choice("quiet", &[12]);
}

#[test]
fn a_process_that_is_not_there_is_an_error_with_those_that_are() {
    let mut machine = Machine::new(1000);
    let process = machine.process(10, "busy");
    let thread = machine.thread(Some(process), 10, "main");
    machine.run(thread, 0, 100);
    machine.process(11, "lazy");
    let timeline = machine.finish();
    let mut options = DiagnoseOptions::default();
    options.processes = vec![ProcessChoice::from_word("nobody")];
    let power = PowerEstimate::default();
    let ledger = crate::built::ledger(&timeline, &power);
    let error = diagnose(Input { timeline: &timeline, power: &power, ledger: &ledger }, &options);
    let text = error.unwrap_err().to_string();
    assert_eq!(text, "no process \"nobody\" in the recording; it has busy (10), lazy (11)");
}

fn empty_ledger(timeline: &Timeline) -> Ledger {
    crate::built::ledger(timeline, &PowerEstimate::default())
}

#[test]
fn options_outside_of_sense_are_errors() {
    let timeline = Timeline::default();
    let power = PowerEstimate::default();
    let ledger = empty_ledger(&timeline);
    let check = |change: fn(&mut DiagnoseOptions), expected: &str| {
        let mut options = DiagnoseOptions::default();
        change(&mut options);
        let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
        match diagnose(input, &options) {
            Err(DiagnoseError::BadOption { option, .. }) => assert_eq!(option, expected),
            other => panic!("{expected}: {other:?}"),
        }
    };
    check(|it| it.regions.window = Nanos::ZERO, "--region-window");
    check(|it| it.regions.overlap = 0.96, "--region-overlap");
    check(|it| it.regions.thread_factor = f64::NAN, "--thread-factor");
    check(|it| it.regions.least_cpu_use = 1.5, "--least-cpu-use");
    check(|it| it.stacks.majority = 0.5, "--majority");
}

#[test]
fn nothing_to_look_at_is_no_error() {
    for timeline in [
        Timeline::default(),
        Timeline { cpus: vec![CpuTimeline::default(); 2], ..Timeline::default() },
        Machine::new(0).finish(),
        Machine::new(1000).finish(),
    ] {
        let found = look(&timeline, &DiagnoseOptions::default());
        assert!(found.regions.is_empty() && found.threads.is_empty());
        assert!(found.notes.iter().any(|note| note.code == "no-schedule"), "{:?}", found.notes);
    }
}

#[test]
fn bins_have_the_part_of_time_that_threads_ran() {
    // 1,201 ms in bins of 2,001,667 ns; what is not idle is there, too.
    let mut machine = Machine::new(1201);
    let process = machine.process(7, "app");
    let one = machine.thread(Some(process), 7, "one");
    let other = machine.thread(Some(process), 8, "other");
    machine.run(one, 0, 5000);
    machine.run(other, 1_000, 1_000);
    machine.run(other, 1_200_500, 500);
    let timeline = machine.finish();
    let mut options = DiagnoseOptions::default();
    options.idle = IdleChoice::Given(vec![window(0, 600_000)]);
    let found = look(&timeline, &options).chart;
    let width = 2.001_667_f32;
    let threads: Vec<_> = found.lines.iter().map(|line| line.thread).collect();
    assert_eq!((found.bins, threads), (600, vec![None, Some(0), Some(1)]));
    let near = |line: usize, bin: usize, expected: f32| {
        let value = found.lines[line].cpu_use[bin];
        assert!((value - expected).abs() < 1e-3, "{line} {bin}: {value}");
    };
    near(0, 0, (width + 1.0) / width);
    near(1, 0, 1.0);
    near(2, 0, 1.0 / width);
    near(1, 2, (5.0 - 2.0 * width) / width);
    near(1, 3, 0.0);
    near(2, 599, 0.5 / (1201.0 - 599.0 * width));
}
