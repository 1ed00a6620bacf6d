//! Bundles of kernel events (`FtraceEventBundle`).

use wattle_timeline::{DomainId, NameId, Severity};
use wattle_units::BootNanos;

use super::Reader;
use super::trace_end::BundleEnd;
use crate::perfetto_packets::{Envelope, FtraceBundle, FtraceEvent};

/// `FtraceClock`.
const FTRACE_CLOCK_UNSPECIFIED: u64 = 0;
const FTRACE_CLOCK_MONO_RAW: u64 = 4;

/// Buffers that are used again for each bundle.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Texts of a compact stream's table.
    pub comms: Vec<NameId>,
    /// While a block of compact events with an outlier is read: the time far from which none is used.
    pub near: Option<i64>,
}

/// Conversion of a bundle's clock to boot time.
#[derive(Clone, Copy, Debug)]
pub(super) enum BundleClock {
    /// It is boot time.
    Boot,
    /// The kernel's clock of traces, by the instants in both clocks that bundles have.
    Traced,
    /// The kernel's raw monotonic clock, by the recording's snapshots.
    MonotonicRaw,
}

/// Attributes common to all events of a bundle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bundle {
    pub cpu: u32,
    pub clock: BundleClock,
    /// Offset of the packet, for notes.
    pub offset: u64,
    /// Writer of the packet, whose interned texts events refer to.
    pub writer: u32,
}

/// An event, or a block of compact events, that is held until the next event of its CPU.
#[derive(Debug)]
pub(super) struct HeldEvents {
    pub bundle: Bundle,
    pub events: RawEvents,
}

/// Their bytes, or what was read of them.
#[derive(Debug)]
pub(super) enum RawEvents {
    /// Switches and wake-ups in columns.
    Compact(Box<[u8]>),
    /// One event: see [`FtraceEvent`].
    One { timestamp: u64, tid: u32, number: u32, bytes: Box<[u8]> },
}

impl From<FtraceEvent<'_>> for RawEvents {
    fn from(event: FtraceEvent<'_>) -> Self {
        let FtraceEvent { timestamp, tid, number, bytes } = event;
        Self::One { timestamp, tid, number, bytes: bytes.into() }
    }
}

impl Reader<'_> {
    pub(super) fn ftrace_bundle(&mut self, envelope: &Envelope, read: FtraceBundle<'_>) {
        let (head, offset) = (read.head(), envelope.offset);
        if head.is_damaged {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "a bundle of kernel events is damaged; its events before were read".to_owned()
            });
        }
        for descriptor in read.descriptors() {
            self.event_descriptor(descriptor);
        }
        for _ in 0..head.errors {
            self.counts.note(Severity::Warning, "ftrace-error", Some(offset), || {
                "the recorder could not read parts of the kernel's buffer".to_owned()
            });
        }
        let clock = match (head.clock, head.clock_reading) {
            (FTRACE_CLOCK_UNSPECIFIED, _) => BundleClock::Boot,
            (_, Some((there, boot))) => {
                self.traced_clock.add(there, boot);
                BundleClock::Traced
            }
            (FTRACE_CLOCK_MONO_RAW, None) => BundleClock::MonotonicRaw,
            _ => {
                self.counts.note(Severity::Warning, "unknown-ftrace-clock", Some(offset), || {
                    "kernel events in a clock that nothing leads to boot time: not used".to_owned()
                });
                self.counts.lose(1);
                return;
            }
        };
        let cpu = head.cpu;
        if head.has_lost {
            self.builder.cpus().lost_events(cpu);
            self.counts.lose(1);
            self.counts.note(Severity::Warning, "ftrace-lost-events", Some(offset), || {
                "the kernel's buffer overflowed: events of a CPU were lost before some bundles"
                    .to_owned()
            });
        }
        let bundle = Bundle { cpu, clock, offset, writer: envelope.writer };
        if cpu < wattle_timeline::MAX_CPUS && self.end.is_first_of(cpu) {
            let from = head.complete_from.and_then(|from| self.event_time(&bundle, from));
            if let Some(from) = from {
                // The first bundle of a CPU says since when its stream is complete.
                self.builder.complete_from(from);
            }
        }
        let compact = read.compact();
        let last = compact.and_then(|compact| self.compact_sched(&bundle, compact));
        let mut end = BundleEnd { last, tells_of_cpu: compact.is_some() };
        for event in read.events() {
            end.tells_of_cpu |= event.tells_of_cpu();
            end.last = self.ftrace_event(&bundle, event).or(end.last);
        }
        self.end.bundle(bundle.writer, cpu, end);
    }

    /// Boot time of an event; `None` for one from before the recording.
    #[inline]
    pub(super) fn event_time(&mut self, bundle: &Bundle, timestamp: u64) -> Option<BootNanos> {
        let time = match bundle.clock {
            BundleClock::Boot => BootNanos::new(timestamp.cast_signed()),
            BundleClock::Traced => match self.traced_clock.to_boot(timestamp.cast_signed()) {
                Some(time) => BootNanos::new(time),
                None => return self.no_clock(bundle),
            },
            BundleClock::MonotonicRaw => {
                let nanos = timestamp.cast_signed();
                match self.clocks.even_boot(DomainId::MONOTONIC_RAW, nanos) {
                    Some(time) => BootNanos::new(time),
                    None => return self.no_clock(bundle),
                }
            }
        };
        if time < self.started { self.too_early(bundle) } else { Some(time) }
    }

    #[cold]
    fn no_clock(&mut self, bundle: &Bundle) -> Option<BootNanos> {
        self.counts.lose(1);
        self.counts.note(Severity::Warning, "unknown-ftrace-clock", Some(bundle.offset), || {
            "kernel events in the raw monotonic clock before any snapshot of it: not used"
                .to_owned()
        });
        None
    }

    #[cold]
    fn too_early(&mut self, bundle: &Bundle) -> Option<BootNanos> {
        self.counts.note(Severity::Info, "before-start", Some(bundle.offset), || {
            "kernel events from before the recording started: not used".to_owned()
        });
        None
    }
}
