//! Totals of the system over a stretch of time as a whole.

use crate::{NameId, Uid, Window};

/// The counted quantity. Times are seconds, data bytes, charges milliampere-hours, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Running on battery: the length of the stretch that the others are of, by the wall.
    OnBattery,
    /// The same, without suspend.
    OnBatteryAwake,
    /// On battery with the screen off.
    ScreenOff,
    /// The same, without suspend.
    ScreenOffAwake,
    /// CPU time, user and system together.
    Cpu,
    /// CPU time of one step of one cluster's clock. With [`Usage::uid`], of an app.
    CpuAt {
        /// The cluster, in the order of the power profile.
        cluster: u8,
        /// The step of its clock, ascending.
        step: u8,
    },
    /// CPU time by the clock itself, where it is known.
    CpuAtClock {
        /// Policy: its first CPU.
        policy: u16,
        /// Kilohertz.
        khz: u32,
    },
    /// Time in which any core was active, divided among those that were active together
    /// (`uid_concurrent_active_time`).
    CpuActive,
    /// The same for one cluster (`uid_concurrent_policy_time`).
    CpuCluster(u8),
    /// The panel was on.
    Screen,
    /// On, in one class of brightness, 0 (dark) to 4 (bright).
    ScreenClass(u8),
    /// Ambient display.
    ScreenDoze,
    /// In front, for an app: what the panel is shared out by.
    Foreground,
    /// Processes of an app were in this state, by Android's order (`BatteryStats.Uid.PROCESS_STATE_NAMES`): 0 top, 1 foreground
    /// service, 2 foreground, 3 background, 4 top but asleep, 5 heavy weight, 6 cached.
    ProcessState(u8),
    /// A partial wakelock was held; the tag is its name, none is all of them together.
    Wakelock,
    /// Number of times it was taken.
    WakelockCount,
    /// Wi-Fi was on.
    Wifi,
    /// Wi-Fi was associated, or run for this app.
    WifiRunning,
    /// Wi-Fi scanned.
    WifiScan,
    /// Batched scans, by bin.
    WifiBatchScan(u8),
    /// Multicast was let through.
    WifiMulticast,
    /// The controller was idle.
    WifiIdle,
    /// The controller received.
    WifiReceive,
    /// The controller transmitted, by level of power.
    WifiTransmit(u8),
    /// The count of the controller itself.
    WifiCharge,
    /// Received.
    WifiReceivedBytes,
    /// Sent.
    WifiSentBytes,
    /// Packets received.
    WifiReceivedPackets,
    /// Packets sent.
    WifiSentPackets,
    /// The cellular radio's high-power state.
    CellActive,
    /// Number of times it was entered.
    CellActiveCount,
    /// The modem slept.
    CellSleep,
    /// The modem was idle.
    CellIdle,
    /// The modem received.
    CellReceive,
    /// The modem transmitted, by level of power.
    CellTransmit(u8),
    /// The count of the modem itself.
    CellCharge,
    /// In one class of signal, 0 (none) to 4 (great).
    CellSignal(u8),
    /// Looking for a network.
    CellScan,
    /// Received.
    CellReceivedBytes,
    /// Sent.
    CellSentBytes,
    /// Packets received.
    CellReceivedPackets,
    /// Packets sent.
    CellSentPackets,
    /// A call was under way.
    PhoneCall,
    /// The Bluetooth controller was idle.
    BluetoothIdle,
    /// It received.
    BluetoothReceive,
    /// It transmitted.
    BluetoothTransmit,
    /// Its own count.
    BluetoothCharge,
    /// It scanned for low-energy devices.
    BluetoothScan,
    /// Received.
    BluetoothReceivedBytes,
    /// Sent.
    BluetoothSentBytes,
    /// Satellite positioning was on.
    Gnss,
    /// In one class of its signal: 0 poor, 1 good.
    GnssSignal(u8),
    /// The count of its chip.
    GnssCharge,
    /// Camera.
    Camera,
    /// Flashlight.
    Flashlight,
    /// Audio.
    Audio,
    /// Video.
    Video,
    /// A sensor, by Android's handle.
    Sensor(i32),
    /// Memory, by state of its clock.
    MemoryAt(u8),
    /// A job ran; the tag is its name.
    Job,
    /// A sync ran; the tag is its name.
    Sync,
    /// Wake-ups by alarm; the tag is its name. A count.
    AlarmWakeups,
    /// Android's own estimate of a charge; the tag is Android's name of the component (`cpu`, `wifi`, `scrn`, `uid`).
    EstimatedCharge,
    /// The charge that the battery lost, by its own counter.
    BatteryCharge,
    /// The charge of a full battery by its design.
    BatteryCapacity,
    /// Charge of a consumer that the device itself measured (`EnergyConsumer`); the tag is its name.
    MeasuredCharge,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// The counted quantity.
    pub quantity: Quantity,
    /// Whose; `None`: the device's.
    pub uid: Option<Uid>,
    /// Which of several.
    pub tag: Option<NameId>,
    /// Over which stretch of time.
    pub window: Window,
    /// In the unit of [`Quantity`].
    pub value: f64,
}
