//! Queries of Perfetto's tests, answered from a timeline.

use wattle_timeline::{
    CounterScope, CounterTrack, CpuFacts, NameId, ProcessId, Segment, SliceScope, StateKind,
    Timeline,
};
use wattle_units::{Amperes, Volts};

use super::expected::{Row, or_null, row};

fn text(timeline: &Timeline, name: Option<NameId>) -> Option<&str> {
    name.map(|name| timeline.names.get(name))
}

fn values<'a>(
    timeline: &'a Timeline,
    of: impl Fn(&CounterTrack) -> bool + 'a,
) -> impl Iterator<Item = (&'a CounterTrack, &'a str, i64, f64)> + 'a {
    timeline.system.counters.iter().filter(move |track| of(track)).flat_map(|track| {
        let name = timeline.names.get(track.name);
        let rows = track.time.iter().zip(&track.value);
        rows.map(move |(time, value)| (track, name, time.value(), *value))
    })
}

/// `name, ts, value` of a counter of the whole device.
pub fn screen_state(timeline: &Timeline) -> Vec<Row> {
    let global = |track: &CounterTrack| track.scope == CounterScope::Global;
    let rows = values(timeline, global).filter(|(_, name, ..)| *name == "ScreenState");
    rows.map(|(_, name, time, value)| row![name, time, value]).collect()
}

/// `ts, dur, name` of the stretches in which the kernel's wakeup sources kept the device awake; those that were not seen to end are left
/// out.
pub fn wakeup_sources(timeline: &Timeline) -> Vec<Row> {
    let mut rows: Vec<(i64, i64, String)> = Vec::new();
    let states = timeline.system.states.iter();
    for track in states.filter(|track| track.kind == StateKind::WakeupSource) {
        let name = text(timeline, track.tag).unwrap_or_default();
        let changes = track.level.iter().zip(track.level.iter().skip(1));
        for ((start, _), (end, _)) in changes.filter(|((_, level), _)| *level > 0) {
            let length = (end - start).value();
            rows.push((start.value(), length, format!("Wakelock({name})")));
        }
    }
    rows.sort();
    rows.into_iter().map(|(start, length, name)| row![start, length, name.as_str()]).collect()
}

/// `ts, name, value` of the counters of the whole device.
pub fn global_counters(timeline: &Timeline) -> Vec<Row> {
    let global = |track: &CounterTrack| track.scope == CounterScope::Global;
    values(timeline, global).map(|(_, name, time, value)| row![time, name, value]).collect()
}

/// `ts, entity, state, nanoseconds` of the states of the device's parts.
pub fn residencies(timeline: &Timeline) -> Vec<Row> {
    let rows = values(timeline, |_| true).filter_map(|(_, name, time, value)| {
        let (entity, state) = name.strip_prefix("Entity residency: ")?.split_once(" is ")?;
        Some(row![time, entity, state, value * 1e6])
    });
    rows.collect()
}

/// `ts, name, value, pid` of all counters of processes.
pub fn process_counters(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for (track, name, time, value) in values(timeline, |_| true) {
        if let CounterScope::Process(process) = track.scope {
            rows.push(row![time, name, value, timeline.tasks.processes[process.index()].pid]);
        }
    }
    rows
}

/// `ts, value, counter, pid, start_ts, cmdline` of the time that processes ran, by their own account.
pub fn process_runtime(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for (track, name, time, value) in values(timeline, |_| true) {
        let CounterScope::Process(process) = track.scope else { continue };
        if name.starts_with("runtime.") {
            let process = &timeline.tasks.processes[process.index()];
            let start = or_null(process.start.map(wattle_units::BootNanos::value));
            let command = or_null(text(timeline, process.name));
            rows.push(row![time, value, name, process.pid, start, command]);
        }
    }
    rows
}

/// `ts, dur, name` of all slices; what has not ended lasts -1, as Perfetto has it.
pub fn slices(timeline: &Timeline) -> Vec<Row> {
    let all = timeline.code.slices.tracks.iter().flat_map(|track| timeline.code.slices.of(track));
    all.map(|slice| {
        let length = if slice.is_unfinished() { -1 } else { (slice.end - slice.start).value() };
        row![slice.start.value(), length, timeline.names.get(slice.name)]
    })
    .collect()
}

/// `track, ts, dur, name` of the slices on named tracks of the whole device.
pub fn global_slices(timeline: &Timeline) -> Vec<Row> {
    let tracks =
        timeline.code.slices.tracks.iter().filter(|track| track.scope == SliceScope::Global);
    let rows =
        tracks.flat_map(|track| timeline.code.slices.of(track).map(move |slice| (track, slice)));
    rows.map(|(track, slice)| {
        let (track, name) = (or_null(text(timeline, track.name)), timeline.names.get(slice.name));
        row![track, slice.start.value(), (slice.end - slice.start).value(), name]
    })
    .collect()
}

/// `name, dur, tid, pid` of the slices of threads.
pub fn thread_slices(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let thread = &timeline.tasks.threads[thread.index()];
        let pid = thread.process.map(|process| timeline.tasks.processes[process.index()].pid);
        for slice in timeline.code.slices.of(track) {
            let (name, length) = (timeline.names.get(slice.name), slice.end - slice.start);
            rows.push(row![name, length.value(), thread.tid, or_null(pid)]);
        }
    }
    rows
}

/// `utid, tid, name` of the threads with the number 0.
pub fn idle_threads(timeline: &Timeline) -> Vec<Row> {
    let threads = timeline.tasks.threads.iter().enumerate().filter(|(_, thread)| thread.tid.0 == 0);
    threads.map(|(id, t)| row![id, t.tid, or_null(text(timeline, t.name))]).collect()
}

/// `tid, pid, thread_name, process_name` of the threads of process 100.
pub fn threads_of_100(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for thread in &timeline.tasks.threads {
        let Some(ProcessId(process)) = thread.process else { continue };
        let process = &timeline.tasks.processes[process as usize];
        if process.pid.0 == 100 {
            let [thread_name, process_name] =
                [thread.name, process.name].map(|name| or_null(text(timeline, name)));
            rows.push(row![thread.tid, process.pid, thread_name, process_name]);
        }
    }
    rows
}

/// `tid, pid, process, thread` of all threads but the idle one.
pub fn threads(timeline: &Timeline) -> Vec<Row> {
    let known = timeline.tasks.threads.iter().filter(|thread| thread.tid.0 != 0);
    let rows = known.map(|thread| {
        let process = thread.process.map(|process| &timeline.tasks.processes[process.index()]);
        let name = process.and_then(|process| process.name);
        let pid = or_null(process.map(|process| process.pid));
        row![thread.tid, pid, or_null(text(timeline, name)), or_null(text(timeline, thread.name))]
    });
    rows.collect()
}

/// `cpu, cluster_id, capacity, processor`: the cluster is the CPU's rank by capacity, else by its highest
/// frequency.
pub fn cpus(timeline: &Timeline) -> Vec<Row> {
    let cpus = &timeline.device.cpus;
    let clusters = clusters(cpus);
    let rows = cpus.iter().zip(clusters).enumerate();
    rows.map(|(cpu, (facts, cluster))| {
        let (capacity, processor) = (or_null(facts.capacity), or_null(facts.processor.as_ref()));
        row![cpu, or_null(cluster), capacity, processor]
    })
    .collect()
}

fn clusters(cpus: &[CpuFacts]) -> Vec<Option<usize>> {
    let by_capacity: Option<Vec<u64>> =
        cpus.iter().map(|cpu| cpu.capacity.map(u64::from)).collect();
    let by_frequency =
        || cpus.iter().map(|cpu| cpu.frequencies.iter().map(|f| f.value()).max()).collect();
    let Some(sizes) = by_capacity.or_else(by_frequency) else { return vec![None; cpus.len()] };
    let distinct: std::collections::BTreeSet<u64> = sizes.iter().copied().collect();
    sizes.iter().map(|size| distinct.iter().position(|s| s == size)).collect()
}

/// `cpu, cluster_type`: the smallest cluster is little, the largest big, the others between; nothing is
/// known of a single one.
pub fn cluster_types(timeline: &Timeline) -> Vec<Row> {
    let clusters = clusters(&timeline.device.cpus);
    let last = clusters.iter().copied().flatten().max();
    let kind = |cluster: Option<usize>| match (cluster?, last?) {
        (_, 0) => None,
        (0, _) => Some("little"),
        (cluster, last) if cluster == last => Some("big"),
        _ => Some("medium"),
    };
    let rows = clusters.iter().enumerate();
    rows.map(|(cpu, cluster)| row![cpu, or_null(kind(*cluster))]).collect()
}

/// `raw_power_rail_name, subsystem_name`.
pub fn rails(timeline: &Timeline) -> Vec<Row> {
    let rails = timeline.energy.rails.iter();
    rails
        .map(|rail| row![timeline.names.get(rail.name), or_null(text(timeline, rail.subsystem))])
        .collect()
}

/// `track, ts, value, rail`: the last says which samples are of one rail.
pub fn rail_samples(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, rail) in timeline.energy.rails.iter().enumerate() {
        let name = format!("power.{}_uws", timeline.names.get(rail.name));
        for (time, energy) in rail.time.iter().zip(&rail.energy) {
            rows.push(row![name, time.value(), energy, index]);
        }
    }
    rows
}

/// `ts, value` of the energies of whole consumers.
pub fn consumer_energies(timeline: &Timeline) -> Vec<Row> {
    let samples = timeline.energy.consumer_samples.iter().filter(|sample| sample.uid.is_none());
    samples.map(|sample| row![sample.time.value(), sample.energy]).collect()
}

/// `consumer_id, name, consumer_type, ordinal` of the consumers with an energy of their own.
pub fn consumers(timeline: &Timeline) -> Vec<Row> {
    let samples = timeline.energy.consumer_samples.iter().filter(|sample| sample.uid.is_none());
    let ids: std::collections::BTreeSet<_> = samples.map(|sample| sample.consumer).collect();
    let consumers = ids.into_iter().map(|id| &timeline.energy.consumers[id as usize]);
    consumers
        .map(|c| row![c.id, timeline.names.get(c.name), timeline.names.get(c.kind), c.ordinal])
        .collect()
}

/// `consumer_id, uid, name` of the energies of apps.
pub fn app_energies(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for sample in &timeline.energy.consumer_samples {
        let Some(uid) = sample.uid else { continue };
        let consumer = &timeline.energy.consumers[sample.consumer as usize];
        rows.push(row![consumer.id, uid, timeline.names.get(consumer.name)]);
    }
    rows
}

/// `name, value` of everything that batteries said.
pub fn batteries(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for battery in &timeline.energy.batteries {
        let name = text(timeline, battery.name).map_or_else(String::new, |n| format!("{n}."));
        for sample in &battery.samples {
            let said = [
                ("capacity_pct", sample.capacity_percent),
                ("charge_uah", sample.charge.map(|value| value as f64)),
                ("current_ua", sample.current.map(|value| value as f64)),
                ("current.avg_ua", sample.current_average.map(|value| value as f64)),
                ("voltage_uv", sample.voltage.map(|value| value as f64)),
                ("energy_counter_uwh", sample.energy.map(|value| value as f64)),
            ];
            for (what, value) in said {
                rows.extend(value.map(|value| row![format!("batt.{name}{what}"), value]));
            }
        }
    }
    rows
}

/// `value` in milliwatts, whichever way it flows.
pub fn battery_power(timeline: &Timeline) -> Vec<Row> {
    let samples = timeline.energy.batteries.iter().flat_map(|battery| &battery.samples);
    samples
        .filter_map(|sample| {
            let current = Amperes::from_microamperes(sample.current? as f64);
            let voltage = Volts::from_microvolts(sample.voltage? as f64);
            Some(row![(current * voltage).abs().value() * 1e3])
        })
        .collect()
}

/// `ts, value, "Cpu N Max|Min"`, frequencies in kilohertz.
pub fn frequency_limits(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for (cpu, timeline) in timeline.cpus.iter().enumerate() {
        for (time, (min, max)) in timeline.frequency_limits.iter() {
            rows.push(row![time.value(), max.kilohertz(), format!("Cpu {cpu} Max")]);
            rows.push(row![time.value(), min.kilohertz(), format!("Cpu {cpu} Min")]);
        }
    }
    rows
}

/// `cpu, state, count, dur, avg_dur, idle_percent`, states counted from 1 as Perfetto's module does.
pub fn idle_stats(timeline: &Timeline) -> Vec<Row> {
    let window = timeline.window;
    let mut rows = Vec::new();
    for (cpu, timeline) in timeline.cpus.iter().enumerate() {
        let idle = || timeline.idle.segments(window).filter(|s| !s.value.is_active());
        let states: std::collections::BTreeSet<i8> = idle().map(|s| s.value.0).collect();
        for state in states {
            let of = |segment: &Segment<_>| segment.window.duration().value();
            let lengths: Vec<i64> = idle().filter(|s| s.value.0 == state).map(|s| of(&s)).collect();
            let (count, total) = (lengths.len() as i64, lengths.iter().sum::<i64>());
            let share = total as f64 / window.duration().value() as f64 * 100.0;
            rows.push(row![cpu, state + 1, count, total, total / count, share]);
        }
    }
    rows
}

/// `ts, counter_name, counter_value` of the counters read with samples, which are of CPUs.
pub fn sample_counters(timeline: &Timeline) -> Vec<Row> {
    let of_cpu = |track: &CounterTrack| matches!(track.scope, CounterScope::Cpu(_));
    values(timeline, of_cpu).map(|(_, name, time, value)| row![time, name, value]).collect()
}

/// `start_ts, end_ts`.
pub fn bounds(timeline: &Timeline) -> Vec<Row> {
    vec![row![timeline.window.start.value(), timeline.window.end.value()]]
}
