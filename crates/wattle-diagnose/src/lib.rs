//! Needless energy use in a recording: its places, causes and amount.
//!
//! [`diagnose`] looks at a timeline with its power and its ledger in two ways:
//!
//! * **Regions** (Intel's Power Auto-Analyzer, carried on): per thread the stretches of time with high CPU use and repetition at
//!   idle, the call stacks that their switches and samples have in common, and what the disk was asked for.
//! * **Rules**: defects with a name, each found by one function, with evidence, the energy at stake and what to do.
//!
//! It knows no file format and no page: the result is a [`Diagnosis`], which others show.

mod acceptance;
mod accepted_finding;
mod chart;
mod common_stack;
mod confidence;
mod description;
mod diagnose;
mod diagnose_options;
mod diagnosis;
mod disk_row;
mod disk_rows;
mod energy;
mod error;
mod events;
mod finding;
mod finding_description;
mod finding_severity;
mod idle;
mod idle_search;
mod input;
mod known_findings;
mod option_check;
mod pictures;
mod process_choice;
mod recording_tools;
mod region;
mod region_rows;
mod regions;
mod restless_time;
mod rule;
mod rule_coverage;
mod rules;
mod stacks;
mod subjects;
mod survey;
mod use_chart;
mod windows;
mod words;

pub use acceptance::Acceptance;
pub use accepted_finding::AcceptedFinding;
pub use common_stack::{CommonStack, NO_COMMON_STACK, StackFrame, StackGroup};
pub use confidence::{Confidence, ConfidenceLevel};
pub use diagnose::diagnose;
pub use diagnose_options::{
    DiagnoseOptions, DiagnosisParts, RegionOptions, RuleOptions, StackOptions,
};
pub use diagnosis::{Diagnosis, SCHEMA};
pub use disk_row::DiskRow;
pub use error::DiagnoseError;
pub use finding::{CodePlace, Evidence, Finding};
pub use finding_severity::FindingSeverity;
pub use idle::{IdleChoice, IdleIntervals, IdleSource};
pub use input::Input;
pub use known_findings::{KnownFinding, KnownFindings};
pub use process_choice::{ProcessChoice, Subject, ThreadUse};
pub use region::{Region, RegionKind};
pub use rule::{Rule, RuleId, Threshold};
pub use rule_coverage::RuleCoverage;
pub use rules::{rule, rules};
pub use subjects::RECORDERS_LEFT_OUT;
pub use use_chart::{UseChart, UseLine};
