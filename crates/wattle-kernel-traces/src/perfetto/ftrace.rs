//! Bundles of kernel events (`FtraceEventBundle`).

use wattle_timeline::{DomainId, NameId, Severity};
use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;

/// `FtraceEventBundle` (`ftrace_event_bundle.proto`).
mod bundle {
    pub const CPU: u32 = 1;
    pub const EVENT: u32 = 2;
    pub const LOST_EVENTS: u32 = 3;
    pub const COMPACT_SCHED: u32 = 4;
    pub const FTRACE_CLOCK: u32 = 5;
    pub const FTRACE_TIMESTAMP: u32 = 6;
    pub const BOOT_TIMESTAMP: u32 = 7;
    pub const ERROR: u32 = 8;
    pub const LAST_READ_EVENT_TIMESTAMP: u32 = 9;
    pub const PREVIOUS_BUNDLE_END_TIMESTAMP: u32 = 10;
    pub const GENERIC_EVENT_DESCRIPTORS: u32 = 11;
}

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
    pub is_compact: bool,
    pub bytes: Box<[u8]>,
}

impl Reader<'_> {
    pub(super) fn ftrace_bundle(&mut self, (writer, offset): (u32, u64), bytes: &[u8]) {
        let (mut cpu, mut lost, mut clock) = (0, false, FTRACE_CLOCK_UNSPECIFIED);
        let (mut there, mut boot, mut compact, mut complete_from) = (None, None, None, None);
        let mut around = Fields::at(bytes, offset);
        loop {
            around.skip_run(bundle::EVENT);
            let Some(field) = around.next() else { break };
            let Ok(field) = field else {
                self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                    "a bundle of kernel events is damaged; its events before were read".to_owned()
                });
                break;
            };
            match field.number {
                bundle::CPU => cpu = field.value.uint() as u32,
                bundle::LOST_EVENTS => lost = field.value.bool(),
                bundle::COMPACT_SCHED => compact = Some(field.value.bytes()),
                bundle::FTRACE_CLOCK => clock = field.value.uint(),
                bundle::FTRACE_TIMESTAMP => there = Some(field.value.int()),
                bundle::BOOT_TIMESTAMP => boot = Some(field.value.int()),
                bundle::LAST_READ_EVENT_TIMESTAMP | bundle::PREVIOUS_BUNDLE_END_TIMESTAMP => {
                    complete_from = Some(field.value.uint());
                }
                bundle::GENERIC_EVENT_DESCRIPTORS => self.event_descriptor(field.value.bytes()),
                bundle::ERROR => {
                    self.counts.note(Severity::Warning, "ftrace-error", Some(offset), || {
                        "the recorder could not read parts of the kernel's buffer".to_owned()
                    });
                }
                _ => {}
            }
        }
        let clock = match (clock, there, boot) {
            (FTRACE_CLOCK_UNSPECIFIED, ..) => BundleClock::Boot,
            (_, Some(there), Some(boot)) => {
                self.traced_clock.add(there, boot);
                BundleClock::Traced
            }
            (FTRACE_CLOCK_MONO_RAW, ..) => BundleClock::MonotonicRaw,
            _ => {
                self.counts.note(Severity::Warning, "unknown-ftrace-clock", Some(offset), || {
                    "kernel events in a clock that nothing leads to boot time: not used".to_owned()
                });
                self.counts.lose(1);
                return;
            }
        };
        if lost {
            self.builder.cpus().lost_events(cpu);
            self.counts.lose(1);
            self.counts.note(Severity::Warning, "ftrace-lost-events", Some(offset), || {
                "the kernel's buffer overflowed: events of a CPU were lost before some bundles"
                    .to_owned()
            });
        }
        let bundle = Bundle { cpu, clock, offset, writer };
        self.end.bundle(cpu, || self.builder.span().map(|(_, last)| last));
        if cpu < wattle_timeline::MAX_CPUS && self.end.is_first_of(cpu) {
            let from = complete_from.and_then(|from| self.event_time(&bundle, from));
            if let Some(from) = from {
                // The first bundle of a CPU says since when its stream is complete.
                self.builder.complete_from(from);
            }
        }
        if let Some(compact) = compact {
            self.compact_sched(&bundle, compact);
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == bundle::EVENT {
                self.ftrace_event(&bundle, field.value.bytes());
            }
        }
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
