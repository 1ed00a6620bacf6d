//! Putting probes into method bodies.

mod arguments;
mod entry;
mod frame;
mod method;
#[cfg(test)]
mod mutations;
mod runtime_calls;

pub(crate) use arguments::argument_kinds;
pub(crate) use method::{Around, MethodProbes, wrap};
pub(crate) use runtime_calls::RuntimeCalls;
