//! Writing a file: items are copied with new numbers, in the order of the source, and placed anew.

mod blob;
mod bodies;
mod classes;
mod code;
mod dead;
mod emit;
mod hidden;
mod inventory;
mod numbering;
mod parallel;
mod remap;
mod tables;
mod writer;

pub(crate) use blob::Chunk;
pub(crate) use code::{handler_offset, put_handler};
pub(crate) use inventory::Inventory;
pub(crate) use numbering::Kept;
pub(crate) use remap::Remap;
pub use writer::seal;
pub(crate) use writer::{Plan, write};
