//! Which classes are traced.

mod libraries;
mod own_packages;
mod pattern;
mod selection;

pub use own_packages::own_packages;
pub use pattern::ClassPattern;
pub use selection::Scope;
