//! Tests of symbols: files that compilers make while testing, files whose bytes the tests write, and real ones; binutils,
//! LLVM, `dexdump` and `perf` are the judges.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod copied_stacks;
mod damaged_files;
mod dex_and_packages;
mod elf_images;
mod foreign_stacks;
mod oat_files;
#[path = "../../../../fuzz/bodies/oat_reader.rs"]
mod oat_reader;
mod pdb_files;
mod pe_images;
mod recorded_here;
mod recorded_names;
mod stacks;
mod support;
