//! States of parts of the device, as the system reports them: screens, radios, cameras, locks.

use crate::{CounterScope, NameId, Steps};

/// A part of the device and the kind of state it is in. Levels are whole numbers; 0 is off or none unless it says
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateKind {
    /// The panel: 0 off, 1 on, 2 ambient (doze), 3 ambient and suspended (`DOZE_SUSPEND`).
    Screen,
    /// Brightness by Android's five classes: 0 dark, 1 dim, 2 medium, 3 light, 4 bright.
    ScreenClass,
    /// Brightness as the system sets it, 0 to 255.
    ScreenBrightness,
    /// Some CPU was kept running (`running`).
    CpuRunning,
    /// A wakelock: 1 held. The tag is its name; the scope its holder.
    Wakelock,
    /// A wakeup source of the kernel (a kernel wakelock) keeps the device awake: 1. The tag is its name. Before a first level of 0 it
    /// was on.
    WakeupSource,
    /// Wi-Fi is switched on.
    Wifi,
    /// Wi-Fi is associated or serves (`wifi_running`).
    WifiRunning,
    /// Wi-Fi's radio transmits or receives (`wifi_radio`).
    WifiRadio,
    /// Wi-Fi scans (`wifi_scan`, `wifi_full_lock` is [`StateKind::WifiLock`]).
    WifiScan,
    /// Somebody holds Wi-Fi awake.
    WifiLock,
    /// Wi-Fi's signal, 0 (none) to 4 (great).
    WifiSignal,
    /// The cellular radio is in its high-power state (`mobile_radio`).
    CellRadio,
    /// Cellular signal, 0 (none) to 4 (great).
    CellSignal,
    /// The phone looks for a network (`phone_scanning`).
    CellScan,
    /// The network's technology, by `TelephonyManager.NETWORK_TYPE_*`; 0 none or unknown.
    CellNetwork,
    /// A call is under way.
    PhoneCall,
    /// Bluetooth is switched on.
    Bluetooth,
    /// Bluetooth low energy scans.
    BluetoothScan,
    /// Satellite positioning is on.
    Gnss,
    /// Its signal: 0 poor, 1 good, 2 none is heard.
    GnssQuality,
    /// Number of sensors in use, or 1.
    Sensor,
    /// Camera.
    Camera,
    /// Flashlight.
    Flashlight,
    /// Audio.
    Audio,
    /// Video decoding or encoding.
    Video,
    /// Plugged in: 0 none, 1 AC, 2 USB, 3 wireless, 4 dock.
    Plugged,
    /// The battery is being charged.
    Charging,
    /// Power-save mode.
    PowerSave,
    /// Device idle mode: 0 off, 1 light, 2 full (doze).
    DeviceIdle,
    /// An app in front; the tag is its package or the uid's name.
    TopApp,
    /// A process in the foreground.
    ForegroundApp,
    /// A service of an app that shows a notification runs; the tag is its name.
    ForegroundService,
    /// A job runs; the tag is its name.
    Job,
    /// A sync runs; the tag is its name.
    Sync,
    /// A long wakelock was noticed by the system.
    LongWakelock,
    /// USB data connection.
    UsbData,
}

/// One state over time.
#[derive(Clone, Debug, PartialEq)]
pub struct StateTrack {
    /// The part that is in that state.
    pub kind: StateKind,
    /// Whose: the device's, or what one app did with it.
    pub scope: CounterScope,
    /// Which of several: the name of a wakelock, a job, a sensor.
    pub tag: Option<NameId>,
    /// The level; before the first change it is not known.
    pub level: Steps<u32>,
}
