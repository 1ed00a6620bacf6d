//! Which records tell who was on a CPU: `sched_switch` of the whole device, else `PERF_RECORD_SWITCH_CPU_WIDE`, else
//! `PERF_RECORD_SWITCH` of the recorded threads.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{TaskState, TimelineBuilder};
use wattle_units::BootNanos;

use super::index::Index;
use super::kind;
use super::record::Record;
use super::sample::Sample;
use super::told::Told;
use crate::kernel::{EventFields, EventKind};
use crate::trace_dat::{self, Order};

/// `PERF_RECORD_MISC_SWITCH_OUT` and `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`.
const OUT: u16 = 1 << 13;
const PREEMPTED: u16 = 1 << 14;

/// `TASK_RUNNING` and `TASK_INTERRUPTIBLE`.
const RUNNABLE: TaskState = TaskState(0);
const SLEEPING: TaskState = TaskState(1);

/// Switches that are looked at.
const LOOKED_AT: usize = 20_000;

/// What the scheduler is made from.
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
    pub fn of(index: &Index, file: &[u8], told: &Told) -> Self {
        let order = told.order;
        let is_switch = |event: &super::event::Event| {
            event.plan.is_some_and(|plan| plan.kind == Some(EventKind::SchedSwitch))
        };
        let has_tracepoint = told.events.list.iter().any(is_switch);
        let (mut cpu_wide, mut of_tasks) = (false, false);
        let (mut seen, mut fit) = (0_usize, 0_usize);
        let mut on: FxHashMap<u32, u64> = FxHashMap::default();
        for (_, record) in index.records(file) {
            match record.kind {
                kind::SWITCH_CPU_WIDE => cpu_wide = true,
                kind::SWITCH => of_tasks = true,
                kind::SAMPLE if has_tracepoint && seen < LOOKED_AT => {
                    let event = told.events.of(&record, order).and_then(|it| told.events.get(it));
                    let Some(event) = event.filter(|event| is_switch(event)) else { continue };
                    let sample = Sample::parse(record.body, &event.attr, order);
                    let fields = sample.and_then(|it| Some((it.cpu?, it.raw?)));
                    let Some((cpu, plan, bytes)) =
                        fields.and_then(|(cpu, raw)| Some((cpu, event.plan.as_ref()?, raw)))
                    else {
                        continue;
                    };
                    let constants = BTreeMap::default();
                    let fields = trace_dat::Record { bytes, plan, order, constants: &constants };
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

/// A switch that a record tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Switch {
    pub cpu: u32,
    /// The thread that comes or leaves.
    pub tid: u32,
    /// Who comes after it, if it leaves and that was recorded.
    next: Option<u32>,
    is_out: bool,
    state: TaskState,
}

impl Switch {
    /// `None` if the record does not say which CPU it was, or which thread.
    pub fn parse(record: &Record<'_>, told: &Told, order: Order) -> Option<Self> {
        let event = told.events.of(record, order).and_then(|it| told.events.get(it))?;
        let trailer = event.layout.trailer(record, order);
        let is_out = record.misc & OUT != 0;
        let is_wide = record.kind == kind::SWITCH_CPU_WIDE;
        let other = if is_wide { order.word(record.body, 4) } else { None };
        Some(Self {
            cpu: trailer.cpu?,
            tid: trailer.tid?.1,
            next: other.filter(|_| is_out),
            is_out,
            state: if record.misc & PREEMPTED != 0 { RUNNABLE } else { SLEEPING },
        })
    }

    pub fn tell(&self, builder: &mut TimelineBuilder, time: BootNanos) {
        match (self.is_out, self.next) {
            (true, Some(next)) => {
                builder.switch(self.cpu, time, self.tid, self.state, next);
            }
            (true, None) => builder.thread_leaves(self.cpu, time, self.tid, self.state),
            (false, _) => builder.thread_comes(self.cpu, time, self.tid),
        }
    }
}
