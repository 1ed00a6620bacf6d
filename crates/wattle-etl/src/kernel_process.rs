//! Events of the manifest provider `Microsoft-Windows-Kernel-Process`: processes, threads and images, without the kernel's logger.
//!
//! Source: the provider's manifest, as Windows 7 to 11 have it.

use super::event_record::EventRecord;
use super::payload::Payload;
use super::tasks::{ImageFacts, ProcessFacts, ThreadFacts, last_part};

/// Event of the provider, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProcessEvent {
    /// 1: it began; 15: it was there.
    Process { facts: ProcessFacts, began: bool },
    /// 2.
    ProcessEnd { pid: u32, image: String },
    /// 3.
    Thread(ThreadFacts),
    /// 4.
    ThreadEnd(ThreadFacts),
    /// 5.
    Image(ImageFacts),
    /// 6.
    ImageUnload(ImageFacts),
}

impl ProcessEvent {
    /// Whether an event of the provider is one of these.
    pub fn is_one(record: &EventRecord<'_>) -> bool {
        matches!(record.id, 1..=6 | 15)
    }

    /// `None` if it is not whole, or another event of the provider.
    pub fn read(record: &EventRecord<'_>) -> Option<Self> {
        let field = Payload::new(record.payload, record.pointer_size);
        match record.id {
            1 => process(field, record.version, true),
            15 => process(field, record.version, false),
            2 => process_end(field, record.version),
            3 => thread(field).map(Self::Thread),
            4 => thread(field).map(Self::ThreadEnd),
            5 => image(field).map(Self::Image),
            6 => image(field).map(Self::ImageUnload),
            _ => None,
        }
    }
}

fn process(field: Payload<'_>, version: u8, began: bool) -> Option<ProcessEvent> {
    let pid = field.u32(0)?;
    // A sequence number lies before and one behind the parent's number since version 3; a list of what is there has them since 1.
    let has_sequence = version >= if began { 3 } else { 1 };
    let (parent, name) = if has_sequence {
        // Session, flags, kind of token, whether it is elevated, and the label's security id.
        let sid = 4 + 8 + 8 + 4 + 8 + 4 + 4 + 4 + 4;
        let parts = usize::from(field.u8(sid + 1)?);
        (field.u32(20)?, sid + 8 + 4 * parts)
    } else {
        // Number, time of its beginning, parent, session; flags since version 1, or in a list.
        (field.u32(12)?, if version >= 1 || !began { 24 } else { 20 })
    };
    let (image, _) = field.utf16(name)?;
    let image = last_part(&image).to_owned();
    Some(ProcessEvent::Process { facts: ProcessFacts { pid, parent, image }, began })
}

fn process_end(field: Payload<'_>, version: u8) -> Option<ProcessEvent> {
    let pid = field.u32(0)?;
    // Number (and its sequence's since version 2), two times, exit code, kind of token, handles, commit charge and peak, and since
    // version 1 six numbers of what it used.
    let sequence = if version >= 2 { 8 } else { 0 };
    let used = if version >= 1 { 8 + 4 + 4 + 8 + 8 + 4 } else { 0 };
    let name = 4 + sequence + 16 + 12 + 16 + used;
    let image = field.text(name).map(|(image, _)| image).unwrap_or_default();
    Some(ProcessEvent::ProcessEnd { pid, image })
}

fn thread(field: Payload<'_>) -> Option<ThreadFacts> {
    Some(ThreadFacts { pid: field.u32(0)?, tid: field.u32(4)?, name: None })
}

fn image(field: Payload<'_>) -> Option<ImageFacts> {
    // Base, size, process, checksum, time stamp, default base.
    let (file, _) = field.utf16(field.after(12, 3))?;
    Some(ImageFacts {
        base: field.pointer(0)?,
        size: field.pointer(field.after(0, 1))?,
        pid: field.u32(field.after(0, 2))?,
        stamp: field.u32(field.after(8, 2))?,
        file,
    })
}
