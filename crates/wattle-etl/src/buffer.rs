//! `WMI_BUFFER_HEADER`: what every buffer of a log begins with, 72 bytes since Windows XP.
//!
//! Source: `ntwmi.h` of phnt (System Informer). What differs by version: Windows XP has a `WNODE_HEADER` there, whose GUID lies where
//! later versions have the sequence number and the clock, and a count of lost events (offset 52) where they have flags and type.

use super::payload::Payload;

/// Bytes of the header.
pub(super) const HEADER: usize = 72;

/// The largest buffer that is believed: Windows allows 16 MB.
pub(super) const LARGEST: usize = 64 << 20;

/// `ETW_BUFFER_FLAG_*`.
mod flag {
    pub const EVENTS_LOST: u16 = 2;
    pub const BUFFER_LOST: u16 = 4;
    pub const PROC_INDEX: u16 = 0x20;
    pub const COMPRESSED: u16 = 0x40;
}

/// `ETW_BUFFER_TYPE_CTX_SWAP`: switches of threads in a form of their own.
const CONTEXT_SWAP: u16 = 2;

/// Fields of a buffer's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BufferHeader {
    /// Bytes that it has in the file.
    pub size: usize,
    /// Bytes up to where its events end, header included, once unpacked.
    pub filled: usize,
    /// The CPU that wrote it.
    pub cpu: u32,
    /// Its events are packed.
    pub is_packed: bool,
    /// The recorder lost events, or whole buffers, just before it.
    pub lost: bool,
    /// It holds what is no sequence of events.
    pub is_context_swap: bool,
}

impl BufferHeader {
    /// `None` if these cannot be the first bytes of a buffer.
    pub fn read(bytes: &[u8], is_windows_xp: bool) -> Option<Self> {
        let field = Payload::new(bytes.get(..HEADER)?, 8);
        let size = field.u32(0)? as usize;
        let (flags, kind) =
            if is_windows_xp { (0, 0) } else { (field.u16(0x34)?, field.u16(0x36)?) };
        let is_packed = flags & flag::COMPRESSED != 0;
        if !(HEADER..=LARGEST).contains(&size) {
            return None;
        }
        let whole = if is_packed { LARGEST } else { size };
        // Either may be left 0. Tools that merge logs leave what they moved to another buffer between the two.
        let offsets = [field.u32(0x30)?, field.u32(4)?].map(|it| it as usize);
        let filled = offsets.into_iter().filter(|it| (HEADER..=whole).contains(it)).min();
        Some(Self {
            size,
            filled: filled.unwrap_or(if is_packed { HEADER } else { size }),
            cpu: if flags & flag::PROC_INDEX == 0 {
                u32::from(field.u8(0x28)?)
            } else {
                u32::from(field.u16(0x28)?)
            },
            is_packed,
            lost: flags & (flag::EVENTS_LOST | flag::BUFFER_LOST) != 0,
            is_context_swap: kind == CONTEXT_SWAP,
        })
    }
}

/// Whether a file begins like a log: a buffer whose first event is the log's own header (`SYSTEM_TRACE_HEADER`, hook 0).
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let Some(buffer) = BufferHeader::read(head, true) else { return false };
    let field = Payload::new(head, 8);
    buffer.size >= 512
        && matches!(field.u8(HEADER + 2), Some(1 | 2))
        && field.u8(HEADER + 3) == Some(0xc0)
        && field.u16(HEADER + 6) == Some(0)
}
