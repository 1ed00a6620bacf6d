//! The records that the scheduler is made from: `sched_switch` of the whole device, else `PERF_RECORD_SWITCH_CPU_WIDE`, else
//! `PERF_RECORD_SWITCH` of the recorded threads.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{TaskState, TimelineBuilder};
use wattle_units::BootNanos;

use super::event_use::{EventUse, EventUses};
use crate::perf_file::{PerfFile, PerfRecord, SwitchRecord, record_kind};
use wattle_kernel_traces::kernel::EventFields;
use wattle_kernel_traces::tracepoints;

/// `TASK_RUNNING` and `TASK_INTERRUPTIBLE`.
const RUNNABLE: TaskState = TaskState(0);
const SLEEPING: TaskState = TaskState(1);

/// Switches that are looked at.
const LOOKED_AT: usize = 20_000;

/// The source of the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SchedulerSource {
    /// Nothing in the file.
    #[default]
    Nothing,
    /// `sched_switch` of all threads.
    Tracepoints,
    /// Records of switches of all threads.
    CpuSwitches,
    /// Records of switches of the recorded threads.
    TaskSwitches,
    /// `sched_switch`, but only of some threads: who came is known, who left next is not.
    PartOfTracepoints,
}

impl SchedulerSource {
    /// Looks at the records.
    ///
    /// `sched_switch` counts only if it was recorded for all threads: then whoever leaves a CPU is the one that came to it in the
    /// event before on that CPU.
    pub fn find(file: &PerfFile<'_>, uses: &EventUses) -> Self {
        let order = file.order();
        let has_tracepoint = uses.list.iter().any(EventUse::is_switch);
        let (mut cpu_wide, mut of_tasks) = (false, false);
        let (mut seen, mut fit) = (0_usize, 0_usize);
        let mut on: FxHashMap<u32, u64> = FxHashMap::default();
        for timed in file.records() {
            let record = &timed.record;
            match record.kind {
                record_kind::SWITCH_CPU_WIDE => cpu_wide = true,
                record_kind::SWITCH => of_tasks = true,
                record_kind::SAMPLE if has_tracepoint && seen < LOOKED_AT => {
                    let events = &file.metadata().events;
                    let index = events.index_of(record, order);
                    let switch = index.and_then(|index| uses.get(index));
                    if !switch.is_some_and(EventUse::is_switch) {
                        continue;
                    }
                    let Some(PerfRecord::Sample { sample, .. }) = file.fields(record) else {
                        continue;
                    };
                    let plan = switch.and_then(|it| it.plan.as_ref());
                    let (Some(cpu), Some(bytes), Some(plan)) = (sample.cpu, sample.raw, plan)
                    else {
                        continue;
                    };
                    let constants = BTreeMap::default();
                    let fields = tracepoints::Record { bytes, plan, order, constants: &constants };
                    if let (Some(prev), Some(next)) = (fields.number(1), fields.number(4))
                        && let Some(last) = on.insert(cpu, next)
                    {
                        seen += 1;
                        fit += usize::from(last == prev);
                    }
                }
                _ => {}
            }
        }
        match (seen, fit) {
            // Events may be lost here and there.
            (1.., _) if fit * 10 >= seen * 8 => Self::Tracepoints,
            _ if cpu_wide => Self::CpuSwitches,
            _ if of_tasks => Self::TaskSwitches,
            _ if has_tracepoint => Self::PartOfTracepoints,
            _ => Self::Nothing,
        }
    }
}

/// Brings a switch into the timeline.
pub(super) fn apply(switch: &SwitchRecord, builder: &mut TimelineBuilder, time: BootNanos) {
    let state = if switch.is_preempted { RUNNABLE } else { SLEEPING };
    match (switch.is_out, switch.next) {
        (true, Some(next)) => {
            builder.cpus().switch(switch.cpu, time, switch.tid, state, next);
        }
        (true, None) => builder.cpus().thread_leaves(switch.cpu, time, switch.tid, state),
        (false, _) => builder.cpus().thread_comes(switch.cpu, time, switch.tid),
    }
}
