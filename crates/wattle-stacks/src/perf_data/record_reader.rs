//! Records in order of time into the timeline.

use wattle_timeline::{
    CpuId, Severity, StackCopy, StackSample, StackTotal, ThreadId, TimelineBuilder,
};
use wattle_units::BootNanos;

use super::event_use::{EventUse, EventUses};
use super::group_reads::GroupReads;
use super::perf_clock::ToBoot;
use super::scheduler_source::{self, SchedulerSource};
use super::stack_builder::Stacks;
use super::task_names::TaskNames;
use crate::perf_file::{
    MappingRecord, PerfFile, PerfRecord, RawRecord, Sample, SwitchRecord, TaskRecord, hexadecimal,
    record_kind, sampled,
};
use wattle_kernel_traces::kernel::{KernelLog, Tally, decode};
use wattle_kernel_traces::tracepoints;

/// Numbers of threads that had ended when their sample was written.
const GONE: u32 = u32::MAX;

/// The way of a file's events into the timeline.
#[derive(Debug)]
pub(super) struct ReadPlan {
    pub to_boot: ToBoot,
    pub uses: EventUses,
    pub scheduler: SchedulerSource,
    /// No other artifact has the kernel's events.
    pub reads_kernel_events: bool,
}

/// State of reading.
pub(super) struct Reader<'b> {
    builder: &'b mut TimelineBuilder,
    file: &'b PerfFile<'b>,
    plan: &'b ReadPlan,
    tally: Tally,
    stacks: Stacks,
    log: KernelLog,
    groups: GroupReads,
    names: TaskNames,
    /// Samples by event.
    samples: Vec<u64>,
    /// Time of the next sample if its unwinding failed.
    failed_at: Option<u64>,
    /// Beginning of the recording.
    start: BootNanos,
}

impl<'b> Reader<'b> {
    pub fn new(
        builder: &'b mut TimelineBuilder,
        file: &'b PerfFile<'b>,
        plan: &'b ReadPlan,
        tally: Tally,
    ) -> Self {
        let metadata = file.metadata();
        let has_return_addresses = !metadata.meta.is_simpleperf();
        let stacks = Stacks::new(builder, has_return_addresses, metadata.arch.as_deref());
        let log = KernelLog::new(builder);
        Self {
            builder,
            file,
            plan,
            tally,
            stacks,
            log,
            groups: GroupReads::default(),
            names: TaskNames::default(),
            samples: vec![0; metadata.events.list.len()],
            failed_at: None,
            start: BootNanos::new(0),
        }
    }

    /// Goes through all records.
    pub fn read(&mut self) {
        self.start = self.plan.to_boot.time(self.file.first_time());
        for timed in self.file.records() {
            self.record(timed.time, &timed.record);
        }
        self.log.finish(self.builder);
    }

    #[inline]
    fn record(&mut self, time: u64, record: &RawRecord<'_>) {
        self.tally.records += 1;
        let at = if time == 0 { self.start } else { self.plan.to_boot.time(time) };
        let Some(fields) = self.file.fields(record) else {
            self.malformed(record);
            return;
        };
        let name = record_kind::name(record.kind);
        match fields {
            PerfRecord::Sample { event, sample } => self.sample((time, at), record, event, &sample),
            PerfRecord::SampleOfUnknownEvent => {
                self.tally.unread("samples of no event that the file describes");
            }
            PerfRecord::Mapping(mapping) => {
                self.mapping(&mapping);
                self.tally.also_read(name, 1);
            }
            PerfRecord::ThreadName(thread) => {
                // Running another program clears no mapping here: samples on the way out of `execve` still show where it was called,
                // and what the new program maps covers the rest.
                self.names.named(self.builder, at, &thread);
                self.tally.also_read(name, 1);
            }
            PerfRecord::Fork(task) => {
                self.started(at, time == 0, &task);
                self.tally.also_read(name, 1);
            }
            PerfRecord::Exit(task) => {
                self.builder.tasks().thread_exited(at, task.tid);
                self.tally.also_read(name, 1);
            }
            PerfRecord::Lost { count, cpu } => self.lost(count, cpu, record),
            PerfRecord::Switch(switch) if self.uses_switch(&switch) => {
                scheduler_source::apply(&switch, self.builder, at);
                self.tally.also_read(name, 1);
            }
            PerfRecord::UnwindingResult(error) => {
                if error != 0 {
                    self.failed_at = Some(time);
                }
                self.tally.unread(name);
            }
            PerfRecord::Throttled => {
                self.tally.note(Severity::Warning, "perf-throttled", None, || {
                    "the kernel held samples back for a while, because they took too much time"
                        .to_owned()
                });
                self.tally.unread(name);
            }
            PerfRecord::Switch(_) | PerfRecord::Other => self.tally.unread(name),
        }
    }

    #[cold]
    fn malformed(&mut self, record: &RawRecord<'_>) {
        self.tally.unread("records that end before their fields do");
        let name = record_kind::name(record.kind);
        self.tally.note(Severity::Error, "record-malformed", Some(record.at as u64), || {
            format!("records that end before their fields do (first a {name}): not used")
        });
    }

    fn sample(
        &mut self,
        (time, at): (u64, BootNanos),
        record: &RawRecord<'_>,
        index: usize,
        sample: &Sample<'_>,
    ) {
        let metadata = self.file.metadata();
        let (Some(event), Some(event_use)) =
            (metadata.events.get(index), self.plan.uses.get(index))
        else {
            return;
        };
        self.kernel_event(at, record, event_use, sample);
        if event_use.is_kernels_alone {
            return;
        }
        let Some((pid, tid)) = sample.tid.filter(|(_, tid)| *tid != GONE) else {
            self.tally.unread("samples without a thread");
            return;
        };
        let has_failed = self.failed_at.take() == Some(time);
        let place = (&event.attr, record.misc, self.file.order());
        let (site, is_truncated) =
            self.stacks.site(self.builder, &metadata.code_files, place, sample);
        let has_time = event.attr.has(sampled::TIME);
        // Without a time there is no sample that a copied stack could be of.
        let copy = if has_time && sample.stack_size > 0 {
            self.stacks.copy(self.builder, &event.attr, self.file.order(), sample)
        } else {
            None
        };
        let weight = sample.period.or_else(|| event.attr.fixed_period()).unwrap_or(0);
        let pid = Some(pid).filter(|pid| *pid != GONE);
        let mut one = StackSample {
            time: at,
            cpu: sample.cpu.map(CpuId),
            thread: ThreadId(tid),
            site,
            event: event_use.id,
            weight,
            is_truncated: is_truncated || has_failed,
        };
        if sample.readings.is_empty() {
            self.emit((pid, copy), one, index, has_time);
            return;
        }
        // One for each event of the group whose counter rose.
        for reading in &sample.readings {
            let Some(index) = metadata.events.by_id(reading.id) else { continue };
            let (Some(member), Some(id)) =
                (metadata.events.get(index), self.plan.uses.get(index).map(|it| it.id))
            else {
                continue;
            };
            let thread = if member.attr.is_inherited() { tid } else { 0 };
            (one.event, one.weight) = (id, self.groups.rise(*reading, thread));
            if one.weight > 0 {
                self.emit((pid, copy), one, index, has_time);
            }
        }
    }

    fn emit(
        &mut self,
        (pid, copy): (Option<u32>, Option<StackCopy>),
        sample: StackSample,
        event: usize,
        has_time: bool,
    ) {
        if let Some(count) = self.samples.get_mut(event) {
            *count += 1;
        }
        if has_time {
            let mut samples = self.builder.samples();
            samples.sample(pid, sample);
            if let Some(copy) = copy {
                samples.stack_copy(copy);
            }
            return;
        }
        let StackSample { site, weight, event, thread, .. } = sample;
        self.builder.samples().stack_total(pid, StackTotal { site, weight, event, thread });
    }

    /// A tracepoint, if it is one that says something of the device.
    fn kernel_event(
        &mut self,
        at: BootNanos,
        record: &RawRecord<'_>,
        event: &EventUse,
        sample: &Sample<'_>,
    ) {
        let (Some(plan), Some(bytes)) = (&event.plan, sample.raw) else { return };
        let has_other_scheduler = self.plan.scheduler != SchedulerSource::Tracepoints;
        if !self.plan.reads_kernel_events || event.is_switch() && has_other_scheduler {
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
        let constants = &self.plan.uses.constants;
        let fields = tracepoints::Record { bytes, plan, order: self.file.order(), constants };
        self.builder.cpus().seen(cpu, at);
        let tid = sample.tid.map_or(0, |(_, tid)| tid);
        if tid != 0 && tid != GONE {
            self.builder.tasks().thread_seen(at, tid);
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

    fn mapping(&mut self, mapping: &MappingRecord<'_>) {
        self.stacks.map(self.builder, &self.file.metadata().code_files, mapping);
        if let Some(id) = mapping.build_id {
            let file = Stacks::file_name(self.builder, mapping.path);
            let id = self.builder.names.intern(&hexadecimal(id));
            self.builder.samples().build_id(file, id);
        }
    }

    fn started(&mut self, at: BootNanos, was_there: bool, task: &TaskRecord) {
        if task.is_process() && !was_there {
            self.stacks.fork(task.parent_pid, task.pid);
        }
        self.names.started(self.builder, (at, was_there), task);
    }

    fn lost(&mut self, count: u64, cpu: Option<u32>, record: &RawRecord<'_>) {
        if count == 0 {
            return;
        }
        self.tally.lose(count);
        self.tally.note(Severity::Warning, "perf-lost", Some(record.at as u64), || {
            "the kernel's buffer overflowed: samples or other records were lost in some places"
                .to_owned()
        });
        if let Some(cpu) = cpu {
            self.builder.cpus().lost_events(cpu);
        }
    }

    fn uses_switch(&self, switch: &SwitchRecord) -> bool {
        let is_source = match self.plan.scheduler {
            SchedulerSource::CpuSwitches => switch.is_cpu_wide,
            SchedulerSource::TaskSwitches => !switch.is_cpu_wide,
            _ => false,
        };
        is_source && self.plan.reads_kernel_events && switch.tid != GONE
    }

    /// Samples by event, and what was counted and noted.
    pub fn finish(mut self) -> Tally {
        for (index, count) in self.samples.iter().enumerate() {
            self.tally.also_read(&self.file.metadata().event_name(index), *count);
        }
        if self.stacks.unmapped > 0 {
            let count = self.stacks.unmapped;
            self.tally.note(Severity::Info, "unmapped-frames", None, || {
                format!(
                    "{count} addresses of stacks lie in nothing that the recording says was mapped"
                )
            });
        }
        if self.groups.falls > 0 {
            let count = self.groups.falls;
            self.tally.note(Severity::Error, "counter-falls", None, || {
                format!("{count} readings of counters are below those before them: they are damaged, and so may weights of samples be")
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
