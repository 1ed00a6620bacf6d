//! Events in order of time into the timeline.

use rustc_hash::{FxHashMap, FxHashSet};
use wattle_timeline::{
    ArtifactQuality, CounterKey, IdleState, InterruptKind, NameId, NameRank, Note,
    ProcessFacts as Facts, RawScope, Severity, TaskState, TimelineBuilder,
};
use wattle_units::BootNanos;

use super::clr_event::ClrEvent;
use super::counts::Counts;
use super::disks::{Asked, Disks};
use super::event_clock::EventClock;
use super::event_record::{EventKind, EventRecord};
use super::image_builds::ImageBuilds;
use super::interrupts::Interrupts;
use super::kernel_event::{KernelEvent, Life};
use super::kernel_process::ProcessEvent;
use super::loaded_images::Images;
use super::log_header::LogHeader;
use super::log_span::LogSpan;
use super::managed_code::ManagedCode;
use super::merge::Sink;
use super::names::KERNEL_PROCESS;
use super::payload::Payload;
use super::schema::{ModernEvents, image_fact};
use super::stack_log::{NO_STACK, RawSample, SampleKind, StackLog, StackOf};
use super::stacks::Stacks;
use super::tasks::{ImageFacts, ProcessFacts, ThreadFacts};
use super::timer_event::TimerEvent;
use super::timers::Timers;
use wattle_import::Notes;

/// Units of 100 ns that a sample stands for may be from 1 to 1000 times the least that Windows allows (0.1221 ms).
const LONGEST_INTERVAL: u32 = 10_000_000;

/// CPUs of which is known who runs.
const MAX_CPUS: usize = wattle_timeline::MAX_CPUS as usize;

/// `THREAD_STATE`: waiting, and ended; all others want to run.
const WAITING: u8 = 5;
const TERMINATED: u8 = 4;

/// State of reading.
pub(super) struct Reader<'b> {
    builder: &'b mut TimelineBuilder,
    clock: EventClock,
    counts: Counts,
    notes: Notes,
    modern: ModernEvents,
    progress: &'b mut dyn FnMut(u64),
    images: Images,
    builds: ImageBuilds,
    managed: ManagedCode,
    stacks: StackLog,
    disks: Disks,
    interrupts: Interrupts,
    timers: Timers,
    /// Whose each thread is.
    pid_of: FxHashMap<u32, u32>,
    /// Processes whose image's name is known.
    named: FxHashSet<u32>,
    /// Nanoseconds between samples; 0 while not known.
    interval: u64,
    faults: Option<(CounterKey, u64)>,
    span: LogSpan,
    /// Thread and process that the last event named.
    last_seen: (u32, u32),
}

impl<'b> Reader<'b> {
    pub fn new(
        builder: &'b mut TimelineBuilder,
        log: &LogHeader,
        clock: EventClock,
        progress: &'b mut dyn FnMut(u64),
    ) -> Self {
        builder.tasks().processes_are_apart();
        Self {
            builder,
            clock,
            counts: Counts::default(),
            notes: Notes::default(),
            modern: ModernEvents::default(),
            progress,
            images: Images::new(log.pointer_size),
            builds: ImageBuilds::default(),
            managed: ManagedCode::default(),
            stacks: StackLog::default(),
            disks: Disks::default(),
            interrupts: Interrupts::default(),
            timers: Timers::default(),
            pid_of: FxHashMap::default(),
            named: FxHashSet::default(),
            interval: 0,
            faults: None,
            span: LogSpan::new(log),
            last_seen: (0, 0),
        }
    }

    /// An event of the kernel; whether it was used. `None` if it is not whole.
    #[inline]
    fn kernel(
        &mut self,
        event: KernelEvent,
        at: BootNanos,
        record: &EventRecord<'_>,
    ) -> Option<bool> {
        let field = Payload::new(record.payload, record.pointer_size);
        match event {
            KernelEvent::Switch => self.switch(at, record, field)?,
            KernelEvent::Ready => self.ready(at, record, field)?,
            KernelEvent::Sample => self.sample(record, field)?,
            KernelEvent::Stack => return self.stack(record, field),
            KernelEvent::StackKey => {
                let of = stack_of(record, field)?;
                return Some(self.stacks.key(of, field.pointer(16)?, record.opcode == 37));
            }
            KernelEvent::StackOfKey => {
                let addresses = addresses(field, field.after(0, 1));
                self.stacks.of_key(field.pointer(0)?, addresses);
            }
            KernelEvent::SampleInterval => self.sample_interval(record, field)?,
            KernelEvent::Deferred => self.interrupts.run(record, InterruptKind::Soft)?,
            KernelEvent::Interrupt => self.interrupts.run(record, InterruptKind::Hard)?,
            KernelEvent::Process(life) => {
                let facts = ProcessFacts::read(record)?;
                self.process(at, &facts, life == Life::Start);
            }
            KernelEvent::ProcessEnd => {
                let facts = ProcessFacts::read(record)?;
                self.process_end(at, record.time, &facts);
            }
            KernelEvent::Thread(life) => {
                self.thread(at, &ThreadFacts::read(record)?, life == Life::Start);
            }
            KernelEvent::ThreadEnd => self.thread_end(at, &ThreadFacts::read(record)?),
            KernelEvent::ThreadName => self.thread(at, &ThreadFacts::read_name(record)?, false),
            KernelEvent::Image(life) => {
                let facts = ImageFacts::read(record)?;
                self.image(&facts, (life == Life::Start).then_some(record.time), record.time);
            }
            KernelEvent::ImageUnload => self.image_unload(&ImageFacts::read(record)?, record.time),
            KernelEvent::DiskBegin => {
                let asked = self.on_cpu(record);
                self.disks.begin(record, asked)?;
            }
            KernelEvent::DiskEnd => {
                let header = Asked { tid: record.tid, pid: record.pid };
                self.disks.end(record, header, self.clock)?;
            }
            KernelEvent::DiskFlushed => {
                let header = Asked { tid: record.tid, pid: record.pid };
                self.disks.flushed(record, header, self.clock)?;
            }
            KernelEvent::FileName | KernelEvent::FileDelete => {
                let (object, (name, _)) = (field.pointer(0)?, field.utf16(field.after(0, 1))?);
                let name = self.builder.names.intern(&name);
                let from = if record.opcode == 32 { record.time } else { i64::MIN };
                self.disks.name(object, name, from);
            }
            KernelEvent::HardFault => self.hard_fault(at),
            KernelEvent::IdleEnter => {
                let state = IdleState::from_event(field.u32(0)?.min(126));
                self.builder.cpus().idle(record.cpu, at, state);
            }
            KernelEvent::IdleExit => self.builder.cpus().idle(record.cpu, at, IdleState::ACTIVE),
        }
        Some(true)
    }

    #[inline]
    fn switch(
        &mut self,
        at: BootNanos,
        record: &EventRecord<'_>,
        field: Payload<'_>,
    ) -> Option<()> {
        let (next, prev, state) = (field.u32(0)?, field.u32(4)?, field.u8(14)?);
        let state = match state {
            WAITING => TaskState(1),
            TERMINATED => TaskState(0x10),
            _ => TaskState(0),
        };
        if !self.builder.cpus().switch(record.cpu, at, prev, state, next) {
            self.notes.add(Severity::Warning, "switch-mismatch", Some(record.offset), || {
                "a thread left a CPU that another one had come to: events were lost between"
                    .to_owned()
            });
        }
        self.stacks.event(record.time, next, record.cpu, SampleKind::Switch);
        Some(())
    }

    fn ready(&mut self, at: BootNanos, record: &EventRecord<'_>, field: Payload<'_>) -> Option<()> {
        let tid = field.u32(0)?;
        self.builder.cpus().wakeup(record.cpu, at, tid, record.cpu);
        if let Some(by) = self.on_cpu(record).tid {
            self.stacks.event(record.time, by, record.cpu, SampleKind::Ready);
        }
        Some(())
    }

    #[inline]
    fn sample(&mut self, record: &EventRecord<'_>, field: Payload<'_>) -> Option<()> {
        let address = field.pointer(0)?;
        let tid = field.u32(field.after(0, 1))?;
        let (cpu, time, weight) = (record.cpu, record.time, self.interval);
        let (kernel, user) = (NO_STACK, NO_STACK);
        let pid = self.pid_of.get(&tid).copied().filter(|_| tid != 0);
        let kind = SampleKind::Profile;
        self.stacks.sample(RawSample { time, cpu, tid, pid, kind, weight, address, kernel, user });
        Some(())
    }

    fn stack(&mut self, record: &EventRecord<'_>, field: Payload<'_>) -> Option<bool> {
        let of = stack_of(record, field)?;
        Some(self.stacks.stack(of, addresses(field, 16), &self.images))
    }

    /// `PerfInfo/SetInterval`, `CollStart`, `CollEnd`: the source (0 is the timer), its interval, and the one before.
    fn sample_interval(&mut self, record: &EventRecord<'_>, field: Payload<'_>) -> Option<()> {
        let (source, new, old) = (field.u32(0)?, field.u32(4)?, field.u32(8)?);
        let nanos = |units: u32| u64::from(units) * 100;
        let is_sound = |units: u32| (1..=LONGEST_INTERVAL).contains(&units);
        if source != 0 || !is_sound(new) {
            return Some(());
        }
        // What came before it was known.
        let before = if record.opcode == 72 && is_sound(old) { old } else { new };
        for sample in self.stacks.samples.iter_mut().rev().take_while(|it| it.weight == 0) {
            sample.weight = nanos(before);
        }
        self.interval = nanos(new);
        Some(())
    }

    fn process(&mut self, at: BootNanos, facts: &ProcessFacts, began: bool) {
        if began {
            self.builder.tasks().process_started(at, facts.pid);
        }
        let name = self.builder.names.intern(&facts.image);
        self.named.insert(facts.pid);
        self.builder.tasks().process(
            at,
            facts.pid,
            Facts {
                parent: (facts.parent != facts.pid).then_some(facts.parent),
                name: Some(name),
                start: began.then(|| at.value()),
                ..Facts::default()
            },
        );
    }

    fn process_end(&mut self, at: BootNanos, time: i64, facts: &ProcessFacts) {
        if !self.named.contains(&facts.pid) && !facts.image.is_empty() {
            self.process(at, facts, false);
        }
        self.named.remove(&facts.pid);
        self.builder.tasks().process_ended(at, facts.pid);
        self.images.ended(facts.pid, time);
        self.managed.ended(facts.pid, time);
    }

    fn thread(&mut self, at: BootNanos, facts: &ThreadFacts, began: bool) {
        let ThreadFacts { pid, tid, name } = facts;
        if *tid != 0 {
            self.pid_of.insert(*tid, *pid);
            self.last_seen = (0, 0);
            if began {
                self.builder.tasks().thread_started(at, *tid, *pid);
            } else {
                self.builder.tasks().thread_polled(at, *tid, *pid);
            }
            if let Some(name) = name {
                let name: NameId = self.builder.names.intern(name);
                self.builder.tasks().thread_name(at, *tid, name, NameRank::Program);
            }
        }
    }

    fn thread_end(&mut self, at: BootNanos, facts: &ThreadFacts) {
        if facts.tid != 0 {
            self.builder.tasks().thread_of(at, facts.tid, facts.pid);
            self.builder.tasks().thread_exited(at, facts.tid);
        }
    }

    fn image(&mut self, facts: &ImageFacts, since: Option<i64>, now: i64) {
        let file = self.builder.names.intern(&facts.file);
        ImageBuilds::image(file, facts.stamp, facts.size, self.builder);
        self.images.there(facts, file, since, now);
    }

    fn image_unload(&mut self, facts: &ImageFacts, now: i64) {
        let file = self.builder.names.intern(&facts.file);
        self.images.gone(facts, file, now);
    }

    fn hard_fault(&mut self, at: BootNanos) {
        let (key, before) = self.faults.unwrap_or_else(|| {
            let name = self.builder.names.intern("Hard faults");
            (self.builder.system().counter_track(RawScope::Global, name), 0)
        });
        let count = before + 1;
        self.faults = Some((key, count));
        self.builder.system().counter(key, at, count as f64);
    }

    /// Who is on the event's CPU: by its header, else by the switches so far.
    fn on_cpu(&self, record: &EventRecord<'_>) -> Asked {
        if record.tid.is_some() {
            return Asked { tid: record.tid, pid: record.pid };
        }
        let tid = self.builder.current(record.cpu);
        Asked { tid, pid: tid.and_then(|tid| self.pid_of.get(&tid).copied()) }
    }

    fn process_event(&mut self, at: BootNanos, record: &EventRecord<'_>) -> Option<bool> {
        match ProcessEvent::read(record)? {
            ProcessEvent::Process { facts, began } => self.process(at, &facts, began),
            ProcessEvent::ProcessEnd { pid, image } => {
                self.process_end(at, record.time, &ProcessFacts { pid, parent: pid, image });
            }
            // The header's thread is the new one, or the one that made it: both are mentioned.
            ProcessEvent::Thread(facts) => self.thread(at, &facts, true),
            ProcessEvent::ThreadEnd(facts) => self.thread_end(at, &facts),
            ProcessEvent::Image(facts) => self.image(&facts, Some(record.time), record.time),
            ProcessEvent::ImageUnload(facts) => self.image_unload(&facts, record.time),
        }
        Some(true)
    }

    /// A period of the clock.
    fn timer(&mut self, at: BootNanos, record: &EventRecord<'_>) -> Option<bool> {
        let begun = self.clock.time(self.span.begun).min(at);
        self.timers.event(TimerEvent::read(record)?, (begun, at), self.builder);
        Some(true)
    }

    /// A method or module of .NET.
    fn managed_code(&mut self, record: &EventRecord<'_>) -> Option<bool> {
        self.managed.event(&ClrEvent::read(record)?, record.time);
        Some(true)
    }

    #[cold]
    fn malformed(&mut self, record: &EventRecord<'_>) {
        self.notes.add(Severity::Error, "event-fields", Some(record.offset), || {
            "events whose fields are not whole, or not what they should be: not used".to_owned()
        });
    }

    /// Tells what is known at the end only.
    pub fn finish(mut self, quality: &mut ArtifactQuality) {
        quality.notes.extend(self.span.doubts(self.clock));
        let (clock, builder) = (self.clock, self.builder);
        self.images.sort();
        self.builds.finish(&self.images, builder);
        self.stacks.close();
        let mut stacks = Stacks::new(&self.images, &self.managed);
        stacks.tell(&self.stacks, clock, &self.pid_of, builder);
        let unmapped = stacks.unmapped;
        let refused = self.images.refused
            + self.managed.refused
            + self.disks.refused
            + self.interrupts.refused;
        self.interrupts.finish(&self.images, clock, builder);
        self.disks.finish(clock, self.span.last, builder);
        self.counts.tell(quality);
        self.modern.finish(builder, quality);
        quality.notes.extend(self.notes.into_notes());
        let mut note = |severity, code: &str, count: u64, text: &str| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        note(
            Severity::Info,
            "unmapped-frames",
            unmapped,
            "addresses of stacks lie in no image and no method that the log says was loaded",
        );
        note(
            Severity::Info,
            "stacks-of-others",
            self.stacks.alone,
            "stacks belong to other events than samples and switches: not used",
        );
        note(
            Severity::Warning,
            "stack-keys",
            self.stacks.unresolved,
            "stacks are named by keys that the log does not explain",
        );
        note(
            Severity::Warning,
            "kept-limit",
            refused,
            "more was told than is kept: the rest is missing",
        );
        if builder.refused_cpus() > 0 {
            let text = "events name CPUs with numbers past any that exist: not used";
            note(Severity::Warning, "impossible-cpu", builder.refused_cpus(), text);
        }
    }
}

/// `StackWalk_Event`: time, process and thread of the event that a stack is of.
fn stack_of(record: &EventRecord<'_>, field: Payload<'_>) -> Option<StackOf> {
    let (time, pid, tid) = (field.i64(0)?, field.u32(8)?, field.u32(12)?);
    Some(StackOf { time, pid, tid, cpu: record.cpu })
}

/// The addresses from a place in the payload on.
fn addresses(field: Payload<'_>, from: usize) -> impl Iterator<Item = u64> {
    (from..).step_by(field.pointer_size).map_while(move |at| field.pointer(at))
}

impl Sink for Reader<'_> {
    #[inline]
    fn event(&mut self, record: &EventRecord<'_>) {
        let at = self.clock.time(record.time);
        self.span.reach(record.time);
        if (record.cpu as usize) < MAX_CPUS {
            self.builder.cpus().seen(record.cpu, at);
        }
        if let (Some(tid), Some(pid)) = (record.tid, record.pid)
            && tid != 0
        {
            self.builder.tasks().thread_of(at, tid, pid);
            // Events of one thread come in rows.
            if self.last_seen != (tid, pid) {
                self.last_seen = (tid, pid);
                self.pid_of.insert(tid, pid);
            }
        }
        let used = match KernelEvent::from_record(record) {
            Some(event) => self.kernel(event, at, record),
            None if record.kind == EventKind::Modern => {
                let is_used = self.modern.event(record, at);
                if record.provider == KERNEL_PROCESS && ProcessEvent::is_one(record) {
                    self.process_event(at, record)
                } else if TimerEvent::is_one(record) {
                    self.timer(at, record)
                } else if ClrEvent::is_one(record) {
                    self.managed_code(record)
                } else {
                    Some(is_used)
                }
            }
            None if ClrEvent::is_one(record) => self.managed_code(record),
            None if record.kind == EventKind::Classic => Some(match image_fact(record) {
                Some(fact) => self.builds.fact(&fact, record.time),
                None => self.modern.event(record, at),
            }),
            None => Some(false),
        };
        if used.is_none() {
            self.malformed(record);
        }
        self.counts.count(record, used == Some(true));
    }

    fn lost(&mut self, cpu: u32) {
        self.builder.cpus().lost_events(cpu);
    }

    fn progress(&mut self, done: u64) {
        (self.progress)(done);
    }
}
