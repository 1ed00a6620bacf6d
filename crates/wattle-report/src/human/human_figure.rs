//! An energy in human units.

use serde::{Serialize, Serializer};
use wattle_table::{Column, Declared, describe};

use super::Amount;

/// An energy in human units. There is none where there is no energy figure.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanFigure {
    /// Time that the energy would last, by activity, in the order of the reference device.
    pub activities: Vec<ActivityTime>,
    /// Its part of a full battery, 1 is all of it.
    pub battery_share: Amount,
    /// Charge in milliampere-hours; `None` where no voltage is known.
    pub mah: Option<Amount>,
    /// Emissions in grams of CO2 equivalents, of the energy drawn from the battery.
    pub co2e_grams: Amount,
}

/// Time that an energy lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityTime {
    /// Doing what.
    pub name: String,
    /// Seconds.
    pub seconds: Amount,
}

describe!(
    HumanFigure,
    "human",
    "the energy in human units; null where there is no figure",
    [
        Column::list::<ActivityTime>(
            "activities",
            "how long the energy lasts on the reference device",
            |row: &HumanFigure| &row.activities
        ),
        Column::number(
            "battery_share",
            "part of a full battery, 1 is all of it",
            |row: &HumanFigure| { row.battery_share.value }
        ),
        Column::pair(
            "interval_battery_share",
            "90 % interval [low, high] of the share",
            |row: &HumanFigure| { Some(row.battery_share.interval()) }
        ),
        Column::maybe_number(
            "mah",
            "charge, milliampere-hours; null where no voltage is known",
            |row: &HumanFigure| row.mah.map(|mah| mah.value)
        ),
        Column::pair(
            "interval_mah",
            "90 % interval [low, high] of the charge",
            |row: &HumanFigure| { row.mah.map(Amount::interval) }
        ),
        Column::number(
            "co2e_g",
            "grams of CO2 equivalents of the energy drawn from the battery",
            |row: &HumanFigure| row.co2e_grams.value
        ),
        Column::pair(
            "interval_co2e_g",
            "90 % interval [low, high] of the emissions",
            |row: &HumanFigure| { Some(row.co2e_grams.interval()) }
        ),
    ]
);

describe!(
    ActivityTime,
    "activity_time",
    "how long an energy lasts",
    [
        Column::text("name", "doing what", |row: &ActivityTime| &row.name),
        Column::number("seconds", "how long", |row: &ActivityTime| row.seconds.value),
        Column::pair("interval_seconds", "its 90 % interval [low, high]", |row: &ActivityTime| {
            Some(row.seconds.interval())
        }),
    ]
);

impl Serialize for HumanFigure {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}
