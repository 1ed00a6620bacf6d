//! Packages made from nothing: the framework's own with the power profile, and small ones for tests.

mod binary_xml;
mod framework;
mod package;
mod profile;

pub(crate) use framework::install;
pub use package::MadePackage;
