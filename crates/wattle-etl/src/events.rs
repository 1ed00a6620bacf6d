//! The events of a log one by one, with what their schemas say of them.

use wattle_import::UnpackBudget;
use wattle_units::BootNanos;

use super::buffers::Buffers;
use super::event_clock::EventClock;
use super::event_record::{EventKind, EventRecord};
use super::log_source::Source;
use super::merge::{Sink, merge};
use super::names;
use super::schema::{ImageFact, Schemas, image_fact};

pub use super::schema::{Field as EtlField, Value as EtlValue};

/// An event of a log of Windows.
#[derive(Clone, Debug, PartialEq)]
pub struct EtlEvent {
    /// When it was, boot time.
    pub time: BootNanos,
    /// The process that was on the CPU, where the event says it.
    pub pid: Option<u32>,
    /// The thread that was on the CPU, where the event says it.
    pub tid: Option<u32>,
    /// The CPU.
    pub cpu: u32,
    /// Who logged it: the provider's name, else its GUID; the group of the kernel's own.
    pub provider: String,
    /// The event's name, else its number.
    pub event: String,
    /// Its fields as its schema has them; `None` where the log carries none.
    pub fields: Option<Vec<EtlField>>,
}

/// Tells the events of a log in order of time. The log is read twice: what describes an event may come after it.
///
/// Nothing is told of bytes that are no log, or whose clock is not known.
pub fn etl_events(bytes: &[u8], each: &mut dyn FnMut(EtlEvent)) {
    let mut learn = Learn::default();
    let budget = UnpackBudget::default();
    budget.add_input(bytes.len() as u64);
    let mut source = Source::Memory(bytes);
    let mut buffers = Buffers::find(&mut source, &budget);
    let Some(clock) = buffers.log.as_ref().and_then(EventClock::from_header) else { return };
    merge(&mut buffers, &mut source, &mut learn);
    let mut source = Source::Memory(bytes);
    let mut buffers = Buffers::find(&mut source, &budget);
    merge(&mut buffers, &mut source, &mut Tell { schemas: learn.0, clock, each });
}

#[derive(Default)]
struct Learn(Schemas);

impl Sink for Learn {
    fn event(&mut self, record: &EventRecord<'_>) {
        self.0.learn(record);
    }

    fn lost(&mut self, _cpu: u32) {}

    fn progress(&mut self, _done: u64) {}
}

struct Tell<'f> {
    schemas: Schemas,
    clock: EventClock,
    each: &'f mut dyn FnMut(EtlEvent),
}

impl Sink for Tell<'_> {
    fn event(&mut self, record: &EventRecord<'_>) {
        let (provider, event, fields) = match record.kind {
            EventKind::Kernel { group } => split(names::kernel(group, record.opcode)),
            EventKind::Classic => {
                let (provider, event, _) = split(names::classic(record.provider, record.opcode));
                (provider, event, image_fact(record).map(ImageFact::fields))
            }
            EventKind::Message => ("WPP".to_owned(), record.provider.to_string(), None),
            EventKind::Modern => {
                let described = self.schemas.describe(record);
                (described.name.provider, described.name.event, described.fields)
            }
        };
        (self.each)(EtlEvent {
            time: self.clock.time(record.time),
            pid: record.pid,
            tid: record.tid,
            cpu: record.cpu,
            provider,
            event,
            fields,
        });
    }

    fn lost(&mut self, _cpu: u32) {}

    fn progress(&mut self, _done: u64) {}
}

/// Group and type, or class and opcode.
fn split(name: String) -> (String, String, Option<Vec<EtlField>>) {
    match name.rsplit_once('/') {
        Some((group, kind)) => (group.to_owned(), kind.to_owned(), None),
        None => (name, String::new(), None),
    }
}
