//! What the phone's programs do.

mod activity;
mod battery;
mod dump;
mod executed;
mod install;
mod instrument;
mod logcat;
mod logcat_format;
mod logcat_options;
mod package;
mod package_listing;
mod perfetto;
mod process;
mod profile;
mod property;
mod test_report;
mod time;

use std::io;

pub(crate) use install::preinstall;

use crate::tool::Call;

/// Runs a program. Gives its exit status.
///
/// # Errors
/// If the program is gone.
pub(crate) fn run(call: &mut Call) -> io::Result<u8> {
    let name = call.name.clone();
    dispatch(call, &name)
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
        "pm" => package::pm(call),
        "cmd" => cmd(call),
        "am" => activity::am(call),
        "monkey" => activity::monkey(call),
        "logcat" => logcat::logcat(call),
        "log" => Ok(logcat::log(call)),
        "perfetto" => perfetto::perfetto(call),
        "date" => time::date(call),
        "uptime" => time::uptime(call),
        "cat" => process::cat(call),
        "kill" => process::kill(call),
        "ps" => process::ps(call),
        "pidof" => process::pidof(call),
        "id" | "whoami" => process::id(call),
        "uname" => process::uname(call),
        "nproc" => process::nproc(call),
        "df" => process::df(call),
        "hostname" => call.out("wattle\n").map(|()| 0),
        "getenforce" => call.out("Enforcing\n").map(|()| 0),
        "reboot" => Ok(process::reboot(call)),
        "run-as" => package::run_as(call),
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
        "package" => package::pm(call),
        "activity" => activity::am(call),
        "settings" => property::settings(call),
        "battery" => battery::battery(call),
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
