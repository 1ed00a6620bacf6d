//! Binary XML as a tree of elements.

use std::sync::Arc;

use crate::axml::attribute_value::Value;
use crate::axml::string_pool::StringPool;
use crate::axml::xml_chunk::{
    ATTRIBUTE_SIZE, Chunk, ELEMENT_SIZE, NO_STRING, NODE_HEADER, chunks, kind,
};
use crate::little_endian::u32_at;
use crate::{ApkError, XmlProblem};

/// A binary XML file, read: a manifest, or a resource such as `res/xml/power_profile.xml`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BinaryXml {
    /// The outermost element.
    pub root: Element,
}

/// One element.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Element {
    /// URI of its namespace.
    pub namespace: Option<Arc<str>>,
    /// Its name.
    pub name: Arc<str>,
    /// Line of the source file.
    pub line: u32,
    /// Its attributes, in the order of the file.
    pub attributes: Vec<Attribute>,
    /// Elements and text inside.
    pub children: Vec<Node>,
}

/// One attribute.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Attribute {
    /// URI of its namespace.
    pub namespace: Option<Arc<str>>,
    /// Its name; may be empty in packages whose resources are obfuscated.
    pub name: Arc<str>,
    /// Number of the attribute as a resource, which is what Android goes by.
    pub resource: Option<u32>,
    /// Its value.
    pub value: Value,
    /// The text that was in the source, where it was kept.
    pub raw: Option<Arc<str>>,
}

/// Something inside an element.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Node {
    /// An element.
    Element(Element),
    /// Text.
    Text(Arc<str>),
}

impl BinaryXml {
    /// URI of the namespace of Android's own attributes.
    pub const ANDROID: &'static str = "http://schemas.android.com/apk/res/android";
    /// Deeper than any real layout, and shallow enough for every consumer that recurses.
    const DEPTH: usize = 200;

    /// Reads a file.
    pub fn parse(file: &[u8]) -> Result<Self, ApkError> {
        let mut reader = Reader::default();
        for chunk in chunks(file)? {
            reader.chunk(chunk)?;
        }
        let nesting = |text| {
            Err(ApkError::Xml { offset: file.len() as u64, problem: XmlProblem::Nesting(text) })
        };
        if !reader.open.is_empty() {
            return nesting("an element is not closed");
        }
        reader.root.map_or_else(|| nesting("there is no element"), |root| Ok(Self { root }))
    }

    /// Whether these bytes begin as binary XML does.
    pub fn is_binary(file: &[u8]) -> bool {
        file.starts_with(&kind::XML.to_le_bytes()) && file.get(2..4) == Some(&[8, 0])
    }
}

impl Element {
    /// The attribute of Android's with this resource number, or else of this name.
    pub fn android(&self, resource: u32, name: &str) -> Option<&Value> {
        let by_number = self.attributes.iter().find(|found| found.resource == Some(resource));
        let found = by_number.or_else(|| {
            self.attributes.iter().find(|found| {
                found.resource.is_none()
                    && &*found.name == name
                    && found.namespace.as_deref() == Some(BinaryXml::ANDROID)
            })
        });
        found.map(|attribute| &attribute.value)
    }

    /// The attribute of this name without a namespace.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        let plain = |found: &&Attribute| found.namespace.is_none() && &*found.name == name;
        self.attributes.iter().find(plain).map(|attribute| &attribute.value)
    }

    /// The elements inside.
    pub fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The elements of this name inside.
    pub fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.elements().filter(move |element| &*element.name == name)
    }

    /// The text directly inside, in one.
    pub fn text(&self) -> String {
        let texts = self.children.iter().filter_map(|child| match child {
            Node::Text(text) => Some(&**text),
            Node::Element(_) => None,
        });
        texts.collect()
    }
}

#[derive(Default)]
struct Reader<'a> {
    pool: Option<StringPool<'a>>,
    resources: Option<Chunk<'a>>,
    /// Whether a node was read.
    has_nodes: bool,
    open: Vec<Element>,
    root: Option<Element>,
}

impl<'a> Reader<'a> {
    fn chunk(&mut self, chunk: Chunk<'a>) -> Result<(), ApkError> {
        self.has_nodes |= kind::is_node(chunk.kind);
        match chunk.kind {
            // As Android does: the first pool counts.
            kind::STRING_POOL if self.pool.is_none() => self.pool = Some(StringPool::parse(chunk)?),
            kind::RESOURCE_MAP if !self.has_nodes => self.resources = Some(chunk),
            kind::START_ELEMENT => {
                if self.open.len() >= BinaryXml::DEPTH {
                    return Err(chunk.error(XmlProblem::Depth { limit: BinaryXml::DEPTH }));
                }
                if self.open.is_empty() && self.root.is_some() {
                    return Err(chunk.error(XmlProblem::Nesting("there are two root elements")));
                }
                let element = self.element(chunk)?;
                self.open.push(element);
            }
            kind::END_ELEMENT => {
                let missing = XmlProblem::Nesting("an element is closed that was not opened");
                let element = self.open.pop().ok_or_else(|| chunk.error(missing))?;
                match self.open.last_mut() {
                    Some(parent) => parent.children.push(Node::Element(element)),
                    None => self.root = Some(element),
                }
            }
            kind::TEXT => {
                let text = self.string(&chunk, chunk.u32(chunk.header_size)?)?;
                if let (Some(parent), Some(text)) = (self.open.last_mut(), text) {
                    parent.children.push(Node::Text(text));
                }
            }
            // Namespaces are resolved in every element; unknown chunks mean nothing to readers.
            _ => {}
        }
        Ok(())
    }

    fn element(&self, chunk: Chunk<'a>) -> Result<Element, ApkError> {
        let at = chunk.header_size;
        let name = self.string(&chunk, chunk.u32(at.saturating_add(4))?)?.unwrap_or_default();
        let namespace = self.string(&chunk, chunk.u32(at)?)?;
        let list = AttributeList::from_chunk(&chunk)?;
        let mut attributes = Vec::with_capacity(usize::from(list.count));
        for index in 0..list.count {
            attributes.push(self.attribute(&chunk, list.offset(index))?);
        }
        let line = chunk.u32(NODE_HEADER.saturating_sub(8))?;
        Ok(Element { namespace, name, line, attributes, children: Vec::new() })
    }

    fn attribute(&self, chunk: &Chunk<'a>, at: usize) -> Result<Attribute, ApkError> {
        let name = chunk.u32(at.saturating_add(4))?;
        let raw = self.string(chunk, chunk.u32(at.saturating_add(8))?)?;
        let kind = (chunk.u16(at.saturating_add(14))? >> 8) as u8;
        let data = chunk.u32(at.saturating_add(16))?;
        let value = match kind {
            Value::STRING => self.string(chunk, data)?.map_or(Value::Null, Value::String),
            _ => Value::from_data(kind, data),
        };
        Ok(Attribute {
            namespace: self.string(chunk, chunk.u32(at)?)?,
            name: self.string(chunk, name)?.unwrap_or_default(),
            resource: self.resources.and_then(|map| resource_id(&map, name)),
            value,
            raw,
        })
    }

    fn string(&self, chunk: &Chunk<'a>, index: u32) -> Result<Option<Arc<str>>, ApkError> {
        if index == NO_STRING {
            return Ok(None);
        }
        let pool = self.pool.as_ref().ok_or_else(|| chunk.error(XmlProblem::NoStringPool))?;
        pool.get(index).map(Some)
    }
}

/// The number of the resource that the attribute name with this string index stands for.
pub(super) fn resource_id(map: &Chunk<'_>, index: u32) -> Option<u32> {
    let at = (index as usize).checked_mul(4)?.checked_add(map.header_size)?;
    u32_at(map.bytes, at).filter(|&id| id != 0)
}

/// The place of an element's attributes.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeList {
    start: usize,
    size: usize,
    pub(super) count: u16,
}

impl AttributeList {
    /// The attributes of an element's chunk, all of which fit into it.
    pub(super) fn from_chunk(chunk: &Chunk<'_>) -> Result<Self, ApkError> {
        let at = chunk.header_size;
        let start = usize::from(chunk.u16(at.saturating_add(8))?).saturating_add(at);
        let size = chunk.u16(at.saturating_add(10))?;
        let count = chunk.u16(at.saturating_add(12))?;
        let end = usize::from(size).saturating_mul(usize::from(count)).saturating_add(start);
        let sound = usize::from(size) >= ATTRIBUTE_SIZE
            && end <= chunk.bytes.len()
            && start >= at.saturating_add(ELEMENT_SIZE);
        if count > 0 && !sound {
            return Err(chunk.error(XmlProblem::Attributes { count, size }));
        }
        Ok(Self { start, size: usize::from(size), count })
    }

    /// Offset in the chunk of the attribute of this number; behind the last for the number after it.
    pub(super) fn offset(&self, index: u16) -> usize {
        self.start.saturating_add(self.size.saturating_mul(usize::from(index)))
    }

    /// Bytes of one attribute.
    pub(super) const fn size(&self) -> usize {
        self.size
    }
}
