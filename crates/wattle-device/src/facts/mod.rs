//! Facts of a device: model, CPUs, battery, screen, temperatures, rails.

mod battery_dump;
mod cpu_facts;
mod device_facts;
mod files;
mod framework;
mod identity;
mod overlays;
mod power_profile;
mod properties;
mod rails;
mod root;
mod screen;
mod temperatures;

pub(crate) use battery_dump::BatteryDump;
pub(crate) use overlays::package_paths;
pub(crate) use screen::is_awake;
pub(crate) use temperatures::ThermalDump;

pub use device_facts::device_facts;
pub use identity::DeviceIdentity;
pub use power_profile::{PowerProfileFile, power_profile};
