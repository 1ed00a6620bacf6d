//! Places in an app's code that a ledger's call paths are of, and how much of the probed code ran.

use serde::{Deserialize, Serialize};
use wattle_timeline::SiteKind;

/// A place in an app's code: a method, or a call in one. Those of which a path is, and the methods that such calls stand in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SiteEntry {
    /// Its kind.
    pub kind: SiteKind,
    /// The method's class as Java writes it; of a call the class outside of the app where it lands.
    pub class: String,
    /// The method's name, or that of the method that is called.
    pub method: String,
    /// Its parameters and result, `(I)V`; `None` where the recorder does not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<String>,
    /// The source file that the place is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The method's first line, or the line of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Of a call the method that it stands in, an index into [`crate::LedgerRows::sites`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// Of a call what is called, an index into [`crate::ApiSheet::apis`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<u32>,
}

/// A method that a shrinker put in the place of its call, between a call and the method that it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InlinedEntry {
    /// The call, an index into [`crate::LedgerRows::sites`].
    pub site: u32,
    /// The method's class as Java writes it.
    pub class: String,
    /// Its name.
    pub method: String,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Number of a class's probed methods that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoverageEntry {
    /// The class as Java writes it.
    pub class: String,
    /// Its methods with probes, or with calls that have some.
    pub methods: u64,
    /// Those that ran inside the window. Where only calls have probes: those of which a call ran.
    pub executed: u64,
}

/// Number of runs of a method in the time of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestMethodEntry {
    /// Index into [`crate::TestRuns::tests`].
    pub test: u32,
    /// Index into [`crate::LedgerRows::sites`]: a method.
    pub site: u32,
    /// Calls that were open at any time of the test.
    pub calls: u64,
}
