//! Everything about a device in a few round trips.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle_recording::DeviceFacts;

use crate::facts::cpu_facts;
use crate::facts::files::Files;
use crate::facts::properties::Properties;
use crate::facts::rails;
use crate::facts::root::root;
use crate::facts::screen::screen;
use crate::facts::temperatures::zones;
use crate::facts::{BatteryDump, ThermalDump};
use crate::questions::{Answers, Questions, first_line};
use crate::{Device, DeviceError};

/// Properties and small files.
const QUICK: Duration = Duration::from_secs(20);
/// Services answer within 10 s, or `dumpsys` gives up on them.
const SERVICES: Duration = Duration::from_mins(1);

/// Asks a device what it is. Its power profile is a question of its own ([`power_profile`](crate::facts::power_profile)).
///
/// # Errors
/// If the device is gone, or somebody asked to stop. What it does not say is in [`DeviceFacts::missing`].
pub fn device_facts(device: &dyn Device) -> Result<DeviceFacts, DeviceError> {
    let quick = Questions::new()
        .ask("properties", "getprop")
        .ask("id", "id -u")
        .ask("su", "command -v su")
        .ask("kernel", "uname -r -m")
        .ask("possible", "cat /sys/devices/system/cpu/possible")
        .ask("present", "cat /sys/devices/system/cpu/present")
        .ask("cpufreq", cpu_facts::files_command())
        .ask("iio", Files::command(&[rails::FILES]))
        .ask(
            "zones",
            Files::command(&[
                "/sys/class/thermal/thermal_zone*/type",
                "/sys/class/thermal/thermal_zone*/temp",
            ]),
        )
        .put(device, QUICK)?;
    let services = Questions::new()
        .ask("battery", "dumpsys battery")
        .ask("thermal", "dumpsys thermalservice")
        .ask("rails", rails::SERVICE)
        .ask("old rails", rails::OLD_SERVICE)
        .ask("size", "wm size")
        .ask("display", "dumpsys display")
        .ask("power", "dumpsys power")
        .ask("brightness", "settings get system screen_brightness")
        .ask("brightness mode", "settings get system screen_brightness_mode")
        .put(device, SERVICES)?;
    let mut facts = DeviceFacts { serial: device.serial().to_owned(), ..DeviceFacts::default() };
    let mut missing = Missing(BTreeMap::new());
    identity(&mut facts, &quick, &mut missing);
    match root(device, quick.any_text("id"), quick.text("su").is_ok())? {
        Ok(()) => facts.root = true,
        Err(reason) => missing.say("root", reason),
    }
    cores(&mut facts, &quick, &mut missing);
    state(&mut facts, &quick, &services, &mut missing);
    facts.missing = missing.0;
    Ok(facts)
}

struct Missing(BTreeMap<String, String>);

impl Missing {
    fn say(&mut self, what: &str, reason: impl Into<String>) {
        self.0.insert(what.to_owned(), reason.into());
    }
}

fn identity(facts: &mut DeviceFacts, answers: &Answers, missing: &mut Missing) {
    let properties = Properties::parse(answers.any_text("properties"));
    if properties.is_empty() {
        let reason = answers.text("properties").err();
        missing.say("properties", reason.unwrap_or_else(|| "getprop printed none".into()));
    }
    let get = |name: &str| properties.first(&[name]);
    facts.product.manufacturer = get("ro.product.manufacturer");
    facts.product.model = get("ro.product.model");
    facts.product.codename = get("ro.product.device");
    facts.product.board = get("ro.product.board");
    facts.product.soc = properties.first(&["ro.soc.model", "ro.board.platform"]);
    facts.fingerprint = get("ro.build.fingerprint");
    facts.android = get("ro.build.version.release");
    facts.sdk = get("ro.build.version.sdk").and_then(|sdk| sdk.parse().ok());
    facts.abi = get("ro.product.cpu.abi");
    facts.emulator = properties.any_set(&["ro.kernel.qemu", "ro.boot.qemu"]);
    match answers.text("kernel") {
        Ok(kernel) => facts.kernel = Some(kernel.trim().to_owned()),
        Err(reason) => missing.say("kernel", reason),
    }
}

fn cores(facts: &mut DeviceFacts, answers: &Answers, missing: &mut Missing) {
    let list = |name| cpu_facts::cpu_list(answers.text(name).ok()?);
    match list("possible").or_else(|| list("present")) {
        Some(cpus) => facts.cpus = cpus,
        None => missing.say("cpus", reason(answers, "possible", "no list of cores")),
    }
    facts.policies = cpu_facts::policies(&Files::parse(answers.any_text("cpufreq")));
    let covered: usize = facts.policies.iter().map(|policy| policy.cpus.len()).sum();
    if facts.policies.is_empty() {
        missing.say("policies", reason(answers, "cpufreq", "no readable cpufreq folder"));
    } else if covered < facts.cpus.len() {
        let rest = facts.cpus.len() - covered;
        missing.say(
            "policies",
            format!("{rest} of {} cores are off or without clock", facts.cpus.len()),
        );
    }
    if facts.policies.iter().any(|policy| policy.frequencies_khz.is_empty()) {
        missing.say(
            "frequencies",
            "a policy has neither scaling_available_frequencies nor time_in_state",
        );
    }
}

fn state(facts: &mut DeviceFacts, quick: &Answers, services: &Answers, missing: &mut Missing) {
    facts.battery = BatteryDump::parse(services.any_text("battery")).map(|dump| dump.facts);
    if facts.battery.is_none() {
        missing.say("battery", reason(services, "battery", "dumpsys battery has no battery"));
    }
    facts.temperatures = ThermalDump::parse(services.any_text("thermal")).temperatures;
    if facts.temperatures.is_empty() {
        facts.temperatures = zones(&Files::parse(quick.any_text("zones")));
    }
    if facts.temperatures.is_empty() {
        missing.say("temperatures", reason(services, "thermal", "no sensor says anything"));
    }
    let named = [services.any_text("rails"), services.any_text("old rails")];
    let mut rails =
        named.iter().map(|text| rails::of_service(text)).find(|rails| !rails.is_empty());
    if rails.is_none() {
        rails = Some(rails::of_files(&Files::parse(quick.any_text("iio"))));
    }
    facts.rails = rails.unwrap_or_default().into_iter().collect();
    if facts.rails.is_empty() {
        missing.say("rails", reason(services, "rails", "the device's monitor has no rails"));
    }
    let settings = [services.any_text("brightness"), services.any_text("brightness mode")];
    let found = screen(
        services.any_text("size"),
        services.any_text("display"),
        services.any_text("power"),
        settings,
    );
    for (name, question, absent) in [
        ("screen size", "size", found.width.is_none()),
        ("screen refresh", "display", found.refresh_hz.is_none()),
        ("screen state", "power", found.on.is_none()),
        ("screen brightness", "brightness", found.brightness.is_none()),
    ] {
        if absent {
            missing.say(name, reason(services, question, "not in its answer"));
        }
    }
    if found != wattle_recording::ScreenFacts::default() {
        facts.screen = Some(found);
    }
}

/// Why a question had no use: what the device said, else what was not found in it.
fn reason(answers: &Answers, question: &str, otherwise: &str) -> String {
    match answers.text(question) {
        // `dumpsys` ends well then, too.
        Ok(said) if said.starts_with("Can't find service") => first_line(said),
        Ok(_) => otherwise.to_owned(),
        Err(reason) => reason,
    }
}
