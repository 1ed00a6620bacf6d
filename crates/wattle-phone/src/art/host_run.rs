//! A run as a process of the simulated phone.

use std::collections::BTreeMap;

use wattle_sim::replay::{ReplayProcess, ReplayThread};
use wattle_units::{BootNanos, Nanos};

use super::host_cpu_time::{CpuSample, HostThreads};
use super::{ArtEvent, ArtEventKind};

/// A thread of the runtime that wrote no event is left out when it used less.
const WORTH_TELLING: i64 = 1_000_000;
/// A stretch between two samples in which a thread executed this part of the time was all work.
const ALL_WORK: f64 = 0.9;
/// Between the last event and the end of the process.
const LAST_BREATH: Nanos = Nanos::new(1_000_000);

/// A run of code on the host, as far as it has come.
#[derive(Clone, Copy)]
pub(super) struct HostRun<'r> {
    pub(super) pid: u32,
    pub(super) uid: u32,
    /// The phone's boot time less the host's monotonic clock.
    pub(super) boot_ahead: Nanos,
    pub(super) events: &'r [ArtEvent],
    pub(super) host: &'r HostThreads,
    pub(super) has_ended: bool,
}

impl HostRun<'_> {
    /// A process with the threads of its events and of the host. What happened before it was ready is the start of the
    /// runtime, which a phone has done in the zygote, and is left out.
    pub(super) fn process(self, name: &str) -> ReplayProcess {
        let Self { pid, uid, boot_ahead, events, host, has_ended } = self;
        let start = events.first().map_or(BootNanos::MIN, |event| event.at);
        let last = events.last().map(|event| event.at);
        let mut process = ReplayProcess::new(pid, uid, name);
        process.start = start;
        process.end = last.filter(|_| has_ended).map(|last| last + LAST_BREATH);
        let mut threads: BTreeMap<u32, (ReplayThread, u32)> = BTreeMap::new();
        for event in events {
            let number = event.thread.0;
            if let ArtEventKind::Thread { name, host } = &event.kind {
                // The runtime calls the first thread so; the kernel calls it like the process.
                let name =
                    if number == pid { main_name(process.name.as_str()) } else { name.clone() };
                let mut thread = ReplayThread::new(number, &name);
                thread.start = event.at;
                threads.insert(number, (thread, *host));
            }
        }
        let mut next = pid + 1;
        next = threads.keys().last().map_or(next, |last| next.max(last + 1));
        let known: Vec<u32> = threads.values().map(|(_, host)| *host).collect();
        for (number, thread) in host {
            let used = match (thread.samples.first(), thread.samples.last()) {
                (Some(first), Some(last)) => last.used - first.used,
                _ => 0,
            };
            if !known.contains(number) && used >= WORTH_TELLING {
                threads.insert(next, (ReplayThread::new(next, &thread.name), *number));
                next += 1;
            }
        }
        for (number, (mut thread, host_number)) in threads {
            let own: Vec<&ArtEvent> =
                events.iter().filter(|event| event.thread.0 == number).collect();
            let sampled = host.get(&host_number).map_or(&[][..], |host| host.samples.as_slice());
            for (from, until) in busy(&together(sampled, &own, boot_ahead)) {
                let (from, until) = (boot(from, boot_ahead).max(start), boot(until, boot_ahead));
                if from < until {
                    thread = thread.busy(from, until);
                }
            }
            for event in own {
                thread = match &event.kind {
                    ArtEventKind::Begin(label) => thread.begin(event.at, label),
                    ArtEventKind::End => thread.end(event.at),
                    _ => thread,
                };
            }
            process = process.with_thread(thread);
        }
        process
    }
}

/// The kernel keeps the end of a package's name for its main thread.
fn main_name(process: &str) -> String {
    let from = process.char_indices().rev().nth(14).map_or(0, |(at, _)| at);
    process.get(from..).unwrap_or(process).to_owned()
}

/// An instant of the host's monotonic clock in the phone's boot time.
fn boot(at: i64, boot_ahead: Nanos) -> BootNanos {
    BootNanos::new(at) + boot_ahead
}

/// The CPU times of a thread, sampled and from its own events, in order of time.
fn together(sampled: &[CpuSample], events: &[&ArtEvent], boot_ahead: Nanos) -> Vec<CpuSample> {
    let said = events
        .iter()
        .map(|event| CpuSample { at: (event.at - boot_ahead).value(), used: event.cpu.value() });
    let mut all: Vec<CpuSample> = sampled.iter().copied().chain(said).collect();
    all.sort_by_key(|sample| (sample.at, sample.used));
    // Between a clock and the count beside it others may have come.
    let mut most = i64::MIN;
    for sample in &mut all {
        most = most.max(sample.used);
        sample.used = most;
    }
    all
}

/// Stretches in which a thread executed. Between two samples only how long it did is known; it is put beside the work
/// before, else to the end, beside the work to come.
fn busy(samples: &[CpuSample]) -> Vec<(i64, i64)> {
    let mut all: Vec<(i64, i64)> = Vec::new();
    let mut was_busy = false;
    for (before, after) in samples.iter().zip(samples.iter().skip(1)) {
        let (length, worked) = (after.at - before.at, after.used - before.used);
        if length <= 0 {
            continue;
        }
        if worked <= 0 {
            was_busy = false;
            continue;
        }
        let worked = worked.min(length);
        let is_full = worked as f64 >= ALL_WORK * length as f64;
        let (from, until) = match (is_full, was_busy) {
            (true, _) => (before.at, after.at),
            (false, true) => (before.at, before.at + worked),
            (false, false) => (after.at - worked, after.at),
        };
        match all.last_mut() {
            Some((_, last)) if *last >= from => *last = (*last).max(until),
            _ => all.push((from, until)),
        }
        was_busy = is_full;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::ThreadNumber;
    use super::*;

    /// Samples and stretches of work in milliseconds.
    #[track_caller]
    fn check(samples: &[(i64, i64)], wanted: &[(i64, i64)]) {
        let samples: Vec<CpuSample> =
            samples.iter().map(|(at, used)| CpuSample { at: *at, used: *used }).collect();
        assert_eq!(busy(&samples), wanted);
    }

    #[test]
    fn work_is_put_where_it_was() {
        // All of it, and what goes on from it.
        check(&[(0, 0), (40, 40), (80, 60)], &[(0, 60)]);
        // Nothing before: beside what is to come.
        check(&[(0, 0), (40, 10), (80, 50)], &[(30, 80)]);
        // A stretch of its own.
        check(&[(0, 0), (40, 20), (80, 20), (120, 20)], &[(20, 40)]);
        // A sleep in the middle.
        check(&[(0, 0), (40, 40), (140, 40), (180, 80)], &[(0, 40), (140, 180)]);
        // More work than time is the error of the clocks.
        check(&[(0, 0), (40, 50)], &[(0, 40)]);
        check(&[(0, 0), (40, 0), (1000, 0)], &[]);
        check(&[], &[]);
    }

    #[test]
    fn events_are_samples() {
        let event = |at, cpu| ArtEvent {
            at: BootNanos::new(at),
            cpu: Nanos::new(cpu),
            thread: ThreadNumber(1),
            kind: ArtEventKind::End,
        };
        let events = [event(1010, 5), event(1030, 25)];
        let sampled = [CpuSample { at: 0, used: 0 }, CpuSample { at: 20, used: 10 }];
        let all = together(&sampled, &events.iter().collect::<Vec<_>>(), Nanos::new(1000));
        let wanted = [(0, 0), (10, 5), (20, 10), (30, 25)];
        let wanted: Vec<CpuSample> =
            wanted.into_iter().map(|(at, used)| CpuSample { at, used }).collect();
        assert_eq!(all, wanted);
    }

    #[test]
    fn main_threads_are_called_as_the_kernel_calls_them() {
        for (process, thread) in
            [("com.example.shopping", "xample.shopping"), ("short", "short"), ("", "")]
        {
            assert_eq!(main_name(process), thread);
        }
    }
}
