//! Undoing changes, and the commands by which a person does it.

use crate::package::put_back;
use crate::prepare::{
    ConsoleAccess, Undo, UndoOutcome, battery_statistics, compiled, console_change,
    fixed_performance, halted_charging, log_buffers, plug_state, radio, recorders, screen_changes,
    setting,
};
use crate::{Device, DeviceError, quote};

impl Undo {
    /// Undoes it. Doing so twice, or when the change was never made, does no harm.
    pub(crate) fn restore(
        &self,
        device: &dyn Device,
        console: Option<&dyn ConsoleAccess>,
    ) -> Result<UndoOutcome, DeviceError> {
        match self {
            Self::Setting { namespace, key, before, during } => {
                setting::restore(device, namespace, key, before.as_deref(), during)
            }
            Self::PlugState { faked_before } => plug_state::restore(device, faked_before),
            Self::ConsolePower { before } => console_change::restore(device, console, before),
            Self::LogBuffers { before, during } => log_buffers::restore(device, before, during),
            Self::FullWakeHistory => battery_statistics::restore_wake_history(device),
            Self::Sleep => screen_changes::sleep(device),
            Self::Charging { switch, before } => halted_charging::restore(device, switch, before),
            Self::FixedPerformance => fixed_performance::restore(device),
            Self::Compiled { package } => compiled::restore(device, package),
            Self::Radio { radio, before } => radio::restore(device, *radio, *before),
            Self::Recorder { name, files } => recorders::end(device, name, files),
            Self::Property { name, before } => recorders::set_property(device, name, before),
            Self::ProbeFiles { package, command } => {
                recorders::remove_probe_files(device, package, command)
            }
            Self::App { package, originals, during } => {
                put_back(device, package, originals, during)
            }
        }
    }

    /// The commands by which a person does the same.
    pub(crate) fn commands(&self, serial: &str) -> Vec<String> {
        let adb = format!("adb -s {}", quote(serial));
        let shell = |command: String| format!("{adb} shell {command}");
        match self {
            Self::Setting { namespace, key, before: Some(value), .. } => {
                // The word goes through two shells, the person's and the device's.
                let value = quote(&quote(value));
                vec![shell(format!("settings put {namespace} {key} {value}"))]
            }
            Self::Setting { namespace, key, before: None, .. } => {
                vec![shell(format!("settings delete {namespace} {key}"))]
            }
            Self::PlugState { .. } => vec![shell("dumpsys battery reset".into())],
            Self::ConsolePower { before } => {
                before.commands().map(|command| format!("{adb} emu {command}")).collect()
            }
            Self::LogBuffers { before, .. } => before
                .iter()
                .map(|(buffer, size)| shell(format!("logcat -b {buffer} -G {size}")))
                .collect(),
            Self::FullWakeHistory => vec![shell(battery_statistics::DISABLE.into())],
            Self::Sleep => vec![shell(screen_changes::SLEEP.into())],
            Self::Charging { switch, before } => vec![shell(quote(&switch.command(before)))],
            Self::FixedPerformance => vec![shell(fixed_performance::END.into())],
            Self::Compiled { package } => vec![shell(quote(&compiled::reset_command(package)))],
            Self::Radio { radio, before } => vec![shell(radio.command(*before).into())],
            Self::Recorder { name, files } => {
                recorders::commands(name, files).into_iter().map(|c| shell(quote(&c))).collect()
            }
            Self::Property { name, before } => {
                vec![shell(quote(&recorders::property_command(name, before)))]
            }
            Self::ProbeFiles { command, .. } => vec![shell(quote(command))],
            Self::App { package, originals, .. } => {
                let mut commands = vec![format!("{adb} uninstall {}", quote(package))];
                let files: Vec<String> =
                    originals.iter().map(|file| quote(&file.to_string_lossy())).collect();
                match files.as_slice() {
                    [] => {}
                    [file] => commands.push(format!("{adb} install {file}")),
                    _ => commands.push(format!("{adb} install-multiple {}", files.join(" "))),
                }
                commands
            }
        }
    }
}
