//! A file into the timeline.

use std::io::Read;

use rustc_hash::FxHashSet;
use wattle_timeline::{ArtifactQuality, NameRank, Severity, TimelineBuilder};
use wattle_units::BootNanos;

use super::FORMAT;
use super::ring_page::Page;
use super::unpack::next_part;
use super::{v6, v7};
use crate::ftrace_text::{self, FtraceForm};
use crate::kernel::{EventKind, KernelLog, Tally, decode, is_near};
use crate::limits::MAX_TRACE_DAT;
use crate::tracepoints::{Contents, CpuData, Plan, Record, SIGNATURE};
use wattle_import::{Clock, Fit, Reading, ReadingSource, Session, UnpackBudget};
use wattle_wire::{ByteCursor, ByteOrder};

/// The least and the most bytes of a page that kernels use.
const PAGE_SIZES: std::ops::RangeInclusive<usize> = 256..=1 << 22;

/// Uncertainty of a mark in the wall clock, nanoseconds.
const DATE_SLACK: i64 = 1_000_000;

/// Reads a file into the session's builder. Says how that went, and what it knows of clocks.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> (ArtifactQuality, Vec<(Clock, Reading)>) {
    let mut file = Vec::new();
    let failure = stream.take(MAX_TRACE_DAT).read_to_end(&mut file).err();
    let mut tally = Tally::default();
    if let Some(failure) = failure {
        tally.note(Severity::Error, "damaged", Some(file.len() as u64), || {
            format!("the input ends with an error ({failure}); what is before that was read")
        });
    }
    // How that clock goes, if the recording knows.
    let monotonic = session.clocks.fit(Clock::Monotonic);
    let unpacking = session.unpacking.clone();
    let contents = contents(&file, &unpacking, &mut tally);
    if let Some(text) = latency(&file, &contents, &unpacking) {
        let (mut quality, readings) =
            ftrace_text::read(name, FtraceForm::Text, &*text, session, told);
        quality.bytes = file.len() as u64;
        quality.notes.extend(tally.into_quality().notes);
        return (quality, readings);
    }
    let builder = &mut session.builder;
    builder.device.kernel = builder.device.kernel.take().or_else(|| contents.release.clone());
    let plans = plans(&contents, &mut tally);
    let time = time_of(&contents, monotonic.as_ref(), &mut tally);
    let log = KernelLog::new(builder);
    let mut reader = Reader {
        builder,
        log,
        tally,
        contents: &contents,
        unpacking,
        plans,
        time,
        seen: FxHashSet::default(),
        last: None,
        first: None,
    };
    if !matches!(reader.time, TimeOf::Nothing) {
        for cpu in &contents.cpus {
            reader.cpu(&file, cpu);
            told(cpu.range.end as u64);
        }
    }
    let (mut quality, readings) = reader.finish();
    name.clone_into(&mut quality.name);
    FORMAT.name.clone_into(&mut quality.format);
    quality.bytes = file.len() as u64;
    (quality, readings)
}

/// Reads the file's description of itself.
fn contents(file: &[u8], budget: &UnpackBudget, tally: &mut Tally) -> Contents {
    let mut contents = Contents::default();
    let mut cursor = ByteCursor::new(file, SIGNATURE.len(), ByteOrder::default());
    if head(&mut cursor, &mut contents).is_none() {
        tally.note(Severity::Error, "truncated", Some(cursor.at as u64), || {
            "the file ends in its head: nothing was read".to_owned()
        });
        return contents;
    }
    let done = match contents.version {
        6 => v6::read(&mut cursor, &mut contents),
        7 => v7::read(&mut cursor, &mut contents, budget),
        version => {
            tally.note(Severity::Error, "version", None, || {
                format!("expected version 6 or 7, found {version}: nothing was read; `trace-cmd convert` writes version 7")
            });
            return contents;
        }
    };
    if done.is_none() {
        tally.note(Severity::Error, "truncated", Some(cursor.at as u64), || {
            "the file's tables are cut off, damaged or packed in a way that is not known: what came before was read"
                .to_owned()
        });
    }
    if let Some(at) = contents.buffer_section {
        contents.is_packed = v7::is_packed(file, at, contents.order);
    }
    if contents.instances > 0 {
        let count = contents.instances;
        tally.note(Severity::Info, "instances", None, || {
            format!("{count} further buffers (instances) were recorded: only the top one is read")
        });
    }
    if contents.unknown > 0 {
        let count = contents.unknown;
        tally.note(Severity::Info, "unknown-parts", None, || {
            format!("{count} options or descriptions of events are not known: not used")
        });
    }
    if contents.clock.is_guest {
        tally.note(Severity::Warning, "guest", None, || {
            "the trace is of a virtual machine: its times are its own, not brought to those of its host".to_owned()
        });
    }
    if contents.overruns > 0 {
        let count = contents.overruns;
        tally.lose(count);
        tally.note(Severity::Warning, "overwritten", None, || {
            format!("the kernel's buffers lost {count} events, by its own statistics")
        });
    }
    contents
}

fn head(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    let version = cursor.text()?;
    contents.version = std::str::from_utf8(version).ok()?.parse().ok()?;
    contents.order = ByteOrder { is_big: *cursor.take(1)?.first()? == 1 };
    cursor.order = contents.order;
    // The size of `long` of the programs there; that of the kernel is in the description of its pages.
    cursor.take(1)?;
    contents.page_size = cursor.count()?;
    Some(())
}

/// The trace as text, if the file holds no ring buffers.
fn latency(file: &[u8], contents: &Contents, budget: &UnpackBudget) -> Option<Vec<u8>> {
    let range = contents.latency.clone()?;
    if contents.version == 7 {
        return Some(v7::latency_text(file, range.start, contents, budget).unwrap_or_default());
    }
    file.get(range).map(<[u8]>::to_vec)
}

/// Returns the reading plan of each event, by its number.
fn plans(contents: &Contents, tally: &mut Tally) -> Vec<Option<Plan>> {
    let mut plans = Vec::new();
    for (id, format) in &contents.formats {
        let index = usize::from(*id);
        let Some((name, kind)) = tally.name(format.name.as_bytes(), EventKind::of_name) else {
            continue;
        };
        if plans.len() <= index {
            plans.resize(index + 1, None);
        }
        if let Some(slot) = plans.get_mut(index) {
            *slot = Some(Plan::new(format, name, kind));
        }
    }
    plans
}

/// Conversion of the file's times to nanoseconds.
enum TimeOf<'a> {
    /// They are.
    Nanos,
    /// They are of the monotonic clock.
    Monotonic(&'a Fit),
    /// They count cycles: multiplier and shift.
    Cycles(u32, u32),
    /// Nothing leads to them.
    Nothing,
}

fn time_of<'a>(contents: &Contents, monotonic: Option<&'a Fit>, tally: &mut Tally) -> TimeOf<'a> {
    let clock = contents.clock.name.as_deref().unwrap_or_default();
    let shown = String::from_utf8_lossy(clock);
    match (clock, contents.clock.cycles, monotonic) {
        (b"boot", ..) => TimeOf::Nanos,
        (b"x86-tsc" | b"tsc2nsec" | b"ppc-tb", Some((multiplier, shift)), _) => {
            TimeOf::Cycles(multiplier, shift.min(63))
        }
        (b"counter" | b"uptime" | b"x86-tsc" | b"ppc-tb", ..) => {
            tally.note(Severity::Error, "clock-not-time", None, || {
                format!("the clock {shown} counts something other than nanoseconds: no event was used; record with `-C boot`")
            });
            TimeOf::Nothing
        }
        (b"mono", _, Some(fit)) => TimeOf::Monotonic(fit),
        _ => {
            let shown = if shown.is_empty() { "that the file does not name" } else { &*shown };
            tally.note(Severity::Info, "clock-assumed", None, || {
                format!("times of the clock {shown} are taken as boot time, which is ahead of it by the time that the device slept")
            });
            TimeOf::Nanos
        }
    }
}

/// Whether two times of a CPU can follow each other without a question.
fn is_near_to(one: u64, other: u64) -> bool {
    is_near(one.cast_signed(), other.cast_signed())
}

struct Reader<'b, 'f> {
    builder: &'b mut TimelineBuilder,
    log: KernelLog,
    tally: Tally,
    contents: &'f Contents,
    unpacking: UnpackBudget,
    plans: Vec<Option<Plan>>,
    time: TimeOf<'f>,
    /// Threads that were on a CPU when something happened.
    seen: FxHashSet<u32>,
    /// The last time, by the timeline's clock.
    last: Option<BootNanos>,
    /// The first, by both clocks.
    first: Option<(i64, BootNanos)>,
}

impl Reader<'_, '_> {
    /// Reads what one CPU recorded.
    fn cpu(&mut self, file: &[u8], data: &CpuData) {
        let Some(bytes) = file.get(data.range.start..data.range.end.min(file.len())) else {
            self.truncated(data);
            return;
        };
        if data.range.end > file.len() {
            self.truncated(data);
        }
        if !self.contents.is_packed || bytes.is_empty() {
            self.pages(data, data.range.start as u64, bytes);
            return;
        }
        // trace-cmd does not count the number of pieces into the size, so the pieces say themselves where they end.
        let mut cursor = ByteCursor::new(file, data.range.start, self.contents.order);
        for _ in 0..cursor.count().unwrap_or(0) {
            let at = cursor.at;
            let Some(part) = next_part(&mut cursor, self.contents.packing, &self.unpacking) else {
                self.tally.note(Severity::Error, "damaged", Some(at as u64), || {
                    "a packed piece of a CPU's events cannot be unpacked: the rest of that CPU was not read".to_owned()
                });
                return;
            };
            self.pages(data, at as u64, &part);
        }
    }

    #[cold]
    fn truncated(&mut self, data: &CpuData) {
        self.tally.note(Severity::Error, "truncated", Some(data.range.start as u64), || {
            "the file ends before the events of some CPUs do: what is there was read".to_owned()
        });
    }

    fn pages(&mut self, data: &CpuData, at: u64, bytes: &[u8]) {
        let size = self.contents.page_size;
        if !PAGE_SIZES.contains(&size) {
            self.tally.note(Severity::Error, "page-size", None, || {
                format!("expected pages of 4096 bytes or another size that kernels use, found {size}: no event was read")
            });
            return;
        }
        let page_of = |bytes| Page::new(bytes, self.contents.page, self.contents.order);
        let starts: Vec<Option<u64>> =
            bytes.chunks(size).map(|bytes| page_of(bytes).map(|page| page.time())).collect();
        let start_of = |index: usize| starts.get(index).copied().flatten();
        let mut before = None;
        for (index, bytes) in bytes.chunks(size).enumerate() {
            let offset = at + (index * size) as u64;
            let Some(mut page) = page_of(bytes) else {
                self.damaged_page(offset);
                continue;
            };
            let (start, next) = (page.time(), start_of(index + 1));
            // Before the first page of all the two after it decide.
            let neighbours = match before {
                Some(before) => Some(before).zip(next),
                None => next.zip(start_of(index + 2)),
            };
            if neighbours.is_some_and(|(one, other)| {
                !is_near_to(start, one) && !is_near_to(start, other) && is_near_to(one, other)
            }) {
                self.far(offset);
                continue;
            }
            if let Some(count) = page.lost {
                self.builder.cpus().lost_events(data.cpu);
                self.tally.lose(count);
                self.tally.note(Severity::Warning, "ftrace-lost-events", Some(offset), || {
                    "the kernel's buffer overflowed: events of a CPU were lost in some places"
                        .to_owned()
                });
            }
            for (time, record) in page.by_ref() {
                let is_plausible =
                    is_near_to(time, start) || next.is_none_or(|next| !is_near_to(start, next));
                if is_plausible {
                    before = Some(time);
                    self.record(data.cpu, offset, time, record);
                } else {
                    self.far(offset);
                }
            }
            if page.is_damaged {
                self.damaged_page(offset);
            }
        }
    }

    #[cold]
    fn far(&mut self, offset: u64) {
        self.tally.unread("page or event whose time cannot be right");
        self.tally.note(Severity::Warning, "time-outlier", Some(offset), || {
            "pages and events whose time is more than a day from those before and after them: not used".to_owned()
        });
    }

    #[cold]
    fn damaged_page(&mut self, offset: u64) {
        self.tally.note(Severity::Error, "damaged-page", Some(offset), || {
            "pages of events are damaged or cut off: their events before were read".to_owned()
        });
    }

    #[inline]
    fn record(&mut self, cpu: u32, offset: u64, raw: u64, bytes: &[u8]) {
        self.tally.records += 1;
        let order = self.contents.order;
        let id = bytes.get(..2).and_then(|id| order.number(id)).unwrap_or(0);
        let Some(Some(plan)) = self.plans.get(id as usize) else {
            self.tally.unread("event of a number without a description");
            return;
        };
        let nanos = match self.time {
            TimeOf::Cycles(multiplier, shift) => {
                ((u128::from(raw) * u128::from(multiplier)) >> shift) as i64
            }
            _ => raw.cast_signed(),
        };
        let nanos = nanos.saturating_add(self.contents.clock.offset);
        let time = match self.time {
            TimeOf::Monotonic(fit) => BootNanos::new(fit.to_boot(nanos)),
            _ => BootNanos::new(nanos),
        };
        if self.first.is_none() {
            self.first = Some((nanos, time));
        }
        self.last = self.last.max(Some(time));
        let record = Record { bytes, plan, order, constants: &self.contents.constants };
        let tid = record.tid();
        self.builder.cpus().seen(cpu, time);
        if tid != 0 {
            self.builder.tasks().thread_seen(time, tid);
            self.seen.insert(tid);
        }
        let Some(kind) = plan.kind else {
            self.tally.event_unread(plan.name);
            return;
        };
        match decode(kind, &record) {
            Some(event) => {
                let applied = self.log.apply(self.builder, cpu, time, tid, event);
                self.tally.applied(plan.name, applied, offset);
            }
            None => self.tally.event_malformed(plan.name, offset),
        }
    }

    /// Ends reading: how it went, and what was learnt of clocks.
    fn finish(mut self) -> (ArtifactQuality, Vec<(Clock, Reading)>) {
        self.log.finish(self.builder);
        if let Some(last) = self.last {
            // What the kernel remembered when recording ended; any event that names a thread knows better.
            for (tid, name) in &self.contents.comms {
                if self.seen.contains(tid) && name.first() != Some(&b'<') {
                    let name = self.builder.names.intern_bytes(name);
                    self.builder.tasks().thread_name(last, *tid, name, NameRank::Line);
                }
            }
        } else {
            self.tally.note(Severity::Warning, "no-events", None, || {
                "there is no event in it".to_owned()
            });
        }
        let refused = self.builder.refused_cpus();
        if refused > 0 {
            self.tally.note(Severity::Warning, "impossible-cpu", None, || {
                "events name CPUs with numbers past any that exist: not used".to_owned()
            });
        }
        let wall = self.contents.clock.wall_offset.zip(self.first).map(|(ahead, (there, boot))| {
            let showed = there.saturating_add(ahead);
            let showed = (showed.saturating_sub(DATE_SLACK), showed.saturating_add(DATE_SLACK));
            (Clock::Real, Reading::new(showed, (boot.value(), boot.value()), ReadingSource::TRACE))
        });
        (self.tally.into_quality(), wall.into_iter().collect())
    }
}
