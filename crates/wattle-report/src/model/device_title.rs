//! Names of devices and of releases of Android as people say them.

use wattle_timeline::DeviceFacts;

/// The title of a device with the code name beside it, for those who look for it.
pub(crate) fn device_with_code(device: &DeviceFacts) -> String {
    device.title_with_code().unwrap_or_else(|| "unknown device".to_owned())
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
