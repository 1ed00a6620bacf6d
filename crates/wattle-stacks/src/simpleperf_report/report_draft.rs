//! A report in protobuf while it is read: samples come before the names they need.

use rustc_hash::FxHashMap;
use wattle_timeline::{CallSite, EventId, Frame, FrameAddress, FrameKind, NameId, TimelineBuilder};

use wattle_import::frame_kind;

/// Execution type of a method (`CallChainEntry.ExecutionType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Execution {
    /// Native, or compiled ahead of time; the file tells which.
    #[default]
    Native,
    Interpreted,
    Jit,
    /// The runtime's own functions beside Java's.
    Art,
}

impl Execution {
    pub fn of_number(number: u64) -> Self {
        match number {
            1 => Self::Interpreted,
            2 => Self::Jit,
            3 => Self::Art,
            _ => Self::Native,
        }
    }

    /// By the name that the text has for it.
    pub fn of_name(name: &[u8]) -> Self {
        match name {
            b"interpreted_jvm_method" => Self::Interpreted,
            b"jit_jvm_method" => Self::Jit,
            b"art_method" => Self::Art,
            _ => Self::Native,
        }
    }

    /// Returns the kind of code, in a mapping of this kind.
    pub fn kind(self, mapping: FrameKind) -> FrameKind {
        match self {
            Self::Native => mapping,
            Self::Interpreted => FrameKind::Java,
            Self::Jit => FrameKind::Jit,
            Self::Art => FrameKind::Native,
        }
    }
}

/// `CallChainEntry`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub file: u32,
    /// Index into the file's symbols; -1 is none.
    pub symbol: i32,
    pub address: u64,
    pub execution: Execution,
}

/// A node of the tree of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    caller: Option<u32>,
    entry: u32,
}

/// A sample, its stack by its innermost node.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftSample {
    pub time: i64,
    pub tid: u32,
    pub event: u32,
    pub weight: u64,
    pub node: Option<u32>,
    pub is_truncated: bool,
}

/// `File`.
#[derive(Debug, Default)]
pub(super) struct File {
    pub path: Option<NameId>,
    pub kind: FrameKind,
    pub symbols: Vec<NameId>,
}

/// `Thread`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadName {
    pub tid: u32,
    pub pid: Option<u32>,
    pub name: Option<NameId>,
}

/// All that was read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    entries: Vec<Entry>,
    known: FxHashMap<Entry, u32>,
    nodes: Vec<Node>,
    known_nodes: FxHashMap<Node, u32>,
    pub samples: Vec<DraftSample>,
    pub files: FxHashMap<u32, File>,
    pub threads: Vec<ThreadName>,
    pub switches: Vec<(i64, u32, bool)>,
    pub events: Vec<Vec<u8>>,
    pub is_off_cpu_traced: bool,
}

impl Draft {
    /// The node of a stack, whose entries come outermost first.
    pub fn node(&mut self, caller: Option<u32>, entry: Entry) -> u32 {
        let (entries, nodes) = (&mut self.entries, &mut self.nodes);
        let entry = *self.known.entry(entry).or_insert_with(|| {
            entries.push(entry);
            entries.len() as u32 - 1
        });
        let node = Node { caller, entry };
        *self.known_nodes.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    /// Gives all stacks to the timeline: the call site of each node, and how many entries name a file that is not there.
    pub fn sites(&self, builder: &mut TimelineBuilder) -> (Vec<u32>, u64) {
        let mut nameless = 0;
        let frames: Vec<u32> = self
            .entries
            .iter()
            .map(|entry| {
                let file = self.files.get(&entry.file);
                nameless += u64::from(file.is_none());
                let symbol = usize::try_from(entry.symbol).ok();
                let function = symbol.and_then(|symbol| file?.symbols.get(symbol).copied());
                let mapping = file.and_then(|file| file.path);
                let kind = entry.execution.kind(file.map_or(FrameKind::Native, |file| file.kind));
                let address = FrameAddress::InElf(entry.address);
                builder.samples().frame(Frame {
                    function,
                    mapping,
                    address,
                    kind,
                    ..Frame::default()
                })
            })
            .collect();
        let mut sites: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // Callers come first.
            let caller = node.caller.and_then(|caller| sites.get(caller as usize).copied());
            let frame = frames.get(node.entry as usize).copied().unwrap_or(0);
            sites.push(builder.samples().call_site(CallSite { caller, frame }));
        }
        (sites, nameless)
    }

    /// The events of the samples.
    pub fn event_ids(&self, builder: &mut TimelineBuilder) -> Vec<EventId> {
        let events = self.events.iter();
        events.map(|name| crate::samples::SampleSink::event(name, builder)).collect()
    }
}

impl File {
    /// A file by its path; simpleperf calls it `unknown` where nothing is mapped.
    pub fn new(path: &[u8], builder: &mut TimelineBuilder) -> Self {
        if path.is_empty() || path == b"unknown" {
            return Self::default();
        }
        let name = builder.names.intern_bytes(path);
        Self { path: Some(name), kind: frame_kind(builder.names.get(name)), symbols: Vec::new() }
    }
}
