//! Which processes and threads are looked at.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{NameId, Note, ProcessId, Severity, ThreadId, Timeline};
use wattle_units::Nanos;

use crate::recording_tools::{recording_processes, recording_threads};
use crate::{DiagnoseError, ProcessChoice};

/// Code of the note on processes that are left out.
pub const RECORDERS_LEFT_OUT: &str = "recorders-left-out";

/// Processes that are left out and named.
const LISTED: usize = 4;

/// Number of processes that an error names.
const NAMED: usize = 20;

/// A process that is looked at, or a thread of which no process is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    Process(ProcessId),
    Thread(ThreadId),
}

/// The choice: by thread of the timeline, whose it is, if it is looked at.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) owner: Vec<Option<Owner>>,
    /// Processes that were asked for, whether or not they did anything.
    pub(crate) asked: Vec<ProcessId>,
}

impl Chosen {
    /// By thread, whether it is looked at.
    pub(crate) fn wanted(&self) -> Vec<bool> {
        self.owner.iter().map(Option::is_some).collect()
    }
}

/// Chooses processes by what was asked for; nothing: those of the apps that the recording was made of, else all but the
/// recorder's own.
pub(crate) fn choose(
    timeline: &Timeline,
    asked: &[ProcessChoice],
    notes: &mut Vec<Note>,
) -> Result<Chosen, DiagnoseError> {
    if !asked.is_empty() {
        let mut processes = Vec::new();
        let mut threads = Vec::new();
        for choice in asked {
            let (some, alone) = matching(timeline, choice);
            if some.is_empty() && alone.is_empty() {
                return Err(no_such_process(timeline, choice));
            }
            processes.extend(some);
            threads.extend(alone);
        }
        processes.sort_unstable();
        processes.dedup();
        return Ok(Chosen {
            owner: owners(timeline, Some((&processes, &threads))),
            asked: processes,
        });
    }
    let of_app =
        |package: Option<NameId>| package.is_some_and(|it| timeline.tasks.apps.contains(&it));
    let apps: Vec<ProcessId> = (0..)
        .map(ProcessId)
        .zip(&timeline.tasks.processes)
        .filter(|(_, process)| of_app(process.package) || of_app(process.name))
        .map(|(id, _)| id)
        .collect();
    if !apps.is_empty() {
        return Ok(Chosen { owner: owners(timeline, Some((&apps, &[]))), asked: apps });
    }
    if !timeline.tasks.apps.is_empty() {
        let apps = timeline.tasks.apps.iter().map(|app| timeline.names.get(*app));
        let text = format!(
            "no process of {} is in the recording: all processes are looked at",
            apps.collect::<Vec<_>>().join(", ")
        );
        notes.push(Note::new(Severity::Warning, "no-app-process", text));
    }
    let all = owners(timeline, None);
    let records = recording_threads(timeline, &recording_processes(timeline));
    let of_recorders = all.iter().zip(&records).filter(|(_, records)| **records);
    let left_out: BTreeSet<Owner> = of_recorders.filter_map(|(owner, _)| *owner).collect();
    let others = all.iter().map(|owner| owner.filter(|owner| !left_out.contains(owner)));
    let others: Vec<Option<Owner>> = others.collect();
    if left_out.is_empty() || others.iter().all(Option::is_none) {
        return Ok(Chosen { owner: all, asked: Vec::new() });
    }
    let text = format!(
        "left out, because they only run while somebody records: {} (they are looked at if they are asked for by name)",
        busiest(timeline, &all, &left_out)
    );
    let note = Note::new(Severity::Info, RECORDERS_LEFT_OUT, text);
    notes.push(note.times(left_out.len() as u64));
    Ok(Chosen { owner: others, asked: Vec::new() })
}

/// By thread; `None` chooses all but the idle task.
fn owners(timeline: &Timeline, only: Option<(&[ProcessId], &[ThreadId])>) -> Vec<Option<Owner>> {
    let mut chosen = vec![only.is_none(); timeline.tasks.processes.len()];
    for process in only.iter().flat_map(|it| it.0) {
        if let Some(slot) = chosen.get_mut(process.index()) {
            *slot = true;
        }
    }
    let owner = |(id, thread): (ThreadId, &wattle_timeline::Thread)| {
        if id.is_idle() {
            return None;
        }
        match thread.process {
            Some(process) => chosen
                .get(process.index())
                .copied()
                .unwrap_or(false)
                .then_some(Owner::Process(process)),
            None => only.is_none_or(|it| it.1.contains(&id)).then_some(Owner::Thread(id)),
        }
    };
    (0..).map(ThreadId).zip(&timeline.tasks.threads).map(owner).collect()
}

/// Processes that go by the name or number, and threads that do and belong to no known process.
fn matching(timeline: &Timeline, choice: &ProcessChoice) -> (Vec<ProcessId>, Vec<ThreadId>) {
    let is_named = |name: Option<NameId>, wanted: &str| {
        name.is_some_and(|name| goes_by(timeline.names.get(name), wanted))
    };
    let is_process = |process: &wattle_timeline::Process| match choice {
        ProcessChoice::Number(pid) => process.pid == *pid,
        ProcessChoice::Name(wanted) => {
            let package = process.package.map(|it| timeline.names.get(it));
            is_named(process.name, wanted)
                || package.is_some_and(|it| it.eq_ignore_ascii_case(wanted))
        }
    };
    let is_alone = |(id, thread): &(ThreadId, &wattle_timeline::Thread)| {
        let fits = match choice {
            ProcessChoice::Number(pid) => thread.tid.0 == pid.0,
            ProcessChoice::Name(wanted) => is_named(thread.name, wanted),
        };
        thread.process.is_none() && !id.is_idle() && fits
    };
    let processes = (0..).map(ProcessId).zip(&timeline.tasks.processes);
    let threads = (0..).map(ThreadId).zip(&timeline.tasks.threads);
    (
        processes.filter(|it| is_process(it.1)).map(|it| it.0).collect(),
        threads.filter(is_alone).map(|it| it.0).collect(),
    )
}

/// Whether a process of that name is meant: by all of it, by the last part of its path, with or without `.exe`.
fn goes_by(name: &str, wanted: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let program = match last.len().checked_sub(4).and_then(|at| last.split_at_checked(at)) {
        Some((program, end)) if end.eq_ignore_ascii_case(".exe") => program,
        _ => last,
    };
    [name, last, program].iter().any(|it| it.eq_ignore_ascii_case(wanted))
}

/// Time on CPUs of each process, by its place.
fn busy(timeline: &Timeline) -> Vec<Nanos> {
    let mut busy = vec![Nanos::ZERO; timeline.tasks.processes.len()];
    for slice in timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter()) {
        let process = timeline.tasks.threads.get(slice.thread.index()).and_then(|it| it.process);
        let process = process.filter(|_| !slice.thread.is_idle());
        if let Some(time) = process.and_then(|process| busy.get_mut(process.index())) {
            *time += slice.window.duration();
        }
    }
    busy
}

/// `traced_probes (1.20 s on CPUs), perfetto (3.00 ms), 4 more`: those that ran most, of some.
fn busiest(timeline: &Timeline, owners: &[Option<Owner>], some: &BTreeSet<Owner>) -> String {
    let mut busy: BTreeMap<Owner, Nanos> = some.iter().map(|owner| (*owner, Nanos::ZERO)).collect();
    for slice in timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter()) {
        let owner = owners.get(slice.thread.index()).copied().flatten();
        if let Some(time) = owner.and_then(|owner| busy.get_mut(&owner)) {
            *time += slice.window.duration();
        }
    }
    let name = |owner| {
        let name = match owner {
            Owner::Process(id) => timeline.tasks.processes.get(id.index())?.name?,
            Owner::Thread(id) => timeline.tasks.threads.get(id.index())?.name?,
        };
        Some(timeline.names.get(name))
    };
    let mut all: Vec<(Nanos, &str)> = busy
        .into_iter()
        .map(|(owner, time)| (time, name(owner).unwrap_or("a process without a name")))
        .collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let named = all.iter().take(LISTED).enumerate();
    let mut words: Vec<String> = named
        .map(|(at, (time, name))| match (time.value(), at) {
            (0, _) => (*name).to_owned(),
            (_, 0) => format!("{name} ({time} on CPUs)"),
            _ => format!("{name} ({time})"),
        })
        .collect();
    if all.len() > LISTED {
        words.push(format!("{} more", all.len() - LISTED));
    }
    words.join(", ")
}

fn no_such_process(timeline: &Timeline, choice: &ProcessChoice) -> DiagnoseError {
    let asked = match choice {
        ProcessChoice::Number(pid) => pid.to_string(),
        ProcessChoice::Name(name) => name.clone(),
    };
    let busy = busy(timeline);
    let time = |id: &ProcessId| busy.get(id.index()).copied().unwrap_or_default();
    let mut all: Vec<ProcessId> =
        (0..timeline.tasks.processes.len() as u32).map(ProcessId).collect();
    all.sort_by_key(|id| std::cmp::Reverse(time(id)));
    let named = all.iter().take(NAMED).filter_map(|id| timeline.tasks.processes.get(id.index()));
    let named = named.map(|process| match process.name {
        Some(name) => format!("{} ({})", timeline.names.get(name), process.pid),
        None => process.pid.to_string(),
    });
    let mut known = named.collect::<Vec<_>>().join(", ");
    if all.is_empty() {
        "none that it names".clone_into(&mut known);
    } else if all.len() > NAMED {
        known += " and ";
        known += &(all.len() - NAMED).to_string();
        known += " more";
    }
    DiagnoseError::NoSuchProcess { asked, known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_goes_by_more_than_one_name() {
        let check =
            |name, wanted, expected| assert_eq!(goes_by(name, wanted), expected, "{name} {wanted}");
        check("/system/bin/traced", "traced", true);
        check("/system/bin/traced", "/system/bin/traced", true);
        check("/system/bin/traced", "trace", false);
        check("C:\\Games\\AfterMouse.race.EXE", "aftermouse.race", true);
        check("AfterMouse.race.exe", "aftermouse.race.exe", true);
        check("é.x", "x", false);
        check("com.example.app", "com.example.app", true);
        check("", "x", false);
    }
}
