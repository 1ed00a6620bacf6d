//! The commands of the phone's programs.

mod activity_commands;
mod battery_commands;
mod dump;
mod executed;
mod install;
mod instrument_arguments;
mod instrument_command;
mod logcat_command;
mod logcat_format;
mod logcat_options;
mod package_commands;
mod package_listing;
mod perfetto_command;
mod plain_words;
mod process_commands;
mod profile;
mod property;
mod test_report;
mod time;

use std::io;

pub(crate) use install::preinstall;

use crate::conformance::Refusal;
use crate::tool::Call;

/// Runs a program. Gives its exit status.
///
/// # Errors
/// If the program is gone.
pub(crate) fn run(call: &mut Call) -> io::Result<u8> {
    let name = call.name.clone();
    if let Some(Refusal { text, status }) = refusal(call) {
        if !text.is_empty() {
            call.fail(text)?;
        }
        return Ok(status);
    }
    dispatch(call, &name)
}

/// The refusal of a phone that answers as stock phones of its vendor do.
fn refusal(call: &Call) -> Option<Refusal> {
    let vendor = call.core.options.vendor?;
    let mut command = call.name.clone();
    for word in &call.arguments {
        command.push(' ');
        let is_recording = call.name == "kill"
            && word
                .parse()
                .is_ok_and(|pid| call.core.state().sessions.recordings.contains_key(&pid));
        command.push_str(if is_recording { "<perfetto>" } else { word });
    }
    Refusal::find(vendor, call.core.options.api, &command)
}

fn dispatch(call: &mut Call, name: &str) -> io::Result<u8> {
    match name {
        "getprop" => property::getprop(call),
        "setprop" => property::setprop(call),
        "settings" => property::settings(call),
        "device_config" => property::device_config(call),
        "svc" => property::svc(call),
        "wm" => property::wm(call),
        "input" => property::input(call),
        "dumpsys" => dump::dumpsys(call),
        "pm" => package_commands::pm(call),
        "cmd" => cmd(call),
        "am" => activity_commands::am(call),
        "monkey" => activity_commands::monkey(call),
        "logcat" => logcat_command::logcat(call),
        "log" => Ok(logcat_command::log(call)),
        "perfetto" => perfetto_command::perfetto(call),
        "date" => time::date(call),
        "uptime" => time::uptime(call),
        "cat" => process_commands::cat(call),
        "kill" => process_commands::kill(call),
        "ps" => process_commands::ps(call),
        "pidof" => process_commands::pidof(call),
        "id" | "whoami" => process_commands::id(call),
        "uname" => process_commands::uname(call),
        "nproc" => process_commands::nproc(call),
        "df" => process_commands::df(call),
        "hostname" => call.out("wattle\n").map(|()| 0),
        "getenforce" => call.out("Enforcing\n").map(|()| 0),
        "reboot" => Ok(process_commands::reboot(call)),
        "run-as" => package_commands::run_as(call),
        // Those that go on in their own process have only told that they are there.
        "su" | "@sh" => Ok(0),
        "toybox" => call
            .out("cat cp date df du head id kill ls mkdir mv ps rm sha256sum sleep uname\n")
            .map(|()| 0),
        "appops" | "content" | "service" | "screencap" => {
            call.fail(format!("{name}: not on the simulated phone"))
        }
        _ => call.fail(format!("{name}: inaccessible or not found")).map(|_| 127),
    }
}

/// `cmd`: a service's own commands.
fn cmd(call: &mut Call) -> io::Result<u8> {
    if call.arguments.is_empty() {
        return call.fail("cmd: No service specified; use -l to list all services");
    }
    let service = call.arguments.remove(0);
    match service.as_str() {
        "package" => package_commands::pm(call),
        "activity" => activity_commands::am(call),
        "settings" => property::settings(call),
        "battery" => battery_commands::battery(call),
        "thermalservice" => property::thermal(call),
        "power" => property::power(call),
        "wifi" => property::wifi(call),
        "connectivity" => property::connectivity(call),
        // None is installed.
        "overlay" => call.out("android\n").map(|()| 0),
        "window" => property::wm(call),
        "input" => property::input(call),
        "-l" => {
            let text = dump::SERVICES.iter().map(|name| format!("  {name}\n")).collect::<String>();
            call.out(format!("Currently running services:\n{text}")).map(|()| 0)
        }
        _ => call.fail(format!("cmd: Can't find service: {service}")).map(|_| 20),
    }
}
