//! ELF files: which address is of which function.

mod image;
mod lines;
mod mini_debug;
mod section;
mod segments;
mod symbol_table;
mod xz;

pub use image::ElfImage;
pub(crate) use lines::DebugSections;
pub use mini_debug::{MiniDebugError, unpack_mini_debug};
