//! The *runtime tax*: what threads drew for the runtime and not for the app's own work.
//!
//! Rules as data ([`RuntimeRule::all`]) name ART's threads, the trace sections of ART and the framework, and functions of sampled
//! stacks. [`RuntimeTax::from_ledger`] gives every call path at most one class, so classes are disjoint and what is left is the app's own.

mod function_name;
mod rule_index;
mod runtime_class;
mod runtime_rule;
mod runtime_rules;
mod tax;

pub use runtime_class::RuntimeClass;
pub use runtime_rule::{RuntimeRule, RuntimeRuleKind};
pub use tax::{RuntimeEvidence, RuntimeTax};
