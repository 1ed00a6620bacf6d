//! Names of devices and of releases of Android as people say them.

use wattle_timeline::{DeviceFacts, OperatingSystem};
use wattle_units::Nanos;

use crate::cells::Seconds;

/// The title of a device; where a recording says none, what is known of its kind: `Windows 6.1.7601`, `x86_64 computer with Linux`.
pub(crate) fn device_title(device: &DeviceFacts) -> String {
    device.title().map_or_else(|| kind(device), str::to_owned)
}

/// The same with the code name beside it, for those who look for it.
pub(crate) fn device_with_code(device: &DeviceFacts) -> String {
    device.title_with_code().unwrap_or_else(|| kind(device))
}

/// The device, its SoC and its release of Android, as far as a recording says them.
pub(crate) fn device_facts(device: &DeviceFacts) -> Vec<String> {
    let mut facts = vec![device_with_code(device)];
    facts.extend(device.soc_name().map(|soc| format!("SoC {soc}")));
    facts.extend(device.sdk.map(android_release));
    facts
}

/// The length of a recording; `None` for what only counts, or only lists events, and has none.
pub(crate) fn length_fact(duration: Nanos) -> Option<String> {
    (duration > Nanos::ZERO).then(|| Seconds(duration).to_string())
}

fn kind(device: &DeviceFacts) -> String {
    let architecture = device.architecture.filter(|it| !it.is_arm());
    match (device.system, architecture) {
        (Some(OperatingSystem::Windows), _) => {
            let release = device.kernel.clone().filter(|kernel| kernel.starts_with("Windows "));
            release.unwrap_or_else(|| "computer with Windows".to_owned())
        }
        (Some(OperatingSystem::Linux), Some(architecture)) => {
            format!("{} computer with Linux", architecture.title())
        }
        _ => "unknown device".to_owned(),
    }
}

/// The release of Android that has this API level (developer.android.com, *API levels*).
pub(crate) fn android_release(sdk: u32) -> String {
    let release = match sdk {
        21 => "5.0",
        22 => "5.1",
        23 => "6",
        24 => "7.0",
        25 => "7.1",
        26 => "8.0",
        27 => "8.1",
        28 => "9",
        29 => "10",
        30 => "11",
        31 => "12",
        32 => "12L",
        33 => "13",
        34 => "14",
        35 => "15",
        36 => "16",
        _ => return format!("Android API level {sdk}"),
    };
    format!("Android {release}")
}
