//! The statements about one command.

use serde::Deserialize;

use super::command_pattern::matched_words;
use super::{AndroidVersion, PhoneAnswer};

/// A command that Wattle sends, and how phones answer it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandStatements {
    /// Its first words; a word that begins with `/` also stands for every file below.
    pub name: String,
    /// The purpose that Wattle sends it for; only in the statements by version.
    #[serde(rename = "use")]
    pub purpose: Option<String>,
    /// Wattle's way out where the command gives nothing.
    pub without: Option<String>,
    /// The answers, each for a range of versions.
    #[serde(rename = "answer")]
    pub answers: Vec<PhoneAnswer>,
}

impl CommandStatements {
    /// The answer of phones with this version.
    pub fn answer(&self, android: AndroidVersion) -> Option<&PhoneAnswer> {
        self.answers.iter().find(|answer| answer.covers(android))
    }

    /// Number of words that it shares with a command, if it is about that command.
    pub(super) fn specificity(&self, command: &str) -> Option<usize> {
        matched_words(&self.name, command)
    }
}
