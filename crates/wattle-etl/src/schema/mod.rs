//! Self-description of events: names and fields from schemas that the log carries.
//!
//! - TraceLogging events bring their schema along ([`trace_logging`]).
//! - Providers of .NET (`EventSource`) write their manifest into the log ([`manifest`], [`manifest_chunks`]).
//! - Merging a log on Windows adds what the system knew of each event (`KernelTraceControl`, [`event_info`]).
//! - Of a few providers without either, names are known ([`known`]).

mod civil;
mod event_info;
mod event_manifest;
mod field_decoding;
mod field_layout;
mod field_type;
mod field_value;
mod image_facts;
mod known;
mod manifest_chunks;
mod map_info;
mod metadata_block;
mod modern_events;
mod occurrences;
mod schemas;
#[cfg(test)]
mod tests;
mod trace_logging;

pub use field_value::{Field, Value};
pub(crate) use image_facts::{ImageFact, image_fact};
pub(crate) use modern_events::ModernEvents;
pub(crate) use schemas::Schemas;
