//! What probes in the app's code recorded, through whichever sink, and what it means.

mod cost;
mod file;
mod label;
mod lines;
mod map;
mod map_id;
mod moved;
mod process;
mod record;
mod sections;
mod slices;
mod stack;
mod text_calls;

pub(crate) use file::{SIGNATURE, read as read_file};
pub(crate) use lines::ProbeLines;
pub(crate) use map::{ProbeMaps, SIGNATURE as MAP_SIGNATURE, read as read_map};
pub(crate) use process::ProbeLog;
pub(crate) use sections::resolve as resolve_sections;
pub(crate) use slices::{SliceMaker, make as make_slices};
pub(crate) use text_calls::{TextCall, parse as parse_text_call};
