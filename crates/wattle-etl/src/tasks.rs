//! Payloads of events of processes and threads, by the version of the event.
//!
//! Source: the MOF classes `Process_TypeGroup1`, `Thread_TypeGroup1` and `Process_V0` to `V4` of Microsoft's documentation, and TraceEvent for
//! what it leaves open.

use super::event_record::EventRecord;
use super::payload::Payload;

/// A process, as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessFacts {
    pub pid: u32,
    pub parent: u32,
    /// `ImageFileName`, without folders.
    pub image: String,
}

impl ProcessFacts {
    /// A log's header may say one size of pointers while its payloads have another: programs of 32 bits that write for a kernel of 64.
    pub fn read(record: &EventRecord<'_>) -> Option<Self> {
        let told = record.pointer_size;
        let parse = |size| Self::parse(Payload::new(record.payload, size), record.version);
        parse(told).or_else(|| parse(if told == 4 { 8 } else { 4 }))
    }

    fn parse(field: Payload<'_>, version: u8) -> Option<Self> {
        let sid = match version {
            0 => field.after(0, 2),
            1 | 2 => field.after(16, 1),
            3 => field.after(16, 2),
            _ => field.after(20, 2),
        };
        let (pid, parent) = if version == 0 {
            let number = |at| u32::try_from(field.pointer(at)?).ok();
            (number(0)?, number(field.after(0, 1))?)
        } else {
            (field.u32(field.after(0, 1))?, field.u32(field.after(4, 1))?)
        };
        let (image, end) = field.text(after_sid(field, sid)?)?;
        let is_name = !image.is_empty()
            && end <= field.bytes.len()
            && !image.contains(|it: char| it.is_control() || it == char::REPLACEMENT_CHARACTER);
        is_name.then(|| Self { pid, parent, image: last_part(&image).to_owned() })
    }
}

/// Returns the end of a security id: `TOKEN_USER` (two pointers) and the id itself; or four zeros where there is none.
fn after_sid(field: Payload<'_>, at: usize) -> Option<usize> {
    let sid = at + field.after(0, 2);
    let is_id = field.u8(sid) == Some(SID_REVISION)
        && field.u8(sid + 1).is_some_and(|parts| parts <= SID_MAX_SUB_AUTHORITIES)
        && field.bytes.get(sid + 2..sid + 7) == Some([0; 5].as_slice());
    match (is_id, field.u32(at)?) {
        (true, _) => Some(sid + 8 + 4 * usize::from(field.u8(sid + 1)?)),
        (false, 0) => Some(at + 4),
        (false, _) => None,
    }
}

/// Of `winnt.h`.
const SID_REVISION: u8 = 1;
const SID_MAX_SUB_AUTHORITIES: u8 = 15;

/// A file's name without its folders.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit(['\\', '/']).next().unwrap_or(path)
}

/// A thread, as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThreadFacts {
    pub pid: u32,
    pub tid: u32,
    /// Name that the thread gave itself, since Windows 10 1607.
    pub name: Option<String>,
}

impl ThreadFacts {
    pub fn read(record: &EventRecord<'_>) -> Option<Self> {
        let field = Payload::new(record.payload, record.pointer_size);
        let (first, second) = (field.u32(0)?, field.u32(4)?);
        let (pid, tid) = if record.version == 0 { (second, first) } else { (first, second) };
        // Process and thread, seven pointers, the tag of a service, four bytes of priorities and flags.
        let name = (record.version >= 4).then(|| field.utf16(field.after(16, 7)));
        let name = name.flatten().map(|(name, _)| name).filter(|name| !name.is_empty());
        Some(Self { pid, tid, name })
    }

    /// `Thread/SetName`.
    pub fn read_name(record: &EventRecord<'_>) -> Option<Self> {
        let field = Payload::new(record.payload, record.pointer_size);
        let (name, _) = field.utf16(8)?;
        Some(Self { pid: field.u32(0)?, tid: field.u32(4)?, name: Some(name) })
    }
}

/// An image (program, library, driver) in an address space, as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImageFacts {
    pub base: u64,
    pub size: u64,
    /// In which process; 0 for those of the kernel.
    pub pid: u32,
    /// `TimeDateStamp` of its header; 0 where the event does not say it.
    pub stamp: u32,
    pub file: String,
}

impl ImageFacts {
    /// As for processes, the payload's pointers may have another size than the header says.
    pub fn read(record: &EventRecord<'_>) -> Option<Self> {
        let told = record.pointer_size;
        let parse = |size| Self::parse(Payload::new(record.payload, size), record);
        parse(told).or_else(|| parse(if told == 4 { 8 } else { 4 }))
    }

    fn parse(field: Payload<'_>, record: &EventRecord<'_>) -> Option<Self> {
        let base = field.pointer(0)?;
        let (size, pid, name) = match record.version {
            0 => (u64::from(field.u32(field.after(0, 1))?), record.pid?, field.after(4, 1)),
            1 => (
                field.pointer(field.after(0, 1))?,
                field.u32(field.after(0, 2))?,
                field.after(4, 2),
            ),
            _ => (
                field.pointer(field.after(0, 1))?,
                field.u32(field.after(0, 2))?,
                // Checksum, time stamp, reserved; default base; four reserved.
                field.after(4 + 12 + 16, 3),
            ),
        };
        let (file, end) = field.utf16(name)?;
        // The name is the last field: with the wrong size of pointers it ends elsewhere, or not at all.
        let is_name = file.chars().count() > 1
            && end <= field.bytes.len()
            && !file.contains(|it: char| it.is_control() || it == char::REPLACEMENT_CHARACTER);
        let stamp = if record.version < 2 { 0 } else { field.u32(field.after(8, 2))? };
        is_name.then_some(Self { base, size, pid, stamp, file })
    }
}
