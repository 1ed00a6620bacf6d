//! The commands that talk to a device.

mod analysed;
mod attached;
mod build;
mod connection;
mod devices;
mod failure;
mod plan;
mod record;
mod recorder;
mod restore;
mod run;
#[cfg(feature = "phone")]
mod simulated;
#[cfg(not(feature = "phone"))]
#[path = "simulated_absent.rs"]
mod simulated;
mod watcher;

pub use analysed::{show_series, write_series};
pub use attached::Attached;
pub use connection::devices_within as server_within;
pub use devices::run as devices;
pub use record::run as record;
pub use run::run;
