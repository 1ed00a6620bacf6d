//! Formats: names, kinds, and order among the artifacts of a recording.

use wattle_recording::ArtifactKind;
use wattle_timeline::ArtifactQuality;

/// When artifacts of a format are read among those of a recording: what others need comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadOrder {
    /// Meanings of numbers and labels in other artifacts.
    Meanings,
    /// Kernel traces: they relate the device's clocks to boot time.
    Traces,
    /// Calls, in clocks of their own.
    Calls,
    /// Counters.
    Counters,
    /// Logs and stacks as text, whose times need the clocks of all before.
    Logs,
    /// Totals, and what is aligned by its likeness to everything else.
    Totals,
}

/// Everything about a format that others than its importer need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name in [`ArtifactQuality::format`]. Variants append to it.
    pub name: &'static str,
    /// Name for a file of it in messages, with its article.
    pub title: &'static str,
    /// Group in the list of readable inputs, with its article.
    pub family: &'static str,
    /// Its name within the family in that list; `None` if the family says it.
    pub short: Option<&'static str>,
    /// When it is read among the artifacts of a recording.
    pub order: ReadOrder,
    /// Kinds under which `recording.json` lists it.
    pub kinds: &'static [ArtifactKind],
    /// Whether it only gives meaning to other artifacts and is nothing alone.
    pub is_accessory: bool,
}

impl Format {
    /// The quality of an artifact of this format of which nothing was read yet.
    pub fn quality(&self, name: &str) -> ArtifactQuality {
        ArtifactQuality {
            name: name.to_owned(),
            format: self.name.to_owned(),
            ..ArtifactQuality::default()
        }
    }
}
