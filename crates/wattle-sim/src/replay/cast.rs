//! Turns what happened into what a machine can execute.

use std::collections::BTreeMap;

use wattle_units::{BootNanos, Nanos};

use super::{ReplayEvent, ReplayProcess, ReplayThread, ReplayWindow};
use crate::SimError;
use crate::bytes::{Bytes, DeviceKind};
use crate::code_owner::CodeOwner;
use crate::stage::{FirstWake, Stage, StageProcess, StageThread};
use crate::thread_program::{self, NameIndex, Op, Program};
use crate::trace::{Comm, Persona, comm};

/// Most steps that one thread may have in a window.
const MOST_OPS: usize = 20_000_000;

/// Puts the processes that live within a window on the stage.
pub(super) fn cast(
    stage: &mut Stage,
    processes: &[ReplayProcess],
    window: ReplayWindow,
) -> Result<(), SimError> {
    for process in processes {
        if lives(process.start, process.end, window) {
            let creator = creator(process, processes);
            add_process(stage, process, &creator, window)?;
        }
    }
    Ok(())
}

fn lives(start: BootNanos, end: Option<BootNanos>, window: ReplayWindow) -> bool {
    start < window.end && end.is_none_or(|end| end > window.start)
}

/// The main thread of the process that made another.
fn creator(process: &ReplayProcess, processes: &[ReplayProcess]) -> Comm {
    let parent = processes.iter().find(|other| other.pid == process.parent);
    let main = parent.and_then(|it| it.threads.iter().find(|thread| thread.tid == it.pid));
    Comm {
        tid: process.parent,
        tgid: process.parent,
        name: main.map_or_else(|| "main".to_owned(), |main| comm(&main.name)),
        priority: 120,
    }
}

fn add_process(
    stage: &mut Stage,
    process: &ReplayProcess,
    creator: &Comm,
    window: ReplayWindow,
) -> Result<(), SimError> {
    let named = |wanted: &String| {
        wanted == "*" || *wanted == process.name || Some(wanted) == process.package.as_ref()
    };
    let is_traced = stage.sources.atrace_apps.iter().any(named);
    let index = stage.processes.len();
    stage.processes.push(StageProcess {
        persona: Persona {
            pid: process.pid,
            parent: process.parent,
            name: process.name.clone(),
            uid: process.uid,
            package: process.package.clone(),
        },
        recorder: process.recorder,
        is_traced,
        comes_later: process.start > window.start,
    });
    let missing = ReplayThread::new(process.pid, &process.name);
    let main = process.threads.iter().find(|thread| thread.tid == process.pid).unwrap_or(&missing);
    let main_comm = Comm {
        tid: process.pid,
        tgid: process.pid,
        name: comm(&main.name),
        priority: main.priority,
    };
    // The main one first: it creates the others.
    let others = process.threads.iter().filter(|thread| thread.tid != process.pid);
    let mut namesakes: BTreeMap<&str, usize> = BTreeMap::new();
    for thread in std::iter::once(main).chain(others) {
        let is_main = thread.tid == process.pid;
        // Counted also where they are left out, so that each has its code in every window.
        let order = namesakes.entry(&thread.name).or_default();
        let owner = CodeOwner::named(&process.name, &thread.name, *order);
        *order += 1;
        let start = if is_main { process.start } else { thread.start.max(process.start) };
        let end = [thread.end.filter(|_| !is_main), process.end].into_iter().flatten().min();
        if !lives(start, end, window) {
            continue;
        }
        let place = format!("{}/{}", process.name, thread.name);
        let part = if thread.actions.is_empty() && !thread.program.is_empty() {
            let program = thread_program::repeated(
                &thread.program,
                place,
                &mut stage.names,
                &mut stage.devices,
            )?;
            Part { open: Vec::new(), first_wake: FirstWake::Soon, program }
        } else {
            Script { stage, place, window }.part(thread, start, end)?
        };
        stage.threads.push(StageThread {
            process: index,
            comm: Comm {
                tid: thread.tid,
                tgid: process.pid,
                name: comm(&thread.name),
                priority: thread.priority,
            },
            owner,
            creator: if is_main { creator.clone() } else { main_comm.clone() },
            clusters: Vec::new(),
            starts_after: Nanos::new((start - window.start).value().max(0)),
            first_wake: part.first_wake,
            open: part.open,
            program: part.program,
        });
    }
    Ok(())
}

/// Activity of a thread within a window.
struct Part {
    open: Vec<NameIndex>,
    first_wake: FirstWake,
    program: Program,
}

struct Script<'a> {
    stage: &'a mut Stage,
    place: String,
    window: ReplayWindow,
}

impl Script<'_> {
    fn part(
        &mut self,
        thread: &ReplayThread,
        start: BootNanos,
        end: Option<BootNanos>,
    ) -> Result<Part, SimError> {
        let mut actions: Vec<_> = thread.actions.iter().collect();
        actions.sort_by_key(|action| action.at);
        let mut open: Vec<NameIndex> = Vec::new();
        let mut depth = 0_usize;
        let mut ops = Vec::new();
        let mut clock = self.window.start.max(start);
        let mut busy_until = clock;
        for action in actions {
            let at = action.at.max(clock);
            if at >= self.window.end {
                break;
            }
            // What came before the window only leaves its state.
            let is_before = action.at < self.window.start;
            if !is_before {
                pass(&mut ops, &mut clock, busy_until, at);
            }
            match &action.event {
                ReplayEvent::Busy(until) => busy_until = busy_until.max(*until),
                ReplayEvent::Begin(label) => {
                    let name = self.stage.names.intern(label);
                    depth += 1;
                    if is_before {
                        open.push(name);
                    } else {
                        ops.push(Op::Enter(name));
                    }
                }
                ReplayEvent::End if depth > 0 => {
                    depth -= 1;
                    if is_before {
                        open.pop();
                    } else {
                        ops.push(Op::Exit);
                    }
                }
                ReplayEvent::Transfer(transfer) if !is_before => {
                    let own = Bytes { inward: transfer.rx_bytes, outward: transfer.tx_bytes };
                    let device = (DeviceKind::Network, transfer.interface.as_str());
                    ops.push(self.movement(device, own, transfer.length)?);
                }
                ReplayEvent::Access(access) if !is_before => {
                    let own = Bytes { inward: access.read_bytes, outward: access.write_bytes };
                    let device = (DeviceKind::Block, access.device.as_str());
                    ops.push(self.movement(device, own, access.length)?);
                }
                ReplayEvent::End | ReplayEvent::Transfer(_) | ReplayEvent::Access(_) => {}
            }
            if ops.len() > MOST_OPS {
                return Err(SimError::Workload {
                    place: self.place.clone(),
                    expected: "at most 20 million steps of a thread in a window",
                    found: format!("{} actions", thread.actions.len()),
                });
            }
        }
        let last = end.unwrap_or(BootNanos::MAX).min(self.window.end + Nanos::new(1));
        pass(&mut ops, &mut clock, busy_until, last);
        if end.is_none_or(|end| end >= self.window.end) {
            ops.push(Op::Rest);
        }
        let first_wake = match ops.first() {
            Some(Op::SleepUntil { at }) => {
                let length = BootNanos::new(*at) - self.window.start;
                ops.remove(0);
                FirstWake::After(length)
            }
            Some(Op::Rest) => FirstWake::Never,
            _ => FirstWake::After(Nanos::ZERO),
        };
        Ok(Part { open, first_wake, program: Program { ops, once: true } })
    }

    fn movement(
        &mut self,
        device: (DeviceKind, &str),
        own: Bytes,
        length: Nanos,
    ) -> Result<Op, SimError> {
        thread_program::movement(&mut self.stage.devices, device, own, length, &self.place)
    }
}

/// Lets a thread's time pass: it works as long as it did, and sleeps the rest.
fn pass(ops: &mut Vec<Op>, clock: &mut BootNanos, busy_until: BootNanos, until: BootNanos) {
    let worked = busy_until.min(until);
    if worked > *clock {
        ops.push(Op::BusyUntil { at: worked.value() });
        *clock = worked;
    }
    if until > *clock {
        ops.push(Op::SleepUntil { at: until.value() });
        *clock = until;
    }
}
