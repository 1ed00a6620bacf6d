//! `dumpsys battery`, as `BatteryService.java` of AOSP prints and changes it.

use std::io;

use crate::battery_state::{Battery, FakedBattery};
use crate::tool::Call;

/// `dumpsys battery` and `cmd battery`, with the words behind.
pub(super) fn battery(call: &mut Call) -> io::Result<u8> {
    let words: Vec<String> = call
        .arguments
        .iter()
        // `-f` sends the change to the listeners at once.
        .filter(|word| *word != "-f")
        .cloned()
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    crate::recording::read_rails(&call.core);
    let answer = {
        let mut state = call.core.state();
        match words.as_slice() {
            [] => Ok(describe(&state.battery)),
            ["unplug"] => {
                let faked = &mut state.battery.faked;
                faked.stopped = true;
                faked.ac = Some(false);
                faked.usb = Some(false);
                faked.wireless = Some(false);
                Ok(String::new())
            }
            ["reset"] => {
                state.battery.faked = FakedBattery::default();
                Ok(String::new())
            }
            ["set", key, value] => set(&mut state.battery, key, value).map(|()| String::new()),
            ["get", key] => {
                let text = describe(&state.battery);
                let prefix = format!("{key}:");
                let found = text
                    .lines()
                    .find_map(|line| line.trim().strip_prefix(prefix.as_str()).map(str::trim));
                Ok(found.map_or_else(
                    || format!("Unknown get option: {key}\n"),
                    |value| format!("{value}\n"),
                ))
            }
            _ => Err("Unknown command".to_owned()),
        }
    };
    match answer {
        Ok(text) => call.out(text).map(|()| 0),
        Err(text) => call.fail(text).map(|_| 255),
    }
}

fn set(battery: &mut Battery, key: &str, value: &str) -> Result<(), String> {
    let number: i64 = value.parse().map_err(|_| format!("Bad value: {value}"))?;
    let faked = &mut battery.faked;
    match key {
        "ac" => faked.ac = Some(number != 0),
        "usb" => faked.usb = Some(number != 0),
        "wireless" => faked.wireless = Some(number != 0),
        "level" => faked.level = u32::try_from(number).ok(),
        "status" => faked.status = u32::try_from(number).ok(),
        "temp" => faked.temperature = i32::try_from(number).ok(),
        "present" | "counter" | "invalid" => {}
        _ => return Err(format!("Unknown set option: {key}")),
    }
    faked.stopped = true;
    Ok(())
}

fn describe(battery: &Battery) -> String {
    let faked = &battery.faked;
    let stopped =
        if faked.stopped { "  (UPDATES STOPPED -- use 'reset' to restart)\n" } else { "" };
    let current = if battery.charging { 500_000 } else { 0 };
    let voltage = if battery.charging { 5_000_000 } else { 0 };
    format!(
        "Current Battery Service state:\n{stopped}  AC powered: {}\n  USB powered: {}\n  Wireless powered: {}\n  \
         Dock powered: false\n  Max charging current: {current}\n  Max charging voltage: {voltage}\n  Charge counter: {}\n  \
         status: {}\n  health: 2\n  present: true\n  level: {}\n  scale: 100\n  voltage: {}\n  temperature: {}\n  \
         technology: Li-ion\n",
        faked.ac.unwrap_or(false),
        battery.usb(),
        faked.wireless.unwrap_or(false),
        battery.whole_uah(),
        battery.status(),
        faked.level.unwrap_or(battery.percent),
        (battery.volts * 1000.0).round() as i64,
        faked.temperature.unwrap_or((battery.celsius * 10.0).round() as i32),
    )
}
