//! Properties, settings, and services with a few switches.

use std::io;

use crate::Namespace;
use crate::tool::Call;

pub(super) fn getprop(call: &mut Call) -> io::Result<u8> {
    let text = {
        let state = call.core.state();
        match call.words().as_slice() {
            [] => {
                let pairs = state.properties.iter();
                pairs.map(|(key, value)| format!("[{key}]: [{value}]\n")).collect()
            }
            ["-T" | "-Z", ..] => String::new(),
            [key, rest @ ..] => {
                let value = state.properties.get(*key).map(String::as_str);
                format!("{}\n", value.or(rest.first().copied()).unwrap_or_default())
            }
        }
    };
    call.out(text).map(|()| 0)
}

pub(super) fn setprop(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    let [key, value] = words.as_slice() else {
        return call.fail("usage: setprop NAME VALUE");
    };
    let (key, value) = ((*key).to_owned(), (*value).to_owned());
    // What the shell may set (`shell` in `property_contexts` and `domain.te`).
    let open = ["debug.", "log.", "persist.log.", "persist.traced.", "security.perf_harden"];
    if !call.core.options.rooted && !open.iter().any(|start| key.starts_with(start)) {
        return call.fail(format!(
            "Failed to set property '{key}' to '{value}'.\nSee dmesg for error reason."
        ));
    }
    call.core.state().properties.insert(key, value);
    Ok(0)
}

pub(super) fn settings(call: &mut Call) -> io::Result<u8> {
    let mut words = call.words();
    let mut owned = Vec::new();
    if let [flag, _, ..] = words.as_slice()
        && *flag == "--user"
    {
        words.drain(..2);
    }
    owned.extend(words.iter().map(|word| (*word).to_owned()));
    let words: Vec<&str> = owned.iter().map(String::as_str).collect();
    let (verb, namespace, rest) = match words.as_slice() {
        [verb, name, rest @ ..] => match Namespace::parse(name) {
            Some(namespace) => (*verb, namespace, rest),
            None => return call.fail(format!("Invalid namespace '{name}'")).map(|_| 255),
        },
        _ => {
            return call
                .fail("Usage: settings get|put|delete|list NAMESPACE [KEY [VALUE]]")
                .map(|_| 255);
        }
    };
    let text = {
        let mut state = call.core.state();
        match (verb, rest) {
            ("get", [key, ..]) => {
                format!("{}\n", state.settings.get(namespace, key).unwrap_or("null"))
            }
            ("put", [key, value, ..]) => {
                state.settings.put(namespace, key, value);
                if let (Namespace::Global, "low_power") = (namespace, *key) {
                    // What `dumpsys power` says follows the setting.
                    state.settings.put(namespace, "low_power_sticky", value);
                }
                String::new()
            }
            ("delete", [key, ..]) => {
                format!("Deleted {} rows\n", u8::from(state.settings.delete(namespace, key)))
            }
            ("list", _) => state
                .settings
                .list(namespace)
                .map(|(key, value)| format!("{key}={value}\n"))
                .collect(),
            _ => {
                drop(state);
                return call.fail("Bad arguments").map(|_| 255);
            }
        }
    };
    call.out(text).map(|()| 0)
}

/// `device_config`: none is set, all can be asked.
pub(super) fn device_config(call: &mut Call) -> io::Result<u8> {
    match call.words().first() {
        Some(&"get") => call.out("null\n").map(|()| 0),
        Some(_) => Ok(0),
        None => call.fail("Error: bad arguments").map(|_| 255),
    }
}

pub(super) fn svc(call: &mut Call) -> io::Result<u8> {
    match call.words().as_slice() {
        ["power", "stayon", how] => {
            let (stay, value) = match *how {
                "true" => (true, "15"),
                "usb" => (true, "2"),
                "ac" => (true, "1"),
                "wireless" => (true, "4"),
                _ => (false, "0"),
            };
            let mut state = call.core.state();
            state.stay_on = stay;
            state.settings.put(Namespace::Global, "stay_on_while_plugged_in", value);
            if stay {
                state.awake = true;
            }
            Ok(0)
        }
        ["wifi", how @ ("enable" | "disable")] => {
            let on = *how == "enable";
            let mut state = call.core.state();
            state.wifi = on;
            state.settings.put(Namespace::Global, "wifi_on", if on { "1" } else { "0" });
            Ok(0)
        }
        ["data", how @ ("enable" | "disable")] => {
            let value = if *how == "enable" { "1" } else { "0" };
            call.core.state().settings.put(Namespace::Global, "mobile_data", value);
            Ok(0)
        }
        ["power", "reboot", ..] => Ok(super::process_commands::reboot(call)),
        _ => call.fail("Available commands:\n    power\n    data\n    wifi"),
    }
}

pub(super) fn wm(call: &mut Call) -> io::Result<u8> {
    let text = {
        let mut state = call.core.state();
        match call.words().as_slice() {
            ["size"] => {
                let over = state.size.map(|(x, y)| format!("Override size: {x}x{y}\n"));
                format!("Physical size: 1080x2400\n{}", over.unwrap_or_default())
            }
            ["size", "reset"] => {
                state.size = None;
                String::new()
            }
            ["size", size] => {
                let parts = size.split_once('x');
                state.size = parts.and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
                String::new()
            }
            ["density"] => {
                let over = state.density.map(|density| format!("Override density: {density}\n"));
                format!("Physical density: 420\n{}", over.unwrap_or_default())
            }
            ["density", "reset"] => {
                state.density = None;
                String::new()
            }
            ["density", density] => {
                state.density = density.parse().ok();
                String::new()
            }
            ["dismiss-keyguard"] => String::new(),
            _ => {
                drop(state);
                return call.fail("Unknown command").map(|_| 255);
            }
        }
    };
    call.out(text).map(|()| 0)
}

pub(super) fn input(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    // A source may come first (`input touchscreen tap 1 2`).
    let key = match words.as_slice() {
        ["keyevent", key, ..] | [_, "keyevent", key, ..] => Some((*key).to_owned()),
        ["tap" | "swipe" | "text" | "press" | "roll" | "draganddrop", ..]
        | [_, "tap" | "swipe" | "text" | "press" | "roll" | "draganddrop", ..] => None,
        _ => return call.fail("Error: Unknown command").map(|_| 255),
    };
    if let Some(key) = key {
        let mut state = call.core.state();
        match key.trim_start_matches("KEYCODE_") {
            "224" | "WAKEUP" => state.awake = true,
            "223" | "SLEEP" => state.awake = false,
            "26" | "POWER" => state.awake = !state.awake,
            _ => {}
        }
    }
    Ok(0)
}

/// `cmd thermalservice`.
pub(super) fn thermal(call: &mut Call) -> io::Result<u8> {
    match call.words().as_slice() {
        ["override-status", status] => {
            call.core.state().thermal_override = status.parse().ok();
            Ok(0)
        }
        ["reset"] => {
            call.core.state().thermal_override = None;
            Ok(0)
        }
        _ => call.fail("Unknown command").map(|_| 255),
    }
}

/// `cmd power`.
pub(super) fn power(call: &mut Call) -> io::Result<u8> {
    match call.words().as_slice() {
        ["set-mode", mode @ ("0" | "1")] => {
            let mode = (*mode).to_owned();
            call.core.state().settings.put(Namespace::Global, "low_power", &mode);
            Ok(0)
        }
        ["set-fixed-performance-mode-enabled", on]
            if call.core.options.api >= FIXED_PERFORMANCE =>
        {
            let on = *on == "true";
            call.core.state().fixed_performance = on;
            Ok(0)
        }
        _ => call.fail("Unknown command").map(|_| 255),
    }
}

/// The API level from which on clocks can be fixed: Android 11.
const FIXED_PERFORMANCE: u32 = 30;

/// `cmd wifi`.
pub(super) fn wifi(call: &mut Call) -> io::Result<u8> {
    match call.words().as_slice() {
        ["status"] => {
            let on = call.core.state().wifi;
            let text = if on {
                "Wifi is enabled\n==== Primary ClientModeManager instance ====\nWifi is connected to \"wattle\"\n"
            } else {
                "Wifi is disabled\n"
            };
            call.out(text).map(|()| 0)
        }
        ["set-wifi-enabled", how] => {
            let on = *how == "enabled";
            call.core.state().wifi = on;
            Ok(0)
        }
        _ => call.fail("Unknown command").map(|_| 255),
    }
}

/// `cmd connectivity airplane-mode`.
pub(super) fn connectivity(call: &mut Call) -> io::Result<u8> {
    let value = match call.words().as_slice() {
        ["airplane-mode", "enable"] => "1",
        ["airplane-mode", "disable"] => "0",
        _ => return call.fail("Unknown command").map(|_| 255),
    };
    call.core.state().settings.put(Namespace::Global, "airplane_mode_on", value);
    Ok(0)
}
