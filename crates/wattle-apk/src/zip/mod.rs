//! The ZIP layer: everything is kept as it is in the file, and checked when the archive is opened.

mod alignment;
mod editor;
mod end_record;
mod extra_field;
mod local_header;
mod name;
mod package;
mod packing;
mod reading;
mod signing_block;
mod writing;
mod zip_entry;

pub use alignment::{Alignment, PageSize};
pub use editor::{ApkEditor, Compression};
pub use package::Apk;
pub use reading::ReadLimit;
pub use signing_block::{SigningBlock, SigningBlockPart};
pub use zip_entry::{Entry, Method};

pub(crate) use editor::EntryContent;
pub(crate) use end_record::EndRecord;
