//! `threads` and `counters`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};
use wattle_ledger::Ledger;
use wattle_units::BootNanos;

use super::profile_markers::{self, Markers};
use super::shared::Shared;
use crate::rounding::{apportion, nearest};
use crate::stack_frames::Frames;
use crate::{Extract, Payer, Schedule, display_names, power_bins};

/// Picowatt-hours in a joule.
const PICOWATT_HOURS: f64 = 1e12 / 3600.0;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    process_type: &'static str,
    process_startup_time: f64,
    process_shutdown_time: Option<f64>,
    register_time: f64,
    unregister_time: Option<f64>,
    paused_ranges: [u8; 0],
    name: String,
    #[serde(rename = "isMainThread")]
    is_main: bool,
    process_name: String,
    pid: String,
    tid: String,
    show_markers_in_timeline: bool,
    samples: Samples,
    markers: Markers,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    stack: Vec<usize>,
    time: Vec<f64>,
    weight: Vec<i64>,
    weight_type: &'static str,
    length: usize,
}

impl Samples {
    fn push(&mut self, stack: usize, time: f64, weight: i64) {
        self.stack.push(stack);
        self.time.push(time);
        self.weight.push(weight);
        self.length += 1;
    }
}

/// Nanoseconds as milliseconds.
pub fn millis(nanos: i64) -> f64 {
    nanos as f64 / 1e6
}

/// Time since the window's start in milliseconds.
pub fn since_start(ledger: &Ledger, time: BootNanos) -> f64 {
    millis((time - ledger.recording.window.start).value())
}

/// All that have energy, those of one process together, what no thread drew last.
pub fn threads(
    extract: &Extract<'_>,
    frames: &Frames<'_>,
    schedule: &Schedule,
    shared: &mut Shared,
) -> Vec<Thread> {
    let ledger = extract.ledger();
    let mut samples: BTreeMap<Option<u32>, Samples> = BTreeMap::new();
    for piece in schedule.pieces().filter(|piece| piece.sum() != 0) {
        let stack = shared.stack_of(frames, Payer::Path(piece.path));
        let time = since_start(ledger, piece.window.start);
        samples.entry(Some(piece.thread)).or_default().push(stack, time, piece.sum());
    }
    // At the end of all: nothing says when.
    let end = since_start(ledger, ledger.recording.window.end);
    for (payer, amounts) in schedule.unplaced() {
        let sum: i64 = amounts.iter().map(|(_, amount)| amount).sum();
        if sum != 0 {
            let stack = shared.stack_of(frames, payer);
            samples.entry(payer.thread(ledger)).or_default().push(stack, end, sum);
        }
    }
    let others = samples.remove(&None);
    let mut keyed: Vec<(u32, u32, Samples)> = samples
        .into_iter()
        .filter_map(|(id, samples)| {
            let id = id?;
            Some((ledger.rows.threads.get(id as usize)?.process, id, samples))
        })
        .collect();
    order_by_energy(&mut keyed);
    let mut known: FxHashMap<String, u32> = FxHashMap::default();
    let mut threads: Vec<Thread> = Vec::new();
    for (process, id, samples) in keyed {
        let (Some(of), Some(thread)) =
            (ledger.rows.processes.get(process as usize), ledger.rows.threads.get(id as usize))
        else {
            continue;
        };
        // Numbers are reused: another process of the same number has its own text.
        let mut pid = of.pid.map_or_else(|| "?".to_owned(), |pid| pid.to_string());
        if *known.entry(pid.clone()).or_insert(process) != process {
            pid = format!("{pid}.{process}");
        }
        let is_first = threads.last().is_none_or(|last| last.pid != pid);
        threads.push(thread_of(
            display_names::thread(thread),
            display_names::process(of),
            pid,
            end,
            samples,
        ));
        if let Some(last) = threads.last_mut() {
            last.tid = thread.tid.to_string();
            last.is_main = is_first;
        }
    }
    if others.is_some() || threads.is_empty() {
        let name = "no thread".to_owned();
        let mut thread =
            thread_of(name.clone(), name, "none".to_owned(), end, others.unwrap_or_default());
        thread.is_main = true;
        threads.push(thread);
    }
    add_markers(extract, &mut threads, shared);
    threads
}

/// Tests and what has no thread of its own are of the first thread, which is shown first.
fn add_markers(extract: &Extract<'_>, threads: &mut [Thread], shared: &mut Shared) {
    if let Some(first) = threads.first_mut() {
        profile_markers::tests(extract.ledger(), &mut first.markers, shared);
    }
    for mark in extract.marks() {
        let is_process = |it: &Thread| mark.process.as_ref() == Some(&it.process_name);
        let tid = mark.tid.map(|tid| tid.to_string());
        let is_thread = |it: &Thread| tid.as_ref() == Some(&it.tid);
        let at = threads
            .iter()
            .position(|it| is_process(it) && is_thread(it))
            .or_else(|| threads.iter().position(is_thread))
            .or_else(|| threads.iter().position(is_process))
            .unwrap_or(0);
        if let Some(thread) = threads.get_mut(at) {
            profile_markers::finding(extract.ledger(), mark, &mut thread.markers, shared);
        }
    }
    for thread in threads {
        thread.show_markers_in_timeline = !thread.markers.is_empty();
    }
}

/// Processes by their energy, and the threads of each by theirs.
fn order_by_energy(threads: &mut [(u32, u32, Samples)]) {
    let mut of_process: BTreeMap<u32, i64> = BTreeMap::new();
    for (process, _, samples) in &*threads {
        *of_process.entry(*process).or_default() += samples.weight.iter().sum::<i64>();
    }
    threads.sort_by_key(|(process, id, samples)| {
        let own: i64 = samples.weight.iter().sum();
        let all = of_process.get(process).copied().unwrap_or_default();
        (std::cmp::Reverse(all), *process, std::cmp::Reverse(own), *id)
    });
}

fn thread_of(name: String, process: String, pid: String, end: f64, samples: Samples) -> Thread {
    Thread {
        process_type: "default",
        process_startup_time: 0.0,
        process_shutdown_time: Some(end),
        register_time: 0.0,
        unregister_time: Some(end),
        paused_ranges: [],
        name,
        is_main: false,
        process_name: process,
        tid: pid.clone(),
        pid,
        show_markers_in_timeline: false,
        samples: Samples { weight_type: "samples", ..samples },
        markers: Markers::default(),
    }
}

/// A counter for the power of each component.
pub fn counters(ledger: &Ledger, threads: &[Thread]) -> Vec<Value> {
    let pid = threads.first().map_or("none", |thread| thread.pid.as_str());
    let counter = |series: &wattle_ledger::PowerSeries| {
        let name = series.component.name();
        let mut time = vec![0.0];
        let mut energies = Vec::with_capacity(series.power.len());
        for (window, _, joules) in power_bins::bins(ledger, series) {
            time.push(since_start(ledger, window.end));
            energies.push(joules.value() * PICOWATT_HOURS);
        }
        let sum = nearest(energies.iter().sum());
        let mut count = vec![0];
        count.extend(apportion(&energies, sum));
        json!({
            "name": format!("Power: {name}"),
            "category": "power",
            "description": format!("What {name} drew"),
            "pid": pid,
            "mainThreadIndex": 0,
            "samples": { "length": count.len(), "time": time, "count": count },
        })
    };
    ledger.over_time.series.iter().map(counter).collect()
}
