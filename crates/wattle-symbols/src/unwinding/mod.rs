//! Callers in copied stacks: from registers, stack bytes and the unwind tables of the files that ran.

mod arm_frame;
mod arm_stack;
mod arm_tables;
mod copied_stacks;
mod mapped_table;
mod signed_returns;
mod stack_end;
mod unwind_space;
mod unwind_tables;
mod unwound;

pub(crate) use copied_stacks::unwind;
pub use unwound::Unwound;
