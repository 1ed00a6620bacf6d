//! The lines of the text, one after the other.
//!
//! A stack is taken for cut off where its outermost frame is of nothing that is known and no thread begins with any of its frames
//! (unwinding by frame pointers went astray), where it has as many frames as the kernel writes at most, and where the text ends in it.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    ArtifactQuality, CallSite, EventId, Frame, NameId, NameRank, Severity, TaskState,
    TimelineBuilder, Window,
};
use wattle_units::BootNanos;

use super::event_words::is_event;
use super::frame_line;
use super::known_frames::{Frames, Known};
use super::sample_columns::{self, Columns};
use super::script_record::{self, Record};
use crate::samples::{DEEPEST, Sample, SampleClock, SampleSink};
use wattle_kernel_traces::kernel::{Applied, KernelLog, Tally};
use wattle_kernel_traces::{text_event, text_kind};

/// Frames of one stack that are kept; unwinding by stack dumps ends long before.
const MAX_DEPTH: usize = 4096;

/// A sample whose frames are being read.
#[derive(Debug, Default)]
struct Open {
    comm: Vec<u8>,
    pid: Option<u32>,
    tid: Option<u32>,
    cpu: Option<u32>,
    time: Option<i64>,
    weight: Option<u64>,
    event: EventId,
    /// Its frames stand in lines of their own.
    in_chain: bool,
}

/// Reads the lines of one text.
pub(super) struct ScriptReader<'b> {
    builder: &'b mut TimelineBuilder,
    clock: SampleClock,
    log: KernelLog,
    pub tally: Tally,
    sink: SampleSink,
    frames: Frames,
    events: FxHashMap<Box<[u8]>, EventId>,
    open: Option<Open>,
    /// A line that is the first of a sample if a frame follows (`-F comm,ip,sym`).
    bare: Option<Open>,
    /// Frames of the open sample, innermost first.
    stack: Vec<(Known, Option<Frame>)>,
    /// CPU and time at which each thread came to a CPU, by records about one thread.
    on_cpu: FxHashMap<u32, (Option<u32>, i64)>,
    is_after_blank: bool,
    has_chains: bool,
}

impl<'b> ScriptReader<'b> {
    pub fn new(builder: &'b mut TimelineBuilder, clock: SampleClock) -> Self {
        Self {
            log: KernelLog::new(builder),
            builder,
            clock,
            tally: Tally::default(),
            sink: SampleSink::default(),
            frames: Frames::default(),
            events: FxHashMap::default(),
            open: None,
            bare: None,
            stack: Vec::new(),
            on_cpu: FxHashMap::default(),
            is_after_blank: true,
            has_chains: false,
        }
    }

    /// Reads the line that begins at the offset.
    #[inline]
    pub fn line(&mut self, offset: u64, line: &[u8]) {
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        let was_blank = std::mem::replace(&mut self.is_after_blank, is_blank);
        if is_blank {
            self.bare = None;
            self.close(false);
            return;
        }
        if line.first() == Some(&b'#') {
            return;
        }
        // Frames are set off by a tab; by blanks where something replaced it.
        let is_set_off = line.first() == Some(&b'\t');
        if is_set_off && self.frame(line) {
            return;
        }
        if let Some(columns) = sample_columns::timed(line) {
            self.sample(offset, &columns);
            return;
        }
        let is_indented = line.first() == Some(&b' ');
        // A name may look like an address, but an event follows it.
        let timeless = sample_columns::timeless(line).filter(|_| !is_set_off);
        if let Some(columns) = &timeless
            && is_event(columns.event)
            && (columns.period.is_some() || columns.tid.is_some())
        {
            self.sample(offset, columns);
            return;
        }
        if is_indented && !is_set_off && (self.frame(line) || self.source_line(line)) {
            return;
        }
        if let Some(columns) = timeless {
            self.sample(offset, &columns);
        } else if was_blank && !is_indented && !is_set_off {
            let columns = sample_columns::bare(line);
            let (comm, pid, tid, cpu) =
                (columns.comm.to_vec(), columns.pid, columns.tid, columns.cpu);
            self.bare = Some(Open { comm, pid, tid, cpu, ..Open::default() });
        } else {
            self.tally.unread("lines that are no sample and no frame");
            self.tally.note(Severity::Info, "lines-unread", Some(offset), || {
                "lines that are neither a sample nor one of its frames: not used".to_owned()
            });
        }
    }

    /// Takes a frame in; whether the line is one.
    #[inline]
    fn frame(&mut self, line: &[u8]) -> bool {
        let Some(known) = self.frames.line(line, true, self.builder) else { return false };
        if self.open.is_none() {
            // A stack may come without a first line (`-F ip,sym`).
            let event = SampleSink::event(b"", self.builder);
            let bare = self.bare.take().unwrap_or_default();
            self.tally.records += 1;
            self.open = Some(Open { event, ..bare });
        }
        if let Some(open) = &mut self.open {
            open.in_chain = true;
        }
        self.has_chains = true;
        if self.stack.len() < MAX_DEPTH {
            self.stack.push((known, None));
        }
        true
    }

    /// Takes in where in the source the last frame is; whether the line says that.
    fn source_line(&mut self, line: &[u8]) -> bool {
        let Some((known, place)) = self.stack.last_mut() else { return false };
        if let Some((file, line)) = frame_line::source_line(line) {
            let file = Some(self.builder.names.intern_bytes(file));
            *place = Some(Frame { file, line: (line > 0).then_some(line), ..known.frame });
        }
        true
    }

    fn sample(&mut self, offset: u64, columns: &Columns<'_>) {
        self.close(false);
        self.tally.records += 1;
        if let Some((name, record)) = script_record::parse(columns.rest) {
            self.record(offset, columns, name, record);
            return;
        }
        let time = columns.time.and_then(|time| self.clock.to_boot(time));
        let name = if columns.event.is_empty() { b"samples" } else { columns.event };
        let (rest, is_payload) = (columns.rest, self.tracepoint(offset, name, columns, time));
        let known = self.events.get(name).copied();
        let event = known.unwrap_or_else(|| {
            let event = SampleSink::event(columns.event, self.builder);
            if self.events.len() < usize::from(u16::MAX) {
                self.events.insert(name.into(), event);
            }
            event
        });
        self.open = Some(Open {
            comm: columns.comm.to_vec(),
            pid: columns.pid,
            tid: columns.tid,
            cpu: columns.cpu,
            time,
            weight: columns.period,
            event,
            in_chain: false,
        });
        if let (Some(cpu), Some(time)) = (columns.cpu, time) {
            self.builder.cpus().seen(cpu, BootNanos::new(time));
        }
        if !rest.is_empty()
            && !is_payload
            && let Some(known) = self.frames.line(rest, false, self.builder)
        {
            self.stack.push((known, None));
        }
    }

    /// Takes in what a tracepoint says; whether the rest of the line is its payload.
    fn tracepoint(
        &mut self,
        offset: u64,
        name: &[u8],
        columns: &Columns<'_>,
        time: Option<i64>,
    ) -> bool {
        // `sched:sched_switch`; the first part is none of a modifier's (`cycles:u`).
        let of_name = |full: &[u8]| {
            let colon = memchr::memchr(b':', full)?;
            text_kind(full.get(colon + 1..)?)
        };
        let Some((name, kind)) = self.tally.name(name, of_name) else { return false };
        let (Some(kind), Some(cpu), Some(time)) = (kind, columns.cpu, time) else {
            self.tally.applied(name, Applied::Used, offset);
            // An address and its function, or a payload that nobody reads.
            return kind.is_some() || frame_line::parse(columns.rest).is_none();
        };
        match text_event(kind, columns.rest) {
            Some(event) => {
                let tid = columns.tid.unwrap_or(0);
                let time = BootNanos::new(time);
                let applied = self.log.apply(self.builder, cpu, time, tid, event);
                self.tally.applied(name, applied, offset);
            }
            None if columns.rest.is_empty() => self.tally.applied(name, Applied::Used, offset),
            None => self.tally.event_malformed(name, offset),
        }
        true
    }

    fn record(&mut self, offset: u64, columns: &Columns<'_>, name: &[u8], record: Record<'_>) {
        let Some((name, _)) = self.tally.name(name, |_| None) else { return };
        if record == Record::Other {
            self.tally.event_unread(name);
            return;
        }
        self.tally.applied(name, Applied::Used, offset);
        if let Record::Lost(count) = record {
            self.tally.lose(count);
            self.tally.note(Severity::Warning, "perf-lost", Some(offset), || {
                "the kernel lost samples: its buffer was full".to_owned()
            });
            return;
        }
        // What was there before the recording has the time 0.
        let time = columns.time.filter(|time| *time > 0);
        let Some(time) = time.and_then(|time| self.clock.to_boot(time)) else {
            if let Record::Comm { pid, tid, name } = record {
                let at = self.builder.span().map_or(BootNanos::new(0), |(first, _)| first);
                let name = self.builder.names.intern_bytes(name);
                self.builder.tasks().thread_of(at, tid, pid);
                self.builder.tasks().thread_name(at, tid, name, NameRank::Kernel);
            }
            return;
        };
        let at = BootNanos::new(time);
        match record {
            Record::Comm { pid, tid, name } => {
                let name: NameId = self.builder.names.intern_bytes(name);
                self.builder.tasks().thread_of(at, tid, pid);
                self.builder.tasks().thread_renamed(at, tid, name);
            }
            Record::Fork { pid, tid, parent } => {
                let name = self.builder.names.intern_bytes(columns.comm);
                if pid == parent.0 {
                    self.builder.tasks().thread_new(at, parent.1, tid, name);
                } else {
                    self.builder.tasks().process_new(at, parent.1, tid, name);
                }
            }
            Record::Exit { tid } => self.builder.tasks().thread_exited(at, tid),
            Record::SwitchIn => {
                if let Some(tid) = columns.tid.filter(|tid| *tid != 0) {
                    self.on_cpu.insert(tid, (columns.cpu, time));
                }
            }
            Record::SwitchOut { next, is_preempted } => {
                let Some(tid) = columns.tid else { return };
                let state = TaskState(u16::from(!is_preempted));
                match (columns.cpu, next) {
                    (Some(cpu), Some(next)) => {
                        self.builder.cpus().switch(cpu, at, tid, state, next);
                    }
                    _ => self.off_cpu(tid, time),
                }
            }
            Record::Lost(_) | Record::Other => {}
        }
    }

    /// A thread of which alone is told leaves the CPU.
    fn off_cpu(&mut self, tid: u32, time: i64) {
        let Some((_, since)) = self.on_cpu.remove(&tid).filter(|(_, since)| *since < time) else {
            return;
        };
        self.builder
            .cpus()
            .run_somewhere(Window::new(BootNanos::new(since), BootNanos::new(time)), tid);
    }

    /// Ends the open sample.
    #[inline]
    fn close(&mut self, is_cut: bool) {
        let Some(open) = self.open.take() else { return };
        let mut site = None;
        let mut mapping = None;
        let mut has_start = false;
        let (depth, root) = (self.stack.len(), self.stack.last().map(|(known, _)| known.frame));
        for (known, place) in self.stack.iter().rev() {
            let frame = match (known.interned, place) {
                (Some(frame), None) => frame,
                (_, place) => {
                    let mut frame = place.unwrap_or(known.frame);
                    if frame.inlined {
                        // It lies where its caller lies, which alone has the file behind it.
                        (frame.mapping, frame.kind, frame.address) =
                            mapping.unwrap_or((None, frame.kind, frame.address));
                    }
                    self.builder.samples().frame(frame)
                }
            };
            if !known.frame.inlined {
                mapping = Some((known.frame.mapping, known.frame.kind, known.frame.address));
            }
            has_start |= known.is_start;
            site = Some(self.builder.samples().call_site(CallSite { caller: site, frame }));
            for inlined in self.frames.inlined(known) {
                let frame = self.builder.samples().frame(*inlined);
                site = Some(self.builder.samples().call_site(CallSite { caller: site, frame }));
            }
        }
        self.stack.clear();
        let is_unknown = root.is_some_and(|root| root.function.is_none() && root.mapping.is_none());
        let is_astray = open.in_chain && is_unknown && !has_start;
        let sample = Sample {
            time: open.time,
            pid: open.pid,
            tid: open.tid,
            comm: &open.comm,
            cpu: open.cpu,
            event: open.event,
            weight: open.weight,
            site,
            is_truncated: is_cut || is_astray || depth >= DEEPEST,
        };
        self.sink.take(&sample, self.builder);
    }

    /// Ends reading.
    pub fn finish(mut self) -> ArtifactQuality {
        if self.open.as_ref().is_some_and(|open| open.in_chain) {
            self.close(true);
            self.tally.note(Severity::Info, "cut", None, || {
                "the text ends inside of a stack: it may go on".to_owned()
            });
        }
        self.close(false);
        self.frames.machine().tell(&mut self.builder.device);
        self.sink.finish(self.builder);
        self.log.finish(self.builder);
        if self.tally.records == 0 {
            self.tally.note(Severity::Warning, "no-events", None, || {
                "there is no sample in it".to_owned()
            });
        } else if !self.has_chains {
            self.tally.note(Severity::Info, "no-call-chains", None, || {
                "samples have no call chains: only the innermost function is known (`perf record -g`)"
                    .to_owned()
            });
        }
        for (code, count, text) in [
            (
                "samples-without-times",
                self.sink.timeless,
                "samples without times: how much there is of each stack is known, not when",
            ),
            ("stack-limit", self.sink.refused, "more different stacks than are kept: not used"),
        ] {
            if count > 0 {
                self.tally.note(Severity::Warning, code, None, || format!("{count} {text}"));
            }
        }
        self.tally.into_quality()
    }
}
