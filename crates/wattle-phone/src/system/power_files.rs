//! Temperatures and supplies below `/sys/class`.

use super::{Change, MadeUp};
use crate::core::Core;

/// Thermal zones with what they are warmer than the first, in degrees Celsius.
const ZONES: [(&str, f64); 4] = [("BIG", 4.0), ("MID", 2.5), ("LITTLE", 1.0), ("skin_therm", -3.0)];

pub(super) fn files(core: &Core) -> Vec<MadeUp> {
    let mut files = Vec::new();
    let mut add = |path: String, change| files.push(MadeUp { path, change });
    for zone in 0..ZONES.len() {
        add(format!("/sys/class/thermal/thermal_zone{zone}/type"), Change::Never);
        add(format!("/sys/class/thermal/thermal_zone{zone}/temp"), Change::Seldom);
    }
    for name in ["capacity", "status", "voltage_now", "current_now", "temp", "charge_counter"] {
        add(format!("/sys/class/power_supply/battery/{name}"), Change::Seldom);
    }
    add("/sys/class/power_supply/usb/online".to_owned(), Change::Seldom);
    if !core.options.hardware.rails.is_empty() {
        add("/sys/bus/iio/devices/iio:device0/name".to_owned(), Change::Never);
        add("/sys/bus/iio/devices/iio:device0/enabled_rails".to_owned(), Change::Never);
    }
    files
}

pub(super) fn content(core: &Core, path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix("/sys/class/thermal/thermal_zone") {
        let (zone, name) = rest.split_once('/')?;
        let (kind, warmer) = ZONES.get(zone.parse::<usize>().ok()?)?;
        return match name {
            "type" => Some(format!("{kind}\n")),
            "temp" => {
                let celsius = core.state().celsius + warmer;
                Some(format!("{}\n", (celsius * 1000.0).round() as i64))
            }
            _ => None,
        };
    }
    if path == "/sys/class/power_supply/usb/online" {
        return Some(format!("{}\n", u8::from(core.state().battery.charging)));
    }
    if let Some(name) = path.strip_prefix("/sys/class/power_supply/battery/") {
        crate::recording::read_rails(core);
        let state = core.state();
        let battery = &state.battery;
        let text = match name {
            "capacity" => battery.percent.to_string(),
            "status" => if battery.charging { "Charging" } else { "Discharging" }.to_owned(),
            "voltage_now" => ((battery.volts * 1e6).round() as i64).to_string(),
            "current_now" => ((-battery.amperes * 1e6).round() as i64).to_string(),
            "temp" => ((battery.celsius * 10.0).round() as i64).to_string(),
            "charge_counter" => battery.whole_uah().to_string(),
            _ => return None,
        };
        return Some(text + "\n");
    }
    match path.strip_prefix("/sys/bus/iio/devices/iio:device0/")? {
        "name" => Some("s2mpg10-odpm\n".to_owned()),
        "enabled_rails" => {
            let rails = core.options.hardware.rails.iter().enumerate();
            Some(
                rails
                    .map(|(index, rail)| format!("CH{index}[{}]:{}\n", rail.name, rail.subsystem))
                    .collect(),
            )
        }
        _ => None,
    }
}
