//! Open files: their text, the text that ran, and the figures beside their methods.

mod annotated_file;
mod open_document;
mod position_encoding;
mod row_resolution;
mod run_text;
mod running_file;

pub use annotated_file::{AnnotatedFile, FileVersions, PlacedLine, PlacedMethod};
pub use open_document::OpenDocument;
pub use position_encoding::PositionEncoding;
pub use row_resolution::{ResolvedRows, resolve, resolve_native};
pub use run_text::RunTexts;
pub use running_file::{file_that_runs, is_of_main};
