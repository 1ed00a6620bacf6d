//! ELF files: which address is of which function.

mod elf_image;
mod elf_lines;
mod elf_section;
mod mini_debug;
mod mini_debug_error;
mod segments;
mod symbol_table;
mod xz;

pub use elf_image::ElfImage;
pub(crate) use elf_lines::DebugSections;
pub(crate) use elf_section::content as section_content;
pub use mini_debug::unpack_mini_debug;
pub use mini_debug_error::MiniDebugError;
pub(crate) use segments::Segments;
