//! The state of the phone's services.

mod installed_package;
mod recording_sessions;
mod services;
mod settings_tables;
mod system_properties;

pub(crate) use installed_package::INSTALLED_FILTER;
pub use installed_package::InstalledPackage;
pub(crate) use installed_package::Packages;
pub(crate) use recording_sessions::{RecordingSession, Sessions};
pub(crate) use services::State;
pub use settings_tables::Namespace;
pub(crate) use settings_tables::Settings;
