//! A reader of method traces of the Android runtime, and of Dalvik before it: every entry and exit of every method, as they lie in
//! the file.
//!
//! Their names elsewhere: `.trace` files of `Debug.startMethodTracing`, `am profile start` and Android Studio, `SLOW` files by
//! their magic, dmtrace files by the tool that prints them. Written by `art/runtime/trace.cc`, before by `dalvik/vm/Profile.cpp`.
//! All versions are read: records of fixed length (1 to 3), buffered or streamed, and packets (4 and 5).
//!
//! [`read_method_trace`] reads a trace of any length as it comes and hands methods and events to a [`MethodSink`]; memory does not
//! grow with the number of events. What the trace says of itself comes back as a [`TraceSummary`], defects included.
//!
//! ```
//! use wattle_stacks::art_events::{EventTime, MethodEvent, MethodLine, MethodSink, TraceAction, read_method_trace};
//!
//! #[derive(Default)]
//! struct Calls {
//!     methods: Vec<(u64, String)>,
//!     events: Vec<MethodEvent>,
//! }
//!
//! impl MethodSink for Calls {
//!     fn method(&mut self, id: u64, line: &[u8]) {
//!         let method = MethodLine::parse(line);
//!         let name = String::from_utf8_lossy(method.name);
//!         self.methods.push((id, format!("{}.{name}", method.java_class())));
//!     }
//!
//!     fn event(&mut self, event: MethodEvent) {
//!         self.events.push(event);
//!     }
//! }
//!
//! let mut trace = b"*version\n3\nclock=wall\n*threads\n1\tmain\n*methods\n0x8\ta.B\tc\t()V\tB.java\n*end\n".to_vec();
//! // The header, and an entry into method 8 after 50 microseconds.
//! trace.extend(b"SLOW\x02\0\x20\0");
//! trace.extend([0; 24]);
//! trace.extend([1, 0, 8, 0, 0, 0, 50, 0, 0, 0]);
//!
//! let mut calls = Calls::default();
//! let summary = read_method_trace(&*trace, &mut calls);
//! assert!(summary.defects.is_empty());
//! assert_eq!(calls.methods, [(8, "a.B.c".to_owned())]);
//! let time = EventTime::Micros { time: 50, cpu: None };
//! let entry = MethodEvent { thread: 1, method: 8, action: Some(TraceAction::Enter), time };
//! assert_eq!(calls.events, [entry]);
//! ```

mod byte_source;
mod data_header;
mod fixed_records;
mod leb128;
mod method_line;
mod method_sink;
mod trace_action;
mod trace_clock;
mod trace_defect;
mod trace_keys;
mod trace_packets;
mod trace_reader;

pub use data_header::{DataHeader, RecordLayout};
pub use method_line::MethodLine;
pub use method_sink::{EventTime, MethodEvent, MethodSink};
pub use trace_action::TraceAction;
pub use trace_clock::{LATEST, TraceClock, is_wall_time, unwrapped};
pub use trace_defect::TraceDefect;
pub use trace_keys::TraceKeys;
pub use trace_reader::{TraceSummary, is_method_trace, read_method_trace};
