//! Manifests that `EventSource` writes into a log, in events of at most 64 KiB.
//!
//! Source: `ManifestEnvelope` of .NET's `EventSource` (event 65534, `ManifestFormats.SimpleXmlFormat`).

use rustc_hash::FxHashMap;

use crate::event_record::{EventKind, EventRecord, Guid};

/// `EventSource`'s number of the event.
const EVENT: u16 = 0xfffe;
/// `ManifestEnvelope.Format` of XML in UTF-8, and `ManifestEnvelope.Magic`.
const XML: u8 = 1;
const MAGIC: u8 = 0x5b;
/// Bytes of a manifest, and providers with one that is not complete.
const LONGEST: usize = 16 << 20;
const MOST: usize = 1024;

/// Manifests of which parts are still missing.
#[derive(Debug, Default)]
pub(super) struct ManifestChunks(FxHashMap<(Guid, Option<u32>), Parts>);

#[derive(Debug, Default)]
struct Parts {
    bytes: Vec<u8>,
    next: u16,
    total: u16,
}

impl ManifestChunks {
    /// Whether an event is a part of a manifest.
    pub fn is_chunk(record: &EventRecord<'_>) -> bool {
        let head = record.payload.first_chunk::<8>();
        record.kind == EventKind::Modern
            && record.id == EVENT
            && head.is_some_and(|head| head[0] == XML && head[3] == MAGIC)
    }

    /// Takes a part in. The whole manifest with its last; parts that do not follow each other are dropped.
    pub fn add(&mut self, record: &EventRecord<'_>) -> Option<String> {
        let (head, text) = record.payload.split_first_chunk::<8>()?;
        let total = u16::from_le_bytes([head[4], head[5]]);
        let number = u16::from_le_bytes([head[6], head[7]]);
        let key = (record.provider, record.pid);
        if number == 0 {
            if self.0.len() >= MOST {
                self.0.clear();
            }
            self.0.insert(key, Parts { total, ..Parts::default() });
        }
        let parts = self.0.get_mut(&key)?;
        if parts.next != number || parts.total != total || parts.bytes.len() + text.len() > LONGEST
        {
            self.0.remove(&key);
            return None;
        }
        parts.bytes.extend_from_slice(text);
        parts.next += 1;
        if parts.next < total {
            return None;
        }
        let bytes = self.0.remove(&key)?.bytes;
        let end = memchr::memchr(0, &bytes).unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}
