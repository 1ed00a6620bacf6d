//! The runtime's own method trace: every entry, exit and unrolling, written by the interpreter itself.
//!
//! The format is that of `art/runtime/trace.cc` of Android 11: a text of sections that begin with `*`, then a
//! header of 32 bytes (`SLOW`, version, offset of the records, start time, size of a record), then records of
//! thread (2 bytes), method with action in the low two bits (4 bytes) and clocks.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::event::MethodName;

/// An action of a thread according to the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Enter,
    Exit,
    Unroll,
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub action: Action,
    /// A position in [`MethodTrace::methods`].
    pub method: usize,
}

/// All records by thread.
#[derive(Debug, Default)]
pub struct MethodTrace {
    pub methods: Vec<MethodName>,
    pub threads: BTreeMap<String, Vec<Step>>,
}

/// Room for the records of a program, in bytes; the runtime says in the file where it was too little.
const BUFFER: u32 = 96 << 20;

/// The options that make the runtime write its trace.
pub fn options(file: &Path) -> [String; 3] {
    [
        "-Xmethod-trace".to_owned(),
        format!("-Xmethod-trace-file:{}", file.display()),
        format!("-Xmethod-trace-file-size:{BUFFER}"),
    ]
}

impl MethodTrace {
    pub fn parse(bytes: &[u8]) -> Self {
        let end = b"*end\n";
        let split = bytes.windows(end.len()).position(|it| it == end).expect("*end") + end.len();
        let text = String::from_utf8_lossy(&bytes[..split]);
        let mut trace = Self::default();
        let mut by_id = HashMap::new();
        let mut thread_names = HashMap::new();
        let mut section = "";
        for line in text.lines() {
            if let Some(name) = line.strip_prefix('*') {
                section = name;
                continue;
            }
            let fields: Vec<&str> = line.split('\t').collect();
            match (section, fields.as_slice()) {
                // Records have room for the low half of a thread's number.
                ("threads", [tid, name]) => {
                    let tid: u32 = tid.parse().unwrap();
                    thread_names.insert(tid as u16, (*name).to_owned());
                }
                ("methods", [id, class, name, descriptor, ..]) => {
                    let id = u32::from_str_radix(id.trim_start_matches("0x"), 16).unwrap();
                    by_id.insert(id, trace.methods.len());
                    trace.methods.push(MethodName {
                        class: (*class).to_owned(),
                        name: (*name).to_owned(),
                        descriptor: (*descriptor).to_owned(),
                    });
                }
                _ => assert_ne!(line, "data-file-overflow=true", "the trace is not whole"),
            }
        }
        let data = &bytes[split..];
        assert_eq!(&data[..4], b"SLOW");
        let half = |at: usize| usize::from(u16::from_le_bytes([data[at], data[at + 1]]));
        let record = if half(4) >= 3 { half(16) } else { 10 };
        for record in data[half(6)..].chunks_exact(record) {
            let tid = u16::from_le_bytes([record[0], record[1]]);
            let word = u32::from_le_bytes([record[2], record[3], record[4], record[5]]);
            let action = match word & 3 {
                0 => Action::Enter,
                1 => Action::Exit,
                2 => Action::Unroll,
                other => panic!("action {other}"),
            };
            // A proxy's methods go by numbers that the list, which names their interface's, has not.
            let method = *by_id.entry(word & !3).or_insert_with(|| {
                trace.methods.push(MethodName {
                    class: "(proxy)".to_owned(),
                    name: format!("{:#x}", word & !3),
                    descriptor: String::new(),
                });
                trace.methods.len() - 1
            });
            let step = Step { action, method };
            let thread = thread_names.get(&tid).cloned().unwrap_or_else(|| format!("thread {tid}"));
            trace.threads.entry(thread).or_default().push(step);
        }
        trace
    }
}
