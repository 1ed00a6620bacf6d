//! Writing a file: items are copied with new numbers, in the order of the source, and placed anew.

mod blob;
mod bodies;
mod classes;
mod code_items;
mod dead;
mod emit;
mod file_output_layout;
mod hidden;
mod id_tables;
mod inventory;
mod item_source;
mod member_lists;
mod numbering;
mod out_class;
mod parallel;
mod placement;
mod write_plan;
mod writer;

pub use file_output_layout::seal;
pub(crate) use inventory::Inventory;
pub(crate) use numbering::Kept;
pub(crate) use write_plan::Plan;
pub(crate) use writer::write;
