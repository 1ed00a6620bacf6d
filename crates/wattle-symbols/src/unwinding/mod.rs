//! Callers in copied stacks: from registers, stack bytes and the unwind tables of the files that ran.

mod copied_stacks;
mod unwind_space;
mod unwind_tables;
mod unwound;

pub(crate) use copied_stacks::unwind;
pub use unwound::Unwound;
