//! Putting probes into method bodies.

mod arguments;
mod body_facts;
mod first_use;
mod method;
#[cfg(test)]
mod mutations;
mod register_growth;
mod runtime_calls;

pub(crate) use arguments::argument_kinds;
pub(crate) use method::{Around, MethodProbes, wrap};
pub(crate) use runtime_calls::RuntimeCalls;
