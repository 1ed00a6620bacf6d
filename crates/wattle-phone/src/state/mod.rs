//! What the phone's services know.

mod package;
mod properties;
mod services;
mod sessions;
mod settings;

pub use package::InstalledPackage;
pub(crate) use package::Packages;
pub(crate) use services::State;
pub(crate) use sessions::{RecordingSession, Sessions};
pub use settings::Namespace;
pub(crate) use settings::Settings;
