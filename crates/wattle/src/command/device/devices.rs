//! `wattle devices`: what is attached, and what each can give.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;
use wattle_device::adb::AttachedDevice;
use wattle_device::{Cancel, DeviceError};
use wattle_recording::DeviceFacts;

use super::attached::Attached;
use super::connection::{self, Devices};
use super::failure::failure;
use super::restore;
use crate::cli;
use crate::command::output;
use crate::exit::{Failure, Outcome};
use crate::interrupt;

/// Pause between two checks whether a watch should end.
const LOOK: Duration = Duration::from_millis(500);

/// The form of the JSON.
const SCHEMA: &str = "wattle-devices/1";

#[derive(Debug, Serialize)]
struct List {
    schema: &'static str,
    devices: Vec<Attached>,
}

/// Runs `wattle devices`.
pub fn run(flags: &cli::Devices) -> Outcome {
    let cancel = interrupt::handle()?.cancel;
    let devices = connection::devices(&flags.choice, &cancel)?;
    if let (Some(device), Some(code)) = (&flags.pair, &flags.code) {
        say(flags, &devices.server.pair(code, device).map_err(failure)?)?;
    }
    if let Some(device) = &flags.connect {
        say(flags, &devices.server.connect(device).map_err(failure)?)?;
    }
    if flags.restore {
        return restore::run(flags, &devices, &cancel);
    }
    if flags.watch {
        return watch(&devices, &cancel);
    }
    let attached = devices.server.devices().map_err(failure)?;
    let wanted = |device: &AttachedDevice| {
        flags.choice.serial.as_ref().is_none_or(|it| *it == device.serial)
    };
    let mut rows = Vec::new();
    for device in attached.into_iter().filter(wanted) {
        rows.push(if flags.short {
            Attached::listed(device)
        } else {
            Attached::asked(&devices.server, device, &cancel)?
        });
    }
    let list = List { schema: SCHEMA, devices: rows };
    if let Some(path) = &flags.json {
        let mut text =
            serde_json::to_vec_pretty(&list).context("JSON").map_err(Failure::Internal)?;
        text.push(b'\n');
        if output::is_stdout(Some(path)) {
            return output::print(&text);
        }
        output::write_file(path, &text)?;
    }
    if flags.quiet { Ok(()) } else { output::print(table(&list).as_bytes()) }
}

fn say(flags: &cli::Devices, text: &str) -> Outcome {
    if flags.quiet || flags.json.is_some() {
        return Ok(());
    }
    output::print(format!("{text}\n").as_bytes())
}

fn watch(devices: &Devices, cancel: &Cancel) -> Outcome {
    let mut tracker = devices.server.track().map_err(failure)?;
    while !cancel.is_cancelled() {
        match tracker.next(LOOK) {
            Ok(Some(attached)) => {
                let mut text = format!("{} attached\n", attached.len());
                for device in attached {
                    // Writing to a String does not fail.
                    let _ = writeln!(text, "  {device}");
                }
                output::print(text.as_bytes())?;
            }
            Ok(None) => {}
            // Ctrl-C is how a watch ends.
            Err(DeviceError::Cancelled) => break,
            Err(error) => return Err(failure(error)),
        }
    }
    Ok(())
}

fn table(list: &List) -> String {
    if list.devices.is_empty() {
        return "no device is attached: plug one in with USB debugging on, or connect one over the network with\n\
                wattle devices --connect HOST:PORT; wattle devices --simulate shows a simulated one\n"
            .to_owned();
    }
    let mut text = String::new();
    for device in &list.devices {
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "{}  {}  {}",
            device.serial,
            device.state,
            device.model.as_deref().unwrap_or_default()
        );
        if let Some(advice) = &device.advice {
            let _ = writeln!(text, "  {advice}");
        }
        if let Some(facts) = &device.facts {
            facts_lines(facts, &mut text);
        }
        for offer in &device.sources {
            let state = match &offer.reason {
                None => "yes".to_owned(),
                Some(reason) => format!("no: {reason}"),
            };
            let _ = writeln!(text, "  {:<14} {state}", offer.name);
        }
    }
    text
}

fn facts_lines(facts: &DeviceFacts, text: &mut String) {
    let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    let sdk = facts.sdk.map_or_else(|| "–".to_owned(), |sdk| sdk.to_string());
    let _ = writeln!(
        text,
        "  Android {} (SDK {sdk}), SoC {}, {} CPUs in {} policies, {} power rails",
        word(&facts.android),
        word(&facts.product.soc),
        facts.cpus.len(),
        facts.policies.len(),
        facts.rails.len(),
    );
    if let Some(battery) = &facts.battery {
        let number = |value: Option<f64>, unit: &str| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1} {unit}"))
        };
        let plugged = match battery.plugged.as_slice() {
            [] => "not plugged in".to_owned(),
            plugs => format!("plugged in ({})", plugs.join(", ")),
        };
        let _ = writeln!(
            text,
            "  battery {}, {}, {}, {plugged}",
            number(battery.level, "%"),
            number(battery.voltage, "V"),
            number(battery.temperature, "°C"),
        );
    }
}
