//! Checks of adb and of the attached devices.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use wattle_device::adb::{AdbProgram, AdbServer, AttachedDevice, Environment, Limits};
use wattle_device::{Cancel, Device as _};
use wattle_recording::DeviceFacts;

use super::PROGRAM;
use super::checkup::{Check, CheckState, CheckedDevice, Checkup};
use super::timed_program::first_line;
use crate::cli::DeviceChoice;
use crate::command::device::{Attached, server_within};
use crate::exit::{Failure, Outcome};

/// Time limit for all questions to one device.
const DEVICE: Duration = Duration::from_secs(30);
/// Time limit for one question to a device.
const QUESTION: Duration = Duration::from_secs(10);
/// First API level whose perfetto runs by itself.
const PERFETTO_SINCE: u32 = 29;

/// Asks adb and each device.
pub fn check(choice: &DeviceChoice, cancel: &Cancel, checkup: &mut Checkup) -> Outcome {
    let environment = Environment::of_process();
    let program = program(choice, &environment);
    let works = program.state == CheckState::Ok;
    checkup.adb.push(program);
    // A server may run all the same: one on another machine, or one that another program started.
    let devices = match server_within(choice, limits(choice), cancel) {
        Ok(devices) => devices,
        Err(Failure::Environment(error)) => {
            // Without a working adb there is nothing to start a server with, which was said already.
            if works {
                checkup.adb.push(Check::broken(
                    "adb server",
                    format!("{error:#}"),
                    "restart it: adb kill-server, then adb start-server",
                ));
            }
            return Ok(());
        }
        Err(other) => return Err(other),
    };
    let server = &devices.server;
    checkup.adb.push(Check::ok(
        "adb server",
        format!("{}, protocol {}", server.address(), server.version()),
    ));
    let attached = match server.devices() {
        Ok(attached) => attached,
        Err(error) => {
            let advice = "restart it: adb kill-server, then adb start-server";
            checkup.adb.push(Check::broken("adb devices", error.to_string(), advice));
            return Ok(());
        }
    };
    let wanted =
        |device: &AttachedDevice| choice.serial.as_ref().is_none_or(|it| *it == device.serial);
    let attached: Vec<AttachedDevice> = attached.into_iter().filter(wanted).collect();
    if attached.is_empty() {
        checkup.adb.push(Check::missing(
            "device",
            "none is attached",
            "plug one in with USB debugging on, connect one with `wattle devices --connect HOST:PORT`, or try \
             `wattle run app.apk --simulate`",
        ));
    }
    for device in attached {
        checkup.devices.push(examined(server, device, cancel)?);
    }
    Ok(())
}

/// Shorter than for work: nobody waits minutes for an answer on what is wrong.
fn limits(choice: &DeviceChoice) -> Limits {
    let mut limits = Limits::default();
    if choice.simulate.is_none() {
        limits.connect = Duration::from_secs(3);
        limits.answer = QUESTION;
        limits.start = QUESTION;
    }
    limits
}

fn program(choice: &DeviceChoice, environment: &Environment) -> Check {
    const SUBJECT: &str = "adb";
    let program = match AdbProgram::find(choice.adb.as_deref(), environment) {
        Ok(program) => program,
        Err(error) => {
            return Check::missing(
                SUBJECT,
                format!("{error}"),
                "for `run`, `record` and `devices`: install Android's platform tools \
                 (https://developer.android.com/tools/releases/platform-tools; Debian: apt install adb), or name it with --adb",
            );
        }
    };
    let path = program.path();
    match first_line(path, &["version"], PROGRAM) {
        Ok(version) => Check::ok(SUBJECT, format!("{}: {version}", path.display())),
        Err(why) => Check::broken(
            SUBJECT,
            format!("{} {why}", path.display()),
            "reinstall Android's platform tools, or name another with --adb",
        ),
    }
}

/// One device, asked for no longer than its limit.
fn examined(
    server: &AdbServer,
    device: AttachedDevice,
    cancel: &Cancel,
) -> Result<CheckedDevice, Failure> {
    let limit = Cancel::new();
    let (in_time, timer) = mpsc::channel::<()>();
    let (to_stop, asked) = (limit.clone(), cancel.clone());
    let watch = std::thread::spawn(move || {
        let step = Duration::from_millis(100);
        let mut left = DEVICE;
        while timer.recv_timeout(step) == Err(RecvTimeoutError::Timeout) {
            left = left.saturating_sub(step);
            if left.is_zero() || asked.is_cancelled() {
                to_stop.cancel();
                return;
            }
        }
    });
    let server = server.with_cancel(limit.clone());
    let listed = Attached::listed(device.clone());
    let outcome = Attached::asked(&server, device, &limit);
    let checks = match &outcome {
        Ok(Attached { facts: Some(facts), .. }) => measurable(&server, facts),
        _ => Vec::new(),
    };
    drop(in_time);
    let _ended = watch.join();
    match outcome {
        Ok(device) => Ok(CheckedDevice { device, checks }),
        Err(failure) if cancel.is_cancelled() => Err(failure),
        Err(_) => {
            let advice =
                Some(format!("it did not answer within {} s; restart it", DEVICE.as_secs()));
            Ok(CheckedDevice { device: Attached { advice, ..listed }, checks: Vec::new() })
        }
    }
}

/// Checks of the meters and tracers of a device.
fn measurable(server: &AdbServer, facts: &DeviceFacts) -> Vec<Check> {
    let sdk = facts.sdk.unwrap_or_default();
    let android = facts.android.as_deref().unwrap_or("unknown");
    let soc = facts.product.soc.as_deref().unwrap_or("unknown SoC");
    let mut checks = vec![Check::ok("Android", format!("{android} (API {sdk}), {soc}"))];
    checks.push(if facts.rails.is_empty() {
        let why = facts.missing.get("rails").map_or("none", String::as_str);
        Check::optional(
            "power rails",
            format!("none ({why})"),
            "energy is modelled; Pixel 6 and later have rails (ODPM)",
        )
    } else {
        Check::ok("power rails", format!("{} (ODPM): energy is measured", facts.rails.len()))
    });
    checks.push(fuel_gauge(facts));
    checks.push(if sdk >= PERFETTO_SINCE {
        Check::ok("perfetto", "scheduling, clocks and trace sections are recorded")
    } else {
        Check::missing(
            "perfetto",
            format!("off or missing before Android 10 (API {PERFETTO_SINCE})"),
            "`wattle run` records probes through the log, and polls the kernel's counters",
        )
    });
    checks.push(Check::ok(
        "ART tracing",
        "of debuggable and profileable apps (`--method-trace`); `wattle run` makes the app profileable",
    ));
    checks.extend(sampling(server, &facts.serial));
    checks.push(if facts.root {
        Check::ok("root", "yes (not needed)")
    } else {
        Check::ok("root", "no (not needed)")
    });
    checks
}

fn fuel_gauge(facts: &DeviceFacts) -> Check {
    const SUBJECT: &str = "fuel gauge";
    let Some(battery) = &facts.battery else {
        let advice = "the total of the battery is unknown; the model still estimates the app";
        return Check::missing(SUBJECT, "the battery does not answer", advice);
    };
    let number = |value: Option<f64>, unit: &str| {
        value.map_or_else(|| format!("– {unit}"), |value| format!("{value:.1} {unit}"))
    };
    let counter = if battery.charge_uah.is_some() { "charge counter" } else { "no charge counter" };
    let found =
        format!("{counter}, {}, {}", number(battery.voltage, "V"), number(battery.level, "%"));
    if battery.plugged.is_empty() {
        return Check::ok(SUBJECT, found);
    }
    Check::optional(
        SUBJECT,
        format!("{found}, plugged in ({})", battery.plugged.join(", ")),
        "while it charges, the battery's current does not cover the app: use adb over Wi-Fi for whole-phone totals",
    )
}

/// simpleperf on the device, and whether the kernel lets it sample.
fn sampling(server: &AdbServer, serial: &str) -> Option<Check> {
    const SUBJECT: &str = "simpleperf";
    const COMMAND: &str = "command -v simpleperf; echo; getprop security.perf_harden";
    let output = server.device(serial).and_then(|device| device.shell(COMMAND, QUESTION)).ok()?;
    let text = output.text();
    let mut lines = text.lines();
    let path = lines.next().unwrap_or_default().trim();
    if path.is_empty() {
        let advice =
            "only for `--source simpleperf`; stacks of method traces and probes work without it";
        return Some(Check::optional(SUBJECT, "not on the device", advice));
    }
    let is_hardened = lines.any(|line| line.trim() == "1");
    Some(if is_hardened {
        Check::optional(
            SUBJECT,
            format!("{path}, sampling is locked"),
            "`adb shell setprop security.perf_harden 0` unlocks it until the next restart",
        )
    } else {
        Check::ok(SUBJECT, path.to_owned())
    })
}
