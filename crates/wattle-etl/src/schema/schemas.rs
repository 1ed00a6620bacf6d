//! Schemas of events, collected while a log is read.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::event_info::EventInfo;
use super::field_layout::FieldLayout;
use super::field_value::Field;
use super::known::{self, Step};
use super::manifest_chunks::ManifestChunks;
use super::map_info::ValueMap;
use super::trace_logging::{self, Metadata};
use super::{event_manifest, field_decoding};
use crate::event_record::{EventKind, EventRecord, Guid};

/// `KernelTraceControl`'s class of events about events.
const METADATA: Guid = Guid::new(0xbbcc_f6c1, 0x6cd1, 0x48c4, 0x80ff, 0x8394_82e3_7671);
const EVENT_INFO: u8 = 32;
const MAP_INFO: u8 = 33;

/// Kinds of events that are told apart. More are all one.
const MOST_KINDS: usize = 1 << 20;
/// Bytes of schemas of TraceLogging that are kept.
const MOST_SCHEMA_BYTES: usize = 256 << 20;

/// A kind of event, by number. What it is called is known when the log has been read: manifests may come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EventNumber(u32);

impl EventNumber {
    /// Number shared by all kinds beyond those that are told apart.
    pub(crate) const OTHER: Self = Self(u32::MAX);

    /// Its place among all kinds; none for what is not told apart.
    pub(crate) fn index(self) -> Option<usize> {
        (self != Self::OTHER).then_some(self.0 as usize)
    }
}

/// Name of a kind of event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventName {
    /// The provider's name, else its GUID.
    pub(crate) provider: String,
    /// The event's name, else its numbers.
    pub(crate) event: String,
    /// Effect of the event on the activity of its thread.
    pub(crate) step: Step,
}

impl EventName {
    /// Both, as counts are kept by.
    pub(crate) fn whole(&self) -> String {
        format!("{}/{}", self.provider, self.event)
    }

    /// Returns the activity that it begins or ends: the name without the last part that distinguishes the two.
    pub(crate) fn activity(&self) -> &str {
        let name = self.event.as_str();
        let ends = match self.step {
            Step::Start => ["/Start", "Start", "_Start", "Begin"],
            Step::Stop => ["/Stop", "Stop", "_Stop", "End"],
            Step::Instant => return name,
        };
        let cut = ends.iter().find_map(|end| name.strip_suffix(end));
        cut.map(|it| it.trim_end_matches(['/', '_'])).filter(|it| !it.is_empty()).unwrap_or(name)
    }
}

/// An event with its fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Described {
    /// Name of the event's kind.
    pub(crate) name: EventName,
    /// Its fields; `None` where no schema is known.
    pub(crate) fields: Option<Vec<Field>>,
}

/// Key that distinguishes kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    provider: Guid,
    id: u16,
    version: u8,
    opcode: u8,
    kind: u8,
    /// Number of the schema that the event brought along.
    schema: Option<u32>,
}

#[derive(Debug, Default)]
struct Provider {
    name: Option<String>,
    /// By number and version.
    events: FxHashMap<(u16, u8), EventSchema>,
    maps: FxHashMap<String, Arc<ValueMap>>,
}

#[derive(Clone, Debug)]
struct EventSchema {
    name: String,
    opcode: u8,
    fields: Arc<[FieldLayout]>,
    /// Names of maps that the log may describe later: which field's.
    maps: Vec<(usize, String)>,
}

/// Schemas of events known so far.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    providers: FxHashMap<Guid, Provider>,
    chunks: ManifestChunks,
    numbers: FxHashMap<Key, EventNumber>,
    keys: Vec<Key>,
    text_numbers: FxHashMap<Arc<[u8]>, u32>,
    /// Schemas of TraceLogging, by their numbers.
    texts: Vec<Arc<[u8]>>,
    text_bytes: usize,
}

impl Schemas {
    /// Takes in what an event says of others. Whether it is such an event: those say nothing of their thread.
    pub(crate) fn learn(&mut self, record: &EventRecord<'_>) -> bool {
        if ManifestChunks::is_chunk(record) {
            if let Some(text) = self.chunks.add(record) {
                self.learn_manifest(&text);
            }
            return true;
        }
        if record.kind != EventKind::Classic || record.provider != METADATA {
            return false;
        }
        match record.opcode {
            EVENT_INFO => {
                if let Some(info) = EventInfo::read(record.payload) {
                    self.learn_info(info);
                }
            }
            MAP_INFO => {
                if let Some((provider, map)) = record.payload.split_first_chunk()
                    && let Some((name, map)) = ValueMap::read(map)
                {
                    let maps = &mut self.provider(Guid::from_bytes(*provider)).maps;
                    maps.insert(name, Arc::new(map));
                }
            }
            _ => {}
        }
        true
    }

    fn provider(&mut self, guid: Guid) -> &mut Provider {
        self.providers.entry(guid).or_default()
    }

    fn learn_manifest(&mut self, text: &str) {
        for manifest in event_manifest::read(text) {
            let provider = self.provider(manifest.provider);
            provider.name.get_or_insert(manifest.name);
            for event in manifest.events {
                let schema = EventSchema {
                    name: event.name,
                    opcode: event.opcode,
                    fields: event.fields,
                    maps: Vec::new(),
                };
                provider.events.entry((event.id, event.version)).or_insert(schema);
            }
        }
    }

    fn learn_info(&mut self, info: EventInfo) {
        let provider = self.provider(info.provider);
        if let Some(name) = info.provider_name.filter(|it| !it.is_empty()) {
            provider.name.get_or_insert(name);
        }
        let said = |name: Option<String>| {
            let name = name.map(|it| it.trim().trim_start_matches("win:").to_owned());
            name.filter(|it| !it.is_empty() && it != "Info")
        };
        let name = match (said(info.task), said(info.opcode_name)) {
            (Some(task), Some(opcode)) => format!("{task}/{opcode}"),
            (Some(name), None) | (None, Some(name)) => name,
            (None, None) => info.id.to_string(),
        };
        let schema =
            EventSchema { name, opcode: info.opcode, fields: info.fields.into(), maps: info.maps };
        provider.events.entry((info.id, info.version)).or_insert(schema);
    }

    /// Which kind an event is, without looking at its fields.
    pub(crate) fn number(&mut self, record: &EventRecord<'_>) -> EventNumber {
        let schema = self.schema_of(record);
        let key = Key {
            provider: record.provider,
            id: record.id,
            version: record.version,
            opcode: record.opcode,
            kind: match record.kind {
                EventKind::Kernel { group } => group,
                EventKind::Classic => 0xfd,
                EventKind::Message => 0xfe,
                EventKind::Modern => 0xff,
            },
            schema,
        };
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        if self.keys.len() >= MOST_KINDS {
            return EventNumber::OTHER;
        }
        let number = EventNumber(self.keys.len() as u32);
        self.keys.push(key);
        self.numbers.insert(key, number);
        number
    }

    /// The number of the schema that an event brought along.
    fn schema_of(&mut self, record: &EventRecord<'_>) -> Option<u32> {
        if record.extended.is_empty() {
            return None;
        }
        let metadata = Metadata::from_items(record.extended);
        if let Some(traits) = metadata.traits {
            let provider = self.providers.entry(record.provider).or_default();
            if provider.name.is_none() {
                provider.name = trace_logging::provider_name(traits);
            }
        }
        let schema = metadata.schema?;
        if let Some(number) = self.text_numbers.get(schema) {
            return Some(*number);
        }
        self.text_bytes += schema.len();
        if self.text_bytes > MOST_SCHEMA_BYTES {
            return None;
        }
        let number = self.texts.len() as u32;
        let schema: Arc<[u8]> = schema.into();
        self.texts.push(Arc::clone(&schema));
        self.text_numbers.insert(schema, number);
        Some(number)
    }

    /// Returns the name of a kind, by everything that is known by now.
    pub(crate) fn name(&self, number: EventNumber) -> EventName {
        let Some(key) = self.keys.get(number.0 as usize) else {
            let other = || "other".to_owned();
            return EventName { provider: other(), event: other(), step: Step::Instant };
        };
        let known = self.providers.get(&key.provider);
        let provider = known.and_then(|it| it.name.clone());
        let provider = provider.or_else(|| known::provider(key.provider).map(str::to_owned));
        let provider = provider.unwrap_or_else(|| key.provider.to_string());
        if key.kind != 0xff {
            let event = if key.kind == 0xfe { key.id.to_string() } else { key.opcode.to_string() };
            return EventName { provider, event, step: Step::Instant };
        }
        let by_opcode = |opcode: u8| match opcode {
            _ if !known::is_of_thread(&provider) => Step::Instant,
            1 => Step::Start,
            2 => Step::Stop,
            _ => Step::Instant,
        };
        let schema = key.schema.and_then(|it| self.texts.get(it as usize));
        if let Some(event) = schema.and_then(|it| trace_logging::event_name(it)) {
            return EventName { step: by_opcode(key.opcode), provider, event };
        }
        if let Some(schema) = known.and_then(|it| it.of_event(key.id, key.version)) {
            let opcode = if key.opcode == 0 { schema.opcode } else { key.opcode };
            return EventName { step: by_opcode(opcode), event: schema.name.clone(), provider };
        }
        if let Some((event, step)) = known::event(key.provider, key.id) {
            return EventName { provider, event: event.to_owned(), step };
        }
        let manifest = key.id == 0xfffe;
        let event = if manifest { "ManifestData".to_owned() } else { key.id.to_string() };
        EventName { step: by_opcode(key.opcode), provider, event }
    }

    /// Returns the numbers of all kinds.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = EventNumber> + use<> {
        (0..self.keys.len() as u32).map(EventNumber)
    }

    /// An event with its fields.
    pub(crate) fn describe(&mut self, record: &EventRecord<'_>) -> Described {
        let number = self.number(record);
        let name = self.name(number);
        let metadata = Metadata::from_items(record.extended);
        let of_trace_logging =
            metadata.schema.and_then(trace_logging::event).map(|(_, fields)| fields);
        let decode = |fields: &[FieldLayout]| {
            field_decoding::decode(fields, record.payload, record.pointer_size)
        };
        let known = self.providers.get(&record.provider);
        let fields = match (of_trace_logging, known) {
            (Some(fields), _) => Some(decode(&fields)),
            (None, Some(provider)) if record.kind == EventKind::Modern => {
                let schema = provider.events.get(&(record.id, record.version));
                schema.map(|schema| decode(&provider.with_maps(schema)))
            }
            _ => None,
        };
        Described { name, fields }
    }
}

impl Provider {
    /// An event by number and version, else by number alone: its name stays, its fields may not.
    fn of_event(&self, id: u16, version: u8) -> Option<&EventSchema> {
        let exact = self.events.get(&(id, version));
        exact.or_else(|| (0..=u8::MAX).rev().find_map(|version| self.events.get(&(id, version))))
    }

    /// Fields with the maps that were described by now.
    fn with_maps(&self, schema: &EventSchema) -> Vec<FieldLayout> {
        let mut fields = schema.fields.to_vec();
        for (index, name) in &schema.maps {
            if let (Some(field), Some(map)) = (fields.get_mut(*index), self.maps.get(name)) {
                field.map = Some(Arc::clone(map));
            }
        }
        fields
    }
}
