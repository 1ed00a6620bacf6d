//! The outcome of unwinding copied stacks.

use wattle_timeline::{Note, Severity};

/// The outcome of unwinding copied stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwound {
    /// Stacks with all their callers.
    pub complete: u64,
    /// Stacks that end before the thread's first function.
    pub truncated: u64,
    /// Callers that were found.
    pub callers: u64,
    /// Files without unwind tables at hand, and how many stacks end in each, the most frequent first.
    pub missing: Vec<(String, u64)>,
}

/// So many files are listed.
const LISTED: usize = 8;

impl Unwound {
    /// Notes for a reader of the figures.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.complete + self.truncated == 0 {
            return notes;
        }
        if self.callers > 0 {
            let text = format!(
                "copied stacks unwound: {} to the thread's first function, {} in part; {} callers found",
                self.complete, self.truncated, self.callers
            );
            notes.push(Note::new(Severity::Info, "stacks-unwound", text).times(self.complete));
        }
        if self.truncated > 0 {
            let mut files: Vec<String> = self
                .missing
                .iter()
                .take(LISTED)
                .map(|(file, count)| format!("{file} ({count} stacks)"))
                .collect();
            if self.missing.len() > LISTED {
                files.push(format!("{} more", self.missing.len() - LISTED));
            }
            let why = if files.is_empty() {
                ": more stack than the recorder copied (record with --call-graph dwarf,65528), or damaged unwind tables".to_owned()
            } else {
                format!(
                    "; unwind tables are missing of {}: give the files that ran with --symbols",
                    files.join(", ")
                )
            };
            let text = format!("copied stacks whose outer callers could not be found{why}");
            let note = Note::new(Severity::Warning, "stacks-truncated", text);
            notes.push(note.times(self.truncated));
        }
        notes
    }
}
