//! An energy in human units.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Amount;

/// An energy in human units. There is none where there is no energy figure.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanFigure {
    /// How long the energy would last, by activity, in the order of the reference device.
    pub activities: Vec<ActivityTime>,
    /// Its part of a full battery, 1 is all of it.
    pub battery_share: Amount,
    /// Charge in milliampere-hours; `None` where no voltage is known.
    pub mah: Option<Amount>,
    /// Emissions in grams of CO2 equivalents, of the energy drawn from the battery.
    pub co2e_grams: Amount,
}

/// How long an energy lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityTime {
    /// Doing what.
    pub name: String,
    /// Seconds.
    pub seconds: Amount,
}

impl Serialize for HumanFigure {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(7))?;
        map.serialize_entry("activities", &self.activities)?;
        map.serialize_entry("battery_share", &self.battery_share.value)?;
        map.serialize_entry("interval_battery_share", &self.battery_share.interval())?;
        map.serialize_entry("mah", &self.mah.map(|mah| mah.value))?;
        map.serialize_entry("interval_mah", &self.mah.map(Amount::interval))?;
        map.serialize_entry("co2e_g", &self.co2e_grams.value)?;
        map.serialize_entry("interval_co2e_g", &self.co2e_grams.interval())?;
        map.end()
    }
}

impl Serialize for ActivityTime {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(3))?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("seconds", &self.seconds.value)?;
        map.serialize_entry("interval_seconds", &self.seconds.interval())?;
        map.end()
    }
}
