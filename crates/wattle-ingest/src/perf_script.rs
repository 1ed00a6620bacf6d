//! The text of `perf script`, in any of its layouts, and of tools that write as it does.
//!
//! ```text
//! comm  pid/tid [cpu] seconds.micros:  period event: payload of a tracepoint
//!          address symbol+0xoffset (mapping)
//!   file.c:12
//! ```
//! After the first line come the frames, innermost first, and an empty line; without call chains the address stands behind the
//! event. Each column may be missing (`perf script -F`). `util/print_hwsw_events` and `builtin-script.c` of Linux' `tools/perf`.
//!
//! # Quirks
//!
//! - Names of threads hold spaces and anything else, so the columns are found from the time, which has a fixed form.
//! - Addresses in files are printed since Linux 4.19 (`perf script: Show virtual addresses instead of offsets`), and addresses of the
//!   process before. Which it was is told by their size.
//! - Whether a stack reaches its thread's first function is not written: see [`reader`].

mod columns;
mod comment;
mod frame;
mod frames;
mod read;
mod reader;
mod record;

pub(crate) use read::{looks_like, read};
