//! Energies in units that people have a feeling for: minutes of an activity on a device that they know, a share of the
//! battery, milliampere-hours, CO2e.

mod activity;
mod amount;
mod battery;
mod carbon;
mod figure;
mod options;
mod reference;
mod units;

pub use activity::Activity;
pub use amount::Amount;
pub use battery::{BatteryOf, HumanBattery, HumanVoltage, VoltageOf};
pub use carbon::{GRID_CARBON_FORMAT, GridCarbon};
pub use figure::{ActivityTime, HumanFigure};
pub use options::HumanOptions;
pub use reference::{
    REFERENCE_DEVICES_FORMAT, ReferenceBattery, ReferenceDevice, ReferenceDevices,
};
pub use units::HumanUnits;
