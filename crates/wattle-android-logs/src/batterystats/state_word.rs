//! The words of the history: `HISTORY_STATE_DESCRIPTIONS`, `HISTORY_STATE2_DESCRIPTIONS` and `HISTORY_EVENT_NAMES` of
//! `BatteryStats.java`, in their long form and in that of check-in lines, from Android 2.3 on.

use wattle_timeline::{StateKind, WakeCause};

/// A bit that is switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    State(StateKind),
    ScreenOn,
    ScreenDoze,
    WakeLock,
    Charging,
    /// Known, and of no use here.
    Passed,
}

/// A field with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Status,
    Plug,
    Temperature,
    Voltage,
    Charge,
    Current,
    ModemRail,
    WifiRail,
    /// A level of a state.
    State(StateKind),
    /// Known, and of no use here.
    Passed,
}

/// Something that an app or the system did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    State(StateKind),
    /// The device was woken.
    Wake(WakeCause),
    /// Known, and of no use here.
    Passed,
}

pub(crate) fn flag(name: &str) -> Option<Flag> {
    Some(match name {
        "running" | "r" => Flag::State(StateKind::CpuRunning),
        "wake_lock" | "w" => Flag::WakeLock,
        "sensor" | "s" => Flag::State(StateKind::Sensor),
        "gps" | "g" => Flag::State(StateKind::Gnss),
        "wifi_full_lock" | "Wl" => Flag::State(StateKind::WifiLock),
        "wifi_scan" | "wifi_scan_lock" | "Ws" => Flag::State(StateKind::WifiScan),
        "wifi_radio" | "Wr" => Flag::State(StateKind::WifiRadio),
        "mobile_radio" | "Pr" => Flag::State(StateKind::CellRadio),
        "phone_scanning" | "Psc" => Flag::State(StateKind::CellScan),
        "audio" | "a" => Flag::State(StateKind::Audio),
        "screen" | "S" => Flag::ScreenOn,
        "screen_doze" | "Sd" => Flag::ScreenDoze,
        "power_save" | "low_power" | "ps" | "lp" => Flag::State(StateKind::PowerSave),
        "video" | "v" => Flag::State(StateKind::Video),
        "wifi_running" | "Ww" => Flag::State(StateKind::WifiRunning),
        "wifi" | "W" => Flag::State(StateKind::Wifi),
        "flashlight" | "fl" => Flag::State(StateKind::Flashlight),
        "charging" | "ch" => Flag::Charging,
        "usb_data" | "Ud" => Flag::State(StateKind::UsbData),
        "phone_in_call" | "Pcl" => Flag::State(StateKind::PhoneCall),
        "bluetooth" | "b" => Flag::State(StateKind::Bluetooth),
        "camera" | "ca" => Flag::State(StateKind::Camera),
        "ble_scan" | "bles" => Flag::State(StateKind::BluetoothScan),
        // `plug=` says more; the others say nothing of power.
        "plugged"
        | "BP"
        | "wifi_multicast"
        | "Wm"
        | "cellular_high_tx_power"
        | "Chtp"
        | "device_idle"
        | "di"
        | "low_power_mode" => Flag::Passed,
        _ => return None,
    })
}

pub(crate) fn field(name: &str) -> Option<Field> {
    Some(match name {
        "status" | "Bs" => Field::Status,
        "plug" | "Bp" => Field::Plug,
        "temp" | "Bt" => Field::Temperature,
        "volt" | "Bv" => Field::Voltage,
        "charge" | "Bcc" => Field::Charge,
        "current" => Field::Current,
        "modemRailChargemAh" | "Mrc" => Field::ModemRail,
        "wifiRailChargemAh" | "Wrc" => Field::WifiRail,
        "data_conn" | "Pcn" => Field::State(StateKind::CellNetwork),
        "phone_signal_strength" | "signal_strength" | "Pss" => Field::State(StateKind::CellSignal),
        "brightness" | "Sb" => Field::State(StateKind::ScreenClass),
        "device_idle" | "di" => Field::State(StateKind::DeviceIdle),
        "wifi_signal_strength" | "Wss" => Field::State(StateKind::WifiSignal),
        "gps_signal_quality" | "Gss" => Field::State(StateKind::GnssQuality),
        "health" | "Bh" | "phone_state" | "Pst" | "wifi_suppl" | "Wsp" | "nr_state" | "Pnrs"
        | "Dcpu" | "Dpst" => Field::Passed,
        _ => return None,
    })
}

pub(crate) fn event(name: &str) -> Option<Event> {
    Some(match name {
        "fg" | "Efg" => Event::State(StateKind::ForegroundApp),
        "top" | "Etp" => Event::State(StateKind::TopApp),
        "sync" | "Esy" => Event::State(StateKind::Sync),
        "wake_lock_in" | "Ewl" => Event::State(StateKind::Wakelock),
        "job" | "Ejb" => Event::State(StateKind::Job),
        "longwake" | "Elw" => Event::State(StateKind::LongWakelock),
        "wake_reason" | "wr" => Event::Wake(WakeCause::Reason),
        "wakeupap" | "Ewa" => Event::Wake(WakeCause::App),
        "screenwake" | "Esw" => Event::Wake(WakeCause::Screen),
        "null" | "Enl" | "proc" | "Epr" | "user" | "Eur" | "userfg" | "Euf" | "conn" | "Ecn"
        | "active" | "Eac" | "pkginst" | "Epi" | "pkgunin" | "Epu" | "alarm" | "Eal" | "stats"
        | "Est" | "pkginactive" | "Eai" | "pkgactive" | "Eaa" | "tmpwhitelist" | "Etw"
        | "est_capacity" | "Eec" | "state" | "state_change" | "Esc" => Event::Passed,
        _ => return None,
    })
}

/// The level that a value stands for; check-in lines have numbers where text has words.
pub(crate) fn level(kind: StateKind, value: &str) -> Option<u32> {
    let words: &[&str] = match kind {
        StateKind::CellSignal | StateKind::WifiSignal => {
            &["none", "poor", "moderate", "good", "great"]
        }
        StateKind::ScreenClass => &["dark", "dim", "medium", "light", "bright"],
        StateKind::DeviceIdle => &["off", "light", "full", "???"],
        StateKind::GnssQuality => &["poor", "good", "none"],
        StateKind::CellNetwork => return network(value),
        _ => &[],
    };
    let number = value.parse().ok().filter(|level| *level <= 31);
    words.iter().position(|word| *word == value).map(|level| level as u32).or(number)
}

/// `DATA_CONNECTION_NAMES`: `TelephonyManager.NETWORK_TYPE_*` but for what is no network.
fn network(value: &str) -> Option<u32> {
    const NAMES: [&str; 21] = [
        "none", "gprs", "edge", "umts", "cdma", "evdo_0", "evdo_A", "1xrtt", "hsdpa", "hsupa",
        "hspa", "iden", "evdo_b", "lte", "ehrpd", "hspap", "gsm", "td_scdma", "iwlan", "lte_ca",
        "nr",
    ];
    match value {
        "oos" | "other" | "emngcy" => Some(0),
        _ => {
            let found = NAMES.iter().position(|name| *name == value).map(|level| level as u32);
            found.or_else(|| value.parse().ok().filter(|level| *level <= 31))
        }
    }
}

/// Whether the battery is being charged, by its status.
pub(crate) fn is_charging(value: &str) -> Option<bool> {
    match value {
        "charging" | "c" => Some(true),
        "discharging" | "d" | "not-charging" | "n" | "full" | "f" | "unknown" | "?" => Some(false),
        _ => None,
    }
}

/// Returns the kind of plug, numbered as in [`StateKind::Plugged`].
pub(crate) fn plug(value: &str) -> Option<u32> {
    match value {
        "none" | "n" => Some(0),
        "ac" | "a" => Some(1),
        "usb" | "u" => Some(2),
        "wireless" | "w" => Some(3),
        "dock" | "d" => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_mean_the_same() {
        for (kind, word, number) in [
            (StateKind::CellSignal, "great", "4"),
            (StateKind::ScreenClass, "dim", "1"),
            (StateKind::DeviceIdle, "full", "2"),
            (StateKind::CellNetwork, "lte", "13"),
            (StateKind::GnssQuality, "good", "1"),
        ] {
            assert_eq!(level(kind, word), level(kind, number), "{kind:?}");
            assert!(level(kind, word).is_some());
        }
        assert_eq!(level(StateKind::CellSignal, "splendid"), None);
        assert_eq!(level(StateKind::CellNetwork, "4000000"), None);
    }
}
