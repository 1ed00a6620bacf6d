//! Chunks, which binary XML is made of.

use crate::little_endian::{u16_at, u32_at};
use crate::{ApkError, XmlProblem};

/// Types of chunks (`ResourceTypes.h`).
pub(super) mod kind {
    /// `RES_STRING_POOL_TYPE`
    pub(in crate::axml) const STRING_POOL: u16 = 0x0001;
    /// `RES_XML_TYPE`
    pub(in crate::axml) const XML: u16 = 0x0003;
    /// `RES_XML_START_NAMESPACE_TYPE`
    pub(in crate::axml) const START_NAMESPACE: u16 = 0x0100;
    /// `RES_XML_END_NAMESPACE_TYPE`
    pub(in crate::axml) const END_NAMESPACE: u16 = 0x0101;
    /// `RES_XML_START_ELEMENT_TYPE`
    pub(in crate::axml) const START_ELEMENT: u16 = 0x0102;
    /// `RES_XML_END_ELEMENT_TYPE`
    pub(in crate::axml) const END_ELEMENT: u16 = 0x0103;
    /// `RES_XML_CDATA_TYPE`
    pub(in crate::axml) const TEXT: u16 = 0x0104;
    /// `RES_XML_RESOURCE_MAP_TYPE`
    pub(in crate::axml) const RESOURCE_MAP: u16 = 0x0180;

    /// Whether chunks of this kind are nodes of the document (`RES_XML_FIRST_CHUNK_TYPE` to `RES_XML_LAST_CHUNK_TYPE`). Android reads
    /// the resource map only in front of the first one.
    pub(in crate::axml) const fn is_node(kind: u16) -> bool {
        matches!(kind, 0x0100..=0x017f)
    }
}

/// "No string": `0xffffffff` where a string index is expected.
pub(super) const NO_STRING: u32 = u32::MAX;
/// `ResXMLTree_node`: chunk header, line number, comment.
pub(super) const NODE_HEADER: usize = 8 + 4 + 4;
/// `ResXMLTree_attrExt` without attributes.
pub(super) const ELEMENT_SIZE: usize = 4 + 4 + 6 * 2;
/// `ResXMLTree_attribute`: namespace, name, raw value, typed value.
pub(super) const ATTRIBUTE_SIZE: usize = 4 + 4 + 4 + 8;

/// `ResChunk_header` and what it covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) kind: u16,
    pub(super) header_size: usize,
    /// The chunk, header included.
    pub(super) bytes: &'a [u8],
    /// Offset in the file.
    pub(super) offset: usize,
}

impl<'a> Chunk<'a> {
    const HEADER: usize = 2 + 2 + 4;

    /// The chunk at the start of `bytes`, which is at `offset` in the file.
    fn parse(bytes: &'a [u8], offset: usize) -> Result<Self, ApkError> {
        let fields = u16_at(bytes, 0).zip(u16_at(bytes, 2)).zip(u32_at(bytes, 4));
        let ((kind, header), size) = fields.ok_or(ApkError::Truncated {
            what: "a chunk header of binary XML",
            offset: offset as u64,
            expected: Self::HEADER as u64,
            found: bytes.len() as u64,
        })?;
        let header_size = usize::from(header);
        let whole = bytes.get(..size as usize);
        match whole {
            Some(bytes) if header_size >= Self::HEADER && header_size <= bytes.len() => {
                Ok(Self { kind, header_size, bytes, offset })
            }
            _ => Err(ApkError::Xml {
                offset: offset as u64,
                problem: XmlProblem::ChunkSize {
                    kind,
                    header,
                    size,
                    available: bytes.len() as u64,
                },
            }),
        }
    }

    /// The number at `offset` in the chunk.
    pub(super) fn u32(&self, offset: usize) -> Result<u32, ApkError> {
        u32_at(self.bytes, offset).ok_or_else(|| self.cut_short(offset, 4))
    }

    /// The number at `offset` in the chunk.
    pub(super) fn u16(&self, offset: usize) -> Result<u16, ApkError> {
        u16_at(self.bytes, offset).ok_or_else(|| self.cut_short(offset, 2))
    }

    fn cut_short(&self, offset: usize, expected: u64) -> ApkError {
        ApkError::Truncated {
            what: "a chunk of binary XML",
            offset: self.offset.saturating_add(offset) as u64,
            expected,
            found: self.bytes.len().saturating_sub(offset) as u64,
        }
    }

    pub(super) fn error(&self, problem: XmlProblem) -> ApkError {
        ApkError::Xml { offset: self.offset as u64, problem }
    }
}

/// The chunks of a binary XML file, unknown ones included. Bytes behind the file's announced size are no part of it.
pub(super) fn chunks(file: &[u8]) -> Result<Vec<Chunk<'_>>, ApkError> {
    let outer = Chunk::parse(file, 0)?;
    if outer.kind != kind::XML {
        let problem =
            XmlProblem::Chunk { expected: kind::XML, name: "RES_XML_TYPE", found: outer.kind };
        return Err(outer.error(problem));
    }
    let mut chunks = Vec::new();
    let mut at = outer.header_size;
    while at < outer.bytes.len() {
        let chunk = Chunk::parse(outer.bytes.get(at..).unwrap_or_default(), at)?;
        at = at.saturating_add(chunk.bytes.len());
        chunks.push(chunk);
    }
    Ok(chunks)
}
