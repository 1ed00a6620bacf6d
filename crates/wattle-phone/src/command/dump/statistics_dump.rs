//! `dumpsys batterystats`, in the words of `BatteryStats.java` of AOSP.

use std::io;
use std::time::Duration;

use super::app_usage::{Used, since, used};
use super::statistics_proto;
use super::wifi_time::WifiTime;
use crate::core::Core;
use crate::local_calendar::local_date;
use crate::tool::Call;

/// Version of the check-in format (`CHECKIN_VERSION` since Android 12).
const CHECKIN: u32 = 36;

pub(super) fn statistics(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    let core = &call.core;
    if words.contains(&"--reset") {
        let now = core.clock.boot();
        let counters = core.journal.counters(now);
        let mut state = core.state();
        state.statistics_since = now.value();
        state.statistics_base = counters;
        drop(state);
        return call.out("Battery stats and history reset.\n").map(|()| 0);
    }
    if let ["--enable" | "--disable", option] = words.as_slice() {
        let on = words.first() == Some(&"--enable");
        if !["full-wake-history", "full-history", "no-auto-reset", "pretend-screen-off"]
            .contains(option)
        {
            let text = format!("Unknown enable/disable option: {option}");
            return call.fail(text);
        }
        let text = format!("{}: {option}\n", if on { "Enabled" } else { "Disabled" });
        if *option == "full-wake-history" || *option == "full-history" {
            core.state().full_wake_history = on;
        }
        return call.out(text).map(|()| 0);
    }
    if words.contains(&"--proto") {
        let bytes = statistics_proto::dump(core);
        return call.out(bytes).map(|()| 0);
    }
    if words.contains(&"--write") {
        return Ok(0);
    }
    let text = if words.contains(&"-c") || words.contains(&"--checkin") {
        checkin(core)
    } else {
        text(core)
    };
    call.out(text).map(|()| 0)
}

/// `1h 2m 3s 45ms`, as `TimeUtils.formatDuration` writes it without signs.
fn duration(milliseconds: i64) -> String {
    let length = Duration::from_millis(milliseconds.max(0) as u64);
    let (seconds, ms) = (length.as_secs(), length.subsec_millis());
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let mut words: Vec<String> = parts
        .iter()
        .skip_while(|(number, _)| *number == 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    words.push(format!("{ms}ms"));
    words.join(" ")
}

fn text(core: &Core) -> String {
    crate::recording::read_rails(core);
    let (length, wall) = since(core);
    let state = core.state();
    let (percent, millivolts) =
        (state.battery.percent, (state.battery.volts * 1000.0).round() as i64);
    let celsius = (state.battery.celsius * 10.0).round() as i64;
    let on_battery = !state.battery.usb();
    let charge = state.battery.whole_uah() / 1000;
    let brightness = state.settings.brightness_name();
    drop(state);
    let date = local_date(wall * 1_000_000, core.clock.zone_offset());
    let date = date.format("%Y-%m-%d-%H-%M-%S");
    let mut text = format!(
        "Battery History (0% used, 412 used of 4096KB, 14 strings using 1024):\n                    0 (15) RESET:TIME: \
         {date}\n                    0 (2) {percent:03} status=discharging health=good \
         plug=none temp={celsius} volt={millivolts} charge={charge} +running +wifi +screen brightness={brightness}\n            +{} \
         (2) {percent:03}\n\nDaily stats:\n\nStatistics since last charge:\n  System starts: 0, currently on battery: \
         {on_battery}\n  Estimated battery capacity: 4600 mAh\n  Time on battery: {t} (100%) realtime, {t} (100%) uptime\n  \
         Time on battery screen off: 0ms (0.0%) realtime, 0ms (0.0%) uptime\n  Total run time: {t} realtime, {t} uptime\n  \
         Discharge: 0 mAh\n  Start clock time: {date}\n\n",
        duration(length),
        t = duration(length),
    );

    let all = used(core);
    let on_air: WifiTime = all.iter().map(Used::wifi).sum();
    let idle = duration(length - on_air.on_air() as i64);
    text += &format!("  WiFi Idle time: {idle}\n{}\n", wifi_lines("  ", on_air));
    for used in all {
        text += &format!("  {}:\n", crate::system::user_name(used.uid).replace('_', ""));
        if used.rx_bytes + used.tx_bytes > 0 {
            text += &format!(
                "    Wi-Fi network: {}B received, {}B sent (packets {} received, {} sent)\n",
                used.rx_bytes, used.tx_bytes, used.rx_packets, used.tx_packets
            );
            text += &wifi_lines("    ", used.wifi());
        }
        let part = |share: u64| duration((used.cpu_ms * share / 10) as i64);
        text += &format!("    Total cpu time: u={} s={}\n", part(7), part(3));
        if let Some(package) = used.package {
            text += &format!(
                "    Proc {package}:\n      CPU: {} usr + {} krn ; 0ms fg\n      1 starts\n",
                part(7),
                part(3)
            );
        }
    }
    text
}

/// Lines of `printControllerActivity`.
fn wifi_lines(indent: &str, times: WifiTime) -> String {
    let [rx, tx] = [times.rx_ms, times.tx_ms].map(|ms| duration(ms as i64));
    format!("{indent}WiFi Rx time:   {rx}\n{indent}WiFi Tx time:   {tx}\n")
}

/// The rest of a line of `dumpControllerActivityLine`: times of idling and receiving, charge (not counted), charge of a rail (none),
/// time of sending.
fn wifi_columns(idle_ms: u64, times: WifiTime) -> String {
    format!("{idle_ms},{},0,0,{}\n", times.rx_ms, times.tx_ms)
}

fn checkin(core: &Core) -> String {
    let (length, wall) = since(core);
    let fingerprint = core.state().properties.get("ro.build.id").cloned().unwrap_or_default();
    let mut text = format!("9,0,i,vers,{CHECKIN},214,{fingerprint},{fingerprint}\n");
    let packages: Vec<(u32, String)> = core
        .state()
        .packages
        .by_name
        .values()
        .map(|package| (package.uid, package.name.clone()))
        .collect();
    for (uid, name) in packages {
        text += &format!("9,0,i,uid,{uid},{name}\n");
    }
    text += &format!(
        "9,0,l,bt,0,{length},{length},{length},{length},{wall},0,0,4600,4600000,4600000,0\n"
    );
    let all = used(core);
    let on_air: WifiTime = all.iter().map(Used::wifi).sum();
    let idle = (length.max(0) as u64).saturating_sub(on_air.on_air());
    text += &format!("9,0,l,gwfcd,{}", wifi_columns(idle, on_air));
    for used in all {
        let uid = used.uid;
        text += &format!("9,{uid},l,cpu,{},{},0\n", used.cpu_ms * 7 / 10, used.cpu_ms * 3 / 10);
        if used.rx_bytes + used.tx_bytes > 0 {
            text += &format!(
                "9,{uid},l,nt,0,0,{},{},0,0,{},{},0,0,0,0,0,0,0,0,0,0\n",
                used.rx_bytes, used.tx_bytes, used.rx_packets, used.tx_packets
            );
            text += &format!("9,{uid},l,wfcd,{}", wifi_columns(0, used.wifi()));
        }
        if let Some(package) = used.package {
            text += &format!(
                "9,{uid},l,pr,\"{package}\",{},{},0,1,0,0\n",
                used.cpu_ms * 7 / 10,
                used.cpu_ms * 3 / 10
            );
        }
    }
    text
}
