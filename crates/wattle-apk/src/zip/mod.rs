//! The ZIP layer: everything is kept as it is in the file, and checked when the archive is opened.

mod editor;
mod end_record;
mod entry;
mod extra_field;
mod local_header;
mod name;
mod package;
mod packing;
mod reading;
mod signing_block;
mod writing;

pub use editor::{ApkEditor, Compression};
pub use entry::{Entry, Method};
pub use package::Apk;
pub use reading::ReadLimit;
pub use signing_block::{SigningBlock, SigningBlockPart};
pub use writing::{Alignment, PageSize};

pub(crate) use editor::EntryContent;
pub(crate) use end_record::EndRecord;
