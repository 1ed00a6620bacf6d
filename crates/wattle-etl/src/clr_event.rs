//! Methods and modules of .NET's runtime, as its events report them, in the form of manifests and in the classic one of runtimes before 4.
//!
//! Source: Microsoft's documentation of the "CLR ETW events" and the manifest `ClrEtwAll.man` of the .NET runtime. The classic form has the
//! same payloads behind an `EVENT_TRACE_HEADER` with the GUID of the task.

use super::event_record::{EventKind, EventRecord};
use super::names::{DOTNET_RUNDOWN, DOTNET_RUNTIME, class};
use super::payload::Payload;

/// `MethodFlags`: compiled while the program ran, as opposed to loaded from an image that was compiled ahead of time.
const JITTED: u32 = 8;

/// A change in the life of a method or module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It was loaded: it is there from now on.
    Loaded,
    /// It was unloaded.
    Unloaded,
    /// It is there, since before recording began or since an event that was lost.
    Rundown,
}

/// Machine code of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MethodFacts {
    /// Whose address space it is in.
    pub pid: u32,
    /// `ModuleID`.
    pub module: u64,
    pub start: u64,
    pub size: u32,
    pub is_jitted: bool,
    /// Type and method, `System.Collections.Generic.List`1[System.Int32]..ctor`; `None` in events that are not verbose.
    pub name: Option<String>,
}

/// A module of an assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModuleFacts {
    /// In which process.
    pub pid: u32,
    /// `ModuleID`.
    pub module: u64,
    /// The file with the module's IL; empty for one that was made in memory.
    pub file: String,
}

/// An event about code of .NET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClrEvent {
    Method(MethodFacts, Change),
    Module(ModuleFacts, Change),
}

/// Kinds of payloads.
#[derive(Clone, Copy)]
enum Layout {
    Method,
    VerboseMethod,
    Module,
}

impl ClrEvent {
    /// Whether the record is about a method's or a module's code.
    pub fn is_one(record: &EventRecord<'_>) -> bool {
        layout(record).is_some()
    }

    /// `None` if it is not whole.
    pub fn read(record: &EventRecord<'_>) -> Option<Self> {
        let (layout, change) = layout(record)?;
        // Addresses and identities have 64 bits in programs of 32 bits, too.
        let field = Payload::new(record.payload, 8);
        let pid = record.pid?;
        match layout {
            Layout::Module => {
                let (file, _) = field.utf16(24).filter(|(text, _)| is_text(text))?;
                Some(Self::Module(ModuleFacts { pid, module: field.u64(0)?, file }, change))
            }
            Layout::Method | Layout::VerboseMethod => {
                let name = match layout {
                    Layout::VerboseMethod => Some(method_name(field)?),
                    _ => None,
                };
                let facts = MethodFacts {
                    pid,
                    module: field.u64(8)?,
                    start: field.u64(16)?,
                    size: field.u32(24)?,
                    is_jitted: field.u32(32)? & JITTED != 0,
                    name,
                };
                Some(Self::Method(facts, change))
            }
        }
    }
}

/// `MethodNamespace`, which is the type's full name, and `MethodName`. The signature that follows is no part of a method's name here.
fn method_name(field: Payload<'_>) -> Option<String> {
    let (class, at) = field.utf16(36)?;
    let (method, _) = field.utf16(at)?;
    let is_sound = !method.is_empty() && is_text(&class) && is_text(&method);
    is_sound.then(|| if class.is_empty() { method } else { format!("{class}.{method}") })
}

fn is_text(text: &str) -> bool {
    !text.contains(|it: char| it.is_control() || it == char::REPLACEMENT_CHARACTER)
}

fn layout(record: &EventRecord<'_>) -> Option<(Layout, Change)> {
    use Change::{Loaded, Rundown, Unloaded};
    use Layout::{Method, Module, VerboseMethod};
    let is_classic = record.kind == EventKind::Classic;
    match (is_classic, record.provider) {
        (false, DOTNET_RUNTIME) if record.kind == EventKind::Modern => match record.id {
            137 | 138 => Some((Method, Rundown)),
            139 | 140 => Some((VerboseMethod, Rundown)),
            141 => Some((Method, Loaded)),
            142 => Some((Method, Unloaded)),
            143 => Some((VerboseMethod, Loaded)),
            144 => Some((VerboseMethod, Unloaded)),
            149 | 150 => Some((Module, Rundown)),
            152 => Some((Module, Loaded)),
            153 => Some((Module, Unloaded)),
            _ => None,
        },
        (false, DOTNET_RUNDOWN) if record.kind == EventKind::Modern => match record.id {
            141 | 142 => Some((Method, Rundown)),
            143 | 144 => Some((VerboseMethod, Rundown)),
            153 | 154 => Some((Module, Rundown)),
            _ => None,
        },
        (true, class::CLR_METHOD | class::CLR_METHOD_RUNDOWN) => match record.opcode {
            33 => Some((Method, Loaded)),
            34 => Some((Method, Unloaded)),
            35 | 36 => Some((Method, Rundown)),
            37 => Some((VerboseMethod, Loaded)),
            38 => Some((VerboseMethod, Unloaded)),
            39 | 40 => Some((VerboseMethod, Rundown)),
            _ => None,
        },
        (true, class::CLR_LOADER | class::CLR_LOADER_RUNDOWN) => match record.opcode {
            33 => Some((Module, Loaded)),
            34 => Some((Module, Unloaded)),
            35 | 36 => Some((Module, Rundown)),
            _ => None,
        },
        _ => None,
    }
}
