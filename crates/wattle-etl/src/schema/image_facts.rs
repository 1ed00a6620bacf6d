//! Facts about images that merging adds to a log (`KernelTraceControl`'s `ImageId`): the build of each.
//!
//! Source: `SymbolTraceEventParser` of PerfView's `TraceEvent`.

use super::field_value::{Field, Value};
use crate::event_record::{EventKind, EventRecord, Guid};
use crate::payload::Payload;

/// The class of these events.
const CLASS: Guid = Guid::new(0xb3e6_75d7, 0x2554, 0x4f18, 0x830b, 0x2762_7325_60de);

/// `DBGID_LOG_TYPE_*`.
const IMAGE_ID: u8 = 0;
const RSDS: u8 = 36;
const FILE_VERSION: u8 = 64;

/// A fact about an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImageFact {
    /// Which build it is, by its header.
    Build {
        /// Address at which it is mapped.
        base: u64,
        /// The process: 0 for the kernel's.
        pid: u32,
        /// `SizeOfImage`.
        size: u64,
        /// `TimeDateStamp`.
        stamp: u32,
        /// Name of the file when it was built.
        name: String,
    },
    /// Which debug data belongs to it.
    DebugData {
        /// Address at which it is mapped.
        base: u64,
        /// The process: 0 for the kernel's.
        pid: u32,
        /// The `RSDS` signature.
        guid: Guid,
        /// Number of changes to the debug data.
        age: u32,
        /// The path of the `.pdb` where it was built.
        path: String,
    },
    /// The version in its resources.
    Version {
        /// `SizeOfImage`.
        size: u32,
        /// `TimeDateStamp`.
        stamp: u32,
        /// `OriginalFilename`.
        name: String,
        /// `FileVersion`.
        version: String,
    },
}

impl ImageFact {
    /// As fields, by the names that the events' documentation gives them.
    pub(crate) fn fields(self) -> Vec<Field> {
        let fields = match self {
            Self::Build { base, pid, size, stamp, name } => vec![
                ("ImageBase", Value::Hex(base)),
                ("ProcessId", Value::Unsigned(u64::from(pid))),
                ("ImageSize", Value::Unsigned(size)),
                ("TimeDateStamp", Value::Hex(u64::from(stamp))),
                ("OriginalFileName", Value::Text(name)),
            ],
            Self::DebugData { base, pid, guid, age, path } => vec![
                ("ImageBase", Value::Hex(base)),
                ("ProcessId", Value::Unsigned(u64::from(pid))),
                ("GuidSig", Value::Guid(guid)),
                ("Age", Value::Unsigned(u64::from(age))),
                ("PdbFileName", Value::Text(path)),
            ],
            Self::Version { size, stamp, name, version } => vec![
                ("ImageSize", Value::Unsigned(u64::from(size))),
                ("TimeDateStamp", Value::Hex(u64::from(stamp))),
                ("OrigFileName", Value::Text(name)),
                ("FileVersion", Value::Text(version)),
            ],
        };
        fields.into_iter().map(|(name, value)| Field { name: name.to_owned(), value }).collect()
    }
}

/// The fact that an event tells; `None` if it is about something else.
pub(crate) fn image_fact(record: &EventRecord<'_>) -> Option<ImageFact> {
    if record.kind != EventKind::Classic || record.provider != CLASS {
        return None;
    }
    let payload = Payload::new(record.payload, record.pointer_size);
    let after = |bytes, pointers| payload.after(bytes, pointers);
    // The payload's own number is often 0; the header then has it.
    let process = |pid: u32| if pid == 0 { record.pid.unwrap_or(0) } else { pid };
    match record.opcode {
        IMAGE_ID => Some(ImageFact::Build {
            base: payload.pointer(0)?,
            size: payload.pointer(after(0, 1))?,
            pid: process(payload.u32(after(0, 2))?),
            stamp: payload.u32(after(4, 2))?,
            name: payload.utf16(after(8, 2))?.0,
        }),
        RSDS => Some(ImageFact::DebugData {
            base: payload.pointer(0)?,
            pid: process(payload.u32(after(0, 1))?),
            guid: Guid::from_bytes(*payload.bytes.get(after(4, 1)..)?.first_chunk()?),
            age: payload.u32(after(20, 1))?,
            path: payload.text(after(24, 1))?.0,
        }),
        FILE_VERSION => {
            let (name, at) = payload.utf16(8)?;
            let (_, at) = payload.utf16(at)?;
            Some(ImageFact::Version {
                size: payload.u32(0)?,
                stamp: payload.u32(4)?,
                name,
                version: payload.utf16(at)?.0,
            })
        }
        _ => None,
    }
}
