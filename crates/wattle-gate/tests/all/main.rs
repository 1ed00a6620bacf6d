//! The gate.

mod forms;
mod rules;
mod support;
