//! Entries of the journal.

use serde::{Deserialize, Serialize};
use wattle_recording::StepFacts;

use crate::prepare::Undo;

/// One change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    pub(crate) what: String,
    pub(crate) before: Option<String>,
    pub(crate) during: Option<String>,
    pub(crate) undo: Option<Undo>,
    pub(crate) restored: Option<bool>,
    pub(crate) error: Option<String>,
}

impl Entry {
    pub(crate) fn facts(&self) -> StepFacts {
        StepFacts {
            what: self.what.clone(),
            before: self.before.clone(),
            during: self.during.clone(),
            restored: self.restored,
            error: self.error.clone(),
        }
    }
}
