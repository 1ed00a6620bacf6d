//! The verifier: structure of the file, shape of the code, flow of types through registers.

mod access_checks;
mod annotation_checks;
mod arithmetic;
mod call_checks;
mod class_hierarchy;
mod code_checks;
mod defect;
mod facts;
mod linkage;
mod member_names;
mod operands;
mod platform_classes;
mod register_state;
mod register_transfer;
mod structure;
mod tables;
mod type_flow;
mod types;
mod verifier;

pub use defect::Defect;
pub use linkage::{BrokenLink, Linkage};
pub use verifier::{Verification, Verifier};
