//! `periodic-flush`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{DiskKind, DiskOperation, ProcessId, Window};
use wattle_units::BootNanos;

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::regular_times::RegularTimes;
use super::{code_places, people};
use crate::words::{percent, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "periodic-flush",
    title: "A process flushes a disk by the clock",
    severity: FindingSeverity::Note,
    keeps_severity: true,
    example: "A browser that saves its session each 15 s: `FlushFileBuffers` on a timer, whether anything has changed or not.",
    counter_example: "A database that commits when the user saves: no period. Flushes every second are `disk-chatter`'s.",
    looks_for: "Flushes of a disk (FlushFileBuffers, fsync) by one process at a steady period of ten seconds to five minutes, several times \
                in a row; what comes within a tenth of a second is one. In Windows' DiskIo events and in block_rq_*.",
    why: "A disk that is flushed every half a minute never gets to its deepest state, and the controller and a core wake up with it.",
    remedy: "Flush when something was changed that must not be lost, not by the clock; give the timer a tolerance so that it comes along \
             with others (SetWaitableTimerEx, SetCoalescableTimer), and stop it while nobody uses the program.",
    references: &[
        "https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-flushfilebuffers",
        "https://learn.microsoft.com/windows-hardware/design/device-experiences/power-management-for-storage-hardware-devices-intro",
        "Intel, Power Auto Analysis (2014): periodic disk activity at idle",
    ],
    thresholds: &[
        Threshold {
            name: "shortest-period",
            value: 10.0,
            unit: "s",
            meaning: "Shorter periods are `disk-chatter`'s.",
        },
        Threshold {
            name: "longest-period",
            value: 300.0,
            unit: "s",
            meaning: "Rarer flushes let the disk sleep. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 6.0,
            unit: "times",
            meaning: "Fewer have no period. Ours.",
        },
        Threshold {
            name: "tolerance",
            value: 0.15,
            unit: "of the period",
            meaning: "How far from the period a flush may be. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.8,
            unit: "of flushes",
            meaning: "The part of the flushes that come one period after the one before. Ours.",
        },
    ],
};

/// Flushes this close together are one, in seconds.
const ONE_TURN: f64 = 0.1;

pub(super) fn find(look: &Look<'_>) -> Outcome {
    if look.timeline.hardware.disk.is_empty() {
        return Outcome::without("operations of disks");
    }
    let mut processes: BTreeMap<ProcessId, Vec<&DiskOperation>> = BTreeMap::new();
    for operation in &look.timeline.hardware.disk {
        let is_one =
            operation.kind == DiskKind::Flush && look.window.contains(operation.window.start);
        let process = people::process_of(look.timeline, operation.thread);
        if let Some(process) = process
            && is_one
            && look.is_looked_at(Some(process))
        {
            processes.entry(process).or_default().push(operation);
        }
    }
    let found = processes.into_iter();
    Outcome::found(found.filter_map(|(process, all)| of_process(look, process, &all)).collect())
}

fn of_process(look: &Look<'_>, process: ProcessId, flushes: &[&DiskOperation]) -> Option<Finding> {
    let start = |it: &DiskOperation| it.window.start;
    let apart = |one: &DiskOperation, other: &DiskOperation| (start(other) - start(one)).seconds();
    let turns = flushes.chunk_by(|one, other| apart(one, other) <= ONE_TURN);
    let turns: Vec<&DiskOperation> = turns.filter_map(|turn| turn.first().copied()).collect();
    let longest = look.threshold(&RULE, "longest-period");
    let tolerance = look.threshold(&RULE, "tolerance");
    let stretches = turns.chunk_by(|one, other| apart(one, other) <= longest * 2.0);
    let found = stretches.filter_map(|stretch| {
        let times: Vec<BootNanos> = stretch.iter().map(|it| start(it)).collect();
        let regular = RegularTimes::of(&times, tolerance)?;
        let is_one = regular.period >= look.threshold(&RULE, "shortest-period")
            && regular.period <= longest
            && regular.share >= look.threshold(&RULE, "least-share")
            && times.len() as f64 >= look.threshold(&RULE, "least-count");
        is_one.then_some((stretch, regular))
    });
    let (stretch, regular) = found.max_by_key(|(stretch, _)| stretch.len())?;
    let window = Window::new(start(stretch.first()?), stretch.last()?.window.end);
    let who = people::process(look.timeline, process);
    let title = format!(
        "{} flushes a disk every {}, {} times",
        who.as_deref().unwrap_or("a process"),
        seconds(regular.period),
        stretch.len()
    );
    let confidence = Confidence::high("flushes of the disk itself at a steady period");
    let mut finding = look.finding(&RULE, FindingSeverity::Note, title, confidence);
    let text = format!(
        "{} flushes in {}, {} of them one period after the one before",
        stretch.len(),
        time(window.duration()),
        percent(regular.share)
    );
    finding.evidence.push(evidence(text, Some(window)));
    let file = stretch.iter().find_map(|it| it.file);
    if let Some(file) = file {
        finding.evidence.push(evidence(look.timeline.names.get(file).to_owned(), None));
    }
    let thread = stretch.first().map(|it| it.thread);
    finding.thread = thread.map(|thread| people::thread(look.timeline, thread));
    finding.place =
        thread.and_then(|it| code_places::of_thread(look.timeline, it, &[window], true));
    finding.who = who;
    finding.at_stake = look.stakes.component(&Component::Storage, &[window]);
    Some(finding)
}
