//! Putting probes into method bodies.

mod arguments;
mod method;
mod method_entry;
#[cfg(test)]
mod mutations;
mod register_growth;
mod runtime_calls;

pub(crate) use arguments::argument_kinds;
pub(crate) use method::{Around, MethodProbes, wrap};
pub(crate) use runtime_calls::RuntimeCalls;
