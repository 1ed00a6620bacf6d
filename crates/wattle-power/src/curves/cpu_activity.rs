//! Activity of each CPU: executing, or in which idle column of the tables.

use wattle_timeline::{CpuTimeline, IdleState, Steps};
use wattle_units::{BootNanos, Nanos};

use crate::DeviceModel;

/// 0 executing, 1 in idle column 0, 2 in idle column 1: the index into [`crate::StatePower::core`].
pub(super) type Activity = u8;

pub(super) const EXECUTING: Activity = 0;

/// Source of a CPU's activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// From `cpu_idle` events.
    Idle,
    /// From the idle task of the scheduler.
    Scheduler,
    /// Neither: nothing is known.
    Not,
}

/// The activity of one CPU over time, as columns; deepest idle before the first.
pub(super) struct Activities {
    pub(super) times: Vec<BootNanos>,
    pub(super) values: Vec<Activity>,
    pub(super) known: Known,
}

/// The activity code of the deepest idle column.
pub(super) fn deepest(model: &DeviceModel) -> Activity {
    1 + model.deepest_idle()
}

pub(super) fn activities(
    cpu: Option<&CpuTimeline>,
    curves: super::Curves<'_>,
    exit: Nanos,
) -> Activities {
    let model = curves.model;
    let inferred;
    let (idle, known) = match cpu {
        Some(cpu) if !cpu.idle.is_empty() => (&cpu.idle, Known::Idle),
        Some(cpu) if !cpu.sched.is_empty() => {
            inferred = infer(cpu);
            (&inferred, Known::Scheduler)
        }
        _ => return Activities { times: Vec::new(), values: Vec::new(), known: Known::Not },
    };
    let mut times = Vec::with_capacity(idle.len());
    let mut values: Vec<Activity> = Vec::with_capacity(idle.len());
    let mut last: Option<(BootNanos, IdleState)> = None;
    if !curves.as_wattson && idle.first().is_some_and(|(_, state)| !state.is_active()) {
        // What enters an idle state was executing before.
        times.push(BootNanos::MIN);
        values.push(EXECUTING);
    }
    for (time, state) in idle.iter() {
        let mut from = time;
        if let Some((before, IdleState(1))) = last
            && state.is_active()
        {
            from = (time - exit).max(before);
        }
        let value = match u8::try_from(state.0) {
            Ok(state) => 1 + model.idle_column(state),
            Err(_) => EXECUTING,
        };
        if times.last() == Some(&from) {
            times.pop();
            values.pop();
        }
        times.push(from);
        values.push(value);
        last = Some((time, state));
    }
    Activities { times, values, known }
}

/// Idle while the idle task is on the CPU; which state is not known, so the deepest with an exit. What lies between slices is
/// taken for active where the scheduler was recorded, because events were lost then; where slices were made from samples it is
/// taken for idle, because nothing says that anybody ran.
fn infer(cpu: &CpuTimeline) -> Steps<IdleState> {
    let between = if cpu.sched_is_inferred { IdleState(1) } else { IdleState::ACTIVE };
    let mut steps = Steps::default();
    let mut end = None;
    for slice in cpu.sched.iter() {
        if let Some(end) = end.filter(|end| *end < slice.window.start) {
            steps.push(end, between);
        }
        let state = if slice.thread.is_idle() { IdleState(1) } else { IdleState::ACTIVE };
        steps.push(slice.window.start, state);
        end = Some(slice.window.end);
    }
    if let Some(end) = end.filter(|_| cpu.sched_is_inferred) {
        steps.push(end, between);
    }
    steps
}
