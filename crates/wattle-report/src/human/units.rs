//! From joules to human units.

use serde::{Serialize, Serializer};
use wattle_ledger::Ledger;
use wattle_table::{Column, Declared, Row, describe};
use wattle_units::{Interval, Joules};

use super::{
    ActivityTime, Amount, GridCarbon, HumanBattery, HumanFigure, HumanOptions, HumanVoltage,
    ReferenceDevice, ReferenceDevices,
};
use crate::Figure;

/// Conversion of the energies of one ledger. Any table may use it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HumanUnits {
    /// The device whose activities are counted.
    pub reference: ReferenceDevice,
    /// The battery that shares are of.
    pub battery: HumanBattery,
    /// The voltage at which charge is counted; `None` where none is known.
    pub voltage: Option<HumanVoltage>,
    /// Emissions of electricity.
    pub carbon: GridCarbon,
}

describe!(
    HumanUnits,
    "human_units",
    "what energies of one ledger are converted by. Any table may use it",
    [
        Column::object::<ReferenceDevice>(
            "reference",
            "the device whose activities are counted",
            |row: &HumanUnits| &row.reference
        ),
        Column::object::<HumanBattery>(
            "battery",
            "the battery that shares are of",
            |row: &HumanUnits| &row.battery
        ),
        Column::maybe_object::<HumanVoltage>(
            "voltage",
            "the voltage at which charge is counted",
            |row: &HumanUnits| row.voltage.as_ref().map(|it| it as &dyn Row)
        ),
        Column::object::<GridCarbon>("carbon", "what electricity emits", |row: &HumanUnits| &row
            .carbon),
    ]
);

impl HumanUnits {
    /// For the energies of a ledger.
    pub fn new(ledger: &Ledger, options: &HumanOptions) -> Option<Self> {
        let usual = || ReferenceDevices::library().of(&ledger.recording.device).cloned();
        let reference = options.reference.clone().or_else(usual)?;
        let voltage = HumanVoltage::new(ledger, &reference);
        let battery = HumanBattery::new(ledger, &reference, voltage.as_ref());
        Some(Self { reference, battery, voltage, carbon: options.carbon.clone() })
    }

    /// A figure in human units; `None` for "no data".
    pub fn of(&self, figure: Figure) -> Option<HumanFigure> {
        let estimate = figure.0?;
        self.convert(estimate.joules, estimate.interval)
    }

    /// An energy and its interval in human units; `None` for what is no number.
    pub fn convert(&self, joules: Joules, interval: Interval) -> Option<HumanFigure> {
        if !(joules.is_finite() && interval.low.is_finite() && interval.high.is_finite()) {
            return None;
        }
        let amount = |per_joule: f64| Amount::new(joules, interval, per_joule);
        let time = |activity: &super::Activity| ActivityTime {
            name: activity.name.clone(),
            seconds: amount(1.0 / activity.power.value()),
        };
        Some(HumanFigure {
            activities: self.reference.activities.iter().map(time).collect(),
            battery_share: amount(1.0 / self.battery.energy.value()),
            // 1 mAh is 3.6 C.
            mah: self.voltage.as_ref().map(|voltage| amount(1.0 / 3.6 / voltage.volts.value())),
            co2e_grams: amount(self.carbon.grams_per_joule()),
        })
    }
}

impl Serialize for HumanUnits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}
