//! The framework's own package, `framework-res.apk`, with the power profile of the phone.

mod binary_xml;
mod package;
mod profile;

pub(crate) use package::install;
