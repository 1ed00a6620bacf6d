//! Packages made from nothing: the framework's own with the power profile, and small ones for tests.

mod binary_xml;
mod framework_package;
mod made_package;
mod made_profile;

pub(crate) use framework_package::install;
pub use made_package::MadePackage;
