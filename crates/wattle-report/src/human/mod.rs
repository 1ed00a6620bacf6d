//! Energies in units that people have a feeling for: minutes of an activity on a device that they know, a share of the
//! battery, milliampere-hours, CO2e.

mod activity;
mod carbon;
mod human_amount;
mod human_battery;
mod human_figure;
mod human_options;
mod reference;
mod units;

pub use activity::Activity;
pub use carbon::{GRID_CARBON_FORMAT, GridCarbon};
pub use human_amount::Amount;
pub use human_battery::{BatteryOf, HumanBattery, HumanVoltage, VoltageOf};
pub use human_figure::{ActivityTime, HumanFigure};
pub use human_options::HumanOptions;
pub use reference::{
    REFERENCE_DEVICES_FORMAT, ReferenceBattery, ReferenceDevice, ReferenceDevices,
};
pub use units::HumanUnits;
