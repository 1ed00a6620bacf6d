//! The ZIP layer: everything is kept as it is in the file, and checked when the archive is opened.

mod compression;
mod data_alignment;
mod deflating;
mod editor;
mod end_record;
mod entry_name;
mod entry_reading;
mod extra_field;
mod local_header;
mod package;
mod packed_content;
mod packing;
mod signing_block;
mod writing;
mod zip_entry;

pub use compression::Compression;
pub use data_alignment::{Alignment, PageSize};
pub use editor::ApkEditor;
pub use entry_reading::ReadLimit;
pub use package::Apk;
pub use packed_content::PackedContent;
pub use signing_block::{SigningBlock, SigningBlockPart};
pub use zip_entry::{Entry, Method};

pub(crate) use editor::EntryContent;
pub(crate) use end_record::EndRecord;
