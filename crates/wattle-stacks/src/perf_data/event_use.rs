//! The timeline's view of each event of a file: its name there, and how the data of its tracepoint is decoded.

use std::collections::BTreeMap;

use wattle_kernel_traces::kernel::{EventKind, Tally};
use wattle_kernel_traces::tracepoints::{Contents, Plan, descriptions};
use wattle_timeline::{EventId, SampleEvent, SampleUnit, TimelineBuilder};

use crate::perf_file::{Event, Metadata, TRACEPOINT, sampled};

/// One event of a file for the timeline.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventUse {
    /// Its number among the timeline's.
    pub id: EventId,
    /// Decoding of its tracepoint's data.
    pub plan: Option<Plan>,
    /// Samples of it have no chain and are the kernel's own events, which go to the scheduler alone.
    pub is_kernels_alone: bool,
}

impl EventUse {
    pub fn is_switch(&self) -> bool {
        self.plan.is_some_and(|plan| plan.kind == Some(EventKind::SchedSwitch))
    }
}

/// All events of a file, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct EventUses {
    pub list: Vec<EventUse>,
    /// Texts that tracepoints point to, by address.
    pub constants: BTreeMap<u64, Vec<u8>>,
}

impl EventUses {
    /// Names all events for the timeline.
    pub fn new(
        metadata: &Metadata,
        tracing: Contents,
        tally: &mut Tally,
        builder: &mut TimelineBuilder,
    ) -> Self {
        let events = metadata.events.list.iter().enumerate();
        let list = events.map(|(index, event)| {
            let name = builder.names.intern(&metadata.event_name(index));
            let unit = SampleUnit::of_event(builder.names.get(name));
            let id = builder.samples().event(SampleEvent { name, unit });
            let plan = plan(&tracing, event, tally);
            // Without a stack it says what the kernel did, and no more.
            let is_known = plan.is_some_and(|plan| plan.kind.is_some());
            let is_kernels_alone = is_known && !event.attr.has(sampled::CALLCHAIN);
            EventUse { id, plan, is_kernels_alone }
        });
        Self { list: list.collect(), constants: tracing.constants }
    }

    pub fn get(&self, index: usize) -> Option<&EventUse> {
        self.list.get(index)
    }
}

/// Descriptions of a file's tracepoints, and whether they are whole.
pub(super) fn tracing(metadata: &Metadata) -> (Contents, bool) {
    let data = metadata.tracing_data.as_deref();
    data.map_or_else(|| (Contents::default(), true), descriptions)
}

fn plan(tracing: &Contents, event: &Event, tally: &mut Tally) -> Option<Plan> {
    if event.attr.kind != TRACEPOINT {
        return None;
    }
    let format = tracing.formats.get(&u16::try_from(event.attr.config).ok()?)?;
    let (name, kind) = tally.name(format.name.as_bytes(), EventKind::of_name)?;
    Some(Plan::new(format, name, kind))
}
