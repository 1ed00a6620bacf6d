//! Activity of a timeline's CPUs, clocks and meters, as the oracle writes it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use wattle_timeline::{InterruptKind, Steps, Timeline, Window};
use wattle_units::BootNanos;

use super::golden::{check_section, check_table};

/// On-CPU slices per CPU, and the time that each thread ran.
#[track_caller]
pub fn check_sched(timeline: &Timeline, golden: &Value) {
    let mut cpus = Map::new();
    let mut run: BTreeMap<u32, i64> = BTreeMap::new();
    for (cpu, sched) in timeline.cpus.iter().map(|cpu| &cpu.sched).enumerate() {
        let Some(first) = sched.get(0) else { continue };
        let last = sched.get(sched.len() - 1).expect("a CPU with a first slice has a last one");
        let (mut closed, mut busy, mut idle, mut preempted) = (0, 0, 0, 0);
        for slice in sched.iter() {
            let Some(state) = slice.end_state else { continue };
            let length = slice.window.duration().value();
            closed += 1;
            if slice.thread.is_idle() {
                idle += length;
            } else {
                busy += length;
                preempted += u32::from(state.is_runnable());
                *run.entry(timeline.tasks.threads[slice.thread.index()].tid.0).or_default() +=
                    length;
            }
        }
        let row = json!({
            "slices": sched.len(), "closed": closed, "busy_ns": busy, "idle_ns": idle,
            "preempted": preempted,
            "first": first.window.start.value(), "last": last.window.start.value(),
        });
        cpus.insert(cpu.to_string(), row);
    }
    check_section(golden, "sched", &Value::Object(cpus));
    let rows: Vec<_> = run.iter().map(|(tid, nanos)| json!([tid, nanos])).collect();
    check_table(golden, "run_ns", &rows);
}

/// CPU frequencies, idle states and GPU frequencies: how often they changed, from what, to what, and how
/// long each value held between the first and the last event.
#[track_caller]
pub fn check_states(timeline: &Timeline, golden: &Value) {
    let cpus = || timeline.cpus.iter().enumerate();
    check_steps(golden, "frequency", cpus().map(|(id, cpu)| (id, &cpu.frequency)), |hertz| {
        hertz.kilohertz() as i64
    });
    check_steps(golden, "idle", cpus().map(|(id, cpu)| (id, &cpu.idle)), |state| state.0.into());
    let gpus = timeline.hardware.gpus.iter().map(|gpu| (gpu.id as usize, &gpu.frequency));
    // `gpu_frequency` comes in kilohertz from some drivers and in hertz from others; the oracle keeps the
    // event's own number, and every driver of these traces writes kilohertz.
    check_steps(golden, "gpu_frequency", gpus, |hertz| hertz.kilohertz() as i64);
}

#[track_caller]
fn check_steps<'a, T: Copy + PartialEq + 'a>(
    golden: &Value,
    section: &str,
    tracks: impl Iterator<Item = (usize, &'a Steps<T>)>,
    number: impl Fn(T) -> i64,
) {
    let mut expected = golden[section].clone();
    let mut found = Map::new();
    for (id, steps) in tracks {
        let golden = &mut expected[id.to_string()];
        if steps.is_empty() && golden.is_null() {
            continue;
        }
        // The residency is asked for over the oracle's own window, so that it is of the same events.
        let [start, end] = ["first", "last"].map(|k| golden[k][0].as_i64().unwrap_or_default());
        let window = Window::new(BootNanos::new(start), BootNanos::new(end));
        let mut residency: BTreeMap<String, i64> = BTreeMap::new();
        for segment in steps.segments(window) {
            let length = segment.window.duration().value();
            *residency.entry(number(segment.value).to_string()).or_default() += length;
        }
        let at = |time| steps.at(BootNanos::new(time)).map(&number);
        let row = json!({
            "changes": steps.len(), "first": [start, at(start)], "last": [end, at(end)],
            "residency_ns": residency,
        });
        if let Some(golden) = golden.as_object_mut() {
            golden.remove("events");
        }
        found.insert(id.to_string(), row);
    }
    if let Some(rows) = expected.as_object_mut() {
        rows.retain(|_, row| !row.is_null());
    }
    check_section(&json!({ section: expected, "trace": golden["trace"] }), section, &found.into());
}

/// Kinds of events that a trace does not hold leave no mark in the timeline.
#[track_caller]
pub fn check_absent(timeline: &Timeline, golden: &Value) {
    let kinds = golden["ftrace_events"].as_object().expect("kinds of events");
    let absent = |names: &[&str]| !names.iter().any(|name| kinds.contains_key(*name));
    assert!(
        timeline.suspend.suspended.is_empty()
            || !absent(&["suspend_resume", "suspend_resume_minimal"])
    );
    assert!(timeline.hardware.devfreq.is_empty() || !absent(&["devfreq_frequency"]));
    assert!(timeline.hardware.packets.is_empty() && timeline.hardware.tpus.is_empty());
    assert!(timeline.energy.consumers.is_empty() && timeline.energy.consumer_samples.is_empty());
    let limited = timeline.cpus.iter().filter(|cpu| !cpu.frequency_limits.is_empty()).count();
    assert_eq!(limited == 0, absent(&["cpu_frequency_limits"]), "{limited} CPUs have limits");
    for cpu in &timeline.cpus {
        assert!(
            cpu.online.is_empty() || !absent(&["cpuhp_enter", "cpuhp_multi_enter", "cpuhp_exit"])
        );
        assert_eq!(cpu.frequency_is_polled_before, None, "no trace here polled frequencies");
    }
    assert_eq!(golden["cpus"].as_u64(), Some(timeline.cpus.len() as u64), "CPUs that wrote events");
}

/// Hard and soft interrupts per CPU: how many, how long.
#[track_caller]
pub fn check_interrupts(timeline: &Timeline, golden: &Value) {
    let mut found = Map::new();
    for (cpu, interrupts) in timeline.cpus.iter().map(|cpu| &cpu.interrupts).enumerate() {
        let total = |kind: InterruptKind| {
            let those = interrupts.iter().filter(|i| i.kind == kind && !i.window.is_empty());
            let nanos: i64 = those.clone().map(|i| i.window.duration().value()).sum();
            json!([those.count(), nanos])
        };
        if !interrupts.is_empty() {
            let row = json!({
                "hard": total(InterruptKind::Hard), "soft": total(InterruptKind::Soft),
            });
            found.insert(cpu.to_string(), row);
        }
    }
    check_section(golden, "interrupts", &Value::Object(found));
}

/// Wake-ups: how many, of whom, to which CPU.
#[track_caller]
pub fn check_wakeups(timeline: &Timeline, golden: &Value) {
    let wakeups = &timeline.wakeups;
    let event = |name: &str| golden["ftrace_events"][name].as_u64().unwrap_or(0);
    if event("sched_waking") == 0 && event("sched_wakeup") > 0 {
        // Of such a recording the golden values have events, and no wake-ups.
        assert_eq!(wakeups.len() as u64, event("sched_wakeup"));
        return;
    }
    let mut woken: BTreeMap<u32, u64> = BTreeMap::new();
    let mut targets: BTreeMap<String, u64> = BTreeMap::new();
    for (thread, target) in wakeups.thread.iter().zip(&wakeups.target) {
        *woken.entry(timeline.tasks.threads[thread.index()].tid.0).or_default() += 1;
        *targets.entry(target.to_string()).or_default() += 1;
    }
    let mut top: Vec<_> = woken.iter().map(|(tid, count)| (*tid, *count)).collect();
    top.sort_by_key(|(tid, count)| (std::cmp::Reverse(*count), *tid));
    top.truncate(15);
    let found = json!({
        "count": wakeups.len(), "threads": woken.len(), "top": top, "targets": targets,
    });
    check_section(golden, "wakeups", &found);
}

/// Rails and batteries, exactly as counted.
#[track_caller]
pub fn check_meters(timeline: &Timeline, golden: &Value) {
    let rails: Vec<_> = timeline
        .energy
        .rails
        .iter()
        .map(|rail| {
            let sample = |i: usize| json!([rail.time[i].value(), rail.energy[i]]);
            json!({
                "name": timeline.names.get(rail.name),
                "subsystem": rail.subsystem.map(|name| timeline.names.get(name)),
                "rate": rail.sampling_rate,
                "samples": rail.energy.len(),
                "first": sample(0),
                "last": sample(rail.energy.len() - 1),
            })
        })
        .collect();
    check_section(golden, "rails", &Value::Array(rails));
    let battery: Vec<_> = timeline
        .energy
        .batteries
        .iter()
        .flat_map(|battery| &battery.samples)
        .map(|s| {
            let (charge, percent, energy) = (s.charge, s.capacity_percent, s.energy);
            json!([
                s.time.value(),
                charge,
                percent,
                s.current,
                s.current_average,
                s.voltage,
                energy
            ])
        })
        .collect();
    check_section(golden, "battery", &Value::Array(battery));
}
