//! Files of `perf record` and of simpleperf (`perf.data`): sampled stacks, threads, mappings, and the kernel's tracepoints.
//!
//! Sources: `tools/perf/Documentation/perf.data-file-format.txt`, `include/uapi/linux/perf_event.h` and
//! `tools/perf/util/{header,event,session}.c` of Linux; `simpleperf/{record,record_file_format}.h` and `record_file.proto` of AOSP's
//! `system/extras`.
//!
//! A file is read twice. First everything that it says of itself is taken in, packed records are unpacked, and each record gets its
//! time; then the records are gone through in order of time, because each CPU's come on their own. The file is held in memory, as its
//! parts point at each other.
//!
//! # Quirks
//!
//! - Records that are made up when recording begins (mappings, names of threads that were there already) have the time 0.
//! - simpleperf's own records use the header's `misc` for the upper half of their size.
//! - The packed records of a file are one frame of zstd that never ends.
//! - A recording that was killed has a data section of size 0: it goes on to the end of the file.
//! - Flags of the event's attributes are bit fields, which compilers for machines with the other order of bytes fill from the top.
//! - `sched_switch` recorded for some threads tells of a CPU only when it leaves them: from such a file no scheduler is made.
//! - What simpleperf wrote since it has `meta_info` holds addresses of calls where the kernel has return addresses.

mod address_space;
mod attr;
mod clock;
mod device;
mod dso;
mod event;
mod event_name;
mod feature;
mod group_read;
mod header;
mod index;
mod kallsyms;
mod kind;
mod layout;
mod mapping;
mod meta_info;
mod pending;
mod reader;
mod record;
mod sample;
mod scheduler;
mod simpleperf;
mod stack;
mod symbol;
mod tasks;
mod told;
mod unpack;

pub(crate) use pending::{PerfDataFile, read, tell};

/// What a file begins with, in either order of bytes.
pub(crate) const SIGNATURES: [&[u8]; 2] = [b"PERFILE2", b"2ELIFREP"];
