//! Which classes are traced.

mod class_pattern;
mod libraries;
mod own_packages;
mod selection;

pub use class_pattern::ClassPattern;
pub use own_packages::own_packages;
pub use selection::Scope;
