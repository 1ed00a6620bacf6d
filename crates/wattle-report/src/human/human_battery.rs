//! The battery that a share is of, and the voltage at which charge is counted.

use serde::Serialize;
use wattle_ledger::Ledger;
use wattle_table::{Column, describe};
use wattle_units::{Coulombs, Joules, Volts};

use super::ReferenceDevice;
use super::reference::JOULES_PER_WATT_HOUR;

/// The battery that shares refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanBattery {
    /// Whose it is.
    pub of: BatteryOf,
    /// The device's name.
    pub device: String,
    /// Charge when full; `None` where only the energy is known.
    pub charge: Option<Coulombs>,
    /// Energy when full: of the recorded device at the voltage that charge is counted at.
    pub energy: Joules,
    /// Who says so.
    pub source: String,
}

describe!(
    HumanBattery,
    "human_battery",
    "the battery that shares are of",
    [
        Column::word(
            "of",
            "whose it is",
            &["recorded-device", "reference-device"],
            |row: &HumanBattery| Some(&row.of)
        ),
        Column::text("device", "the device's name", |row: &HumanBattery| &row.device),
        Column::maybe_number(
            "capacity_mah",
            "charge when full, milliampere-hours; null where only the energy is known",
            |row: &HumanBattery| row.charge.map(Coulombs::milliampere_hours)
        ),
        Column::number(
            "energy_wh",
            "energy when full, watt-hours: of the recorded device at the voltage that charge is counted at",
            |row: &HumanBattery| row.energy.value() / JOULES_PER_WATT_HOUR
        ),
        Column::text("source", "who says so", |row: &HumanBattery| &row.source),
    ]
);

/// Whose battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatteryOf {
    /// The recorded device's own.
    RecordedDevice,
    /// The reference device's: nobody says what the recorded one holds, or it is not real.
    ReferenceDevice,
}

/// The voltage at which charge is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanVoltage {
    /// The voltage.
    pub volts: Volts,
    /// Whose it is.
    pub of: VoltageOf,
    /// Who says so.
    pub source: String,
}

describe!(
    HumanVoltage,
    "human_voltage",
    "the voltage at which charge is counted",
    [
        Column::number("volts", "the voltage", |row: &HumanVoltage| row.volts.value()),
        Column::word(
            "of",
            "whose it is",
            &["recording", "reference-device"],
            |row: &HumanVoltage| Some(&row.of)
        ),
        Column::text("source", "who says so", |row: &HumanVoltage| &row.source),
    ]
);

/// Whose voltage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VoltageOf {
    /// That of the recording.
    Recording,
    /// The reference device's nominal one.
    ReferenceDevice,
}

impl HumanVoltage {
    /// The recording's where it is known, else the reference device's nominal one.
    pub(super) fn new(ledger: &Ledger, reference: &ReferenceDevice) -> Option<Self> {
        let recorded = ledger.power.battery_facts.voltage.as_ref();
        if let Some(voltage) = recorded.filter(|voltage| is_positive(voltage.volts.value())) {
            let source = voltage.source.clone();
            return Some(Self { volts: voltage.volts, of: VoltageOf::Recording, source });
        }
        let volts = reference.battery.nominal?;
        let source = format!("nominal voltage of the {}", reference.name);
        Some(Self { volts, of: VoltageOf::ReferenceDevice, source })
    }
}

impl HumanBattery {
    /// The recorded device's own, where its capacity is real, else the reference device's.
    pub(super) fn new(
        ledger: &Ledger,
        reference: &ReferenceDevice,
        voltage: Option<&HumanVoltage>,
    ) -> Self {
        let capacity = ledger.power.battery_facts.capacity.as_ref();
        let own = capacity.filter(|capacity| is_positive(capacity.charge.value()));
        if let Some((capacity, voltage)) = own.zip(voltage) {
            let device = &ledger.recording.device;
            let name = device.model.as_deref().or(device.device_name());
            return Self {
                of: BatteryOf::RecordedDevice,
                device: name.unwrap_or("the recorded device").to_owned(),
                charge: Some(capacity.charge),
                energy: Joules::new(capacity.charge.value() * voltage.volts.value()),
                source: capacity.source.clone(),
            };
        }
        let battery = &reference.battery;
        Self {
            of: BatteryOf::ReferenceDevice,
            device: reference.name.clone(),
            charge: battery
                .nominal
                .map(|nominal| Coulombs::new(battery.energy.value() / nominal.value())),
            energy: battery.energy,
            source: battery.source.clone(),
        }
    }
}

/// A ledger is a file that anybody may have written.
fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}
