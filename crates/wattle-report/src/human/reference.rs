//! Devices that people know, and what they draw.

use std::sync::LazyLock;
use wattle_table::{Column, describe};

use serde::Deserialize;
use wattle_timeline::DeviceFacts;
use wattle_units::{Joules, Volts, Watts};

use super::Activity;
use crate::ReportError;

const DATA: &str = include_str!("../../data/reference-devices.toml");

/// The value of `format` in a file of reference devices.
pub const REFERENCE_DEVICES_FORMAT: &str = "wattle-reference-devices/1";

static LIBRARY: LazyLock<ReferenceDevices> =
    LazyLock::new(|| ReferenceDevices::parse("reference-devices.toml", DATA).unwrap_or_default());

pub(super) const JOULES_PER_WATT_HOUR: f64 = 3600.0;
/// Energy, charge and voltage of one battery that are all given agree to this part.
const ROUNDING: f64 = 0.02;

/// A list of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReferenceDevices {
    devices: Vec<ReferenceDevice>,
    usual: usize,
}

/// A device whose battery, and what activities draw from it, are known.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceDevice {
    /// Its name in `--reference`.
    pub id: String,
    /// Its common name.
    pub name: String,
    /// Code names of the device (`ro.product.device`).
    pub codenames: Vec<String>,
    /// Its battery.
    pub battery: ReferenceBattery,
    /// Activities of its users.
    pub activities: Vec<Activity>,
}

describe!(
    ReferenceDevice,
    "reference_device",
    "the device whose activities are counted",
    [
        Column::text("id", "what `--reference` calls it", |row: &ReferenceDevice| &row.id),
        Column::text("name", "what people call it", |row: &ReferenceDevice| &row.name),
        Column::texts(
            "codenames",
            "code names of the device (`ro.product.device`)",
            |row: &ReferenceDevice| &row.codenames
        ),
        Column::object::<ReferenceBattery>("battery", "its battery", |row: &ReferenceDevice| &row
            .battery),
        Column::list::<Activity>(
            "activities",
            "what people do with it",
            |row: &ReferenceDevice| &row.activities
        ),
    ]
);

/// A reference device's battery.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceBattery {
    /// Energy of a full battery.
    pub energy: Joules,
    /// Nominal voltage; `None` where only the energy is known.
    pub nominal: Option<Volts>,
    /// Source of the figures.
    pub source: String,
}

describe!(
    ReferenceBattery,
    "reference_battery",
    "a reference device's battery",
    [
        Column::number(
            "energy_wh",
            "energy of a full battery, watt-hours",
            |row: &ReferenceBattery| row.energy.value() / JOULES_PER_WATT_HOUR
        ),
        Column::maybe_number(
            "nominal_v",
            "nominal voltage; null where only the energy is known",
            |row: &ReferenceBattery| row.nominal.map(Volts::value)
        ),
        Column::text("source", "where the figures come from", |row: &ReferenceBattery| &row.source),
    ]
);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    default: Option<String>,
    #[serde(default)]
    device: Vec<FileDevice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileDevice {
    id: String,
    name: String,
    #[serde(default)]
    codenames: Vec<String>,
    battery: FileBattery,
    #[serde(default)]
    activity: Vec<FileActivity>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileBattery {
    energy_wh: Option<f64>,
    capacity_mah: Option<f64>,
    nominal_v: Option<f64>,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileActivity {
    name: String,
    hours: Option<f64>,
    watts: Option<f64>,
    source: String,
}

impl ReferenceDevices {
    /// Those that come with Wattle.
    pub fn library() -> &'static Self {
        &LIBRARY
    }

    /// From the text of a file; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, ReportError> {
        let wrong = |reason: String| ReportError::Data { name: name.to_owned(), reason };
        let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if file.format != REFERENCE_DEVICES_FORMAT {
            return Err(wrong(format!(
                "expected format = {REFERENCE_DEVICES_FORMAT:?}, found {:?}",
                file.format
            )));
        }
        let mut devices: Vec<ReferenceDevice> = Vec::new();
        for written in file.device {
            let id = written.id.clone();
            let device = ReferenceDevice::new(written)
                .map_err(|reason| wrong(format!("device {id:?}: {reason}")))?;
            if devices.iter().any(|known| known.is_called(&device.id)) {
                return Err(wrong(format!("device {id:?} is there twice")));
            }
            devices.push(device);
        }
        let usual = match &file.default {
            None => 0,
            Some(usual) => devices
                .iter()
                .position(|device| device.is_called(usual))
                .ok_or_else(|| wrong(format!("default = {usual:?}: no such device")))?,
        };
        if devices.is_empty() {
            return Err(wrong("no device".to_owned()));
        }
        Ok(Self { devices, usual })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &ReferenceDevice> {
        self.devices.iter()
    }

    /// By its id or name, in whatever case.
    pub fn named(&self, name: &str) -> Option<&ReferenceDevice> {
        self.devices.iter().find(|device| device.is_called(name))
    }

    /// The recorded device itself where it is one of them, else the usual one.
    pub fn of(&self, recorded: &DeviceFacts) -> Option<&ReferenceDevice> {
        let is_it = |device: &&ReferenceDevice| {
            let name = recorded.device_name().filter(|_| !recorded.is_virtual());
            name.is_some_and(|name| {
                device.codenames.iter().any(|code| code.eq_ignore_ascii_case(name))
            })
        };
        self.devices.iter().find(is_it).or_else(|| self.devices.get(self.usual))
    }
}

impl ReferenceDevice {
    fn new(written: FileDevice) -> Result<Self, String> {
        let battery = ReferenceBattery::new(written.battery)?;
        if written.id.trim().is_empty() || written.name.trim().is_empty() {
            return Err("id and name: expected a text".to_owned());
        }
        let mut activities: Vec<Activity> = Vec::new();
        for activity in written.activity {
            let FileActivity { name, hours, watts, source } = activity;
            let power = match (positive("hours", hours)?, positive("watts", watts)?) {
                (Some(hours), None) => battery.energy.value() / JOULES_PER_WATT_HOUR / hours,
                (None, Some(watts)) => watts,
                _ => return Err(format!("activity {name:?}: expected either hours or watts")),
            };
            check_source(&source)?;
            if activities.iter().any(|known| known.name == name) {
                return Err(format!("activity {name:?} is there twice"));
            }
            activities.push(Activity { name, power: Watts::new(power), source });
        }
        Ok(Self {
            id: written.id,
            name: written.name,
            codenames: written.codenames,
            battery,
            activities,
        })
    }

    fn is_called(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name) || self.name.eq_ignore_ascii_case(name)
    }
}

impl ReferenceBattery {
    fn new(written: FileBattery) -> Result<Self, String> {
        let FileBattery { energy_wh, capacity_mah, nominal_v, source } = written;
        let energy = positive("energy_wh", energy_wh)?;
        let charge = positive("capacity_mah", capacity_mah)?.map(|mah| mah * 1e-3);
        let nominal = positive("nominal_v", nominal_v)?;
        check_source(&source)?;
        let product = charge.zip(nominal).map(|(charge, volts)| charge * volts);
        let watt_hours = match (energy, product) {
            (Some(energy), Some(product)) if (energy / product - 1.0).abs() > ROUNDING => {
                return Err(format!(
                    "battery: {energy} Wh is not {product:.2} Wh, the product of charge and voltage"
                ));
            }
            (Some(energy), _) => energy,
            (None, Some(product)) => product,
            (None, None) => {
                return Err("battery: expected energy_wh, or capacity_mah and nominal_v".to_owned());
            }
        };
        let nominal = nominal.or_else(|| Some(watt_hours / charge?));
        Ok(Self {
            energy: Joules::new(watt_hours * JOULES_PER_WATT_HOUR),
            nominal: nominal.map(Volts::new),
            source,
        })
    }
}

fn positive(key: &str, value: Option<f64>) -> Result<Option<f64>, String> {
    match value {
        Some(value) if !(value.is_finite() && value > 0.0) => {
            Err(format!("{key} = {value}: expected a number above 0"))
        }
        value => Ok(value),
    }
}

fn check_source(source: &str) -> Result<(), String> {
    if source.trim().is_empty() {
        return Err("source: a figure without one is not shown".to_owned());
    }
    Ok(())
}
