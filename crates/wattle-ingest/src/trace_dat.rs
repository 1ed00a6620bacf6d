//! Files of trace-cmd (`trace.dat`), versions 6 and 7: the kernel's ring buffers as they were in memory, and what is needed to
//! read them.
//!
//! # Quirks
//!
//! - Numbers of events and places of their fields differ from kernel to kernel: each file brings the descriptions.
//! - Texts that the kernel holds as constants (`suspend_resume`, `ipi_entry`) are addresses; the file's list of
//!   `printk_formats` says what stands there.
//! - zstd's frames lack their first four bytes in files of some versions of trace-cmd.
//! - The size that version 7 gives of packed events leaves out the four bytes that stand before the first piece.
//! - Times are in the clock that was chosen when recording. `boot` is the timeline's own; any other that counts nanoseconds is
//!   taken for it, and said so, unless the recording knows how the clock stands to boot time.
//! - Only the top buffer is read: instances repeat what is in it, or hold what somebody chose to keep apart.

mod bytes;
mod contents;
mod descriptions;
mod format;
mod options;
mod page;
mod read;
mod record;
mod sections;
mod unpack;
mod v6;
mod v7;

pub(crate) use bytes::{Cursor, Order};
pub(crate) use contents::Contents;
pub(crate) use descriptions::descriptions;
pub(crate) use read::{SIGNATURE, read};
pub(crate) use record::{Plan, Record};
