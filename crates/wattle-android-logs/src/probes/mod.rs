//! Records of probes in the app's code, from any sink, and their meaning.

mod clocks;
mod cost;
mod file;
mod label;
mod lines;
mod map;
mod map_id;
mod moved;
mod probe_findings;
mod probe_formats;
mod probe_importers;
mod probe_record;
mod process;
mod sections;
mod slices;
mod stack;
mod text_calls;

pub(crate) use clocks::ProbeClocks;
pub(crate) use lines::ProbeLines;
pub(crate) use probe_findings::ProbeFindings;
pub use probe_importers::{PROBE_MAP, PROBES, read_probe_map};
pub(crate) use text_calls::{TextCall, parse as parse_text_call};
