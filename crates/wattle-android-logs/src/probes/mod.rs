//! Records of probes in the app's code, from any sink, and their meaning.

mod clocks;
mod cost;
mod file;
mod findings;
mod importer;
mod label;
mod lines;
mod map;
mod map_id;
mod moved;
mod probe_formats;
mod process;
mod record;
mod sections;
mod slices;
mod stack;
mod text_calls;

pub(crate) use clocks::ProbeClocks;
pub(crate) use findings::ProbeFindings;
pub use importer::{PROBE_MAP, PROBES, read_probe_map};
pub(crate) use lines::ProbeLines;
pub(crate) use text_calls::{TextCall, parse as parse_text_call};
