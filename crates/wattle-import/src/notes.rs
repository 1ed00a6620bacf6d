//! Notes about one artifact, one for each code.

use std::collections::BTreeMap;

use wattle_timeline::{Note, Severity};

/// Notes by code: repeats are counted, the first place is kept.
#[derive(Debug, Default)]
pub struct Notes(BTreeMap<&'static str, Note>);

impl Notes {
    /// Notes something.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        offset: Option<u64>,
        text: impl FnOnce() -> String,
    ) {
        if let Some(known) = self.0.get_mut(code) {
            known.count += 1;
            return;
        }
        self.0.insert(code, Note { offset, ..Note::new(severity, code, text()) });
    }

    /// All of them, in order of their codes.
    pub fn into_notes(self) -> impl Iterator<Item = Note> {
        self.0.into_values()
    }
}

/// The note of an input that ended with an error.
pub fn input_failed(failure: impl std::fmt::Display) -> Note {
    let text = format!("the input ends with an error ({failure}); what is before that was read");
    Note::new(Severity::Error, "damaged", text)
}
