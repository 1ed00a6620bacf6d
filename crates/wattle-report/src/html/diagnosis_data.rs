//! Data of a diagnosis's scripts.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use wattle_diagnose::{Diagnosis, Finding, Region, RegionKind, StackFrame, StackGroup, UseLine};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Estimate, Nanos};

use super::strings::{Strings, five_digits};
use crate::ReportError;
use crate::clean::{clean, clean_texts};
use crate::diagnosis::disk_times::DiskTimes;
use crate::diagnosis::label::{self, Labels};
use crate::model::{NoEnergy, device_title, no_finding};

/// Values of the chart in all: more than the pixels of a wide screen for each of several lines.
const POINTS: usize = 40_000;
/// Lines of the chart; more are no picture.
const LINES: usize = 9;
/// Pieces of evidence of a finding, and frames of a stack.
const EVIDENCE: usize = 20;
const FRAMES: usize = 120;
/// Characters of a text.
const LONGEST: usize = 2000;

/// The data of a page. Times are in seconds since the beginning of what was looked at; what is long is columns.
#[derive(Serialize)]
pub struct DiagnosisData {
    #[serde(flatten)]
    facts: Value,
    threads: Threads,
    regions: Regions,
    groups: Vec<Group>,
    disk: Disk,
    chart: Chart,
    /// Distinct stacks, outermost frame first, as numbers of names.
    stacks: Vec<Vec<usize>>,
    names: Strings,
}

/// Names by number of a thread.
#[derive(Default, Serialize)]
struct Threads {
    process: Vec<usize>,
    thread: Vec<usize>,
}

/// Columns of the regions; the page has them side by side.
#[derive(Default, Serialize)]
struct Regions {
    thread: Vec<Option<u32>>,
    start: Vec<f64>,
    end: Vec<f64>,
    single: Vec<u8>,
    #[serde(flatten)]
    activity: RegionActivity,
    #[serde(flatten)]
    rhythm: RegionRhythm,
    #[serde(flatten)]
    energy: RegionEnergy,
    #[serde(flatten)]
    stacks: RegionStacks,
    /// All of them, also those that are not here.
    count: usize,
    left_out: usize,
}

#[derive(Default, Serialize)]
struct RegionActivity {
    events: Vec<u64>,
    share: Vec<f64>,
    machine: Vec<f64>,
    cpu_s: Vec<f64>,
    #[serde(rename = "use")]
    cpu_use: Vec<f64>,
}

#[derive(Default, Serialize)]
struct RegionRhythm {
    interval: Vec<Option<f64>>,
    variation: Vec<Option<f64>>,
    period: Vec<Option<f64>>,
    period_share: Vec<Option<f64>>,
    wakeups: Vec<f64>,
}

#[derive(Default, Serialize)]
struct RegionEnergy {
    joules: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    watts: Vec<Option<f64>>,
    saved: Vec<Option<f64>>,
}

#[derive(Default, Serialize)]
struct RegionStacks {
    strict: Vec<usize>,
    majority: Vec<usize>,
    majority_share: Vec<f64>,
    stacks: Vec<u64>,
    switch_stacks: Vec<u64>,
}

impl RegionActivity {
    fn push(&mut self, region: &Region) {
        self.events.push(region.events);
        self.share.push(five_digits(region.share_of_process));
        self.machine.push(five_digits(region.share_of_machine));
        self.cpu_s.push(seconds(region.cpu));
        self.cpu_use.push(five_digits(region.cpu_use));
    }
}

impl RegionRhythm {
    fn push(&mut self, region: &Region) {
        self.interval.push(region.mean_interval.map(seconds));
        self.variation.push(region.interval_variation.map(five_digits));
        self.period.push(region.period.map(seconds));
        self.period_share.push(region.period_share.map(five_digits));
        self.wakeups.push(five_digits(region.wakeups_per_second));
    }
}

impl RegionEnergy {
    fn push(&mut self, region: &Region) {
        self.joules.push(joules(region.energy));
        self.low.push(region.energy.map(|energy| five_digits(energy.interval.low.value())));
        self.high.push(region.energy.map(|energy| five_digits(energy.interval.high.value())));
        self.watts.push(region.watts.map(five_digits));
        self.saved.push(joules(region.saved));
    }
}

#[derive(Serialize)]
struct Group {
    stack: usize,
    /// Common part of most stacks of its first region, and their share.
    majority: Option<(usize, f64)>,
    regions: usize,
    #[serde(rename = "use")]
    cpu_use: f64,
    joules: Option<f64>,
    saved: Option<f64>,
}

#[derive(Default, Serialize)]
struct Disk {
    thread: Vec<Option<u32>>,
    kind: Vec<usize>,
    begin: Vec<Option<f64>>,
    end: Vec<Option<f64>>,
    length: Vec<Option<f64>>,
    service: Vec<Option<f64>>,
    bytes: Vec<Option<u64>>,
    path: Vec<Option<usize>>,
    left_out: usize,
}

#[derive(Serialize)]
struct Chart {
    start_s: f64,
    end_s: f64,
    bins: usize,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    thread: Option<u32>,
    #[serde(rename = "use")]
    cpu_use: Vec<f64>,
}

impl DiagnosisData {
    /// With at most that many rows of each list.
    pub fn new(diagnosis: &Diagnosis, rows: usize) -> Result<Self, ReportError> {
        let mut making = Making {
            diagnosis,
            names: Strings::default(),
            numbers: BTreeMap::new(),
            stacks: Vec::new(),
        };
        let threads = making.threads(rows);
        let regions = making.regions(rows);
        let groups = making.groups(rows / 4);
        let disk = making.disk(rows / 2);
        let chart = making.chart(threads.thread.len());
        let mut facts = facts(diagnosis, rows / 10)?;
        clean_texts(&mut facts);
        shorten(&mut facts);
        let Making { names, stacks, .. } = making;
        Ok(Self { facts, threads, regions, groups, disk, chart, stacks, names })
    }
}

/// Data on its way.
struct Making<'a> {
    diagnosis: &'a Diagnosis,
    names: Strings,
    numbers: BTreeMap<Vec<usize>, usize>,
    stacks: Vec<Vec<usize>>,
}

impl Making<'_> {
    fn threads(&mut self, most: usize) -> Threads {
        let mut threads = Threads::default();
        for thread in self.diagnosis.threads.iter().take(most) {
            let process = self.diagnosis.owner(thread).map_or("–".to_owned(), label::process);
            threads.process.push(self.names.id(&process));
            threads.thread.push(self.names.id(&label::thread(thread)));
        }
        threads
    }

    /// A thread's number, if the page has it.
    fn thread(&self, thread: u32, most: usize) -> Option<u32> {
        let known = self.diagnosis.threads.len().min(most);
        Some(thread).filter(|thread| (*thread as usize) < known)
    }

    fn stack(&mut self, frames: &[StackFrame]) -> usize {
        let hidden = frames.len().saturating_sub(FRAMES);
        let mut stack = Vec::with_capacity(frames.len() - hidden);
        if hidden > 0 {
            stack.push(self.names.id(&format!("… {hidden} outer frames")));
        }
        for frame in &frames[hidden..] {
            let text = match &frame.source {
                Some(source) => format!("{} ({source})", frame.text),
                None => frame.text.clone(),
            };
            stack.push(self.names.id(&text));
        }
        if let Some(number) = self.numbers.get(&stack) {
            return *number;
        }
        self.numbers.insert(stack.clone(), self.stacks.len());
        self.stacks.push(stack);
        self.stacks.len() - 1
    }

    fn regions(&mut self, most: usize) -> Regions {
        let all = &self.diagnosis.regions;
        let left_out = all.len().saturating_sub(most);
        let mut regions = Regions { count: all.len(), left_out, ..Regions::default() };
        for region in all.iter().take(most) {
            self.region(region, most, &mut regions);
        }
        regions
    }

    fn region(&mut self, region: &Region, most: usize, to: &mut Regions) {
        let [start, end] = seconds_of(self.diagnosis, region.window);
        to.thread.push(self.thread(region.thread, most));
        to.start.push(start);
        to.end.push(end);
        to.single.push(u8::from(region.kind == RegionKind::SingleEvent));
        to.activity.push(region);
        to.rhythm.push(region);
        to.energy.push(region);
        to.stacks.strict.push(self.stack(&region.stack.strict));
        to.stacks.majority.push(self.stack(&region.stack.majority));
        to.stacks.majority_share.push(five_digits(region.stack.majority_share));
        to.stacks.stacks.push(region.stack.stacks);
        to.stacks.switch_stacks.push(region.stack.switch_stacks);
    }

    fn groups(&mut self, most: usize) -> Vec<Group> {
        let groups = self.diagnosis.groups.iter().take(most);
        groups
            .map(|group| Group {
                stack: self.stack(&group.stack),
                majority: self.majority(group),
                regions: group.regions.len(),
                cpu_use: five_digits(group.cpu_use),
                joules: joules(group.energy),
                saved: joules(group.saved),
            })
            .collect()
    }

    /// The majority stack of a group that has no frame in common.
    fn majority(&mut self, group: &StackGroup) -> Option<(usize, f64)> {
        let region = self.diagnosis.regions.get(*group.regions.first()? as usize)?;
        let stack = &region.stack;
        let is_needed = group.stack.is_empty() && !stack.majority.is_empty();
        is_needed.then(|| (self.stack(&stack.majority), five_digits(stack.majority_share)))
    }

    /// The longest operations, in order of time.
    fn disk(&mut self, most: usize) -> Disk {
        let all = &self.diagnosis.disk;
        let mut kept: Vec<usize> = (0..all.len()).collect();
        if all.len() > most {
            kept.sort_by_key(|at| std::cmp::Reverse(DiskTimes::from_row(&all[*at]).length));
            kept.truncate(most);
            kept.sort_unstable();
        }
        let mut disk = Disk { left_out: all.len() - kept.len(), ..Disk::default() };
        for row in kept.into_iter().map(|at| &all[at]) {
            let times = DiskTimes::from_row(row);
            let instant = |at: BootNanos| seconds(self.diagnosis.since(at));
            disk.thread.push(self.thread(row.thread, most * 2));
            disk.begin.push(times.begin.map(instant));
            disk.end.push(times.end.map(instant));
            disk.length.push(times.length.map(seconds));
            disk.service.push(row.service.map(seconds));
            disk.bytes.push(row.bytes);
            disk.kind.push(self.names.id(&row.kind));
            disk.path.push(row.path.as_deref().map(|path| self.names.id(path)));
        }
        disk
    }

    fn chart(&self, threads: usize) -> Chart {
        let chart = &self.diagnosis.chart;
        let known = |line: &&UseLine| line.thread.is_none_or(|thread| (thread as usize) < threads);
        let lines: Vec<_> = chart.lines.iter().filter(known).take(LINES).collect();
        // A chart from a file may say more bins than it has.
        let bins = lines.iter().map(|line| line.cpu_use.len()).max().unwrap_or(0);
        let bins = bins.min(chart.bins as usize);
        let joined = (bins * lines.len()).div_ceil(POINTS).max(1);
        let mean = |part: &[f32]| {
            let sum: f64 = part.iter().map(|value| f64::from(*value)).sum();
            five_digits(sum / part.len().max(1) as f64)
        };
        let line = |line: &&UseLine| Line {
            thread: line.thread,
            cpu_use: line.cpu_use[..bins.min(line.cpu_use.len())]
                .chunks(joined)
                .map(mean)
                .collect(),
        };
        let [start_s, end_s] = seconds_of(self.diagnosis, chart.window);
        Chart {
            start_s,
            end_s,
            bins: bins.div_ceil(joined),
            lines: lines.iter().map(line).collect(),
        }
    }
}

/// Returns the small parts.
fn facts(diagnosis: &Diagnosis, most: usize) -> Result<Value, ReportError> {
    let device = clean(&device_title(&diagnosis.device));
    let findings: Result<Vec<_>, _> =
        diagnosis.findings.iter().take(most).map(|it| finding(diagnosis, it)).collect();
    let windows = diagnosis.idle.windows.iter().take(most);
    let windows: Vec<_> = windows.map(|window| seconds_of(diagnosis, *window)).collect();
    let subjects: Vec<_> = diagnosis
        .subjects
        .iter()
        .take(most)
        .map(|subject| {
            json!({
                "process": label::process(subject),
                "cpu_s": seconds(subject.cpu),
                "events": subject.events,
                "joules": joules(subject.energy),
            })
        })
        .collect();
    let notes: Vec<_> = diagnosis.notes.iter().take(most).collect();
    let accepted = diagnosis.accepted.iter().take(most);
    let accepted: Vec<_> = accepted
        .map(|it| json!({ "title": it.finding.title, "reason": it.reason, "until": it.until }))
        .collect();
    Ok(json!({
        "device": device,
        "artifacts": diagnosis.artifacts.iter().take(most).collect::<Vec<_>>(),
        "duration_s": seconds(diagnosis.window.duration()),
        "model": serde_json::to_value(&diagnosis.model)?,
        "idle": { "source": serde_json::to_value(diagnosis.idle.source)?, "why": diagnosis.idle.why, "windows": windows },
        "subjects": subjects,
        "no_energy": diagnosis.model.is_none().then(|| NoEnergy::for_diagnosis(diagnosis).to_string()),
        "findings": findings?,
        "no_finding": no_finding(diagnosis.rules),
        "accepted": accepted,
        "findings_left_out": diagnosis.findings.len().saturating_sub(most),
        "notes": serde_json::to_value(notes)?,
    }))
}

fn finding(diagnosis: &Diagnosis, finding: &Finding) -> Result<Value, ReportError> {
    let evidence = finding.evidence.iter().take(EVIDENCE).map(|evidence| {
        let window = evidence.window.map(|window| seconds_of(diagnosis, window));
        json!({ "text": evidence.text, "window_s": window })
    });
    let evidence: Vec<_> = evidence.collect();
    let place = finding.place.clone().map(|mut place| {
        let hidden = place.stack.len().saturating_sub(FRAMES);
        place.stack.drain(..hidden);
        place
    });
    Ok(json!({
        "rule": finding.rule.0,
        "severity": serde_json::to_value(finding.severity)?,
        "confidence": {
            "level": finding.confidence.level.name(),
            "reason": finding.confidence.reason,
        },
        "joules_per_hour": finding.joules_per_hour.map(five_digits),
        "title": finding.title,
        "who": finding.who,
        "thread": finding.thread,
        "evidence": evidence,
        "evidence_left_out": finding.evidence.len().saturating_sub(EVIDENCE),
        "place": serde_json::to_value(place)?,
        "at_stake": serde_json::to_value(finding.at_stake)?,
        "remedy": finding.remedy,
    }))
}

/// Cuts texts that nobody reads to their end.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

fn seconds_of(diagnosis: &Diagnosis, window: Window) -> [f64; 2] {
    [window.start, window.end].map(|instant| seconds(diagnosis.since(instant)))
}

/// To the microsecond, which is as far as a chart can be zoomed.
fn seconds(time: Nanos) -> f64 {
    (time.value() as f64 / 1e3).round() / 1e6
}

fn joules(energy: Option<Estimate>) -> Option<f64> {
    energy.map(|energy| five_digits(energy.joules.value()))
}
