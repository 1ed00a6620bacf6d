//! The data of a diagnosis, gathered once: subjects, threads and their events.

use std::collections::BTreeMap;

use wattle_timeline::{Pid, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use crate::energy::{Energies, Share};
use crate::events::{Collected, ThreadEvents};
use crate::subjects::{Chosen, Owner};
use crate::{Subject, ThreadUse};

/// Subjects and threads of a diagnosis, with the events behind them. Vectors of threads go by the index in
/// [`crate::Diagnosis::threads`].
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) subjects: Vec<Subject>,
    pub(crate) threads: Vec<ThreadUse>,
    pub(crate) events: Vec<ThreadEvents>,
    /// By subject: when events of any of its threads began, in order.
    pub(crate) of_subject: Vec<Vec<BootNanos>>,
    /// By subject: CPU time, and how many threads did anything.
    pub(crate) busy: Vec<(Nanos, u64)>,
    /// When events of any thread began, in order.
    pub(crate) machine: Vec<BootNanos>,
    /// Length of the time that is looked at.
    pub(crate) looked: Nanos,
}

impl Survey {
    /// Of the events that were collected within the looked-at windows.
    pub(crate) fn new(
        timeline: &Timeline,
        chosen: &Chosen,
        mut collected: Collected,
        looked: &[Window],
        energies: Option<&Energies<'_>>,
    ) -> Self {
        let length: Nanos = looked.iter().map(|window| window.duration()).sum();
        let mut members: BTreeMap<Owner, Vec<ThreadId>> =
            chosen.asked.iter().map(|process| (Owner::Process(*process), Vec::new())).collect();
        for (id, owner) in (0..).map(ThreadId).zip(&chosen.owner) {
            let is_active = collected.threads.get(id.index()).is_some_and(|it| !it.is_empty());
            if let Some(owner) = owner.filter(|_| is_active) {
                members.entry(owner).or_default().push(id);
            }
        }
        let cpu = |id: &ThreadId| {
            collected.threads.get(id.index()).map_or(Nanos::ZERO, |it| it.cpu.total())
        };
        let busy_time = |ids: &[ThreadId]| ids.iter().map(cpu).sum::<Nanos>();
        let mut members: Vec<(Owner, Vec<ThreadId>, Nanos)> = members
            .into_iter()
            .map(|(owner, ids)| {
                let time = busy_time(&ids);
                (owner, ids, time)
            })
            .collect();
        members.sort_by_key(|(owner, _, time)| (std::cmp::Reverse(*time), *owner));
        let mut order: Vec<(ThreadId, u32, Nanos)> = (0..)
            .zip(&members)
            .flat_map(|(subject, it)| it.1.iter().map(move |id| (*id, subject)))
            .map(|(id, subject)| (id, subject, cpu(&id)))
            .collect();
        order.sort_by_key(|(id, _, time)| (std::cmp::Reverse(*time), *id));

        let mut survey = Self {
            subjects: Vec::new(),
            threads: Vec::new(),
            events: Vec::new(),
            of_subject: Vec::new(),
            busy: Vec::new(),
            machine: collected.machine,
            looked: length,
        };
        for (owner, ids, time) in members {
            let of = |id: &ThreadId| collected.threads.get(id.index());
            let mut begins: Vec<BootNanos> =
                ids.iter().filter_map(of).flat_map(|it| it.begins.iter().copied()).collect();
            begins.sort_unstable();
            let mut share = Share::default();
            let of_thread = |id: &ThreadId| energies.and_then(|it| it.of(*id, looked));
            for own in ids.iter().filter_map(of_thread) {
                share.add(&own);
            }
            let energy = energies.filter(|_| !share.is_empty()).map(|it| it.estimate(&share));
            let mut subject = subject(timeline, owner);
            subject.cpu = time;
            subject.events = begins.len() as u64;
            subject.energy = energy;
            survey.subjects.push(subject);
            survey.busy.push((time, ids.len() as u64));
            survey.of_subject.push(begins);
        }
        for (id, subject, _) in order {
            let Some(events) = collected.threads.get_mut(id.index()).map(std::mem::take) else {
                continue;
            };
            let energy = energies.and_then(|it| Some(it.estimate(&it.of(id, looked)?)));
            let thread = thread_use(timeline, id, subject, &events, length);
            survey.threads.push(ThreadUse { energy, ..thread });
            survey.events.push(events);
        }
        survey
    }
}

/// Describes a subject from the timeline.
fn subject(timeline: &Timeline, owner: Owner) -> Subject {
    let text = |name: Option<_>| name.map(|name| timeline.names.get(name).to_owned());
    let mut subject = Subject {
        process: None,
        pid: Pid(0),
        name: None,
        package: None,
        uid: None,
        cpu: Nanos::ZERO,
        events: 0,
        energy: None,
    };
    match owner {
        Owner::Process(id) => {
            subject.process = Some(id);
            if let Some(process) = timeline.tasks.processes.get(id.index()) {
                subject.pid = process.pid;
                subject.name = text(process.name);
                subject.package = text(process.package);
                subject.uid = process.uid;
            }
        }
        Owner::Thread(id) => {
            if let Some(thread) = timeline.tasks.threads.get(id.index()) {
                subject.pid = Pid(thread.tid.0);
                subject.name = text(thread.name);
            }
        }
    }
    subject
}

/// The use of a thread without its energy.
fn thread_use(
    timeline: &Timeline,
    id: ThreadId,
    subject: u32,
    events: &ThreadEvents,
    looked: Nanos,
) -> ThreadUse {
    let seconds = looked.seconds();
    let by_time = |value: f64| if seconds > 0.0 { value / seconds } else { 0.0 };
    let thread = timeline.tasks.threads.get(id.index());
    let name = thread.and_then(|it| it.name).map(|name| timeline.names.get(name).to_owned());
    ThreadUse {
        thread: id,
        subject,
        tid: thread.map(|it| it.tid).unwrap_or_default(),
        name,
        cpu: events.cpu.total(),
        cpu_use: by_time(events.cpu.total().seconds()),
        events: events.begins.len() as u64,
        events_per_second: by_time(events.begins.len() as f64),
        wakeups_per_second: by_time(events.wakeups.len() as f64),
        energy: None,
    }
}
