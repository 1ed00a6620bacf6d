//! System properties.

use std::collections::BTreeMap;

use crate::PhoneOptions;

/// Version name of an API level (developer.android.com, "Codenames, tags, and build numbers").
fn release(api: u32) -> &'static str {
    match api {
        ..=24 => "7.0",
        25 => "7.1.1",
        26 => "8.0.0",
        27 => "8.1.0",
        28 => "9",
        29 => "10",
        30 => "11",
        31 => "12",
        32 => "12L",
        33 => "13",
        34 => "14",
        35 => "15",
        _ => "16",
    }
}

/// The properties of a phone that has booted.
pub(crate) fn properties(options: &PhoneOptions) -> BTreeMap<String, String> {
    let device = &options.hardware.device;
    let name = device.fingerprint.split(['/', ':']).nth(1).unwrap_or("sim").to_owned();
    let api = options.api.to_string();
    // Perfetto came with Android 9, turned off until Android 11.
    let traced = match options.api {
        ..28 => "",
        28 | 29 => "0",
        _ => "1",
    };
    let fingerprint = format!(
        "wattle/{name}/{name}:{}/SIM{api}.251122.001/1:user/release-keys",
        release(options.api)
    );
    let pairs: [(&str, &str); 31] = [
        ("dalvik.vm.usejit", "true"),
        ("debug.atrace.tags.enableflags", "0"),
        ("dev.bootcomplete", "1"),
        ("gsm.sim.state", "ABSENT"),
        ("init.svc.adbd", "running"),
        ("persist.sys.timezone", &options.clock.zone),
        ("persist.traced.enable", traced),
        ("ro.board.platform", &device.soc),
        ("ro.boot.serialno", &options.serial),
        ("ro.build.fingerprint", &fingerprint),
        ("ro.build.id", "SIM.251122.001"),
        ("ro.build.tags", "release-keys"),
        ("ro.build.type", "user"),
        ("ro.build.version.release", release(options.api)),
        ("ro.build.version.sdk", &api),
        ("ro.debuggable", "0"),
        ("ro.hardware", &device.soc),
        ("ro.product.board", &device.soc),
        ("ro.product.brand", "wattle"),
        ("ro.product.cpu.abi", "arm64-v8a"),
        ("ro.product.cpu.abilist", "arm64-v8a,armeabi-v7a,armeabi"),
        ("ro.product.device", &name),
        ("ro.product.manufacturer", &device.manufacturer),
        ("ro.product.model", "Simulated phone"),
        ("ro.product.name", &name),
        ("ro.secure", "1"),
        ("ro.serialno", &options.serial),
        ("ro.soc.manufacturer", if options.api >= 31 { device.manufacturer.as_str() } else { "" }),
        ("ro.soc.model", if options.api >= 31 { device.soc.as_str() } else { "" }),
        ("sys.boot_completed", "1"),
        ("sys.usb.state", "adb"),
    ];
    pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
