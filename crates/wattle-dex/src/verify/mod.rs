//! The verifier: structure of the file, shape of the code, flow of types through registers.

mod annotations;
mod arithmetic;
mod calls;
mod code;
mod defect;
mod facts;
mod flow;
mod hierarchy;
mod linkage;
mod operands;
mod state;
mod structure;
mod tables;
mod transfer;
mod types;
mod verifier;

pub use defect::Defect;
pub use linkage::{BrokenLink, Linkage};
pub use verifier::{Verification, Verifier};
