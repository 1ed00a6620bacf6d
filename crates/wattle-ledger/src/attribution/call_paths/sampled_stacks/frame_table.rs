//! Frames that tell call paths apart.

use rustc_hash::FxHashMap;
use wattle_timeline::{FrameKind, NameId, Timeline};

use super::unnamed_modules::UnnamedModules;
use crate::{FrameClass, FrameEntry};

/// The identity of a frame: a function, not an address. Functions without a name are one for each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FrameRow {
    class: FrameClass,
    function: Option<NameId>,
    mapping: Option<NameId>,
    inlined: bool,
    file: Option<NameId>,
    line: Option<u32>,
}

/// All frames of a timeline's samples, each kind once, and the two that stand for what samples do not tell.
#[derive(Debug, Default)]
pub(crate) struct FrameTable {
    rows: Vec<FrameRow>,
    /// By frame of the timeline.
    of_frame: Vec<u32>,
    modules: UnnamedModules,
}

impl FrameTable {
    /// The number of the frame that stands for missing callers.
    pub(crate) const TRUNCATED: u32 = 0;
    /// The number of the frame that stands for time without a sample.
    pub(crate) const UNSAMPLED: u32 = 1;

    pub(crate) fn new(timeline: &Timeline) -> Self {
        let samples = &timeline.code.samples;
        let modules = UnnamedModules::new(timeline);
        let special = |class| FrameRow {
            class,
            function: None,
            mapping: None,
            inlined: false,
            file: None,
            line: None,
        };
        let mut rows = vec![special(FrameClass::Truncated), special(FrameClass::Unsampled)];
        let mut known: FxHashMap<FrameRow, u32> = FxHashMap::default();
        let of_frame = samples
            .frames
            .iter()
            .map(|frame| {
                let row = match frame.function {
                    Some(_) => FrameRow {
                        class: match frame.kind {
                            FrameKind::Native => FrameClass::Native,
                            FrameKind::Kernel => FrameClass::Kernel,
                            FrameKind::Java => FrameClass::Java,
                            FrameKind::Jit => FrameClass::Jit,
                        },
                        function: frame.function,
                        mapping: frame.mapping,
                        inlined: frame.inlined,
                        file: frame.file,
                        line: frame.line,
                    },
                    None => FrameRow {
                        mapping: frame.mapping.map(|path| modules.module(path)),
                        ..special(FrameClass::Unknown)
                    },
                };
                *known.entry(row).or_insert_with(|| {
                    rows.push(row);
                    (rows.len() - 1) as u32
                })
            })
            .collect();
        Self { rows, of_frame, modules }
    }

    /// The number of a frame of the timeline.
    pub(crate) fn row(&self, frame: u32) -> u32 {
        self.of_frame.get(frame as usize).copied().unwrap_or(Self::TRUNCATED)
    }

    /// Whether it is a function without a name. Several of one file that call each other are one.
    pub(crate) fn is_unknown(&self, row: u32) -> bool {
        self.rows.get(row as usize).is_some_and(|row| row.class == FrameClass::Unknown)
    }

    /// The name of a path of the frame.
    pub(crate) fn name(&self, timeline: &Timeline, row: u32) -> String {
        let Some(row) = self.rows.get(row as usize) else { return String::new() };
        let text = |name| timeline.names.get(name);
        match row.class {
            FrameClass::Truncated => "[truncated]".to_owned(),
            FrameClass::Unsampled => "[not sampled]".to_owned(),
            FrameClass::Unknown => match row.mapping {
                Some(module) => {
                    format!("[unknown] {}", self.modules.shown(module).unwrap_or(text(module)))
                }
                None => "[unknown]".to_owned(),
            },
            _ => row.function.map_or_else(String::new, |name| text(name).to_owned()),
        }
    }

    /// The line that a frame was at.
    pub(crate) fn line(&self, row: u32) -> Option<u32> {
        self.rows.get(row as usize)?.line
    }

    /// The frame as a ledger has it.
    pub(crate) fn entry(&self, timeline: &Timeline, row: u32) -> Option<FrameEntry> {
        let row = self.rows.get(row as usize)?;
        let text = |name| timeline.names.get(name).to_owned();
        Some(FrameEntry {
            class: row.class,
            function: row.function.map(text),
            mapping: row.mapping.map(text),
            inlined: row.inlined,
            file: row.file.map(text),
            line: row.line,
        })
    }
}
