//! `devices`: what is attached.

use super::program_json::{json_of, list, text, words};
use super::{ToolArguments, ToolContext, ToolEntry};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, counted};

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "devices",
    title: "List attached devices",
    description: "The Android devices that adb sees. Changes nothing on them (it may start the adb server of this machine).",
    parameters: &[],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, _: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let mut command = words(&["devices", "--short", "--json", "-"]);
    command.extend(context.setup.device_arguments.iter().cloned());
    let found = json_of(context, command, &[0])?;
    let devices = list(&found, "devices");
    let Some(first) = devices.first() else {
        let mut answer = ToolAnswer::new(
            "No device is attached: connect one with USB debugging switched on, or open a recording that exists.",
        );
        "no device, no figure".clone_into(&mut answer.coverage);
        answer.next.push(NextQuestion::new("runs", "recordings that were kept"));
        return Ok(answer);
    };
    let mut answer = ToolAnswer::new(format!(
        "{} attached; first: {} ({}, {}).",
        counted(devices.len() as u64, "device"),
        text(first, "model"),
        text(first, "serial"),
        text(first, "state")
    ));
    let row = |device| {
        let note = format!("{}, state {}", text(device, "serial"), text(device, "state"));
        AnswerRow::new("device", text(device, "model")).with_note(note)
    };
    answer.rows = devices.iter().map(row).collect();
    answer.heading = String::from("Devices:");
    "devices, not a recording: no energy figure".clone_into(&mut answer.coverage);
    answer.next.push(
        NextQuestion::new("run", "asks the user first")
            .with("apk", "app.apk")
            .with("serial", text(first, "serial")),
    );
    Ok(answer)
}
