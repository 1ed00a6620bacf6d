//! `disk-chatter`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{DiskKind, DiskOperation, ProcessId, Window};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::{code_places, people};
use crate::windows;
use crate::words::{bytes, seconds, time};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "disk-chatter",
    title: "Small writes and flushes keep a disk awake at idle",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A logger that flushes each line: a write every 200 ms, all night.",
    counter_example: "One write of 30 MB.",
    looks_for: "Operations of disks by one process at idle that are small and come again and again: logs line by line, settings on \
                a timer, databases that commit each row. Each is an operation of the disk itself, not of the file system's cache.",
    why: "A disk that is asked every few seconds stays out of its low-power states, each operation raises interrupts, and each \
          flush makes the drive write its cache out: some 5 to 50 mJ on a solid-state drive, and a turning platter on a hard disk.",
    remedy: "Buffer and write rarely; do not flush each line; put several rows into one transaction (and use write-ahead logging); \
             write settings when they change; write nothing at idle.",
    references: &[
        "Intel, Power Auto Analysis (2014): excessive I/O at idle, DiskIO_Statistics.csv",
        "https://learn.microsoft.com/windows-hardware/design/device-experiences/power-management-for-storage-hardware-devices-intro",
    ],
    thresholds: &[
        Threshold {
            name: "largest",
            value: 65_536.0,
            unit: "B",
            meaning: "Larger operations are real transfers. Ours.",
        },
        Threshold {
            name: "longest-pause",
            value: 10.0,
            unit: "s",
            meaning: "Operations further apart leave the disk time to sleep. Ours.",
        },
        Threshold {
            name: "least-times",
            value: 10.0,
            unit: "times",
            meaning: "How often it has to ask; what comes within a tenth of a second is once. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 2.0,
            unit: "s",
            meaning: "How long it has to go on. Ours.",
        },
    ],
};

/// Operations this close together are one turn, in seconds.
const ONE_TURN: f64 = 0.1;

pub(super) fn find(look: &Look<'_>) -> Outcome {
    if look.timeline.hardware.disk.is_empty() {
        return Outcome::without("operations of disks");
    }
    if !look.idle_is_told {
        return Outcome::without_idle();
    }
    let mut processes: BTreeMap<ProcessId, Vec<&DiskOperation>> = BTreeMap::new();
    let largest = look.threshold(&RULE, "largest");
    for operation in &look.timeline.hardware.disk {
        let is_small = match operation.kind {
            DiskKind::Flush => true,
            DiskKind::Write => operation.bytes.is_some_and(|bytes| bytes as f64 <= largest),
            // What is read was not in the cache: it seldom is asked for again.
            DiskKind::Read => false,
        };
        let process = people::process_of(look.timeline, operation.thread);
        if let Some(process) = process
            && is_small
            && look.is_looked_at(Some(process))
            && windows::around(&look.idle, operation.window.start).is_some()
        {
            processes.entry(process).or_default().push(operation);
        }
    }
    let found = processes.into_iter();
    Outcome::found(found.filter_map(|(process, all)| of_process(look, process, &all)).collect())
}

fn of_process(
    look: &Look<'_>,
    process: ProcessId,
    operations: &[&DiskOperation],
) -> Option<Finding> {
    let pause = look.threshold(&RULE, "longest-pause");
    let apart = |one: &DiskOperation, other: &DiskOperation| {
        (other.window.start - one.window.start).seconds()
    };
    let mut chains: Vec<(&[&DiskOperation], usize, Window)> = Vec::new();
    for chain in operations.chunk_by(|one, other| apart(one, other) <= pause) {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { continue };
        let turns = chain.chunk_by(|one, other| apart(one, other) <= ONE_TURN).count();
        let window = Window::new(first.window.start, last.window.end);
        if turns as f64 >= look.threshold(&RULE, "least-times")
            && window.duration().seconds() >= look.threshold(&RULE, "least-time")
        {
            chains.push((chain, turns, window));
        }
    }
    chains.sort_by_key(|(_, turns, _)| std::cmp::Reverse(*turns));
    let (busiest, ..) = chains.first()?;
    let turns: usize = chains.iter().map(|(_, turns, _)| turns).sum();
    let set = windows::union(chains.iter().map(|(.., window)| *window).collect());
    let length = windows::total(&set).seconds();
    let who = people::process(look.timeline, process);
    let title = format!(
        "{} wrote to disk every {} at idle, {turns} times",
        who.as_deref().unwrap_or("a process"),
        seconds(length / turns as f64)
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, look.idle_confidence());
    for (chain, turns, window) in chains.iter().take(3) {
        let flushes = chain.iter().filter(|it| it.kind == DiskKind::Flush).count();
        let written: f64 = chain.iter().filter_map(|it| it.bytes).map(|it| it as f64).sum();
        let text = format!(
            "{} writes of {} and {flushes} flushes in {}, on {turns} occasions",
            chain.len() - flushes,
            bytes(written),
            time(window.duration())
        );
        finding.evidence.push(evidence(text, Some(*window)));
    }
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in operations {
        if let Some(file) = operation.file {
            *files.entry(look.timeline.names.get(file)).or_default() += 1;
        }
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (file, count) in files.iter().take(3) {
        finding.evidence.push(evidence(format!("{file}: {count} times"), None));
    }
    let thread = busiest.first().map(|it| it.thread);
    finding.thread = thread.map(|thread| people::thread(look.timeline, thread));
    finding.place = thread.and_then(|it| code_places::of_thread(look.timeline, it, &set, true));
    finding.who = who;
    finding.at_stake = look.stakes.component(&Component::Storage, &set);
    Some(finding)
}
