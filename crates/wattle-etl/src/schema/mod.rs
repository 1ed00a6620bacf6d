//! Self-description of events: names and fields from schemas that the log carries.
//!
//! - TraceLogging events bring their schema along ([`trace_logging`]).
//! - Providers of .NET (`EventSource`) write their manifest into the log ([`manifest`], [`manifest_chunks`]).
//! - Merging a log on Windows adds what the system knew of each event (`KernelTraceControl`, [`event_info`]).
//! - Of a few providers without either, names are known ([`known`]).

mod civil;
mod decode;
mod event_info;
mod field_type;
mod images;
mod known;
mod layout;
mod manifest;
mod manifest_chunks;
mod map_info;
mod metadata_block;
mod modern_events;
mod occurrences;
mod schemas;
#[cfg(test)]
mod tests;
mod trace_logging;
mod value;

pub(crate) use images::{ImageFact, image_fact};
pub(crate) use modern_events::ModernEvents;
pub(crate) use schemas::Schemas;
pub use value::{Field, Value};
