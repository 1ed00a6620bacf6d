//! A provider's manifest: names and fields of its events as XML.
//!
//! Source: the instrumentation manifest of the Windows SDK (`eventman.xsd`), and what `EventSource` of .NET writes.

use std::sync::Arc;

use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;

use super::field_layout::{Amount, DEEPEST, FieldLayout};
use super::field_type::{InType, OutType};
use super::map_info::ValueMap;
use crate::event_record::Guid;

/// Nodes of one manifest that are read.
const MOST_NODES: u32 = 1 << 20;

/// One provider of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Manifest {
    pub provider: Guid,
    pub name: String,
    pub events: Vec<ManifestEvent>,
}

/// One event of a provider.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ManifestEvent {
    pub id: u16,
    pub version: u8,
    /// Task and opcode (`Tracing/Start`), the task alone where the opcode says nothing; else its symbol.
    pub name: String,
    pub opcode: u8,
    pub fields: Arc<[FieldLayout]>,
}

/// The providers of a manifest; none where it is not one.
pub(super) fn read(text: &str) -> Vec<Manifest> {
    let options = roxmltree::ParsingOptions { nodes_limit: MOST_NODES, ..Default::default() };
    let Ok(document) = Document::parse_with_options(text, options) else { return Vec::new() };
    let texts = texts(&document);
    let providers = document.descendants().filter(|node| node.has_tag_name_of("provider"));
    providers.filter_map(|node| provider(node, &texts)).collect()
}

/// Names whatever their namespace: manifests of several versions of it are about.
trait Named<'a, 'i: 'a> {
    fn has_tag_name_of(&self, name: &str) -> bool;
    fn all(self, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>>;
    fn number(&self, attribute: &str) -> Option<u64>;
}

impl<'a, 'i: 'a> Named<'a, 'i> for Node<'a, 'i> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }

    fn all(self, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
        self.descendants().filter(move |node| node.has_tag_name_of(name))
    }

    fn number(&self, attribute: &str) -> Option<u64> {
        number(self.attribute(attribute)?)
    }
}

/// Decimal, or hexadecimal after `0x`.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    digits.map_or_else(|| text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok())
}

/// Texts of the `stringTable`, by their names; of several languages the first.
fn texts<'d>(document: &'d Document<'_>) -> FxHashMap<&'d str, &'d str> {
    let mut texts = FxHashMap::default();
    for table in document.root().all("stringTable") {
        for text in table.all("string") {
            if let (Some(id), Some(value)) = (text.attribute("id"), text.attribute("value")) {
                texts.entry(id).or_insert(value);
            }
        }
    }
    texts
}

/// A name and what it stands for: an opcode's number, a template's fields.
type ByName<'d, T> = FxHashMap<&'d str, T>;

fn provider(node: Node<'_, '_>, texts: &FxHashMap<&str, &str>) -> Option<Manifest> {
    let guid = Guid::parse(node.attribute("guid")?)?;
    let name = node.attribute("name")?.to_owned();
    let mut maps: ByName<'_, Arc<ValueMap>> = FxHashMap::default();
    for (tag, is_bits) in [("valueMap", false), ("bitMap", true)] {
        for map in node.all(tag) {
            if let Some(name) = map.attribute("name") {
                let entries = map.all("map").filter_map(|entry| {
                    let message = entry.attribute("message")?;
                    let id = message.strip_prefix("$(string.").and_then(|it| it.strip_suffix(')'));
                    let text = id.and_then(|id| texts.get(id).copied()).unwrap_or(message);
                    Some((entry.number("value")?, text.to_owned()))
                });
                maps.insert(name, Arc::new(ValueMap { is_bits, entries: entries.collect() }));
            }
        }
    }
    let opcodes: ByName<'_, u8> = node
        .all("opcode")
        .filter_map(|it| Some((it.attribute("name")?, u8::try_from(it.number("value")?).ok()?)))
        .collect();
    let templates: ByName<'_, Arc<[FieldLayout]>> = node
        .all("template")
        .filter_map(|it| Some((it.attribute("tid")?, fields(it, &maps, 0).into())))
        .collect();
    let none: Arc<[FieldLayout]> = Arc::new([]);
    let events = node.all("event").filter_map(|it| {
        let id = u16::try_from(it.number("value")?).ok()?;
        let opcode_name = it.attribute("opcode").filter(|name| *name != "win:Info");
        let template = it.attribute("template").and_then(|name| templates.get(name));
        Some(ManifestEvent {
            id,
            version: it.number("version").and_then(|it| u8::try_from(it).ok()).unwrap_or_default(),
            name: event_name(it, id, opcode_name),
            opcode: opcode_name.map_or(0, |name| {
                standard_opcode(name).or_else(|| opcodes.get(name).copied()).unwrap_or_default()
            }),
            fields: template.unwrap_or(&none).clone(),
        })
    });
    let events = events.collect();
    Some(Manifest { provider: guid, name, events })
}

/// Task and opcode, else the event's symbol, else its number.
fn event_name(event: Node<'_, '_>, id: u16, opcode: Option<&str>) -> String {
    let short = |name: &str| name.strip_prefix("win:").unwrap_or(name).to_owned();
    let symbol = event.attribute("symbol").or_else(|| event.attribute("name"));
    match (event.attribute("task"), opcode) {
        (Some(task), Some(opcode)) => format!("{}/{}", short(task), short(opcode)),
        (Some(task), None) => short(task),
        (None, _) if symbol.is_some() => symbol.unwrap_or_default().to_owned(),
        (None, Some(opcode)) => format!("{id}/{}", short(opcode)),
        (None, None) => id.to_string(),
    }
}

/// Opcodes that every provider has (`winmeta.xml`).
fn standard_opcode(name: &str) -> Option<u8> {
    Some(match name.strip_prefix("win:")? {
        "Start" => 1,
        "Stop" => 2,
        "DC_Start" => 3,
        "DC_Stop" => 4,
        "Extension" => 5,
        "Reply" => 6,
        "Resume" => 7,
        "Suspend" => 8,
        "Send" => 9,
        "Receive" => 240,
        _ => return None,
    })
}

/// The fields of a template or of a structure. They end before the first that is not understood.
fn fields(node: Node<'_, '_>, maps: &ByName<'_, Arc<ValueMap>>, depth: usize) -> Vec<FieldLayout> {
    let elements = node.children().filter(Node::is_element);
    let elements = elements.filter(|it| ["data", "struct"].contains(&it.tag_name().name()));
    elements.map_while(|it| field(it, maps, depth)).collect()
}

fn field(
    node: Node<'_, '_>,
    maps: &ByName<'_, Arc<ValueMap>>,
    depth: usize,
) -> Option<FieldLayout> {
    let name = node.attribute("name").unwrap_or_default().to_owned();
    let amount = |attribute: &str| {
        let text = node.attribute(attribute)?;
        let fixed = number(text).map(|it| u16::try_from(it).map(Amount::Fixed));
        Some(fixed.transpose().ok()?.unwrap_or_else(|| Amount::Field(text.to_owned())))
    };
    let (count, length) = (amount("count"), amount("length"));
    if node.has_tag_name_of("struct") {
        let members = if depth < DEEPEST { fields(node, maps, depth + 1) } else { return None };
        let layout = FieldLayout::new(name, InType::Struct, OutType::Plain);
        return Some(FieldLayout { count, members, ..layout });
    }
    let in_type = InType::named(node.attribute("inType")?)?;
    let out_type = node.attribute("outType").map_or(OutType::Plain, OutType::named);
    let map = node.attribute("map").and_then(|name| maps.get(name).cloned());
    Some(FieldLayout { count, length, map, ..FieldLayout::new(name, in_type, out_type) })
}
