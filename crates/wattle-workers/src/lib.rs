//! Work on several threads whose result does not depend on how many there are.
//!
//! A crate of its own, below all others, because code, packages, traces and ledgers all divide their work this way and
//! may not know each other.

mod made_ahead;
mod ordered;
mod read_ahead;

pub use made_ahead::{Ahead, Supply, made_ahead};
pub use ordered::{available, numbered, ordered, together};
pub use read_ahead::read_ahead;
