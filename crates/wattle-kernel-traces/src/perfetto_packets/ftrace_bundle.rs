//! `FtraceEventBundle`: the kernel events of one CPU, and what they have in common.

use std::ops::Range;

use wattle_wire::Fields;

use super::FtraceEvent;
use super::byte_place::Place;

/// `FtraceEventBundle` (`ftrace_event_bundle.proto`).
mod field {
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

/// Everything that the events of a bundle have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BundleHead {
    /// The CPU.
    pub cpu: u32,
    /// Whether events before it were lost.
    pub has_lost: bool,
    /// `FtraceClock`.
    pub clock: u64,
    /// An instant in the clock of the events, and the same in boot time, nanoseconds.
    pub clock_reading: Option<(i64, i64)>,
    /// Since when the events of the CPU are complete.
    pub complete_from: Option<u64>,
    /// The number of times that the recorder could not read a part of the kernel's buffer.
    pub errors: u64,
    /// Whether it ends with a defect; its events before were read.
    pub is_damaged: bool,
}

/// Places of what bundles hold, of any number of them.
#[derive(Debug, Default)]
pub(super) struct BundlePlaces {
    events: Vec<PlacedEvent>,
    descriptors: Vec<Place>,
}

/// Events, and descriptions of events, whose places are kept; those after are looked for when they are used.
const MAX_EVENTS: usize = 1 << 15;

/// An event; its place is that of its message in the bundle.
#[derive(Clone, Copy, Debug)]
struct PlacedEvent {
    timestamp: u64,
    tid: u32,
    number: u32,
    place: Place,
}

/// A bundle of which it is known where everything is.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedBundle {
    head: BundleHead,
    compact: Option<Place>,
    descriptors: Range<usize>,
    events: Range<usize>,
    /// Whether there are more events than have places.
    has_more_events: bool,
    /// Whether there are more descriptions of events than have places.
    has_more_descriptors: bool,
}

impl BundlePlaces {
    /// Empties it; its memory stays.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.descriptors.clear();
    }

    /// Finds out where everything is in a bundle.
    pub(super) fn place(&mut self, bytes: &[u8]) -> PlacedBundle {
        let (mut there, mut boot) = (None, None);
        let (first_event, first_descriptor) = (self.events.len(), self.descriptors.len());
        let mut bundle = PlacedBundle::default();
        let head = &mut bundle.head;
        for field in Fields::new(bytes) {
            let Ok(field) = field else {
                head.is_damaged = true;
                break;
            };
            let value = field.value;
            match field.number {
                field::EVENT if self.events.len() < MAX_EVENTS => {
                    if let Some(event) = FtraceEvent::parse(value.bytes()) {
                        let FtraceEvent { timestamp, tid, number, bytes: message } = event;
                        let place = Place::of(message, bytes);
                        self.events.push(PlacedEvent { timestamp, tid, number, place });
                    }
                }
                field::EVENT => bundle.has_more_events = true,
                field::CPU => head.cpu = value.uint() as u32,
                field::LOST_EVENTS => head.has_lost = value.bool(),
                field::COMPACT_SCHED => bundle.compact = Some(Place::of(value.bytes(), bytes)),
                field::FTRACE_CLOCK => head.clock = value.uint(),
                field::FTRACE_TIMESTAMP => there = Some(value.int()),
                field::BOOT_TIMESTAMP => boot = Some(value.int()),
                field::LAST_READ_EVENT_TIMESTAMP | field::PREVIOUS_BUNDLE_END_TIMESTAMP => {
                    head.complete_from = Some(value.uint());
                }
                field::GENERIC_EVENT_DESCRIPTORS if self.descriptors.len() < MAX_EVENTS => {
                    self.descriptors.push(Place::of(value.bytes(), bytes));
                }
                field::GENERIC_EVENT_DESCRIPTORS => bundle.has_more_descriptors = true,
                field::ERROR => head.errors += 1,
                _ => {}
            }
        }
        head.clock_reading = there.zip(boot);
        bundle.events = first_event..self.events.len();
        bundle.descriptors = first_descriptor..self.descriptors.len();
        bundle
    }

    /// A bundle, with the bytes that it was made of.
    pub(super) fn bundle<'a>(
        &'a self,
        bundle: &'a PlacedBundle,
        bytes: &'a [u8],
    ) -> FtraceBundle<'a> {
        FtraceBundle {
            places: bundle,
            events: self.events.get(bundle.events.clone()).unwrap_or_default(),
            descriptors: self.descriptors.get(bundle.descriptors.clone()).unwrap_or_default(),
            bytes,
        }
    }
}

/// A bundle of kernel events (`FtraceEventBundle`).
#[derive(Clone, Copy, Debug)]
pub struct FtraceBundle<'a> {
    places: &'a PlacedBundle,
    events: &'a [PlacedEvent],
    descriptors: &'a [Place],
    bytes: &'a [u8],
}

impl<'a> FtraceBundle<'a> {
    /// Reads a bundle and hands it over.
    pub fn read<T>(bytes: &[u8], work: impl FnOnce(FtraceBundle<'_>) -> T) -> T {
        let mut places = BundlePlaces::default();
        let bundle = places.place(bytes);
        work(places.bundle(&bundle, bytes))
    }

    /// Everything that its events have in common.
    pub const fn head(&self) -> &'a BundleHead {
        &self.places.head
    }

    /// Switches and wake-ups in columns (`CompactSched`).
    pub fn compact(&self) -> Option<&'a [u8]> {
        self.places.compact.map(|place| place.within(self.bytes))
    }

    /// Descriptions of events that have no message of their own (`GenericEventDescriptor`).
    pub fn descriptors(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let bytes = self.bytes;
        let placed = self.descriptors.iter().map(move |place| place.within(bytes));
        let all = self.all(self.places.has_more_descriptors, field::GENERIC_EVENT_DESCRIPTORS);
        placed.chain(all.skip(self.descriptors.len()))
    }

    /// Its other events, in their order.
    pub fn events(&self) -> impl Iterator<Item = FtraceEvent<'a>> + use<'a> {
        let bytes = self.bytes;
        let placed = self.events.iter().map(move |event| {
            let PlacedEvent { timestamp, tid, number, place } = *event;
            FtraceEvent { timestamp, tid, number, bytes: place.within(bytes) }
        });
        let all = self.all(self.places.has_more_events, field::EVENT);
        placed.chain(all.filter_map(FtraceEvent::parse).skip(self.events.len()))
    }

    /// All fields of a number, if any of them has no place.
    fn all(&self, has_more: bool, number: u32) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let all = Fields::new(if has_more { self.bytes } else { &[] }).map_while(Result::ok);
        all.filter(move |field| field.number == number).map(|field| field.value.bytes())
    }
}
