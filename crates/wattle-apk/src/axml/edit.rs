//! Changing binary XML in place: chunks that are not touched stay as they are.

use crate::ApkError;
use crate::axml::attribute_value::Value;
use crate::axml::document::{AttributeList, BinaryXml, resource_id};
use crate::axml::string_pool::StringPool;
use crate::axml::xml_chunk::{
    ATTRIBUTE_SIZE, Chunk, ELEMENT_SIZE, NO_STRING, NODE_HEADER, chunks, kind,
};
use crate::little_endian::{set_u16, set_u32, u16_at, u32_at};
use crate::{ManifestProblem, XmlProblem};

/// A binary XML file as a list of chunks that can be changed.
#[derive(Debug, Clone)]
pub(super) struct XmlEdit {
    header: Vec<u8>,
    chunks: Vec<OwnedChunk>,
}

#[derive(Debug, Clone)]
struct OwnedChunk {
    kind: u16,
    header_size: usize,
    bytes: Vec<u8>,
}

impl OwnedChunk {
    fn view(&self) -> Chunk<'_> {
        let (kind, header_size) = (self.kind, self.header_size);
        Chunk { kind, header_size, bytes: &self.bytes, offset: 0 }
    }
}

impl XmlEdit {
    pub(super) fn open(file: &[u8]) -> Result<Self, ApkError> {
        // Reading it whole first means that edits meet only sound chunks.
        BinaryXml::parse(file)?;
        let chunks = chunks(file)?;
        let header = file.get(..chunks.first().map_or(8, |first| first.offset));
        let owned = chunks.iter().map(|chunk| OwnedChunk {
            kind: chunk.kind,
            header_size: chunk.header_size,
            bytes: chunk.bytes.to_vec(),
        });
        Ok(Self { header: header.unwrap_or_default().to_vec(), chunks: owned.collect() })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut file = self.header.clone();
        self.chunks.iter().for_each(|chunk| file.extend_from_slice(&chunk.bytes));
        let size = file.len() as u32;
        set_u32(&mut file, 4, size);
        file
    }

    /// The element reached by these names from the root, the first one at each step.
    pub(super) fn find(&self, path: &[&str]) -> Result<Option<usize>, ApkError> {
        let pool = self.pool()?;
        // How many names of the path the open elements match; None below an element that does not.
        let mut depth = 0_usize;
        let mut matched = 0_usize;
        for (index, chunk) in self.chunks.iter().enumerate() {
            match chunk.kind {
                kind::START_ELEMENT => {
                    let name = pool.get(chunk.view().u32(chunk.header_size.saturating_add(4))?)?;
                    if depth == matched && path.get(matched) == Some(&&*name) {
                        matched = matched.saturating_add(1);
                        if matched == path.len() {
                            return Ok(Some(index));
                        }
                    }
                    depth = depth.saturating_add(1);
                }
                kind::END_ELEMENT => {
                    depth = depth.saturating_sub(1);
                    matched = matched.min(depth);
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Gives one of Android's attributes of the element a truth value; says whether it had another or none.
    pub(super) fn set_android_flag(
        &mut self,
        element: usize,
        name: &str,
        resource: u32,
        value: bool,
    ) -> Result<bool, ApkError> {
        let data = if value { u32::MAX } else { 0 };
        if let Some(at) = self.attribute_offset(element, name, resource)? {
            let Some(chunk) = self.chunks.get_mut(element) else { return Ok(false) };
            let kind_and_size = u32::from(Value::BOOLEAN) << 24 | 8;
            let same = u32_at(&chunk.bytes, at.saturating_add(16)).map(|found| found != 0)
                == Some(value)
                && u32_at(&chunk.bytes, at.saturating_add(12)) == Some(kind_and_size);
            if !same {
                set_u32(&mut chunk.bytes, at.saturating_add(8), NO_STRING);
                set_u32(&mut chunk.bytes, at.saturating_add(12), kind_and_size);
                set_u32(&mut chunk.bytes, at.saturating_add(16), data);
            }
            return Ok(!same);
        }
        let chunks = self.chunks.len();
        // A new name moves later strings, so the namespace is looked up after it.
        let name = self.attribute_name(name, resource)?;
        let namespace = self.string(BinaryXml::ANDROID)?;
        // A resource map may have come in before the element.
        let element = element.saturating_add(self.chunks.len().saturating_sub(chunks));
        self.insert_attribute(element, namespace, name, resource, data)?;
        Ok(true)
    }

    /// Inserts an element without attributes as the first child of another one; gives its place.
    pub(super) fn insert_child(&mut self, parent: usize, name: &str) -> Result<usize, ApkError> {
        let name = self.string(name)?;
        let view = self.chunks.get(parent).map(OwnedChunk::view);
        let line = view.and_then(|parent| u32_at(parent.bytes, 8)).unwrap_or(0);
        let node = |kind: u16, rest: &[u8]| {
            let mut bytes = Vec::with_capacity(NODE_HEADER + rest.len());
            bytes.extend_from_slice(&kind.to_le_bytes());
            bytes.extend_from_slice(&(NODE_HEADER as u16).to_le_bytes());
            bytes.extend_from_slice(&((NODE_HEADER + rest.len()) as u32).to_le_bytes());
            bytes.extend_from_slice(&line.to_le_bytes());
            bytes.extend_from_slice(&NO_STRING.to_le_bytes());
            bytes.extend_from_slice(rest);
            OwnedChunk { kind, header_size: NODE_HEADER, bytes }
        };
        let mut names = NO_STRING.to_le_bytes().to_vec();
        names.extend_from_slice(&name.to_le_bytes());
        let mut start = names.clone();
        // Where attributes begin, their size and number, and the numbers of id, class and style.
        for field in [ELEMENT_SIZE as u16, ATTRIBUTE_SIZE as u16, 0, 0, 0, 0] {
            start.extend_from_slice(&field.to_le_bytes());
        }
        let place = parent.saturating_add(1).min(self.chunks.len());
        let chunks = [node(kind::START_ELEMENT, &start), node(kind::END_ELEMENT, &names)];
        self.chunks.splice(place..place, chunks);
        Ok(place)
    }

    fn chunk_of(&self, kind: u16) -> Option<(usize, &OwnedChunk)> {
        self.chunks.iter().enumerate().find(|(_, chunk)| chunk.kind == kind)
    }

    /// The map that Android reads: the last one in front of the nodes.
    fn resource_map(&self) -> Option<(usize, &OwnedChunk)> {
        let in_front = self.chunks.iter().take_while(|chunk| !kind::is_node(chunk.kind));
        in_front.enumerate().filter(|(_, chunk)| chunk.kind == kind::RESOURCE_MAP).last()
    }

    fn pool(&self) -> Result<StringPool<'_>, ApkError> {
        let missing = ApkError::Xml { offset: 0, problem: XmlProblem::NoStringPool };
        StringPool::parse(self.chunk_of(kind::STRING_POOL).ok_or(missing)?.1.view())
    }

    /// Offset of the attribute in the element's chunk: found by its number, as Android does, or else by name.
    fn attribute_offset(
        &self,
        element: usize,
        name: &str,
        resource: u32,
    ) -> Result<Option<usize>, ApkError> {
        let Some(chunk) = self.chunks.get(element) else {
            return Err(ApkError::Manifest(ManifestProblem::NoApplication));
        };
        let (view, pool) = (chunk.view(), self.pool()?);
        let map = self.resource_map().map(|(_, map)| map.view());
        let list = AttributeList::from_chunk(&view)?;
        for index in 0..list.count {
            let at = list.offset(index);
            let found = view.u32(at.saturating_add(4))?;
            let id = map.and_then(|map| resource_id(&map, found));
            let matches = if let Some(id) = id {
                id == resource
            } else {
                let namespace = view.u32(at)?;
                namespace != NO_STRING
                    && &*pool.get(namespace)? == BinaryXml::ANDROID
                    && &*pool.get(found)? == name
            };
            if matches {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Inserts an attribute where the order by resource number wants it, which Android's lookup relies on.
    fn insert_attribute(
        &mut self,
        element: usize,
        namespace: u32,
        name: u32,
        resource: u32,
        data: u32,
    ) -> Result<(), ApkError> {
        let map = self.resource_map().map(|(_, map)| map.clone());
        let Some(chunk) = self.chunks.get_mut(element) else { return Ok(()) };
        let list = AttributeList::from_chunk(&chunk.view())?;
        let id_of = |index| {
            let name = chunk.view().u32(list.offset(index).saturating_add(4)).ok()?;
            resource_id(&map.as_ref()?.view(), name)
        };
        // Attributes without a number come last.
        let place = (0..list.count)
            .find(|&index| id_of(index).is_none_or(|id| id > resource))
            .unwrap_or(list.count);
        let mut attribute = Vec::with_capacity(ATTRIBUTE_SIZE);
        for field in [namespace, name, NO_STRING, u32::from(Value::BOOLEAN) << 24 | 8, data] {
            attribute.extend_from_slice(&field.to_le_bytes());
        }
        // Without attributes, the announced size of one means nothing.
        let (at, size) = if list.count == 0 {
            let start = chunk.header_size.saturating_add(ELEMENT_SIZE);
            set_u16(&mut chunk.bytes, chunk.header_size.saturating_add(8), ELEMENT_SIZE as u16);
            (start, ATTRIBUTE_SIZE)
        } else {
            (list.offset(place), list.size())
        };
        attribute.resize(size, 0);
        chunk.bytes.splice(at..at, attribute);
        let new_size = chunk.bytes.len() as u32;
        set_u32(&mut chunk.bytes, 4, new_size);
        let ext = chunk.header_size;
        set_u16(&mut chunk.bytes, ext.saturating_add(10), size as u16);
        set_u16(&mut chunk.bytes, ext.saturating_add(12), list.count.saturating_add(1));
        // Numbers of id, class and style attributes count from 1; 0 is none.
        for field in [14, 16, 18_usize] {
            let field = ext.saturating_add(field);
            if let Some(number) = u16_at(&chunk.bytes, field).filter(|&number| number > place) {
                set_u16(&mut chunk.bytes, field, number.saturating_add(1));
            }
        }
        Ok(())
    }

    /// The index of a string, which is appended to the pool when it is not there.
    fn string(&mut self, string: &str) -> Result<u32, ApkError> {
        let pool = self.pool()?;
        if let Some(index) = pool.find(string) {
            return Ok(index);
        }
        let index = pool.len();
        self.insert_string(index, string)?;
        Ok(index)
    }

    /// The index of an attribute's name: the one that stands for the resource, else a new one in the part of the
    /// pool that the resource map covers, in the map's order.
    fn attribute_name(&mut self, name: &str, resource: u32) -> Result<u32, ApkError> {
        let ids = match self.resource_map() {
            Some((_, map)) => {
                let ids = map.bytes.get(map.header_size..).unwrap_or_default();
                ids.chunks_exact(4).map(|id| id.try_into().map_or(0, u32::from_le_bytes)).collect()
            }
            None => Vec::new(),
        };
        let covered = self.pool()?.len().min(ids.len() as u32) as usize;
        let ids: &[u32] = ids.get(..covered).unwrap_or_default();
        if let Some(index) = ids.iter().position(|&id| id == resource) {
            return Ok(index as u32);
        }
        let index =
            if ids.is_sorted() { ids.partition_point(|&id| id < resource) } else { ids.len() };
        self.insert_string(index as u32, name)?;
        let mut ids = ids.to_vec();
        ids.insert(index, resource);
        self.set_resource_map(&ids);
        Ok(index as u32)
    }

    fn set_resource_map(&mut self, ids: &[u32]) {
        let mut bytes = Vec::with_capacity(8 + ids.len() * 4);
        bytes.extend_from_slice(&kind::RESOURCE_MAP.to_le_bytes());
        bytes.extend_from_slice(&8_u16.to_le_bytes());
        bytes.extend_from_slice(&((8 + ids.len() * 4) as u32).to_le_bytes());
        for id in ids {
            bytes.extend_from_slice(&id.to_le_bytes());
        }
        let map = OwnedChunk { kind: kind::RESOURCE_MAP, header_size: 8, bytes };
        let old = self.resource_map().map(|(place, _)| place);
        if let Some(slot) = old.and_then(|place| self.chunks.get_mut(place)) {
            *slot = map;
            return;
        }
        // Android reads it only between the string pool and the first node.
        let pool = self.chunk_of(kind::STRING_POOL).map_or(0, |(place, _)| place);
        self.chunks.insert(pool.saturating_add(1).min(self.chunks.len()), map);
    }

    /// Puts a string into the pool and moves every reference to a later one.
    fn insert_string(&mut self, index: u32, string: &str) -> Result<(), ApkError> {
        let bytes = self.pool()?.with_inserted(index, string)?;
        if let Some((place, _)) = self.chunk_of(kind::STRING_POOL)
            && let Some(pool) = self.chunks.get_mut(place)
        {
            pool.bytes = bytes;
        }
        for chunk in &mut self.chunks {
            let fields = string_fields(&chunk.view())?;
            for field in fields {
                let moved = u32_at(&chunk.bytes, field)
                    .filter(|&found| found != NO_STRING && found >= index);
                if let Some(found) = moved {
                    set_u32(&mut chunk.bytes, field, found.saturating_add(1));
                }
            }
        }
        Ok(())
    }
}

/// Offsets of a chunk's string indices.
fn string_fields(chunk: &Chunk<'_>) -> Result<Vec<usize>, ApkError> {
    const COMMENT: usize = 12;
    let at = chunk.header_size;
    let mut fields = vec![COMMENT, at];
    match chunk.kind {
        kind::START_NAMESPACE | kind::END_NAMESPACE | kind::END_ELEMENT => {
            fields.push(at.saturating_add(4));
        }
        kind::TEXT => {
            // The text, and again as a typed value.
            if chunk.u16(at.saturating_add(6)).is_ok_and(|k| k >> 8 == u16::from(Value::STRING)) {
                fields.push(at.saturating_add(8));
            }
        }
        kind::START_ELEMENT => {
            fields.push(at.saturating_add(4));
            let list = AttributeList::from_chunk(chunk)?;
            for index in 0..list.count {
                let at = list.offset(index);
                fields.extend([at, at.saturating_add(4), at.saturating_add(8)]);
                if chunk.u16(at.saturating_add(14))? >> 8 == u16::from(Value::STRING) {
                    fields.push(at.saturating_add(16));
                }
            }
        }
        _ => return Ok(Vec::new()),
    }
    Ok(fields)
}
