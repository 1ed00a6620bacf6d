//! The forms in which people and CI servers read a check.

mod badge;
mod code_quality;
mod github;
mod junit;
mod markdown;
mod report_json;
mod sarif_log;
mod source_places;
mod terminal_lines;

pub use badge::badge;
pub use code_quality::code_quality;
pub use github::annotations;
pub use junit::junit;
pub use markdown::{MARKER, markdown};
pub use report_json::json;
pub use sarif_log::sarif;
pub use source_places::{SourcePlace, SourcePlaces};
pub use terminal_lines::terminal;
