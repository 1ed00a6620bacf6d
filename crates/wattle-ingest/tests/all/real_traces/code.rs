//! Activities in the code of a timeline, and the places where samples found it, as the oracle writes them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use wattle_timeline::{CallSlice, CounterScope, SliceScope, Timeline};

use super::golden::{check_section, check_table};

/// Every track is a row of slices that nest: in order of start, inside the slice one less deep.
#[track_caller]
pub fn check_nesting(timeline: &Timeline) {
    for track in &timeline.code.slices.tracks {
        let mut open: Vec<CallSlice> = Vec::new();
        let mut last = None;
        for slice in timeline.code.slices.of(track) {
            let name = timeline.names.get(slice.name);
            assert!(last <= Some(slice.start), "{name} begins before the slice before it");
            assert!(slice.start <= slice.end, "{name} ends before it begins");
            last = Some(slice.start);
            let depth = usize::from(slice.depth);
            assert!(depth <= open.len(), "{name} is deeper than what encloses it");
            open.truncate(depth);
            if let Some(parent) = open.last() {
                let inside = parent.start <= slice.start && slice.end <= parent.end;
                assert!(inside, "{name} {slice:?} is not inside {parent:?}");
            }
            open.push(slice);
        }
    }
}

#[derive(Default)]
struct Scope {
    rows: Vec<CallSlice>,
    owners: BTreeSet<u32>,
}

/// atrace sections and kernel markers: counts, lengths, nesting, the names with the most time.
#[track_caller]
pub fn check_slices(timeline: &Timeline, golden: &Value) {
    let mut scopes: BTreeMap<&str, Scope> = BTreeMap::new();
    for track in &timeline.code.slices.tracks {
        let (scope, owner) = match track.scope {
            SliceScope::Thread(id) => ("thread", timeline.tasks.threads[id.index()].tid.0),
            SliceScope::Process(id) => ("process", timeline.tasks.processes[id.index()].pid.0),
            SliceScope::Cpu(_) | SliceScope::Global => continue,
        };
        // Slices of track events are held against the packets by hand, see `real_traces.rs`.
        let rows =
            timeline.code.slices.of(track).filter(|s| timeline.names.get(s.name) != "Hello Trace");
        let scope = scopes.entry(scope).or_default();
        let before = scope.rows.len();
        scope.rows.extend(rows);
        if scope.rows.len() > before {
            scope.owners.insert(owner);
        }
    }
    let found: Map<_, _> = scopes
        .into_iter()
        .filter(|(_, scope)| !scope.rows.is_empty())
        .map(|(name, scope)| (name.to_owned(), summary(timeline, &scope)))
        .collect();
    check_section(golden, "slices", &Value::Object(found));
}

fn summary(timeline: &Timeline, scope: &Scope) -> Value {
    let length = |slice: &CallSlice| {
        if slice.is_unfinished() { 0 } else { (slice.end - slice.start).value() }
    };
    let mut names: BTreeMap<&str, (u64, u64, i64)> = BTreeMap::new();
    for slice in &scope.rows {
        let entry = names.entry(timeline.names.get(slice.name)).or_default();
        entry.0 += 1;
        entry.1 += u64::from(slice.is_unfinished());
        entry.2 += length(slice);
    }
    let mut top: Vec<_> = names.iter().map(|(name, (n, open, ns))| (name, n, open, ns)).collect();
    top.sort_by_key(|(name, _, _, nanos)| (-**nanos, **name));
    top.truncate(40);
    json!({
        "count": scope.rows.len(),
        "unfinished": scope.rows.iter().filter(|s| s.is_unfinished()).count(),
        "finished_ns": scope.rows.iter().map(length).sum::<i64>(),
        "max_depth": scope.rows.iter().map(|s| s.depth).max(),
        "owners": scope.owners.len(),
        "names": names.len(),
        "top": top,
    })
}

/// Counters of atrace and clocks. Memory is not the oracle's subject.
#[track_caller]
pub fn check_counters(timeline: &Timeline, golden: &Value) {
    let mut rows = Vec::new();
    for track in &timeline.system.counters {
        let (scope, owner) = match track.scope {
            CounterScope::Global => ("global", 0),
            CounterScope::Process(id) => ("process", timeline.tasks.processes[id.index()].pid.0),
            CounterScope::Thread(_) | CounterScope::Cpu(_) | CounterScope::Uid(_) => continue,
        };
        let name = timeline.names.get(track.name);
        // The oracle has polled times of CPUs in other tables.
        let is_elsewhere = name.starts_with("mem.") || name.starts_with("cpu.");
        if is_elsewhere || name == "oom_score_adj" {
            continue;
        }
        let whole: Vec<i64> = track.value.iter().map(|value| *value as i64).collect();
        let [(Some(first), Some(last)), (Some(from), Some(to))] = [
            (track.time.first().map(|t| t.value()), track.time.last().map(|t| t.value())),
            (whole.first().copied(), whole.last().copied()),
        ] else {
            panic!("counter without values: {name}");
        };
        let sum: i64 = whole.iter().sum();
        rows.push((scope, owner, name, (whole.len(), first, from, last, to, sum)));
    }
    rows.sort_unstable();
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(scope, owner, name, (count, first, from, last, to, sum))| {
            json!([scope, owner, name, count, first, from, last, to, sum])
        })
        .collect();
    check_table(golden, "counters", &rows);
}

/// Sampled stacks: how many, how deep, of whom.
#[track_caller]
pub fn check_samples(timeline: &Timeline, golden: &Value) {
    let expected = &golden["samples"];
    let samples = &timeline.code.samples.samples;
    if expected.is_null() {
        assert!(samples.is_empty(), "{} samples from nowhere", samples.len());
        return;
    }
    let stack = |site: Option<u32>| {
        let mut stack = Vec::new();
        let mut next = site;
        while let Some(site) = next {
            let site = timeline.code.samples.sites[site as usize];
            stack.push(timeline.code.samples.frames[site.frame as usize]);
            next = site.caller;
        }
        stack
    };
    let function = |frame: Option<&wattle_timeline::Frame>| {
        frame.and_then(|f| f.function).map_or("", |name| timeline.names.get(name)).to_owned()
    };
    let tid = |id: wattle_timeline::ThreadId| timeline.tasks.threads[id.index()].tid.0;
    let with_stack: Vec<_> = samples.iter().filter(|s| s.site.is_some()).collect();
    let stacks: Vec<_> = with_stack.iter().map(|s| stack(s.site)).collect();
    let mut cpus: BTreeMap<String, u64> = BTreeMap::new();
    let mut threads: BTreeMap<u32, u64> = BTreeMap::new();
    let mut leaves: BTreeMap<String, u64> = BTreeMap::new();
    for (sample, stack) in with_stack.iter().zip(&stacks) {
        *cpus.entry(sample.cpu.expect("Perfetto writes it").to_string()).or_default() += 1;
        *threads.entry(tid(sample.thread)).or_default() += 1;
        *leaves.entry(function(stack.first())).or_default() += 1;
    }
    let (first, deep) = (with_stack[0], &stacks[0]);
    let named = |rows: &Value| -> BTreeMap<String, u64> {
        let pair = |row: &Value| {
            let key = row[0].as_str().map_or_else(|| row[0].to_string(), str::to_owned);
            (key, row[1].as_u64().unwrap_or_default())
        };
        rows.as_array().expect("a list of pairs").iter().map(pair).collect()
    };
    // Ties at the end of the oracle's top lists have no order of their own: ask for each by name.
    for (name, count) in named(&expected["functions"]) {
        assert_eq!(leaves.get(&name), Some(&count), "samples whose innermost frame is {name:?}");
    }
    for (name, count) in named(&expected["top_threads"]) {
        assert_eq!(threads.get(&name.parse().unwrap()), Some(&count), "samples of thread {name}");
    }
    let mut trimmed = expected.clone();
    for key in ["functions", "top_threads", "packets", "stackless", "lost"] {
        trimmed.as_object_mut().unwrap().remove(key);
    }
    let found = json!({
        "with_stack": with_stack.len(),
        "frames_total": stacks.iter().map(Vec::len).sum::<usize>(),
        "deepest": stacks.iter().map(Vec::len).max(),
        "cpus": cpus,
        "first": {
            "time": first.time.value(), "cpu": first.cpu.map(|cpu| cpu.0), "tid": tid(first.thread),
            "depth": deep.len(),
            "outermost": function(deep.last()), "innermost": function(deep.first()),
        },
        "times": [first.time.value(), with_stack[with_stack.len() - 1].time.value()],
    });
    check_section(&json!({ "samples": trimmed, "trace": golden["trace"] }), "samples", &found);
    // Samples without a stack are kept as such or left out, never given a stack.
    let stackless = (samples.len() - with_stack.len()) as u64;
    assert!([0, expected["stackless"].as_u64().unwrap()].contains(&stackless), "{stackless}");
}
