//! Records in order of time into the timeline.

use std::collections::BTreeMap;

use wattle_timeline::{
    CpuId, EventId, SampleEvent, SampleUnit, Severity, StackSample, StackTotal, ThreadId,
    TimelineBuilder,
};
use wattle_units::BootNanos;

use super::attr::sampled;
use super::clock::ToBoot;
use super::event::Event;
use super::group_read::GroupReads;
use super::index::Index;
use super::kind;
use super::mapping::MappingRecord;
use super::record::Record;
use super::sample::Sample;
use super::scheduler::{SchedulerSource, Switch};
use super::stack::Stacks;
use super::tasks::{Comm, Comms, Life};
use super::told::Told;
use crate::kernel::{KernelLog, Tally, decode};
use crate::trace_dat::{self, Order};

/// Numbers of threads that had ended when their sample was written.
const GONE: u32 = u32::MAX;

/// What reading needs.
pub(super) struct Reader<'b> {
    pub builder: &'b mut TimelineBuilder,
    pub told: &'b Told,
    pub tally: Tally,
    pub to_boot: ToBoot,
    pub stacks: Stacks,
    pub scheduler: SchedulerSource,
    /// Nothing else has told of the kernel's events.
    pub reads_kernel_events: bool,
    pub log: KernelLog,
    constants: BTreeMap<u64, Vec<u8>>,
    groups: GroupReads,
    comms: Comms,
    /// Samples by event.
    samples: Vec<u64>,
    /// When the next sample is whose unwinding failed.
    failed_at: Option<u64>,
    /// When recording began.
    start: BootNanos,
    order: Order,
}

impl<'b> Reader<'b> {
    pub fn new(
        builder: &'b mut TimelineBuilder,
        told: &'b Told,
        tally: Tally,
        to_boot: ToBoot,
        (scheduler, reads_kernel_events): (SchedulerSource, bool),
    ) -> Self {
        let has_return_addresses = !told.meta.is_simpleperf();
        let stacks = Stacks::new(builder, has_return_addresses, told.arch.as_deref());
        let log = KernelLog::with_woken(builder);
        let constants = told.tracing.as_ref().map(|it| it.constants.clone()).unwrap_or_default();
        Self {
            builder,
            told,
            tally,
            to_boot,
            stacks,
            scheduler,
            reads_kernel_events,
            log,
            constants,
            groups: GroupReads::default(),
            comms: Comms::default(),
            samples: vec![0; told.events.list.len()],
            failed_at: None,
            start: BootNanos::new(0),
            order: told.order,
        }
    }

    /// Goes through all records.
    pub fn read(&mut self, index: &Index, file: &[u8], progress: &mut dyn FnMut(u64)) {
        self.start = self.to_boot.time(index.first_time());
        for (done, (time, record)) in index.records(file).enumerate() {
            if done % (1 << 16) == 0 {
                progress(record.at as u64);
            }
            self.record(time, &record);
        }
        self.log.finish(self.builder);
    }

    #[inline]
    fn record(&mut self, time: u64, record: &Record<'_>) {
        self.tally.records += 1;
        let at = if time == 0 { self.start } else { self.to_boot.time(time) };
        let done = match record.kind {
            kind::SAMPLE => self.sample(time, at, record),
            kind::MMAP | kind::MMAP2 => self.mapping(record),
            kind::COMM => self.comm(at, record),
            kind::FORK | kind::EXIT => self.life(at, time == 0, record),
            kind::LOST | kind::LOST_SAMPLES => self.lost(record),
            kind::SWITCH | kind::SWITCH_CPU_WIDE => {
                self.switch(at, record);
                Some(())
            }
            kind::UNWINDING_RESULT => self.unwinding_result(time, record),
            kind::THROTTLE => {
                self.tally.note(Severity::Warning, "perf-throttled", None, || {
                    "the kernel held samples back for a while, because they took too much time"
                        .to_owned()
                });
                self.tally.unread(kind::name(record.kind));
                Some(())
            }
            kind => {
                self.tally.unread(kind::name(kind));
                Some(())
            }
        };
        if done.is_none() {
            self.malformed(record);
        }
    }

    #[cold]
    fn malformed(&mut self, record: &Record<'_>) {
        self.tally.unread("records that end before their fields do");
        let name = kind::name(record.kind);
        self.tally.note(Severity::Error, "record-malformed", Some(record.at as u64), || {
            format!("records that end before their fields do (first a {name}): not used")
        });
    }

    fn sample(&mut self, time: u64, at: BootNanos, record: &Record<'_>) -> Option<()> {
        let Some(index) = self.told.events.of(record, self.order) else {
            self.tally.unread("samples of no event that the file describes");
            return Some(());
        };
        if self.told.events.is_foreign(record, self.order) {
            self.tally.unread("samples of no event that the file describes");
            return Some(());
        }
        let told = self.told;
        let event = told.events.get(index)?;
        let sample = Sample::parse(record.body, &event.attr, self.order)?;
        self.kernel_event(at, record, event, &sample);
        if event.is_kernels_alone {
            return Some(());
        }
        let Some((pid, tid)) = sample.tid.filter(|(_, tid)| *tid != GONE) else {
            self.tally.unread("samples without a thread");
            return Some(());
        };
        let has_failed = self.failed_at.take() == Some(time);
        let place = (event, record.misc, self.order);
        let (site, is_truncated) = self.stacks.site(self.builder, &told.dsos, place, &sample);
        let weight = sample.period.or_else(|| event.attr.fixed_period()).unwrap_or(0);
        let pid = Some(pid).filter(|pid| *pid != GONE);
        let mut one = StackSample {
            time: at,
            cpu: sample.cpu.map(CpuId),
            thread: ThreadId(tid),
            site,
            event: event.id,
            weight,
            is_truncated: is_truncated || has_failed,
        };
        let has_time = event.attr.has(sampled::TIME);
        if sample.readings.is_empty() {
            self.tell(pid, one, index, has_time);
            return Some(());
        }
        // One for each event of the group whose counter rose.
        for reading in &sample.readings {
            let Some(index) = told.events.by_id(reading.id) else { continue };
            let Some(member) = told.events.get(index) else { continue };
            let thread = if member.attr.is_inherited() { tid } else { 0 };
            (one.event, one.weight) = (member.id, self.groups.rise(*reading, thread));
            if one.weight > 0 {
                self.tell(pid, one, index, has_time);
            }
        }
        Some(())
    }

    fn tell(&mut self, pid: Option<u32>, sample: StackSample, event: usize, has_time: bool) {
        if let Some(count) = self.samples.get_mut(event) {
            *count += 1;
        }
        if has_time {
            self.builder.sample(pid, sample);
            return;
        }
        let StackSample { site, weight, event, thread, .. } = sample;
        self.builder.stack_total(pid, StackTotal { site, weight, event, thread });
    }

    /// A tracepoint, if it is one that says something of the device.
    fn kernel_event(
        &mut self,
        at: BootNanos,
        record: &Record<'_>,
        event: &Event,
        sample: &Sample<'_>,
    ) {
        let (Some(plan), Some(bytes)) = (&event.plan, sample.raw) else { return };
        let is_switch = plan.kind == Some(crate::kernel::EventKind::SchedSwitch);
        if !self.reads_kernel_events || is_switch && self.scheduler != SchedulerSource::Tracepoints
        {
            self.tally.event_unread(plan.name);
            return;
        }
        let Some(kind) = plan.kind else {
            if event.is_kernels_alone {
                self.tally.event_unread(plan.name);
            }
            return;
        };
        let Some(cpu) = sample.cpu else {
            self.tally.unread("events of the kernel without their CPU");
            return;
        };
        let fields =
            trace_dat::Record { bytes, plan, order: self.order, constants: &self.constants };
        self.builder.cpu_seen(cpu, at);
        let tid = sample.tid.map_or(0, |(_, tid)| tid);
        if tid != 0 && tid != GONE {
            self.builder.thread_seen(at, tid);
        }
        let offset = record.at as u64;
        match decode(kind, &fields) {
            Some(decoded) => {
                let applied = self.log.apply(self.builder, cpu, at, tid, decoded);
                self.tally.applied(plan.name, applied, offset);
            }
            None => self.tally.event_malformed(plan.name, offset),
        }
    }

    fn mapping(&mut self, record: &Record<'_>) -> Option<()> {
        let mapping = MappingRecord::parse(record, self.order)?;
        self.stacks.map(self.builder, &self.told.dsos, &mapping, record.misc);
        if let Some(id) = mapping.build_id {
            let file = Stacks::file_name(self.builder, mapping.path);
            let id = self.builder.names.intern(&super::feature::hexadecimal(id));
            self.builder.build_id(file, id);
        }
        self.tally.also_read(kind::name(record.kind), 1);
        Some(())
    }

    fn comm(&mut self, at: BootNanos, record: &Record<'_>) -> Option<()> {
        let comm = Comm::parse(record, self.order)?;
        if comm.is_exec {
            self.stacks.exec(comm.pid);
        }
        self.comms.named(self.builder, at, &comm);
        self.tally.also_read(kind::name(record.kind), 1);
        Some(())
    }

    fn life(&mut self, at: BootNanos, was_there: bool, record: &Record<'_>) -> Option<()> {
        let life = Life::parse(record, self.order)?;
        if record.kind == kind::EXIT {
            self.builder.thread_exited(at, life.tid);
        } else {
            if life.is_process() && !was_there {
                self.stacks.fork(life.parent_pid, life.pid);
            }
            self.comms.started(self.builder, (at, was_there), &life);
        }
        self.tally.also_read(kind::name(record.kind), 1);
        Some(())
    }

    fn lost(&mut self, record: &Record<'_>) -> Option<()> {
        let mut cursor = record.cursor(self.order);
        if record.kind == kind::LOST {
            cursor.u64()?;
        }
        let count = cursor.u64()?;
        if count == 0 {
            return Some(());
        }
        self.tally.lose(count);
        self.tally.note(Severity::Warning, "perf-lost", Some(record.at as u64), || {
            "the kernel's buffer overflowed: samples or other records were lost in some places"
                .to_owned()
        });
        let event = self.told.events.of(record, self.order).and_then(|it| self.told.events.get(it));
        if let Some(cpu) = event.and_then(|event| event.layout.trailer(record, self.order).cpu) {
            self.builder.cpu_lost_events(cpu);
        }
        Some(())
    }

    fn switch(&mut self, at: BootNanos, record: &Record<'_>) {
        let wanted = match self.scheduler {
            SchedulerSource::CpuSwitches => record.kind == kind::SWITCH_CPU_WIDE,
            SchedulerSource::TaskSwitches => record.kind == kind::SWITCH,
            _ => false,
        };
        let switch = Switch::parse(record, self.told, self.order);
        match switch.filter(|switch| wanted && self.reads_kernel_events && switch.tid != GONE) {
            Some(switch) => {
                switch.tell(self.builder, at);
                self.tally.also_read(kind::name(record.kind), 1);
            }
            None => self.tally.unread(kind::name(record.kind)),
        }
    }

    /// simpleperf's word on the unwinding of the next sample: times, then what went wrong, 0 if nothing.
    fn unwinding_result(&mut self, time: u64, record: &Record<'_>) -> Option<()> {
        let error = self.order.long(record.body, 16)?;
        if error != 0 {
            self.failed_at = Some(time);
        }
        self.tally.unread(kind::name(record.kind));
        Some(())
    }

    /// Samples by event, and what was counted and noted.
    pub fn finish(mut self) -> Tally {
        for (index, count) in self.samples.iter().enumerate() {
            self.tally.also_read(&self.told.event_name(index), *count);
        }
        if self.stacks.unmapped > 0 {
            let count = self.stacks.unmapped;
            self.tally.note(Severity::Info, "unmapped-frames", None, || {
                format!(
                    "{count} addresses of stacks lie in nothing that the recording says was mapped"
                )
            });
        }
        if self.builder.refused_cpus() > 0 {
            self.tally.note(Severity::Warning, "impossible-cpu", None, || {
                "records name CPUs with numbers past any that exist: not used".to_owned()
            });
        }
        self.tally
    }
}

/// What an event is among the timeline's.
pub(super) fn timeline_event(builder: &mut TimelineBuilder, name: &str) -> EventId {
    let id = builder.names.intern(name);
    builder.sample_event(SampleEvent { name: id, unit: SampleUnit::of_event(name) })
}
