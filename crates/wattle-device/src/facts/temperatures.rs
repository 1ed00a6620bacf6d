//! Temperatures: `dumpsys thermalservice` (Android 10 and later), else the kernel's thermal zones.

use std::collections::BTreeMap;

use crate::facts::files::Files;

/// Plausible temperatures of a phone, in degrees Celsius. Zones that are not connected show -274 and the like.
const SANE: std::ops::RangeInclusive<f64> = -40.0..=150.0;
/// More sensors than any phone has.
const MOST: usize = 500;

/// The dump of the thermal service (`ThermalManagerService.dump`).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ThermalDump {
    /// `Thermal Status`: 0 none, 1 light, 2 moderate, 3 severe, 4 critical, 5 emergency, 6 shutdown.
    pub(crate) status: Option<u32>,
    /// Degrees Celsius by sensor.
    pub(crate) temperatures: BTreeMap<String, f64>,
}

impl ThermalDump {
    pub(crate) fn parse(text: &str) -> Self {
        let status = text.lines().find_map(|line| line.trim().strip_prefix("Thermal Status:"));
        // Cached values may be hours old.
        let now = text.find("Current temperatures from HAL").and_then(|at| text.get(at..));
        let section = now.unwrap_or(text);
        let end = section.find("Current cooling devices").unwrap_or(section.len());
        let lines = section.get(..end).unwrap_or_default().lines();
        Self {
            status: status.and_then(|status| status.trim().parse().ok()),
            temperatures: lines.filter_map(sensor).take(MOST).collect(),
        }
    }
}

/// `Temperature{mValue=27.3, mType=0, mName=CPU0, mStatus=0}`. Types from 6 to 8 are voltages and currents of the battery
/// protection, whose numbers are no degrees.
fn sensor(line: &str) -> Option<(String, f64)> {
    let fields = line.trim().strip_prefix("Temperature{")?.strip_suffix('}')?;
    let field = |name: &str| {
        fields.split(", ").find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
    };
    if matches!(field("mType").and_then(|kind| kind.parse().ok()), Some(6..=8)) {
        return None;
    }
    let value: f64 = field("mValue")?.parse().ok()?;
    SANE.contains(&value).then(|| (field("mName").unwrap_or("unnamed").to_owned(), value))
}

/// The thermal zones: files `…/thermal_zoneN/type` and `…/thermal_zoneN/temp`.
pub(crate) fn zones(files: &Files<'_>) -> BTreeMap<String, f64> {
    let mut zones = BTreeMap::new();
    for (path, content) in files.all().take(MOST * 2) {
        let Some(folder) = path.strip_suffix("/temp") else { continue };
        let Some(degrees) = content.trim().parse().ok().and_then(degrees) else { continue };
        let zone = folder.rsplit('/').next().unwrap_or(folder);
        let name = files.get(&format!("{folder}/type")).map_or(zone, str::trim);
        // Two zones may have one name.
        let name =
            if zones.contains_key(name) { format!("{name} ({zone})") } else { name.to_owned() };
        zones.insert(name, degrees);
    }
    zones
}

/// The kernel's interface wants thousandths; some drivers of old phones give degrees or tenths.
fn degrees(raw: i64) -> Option<f64> {
    let value = match raw.unsigned_abs() {
        0..=150 => raw as f64,
        151..=1500 => raw as f64 / 10.0,
        _ => raw as f64 / 1000.0,
    };
    SANE.contains(&value).then_some(value)
}
