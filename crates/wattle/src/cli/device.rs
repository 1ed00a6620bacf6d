//! The flags that choose a device, and those of `wattle devices`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::SimulatedPhone;

/// Whether this build lacks the simulated phone: its flags are not shown then, and refused with that reason.
const NO_PHONE: bool = cfg!(not(feature = "phone"));

/// The device that a command works with.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Device")]
pub struct DeviceChoice {
    /// Serial of the device, as `wattle devices` lists it [default: $ANDROID_SERIAL, else the only device]
    #[arg(long, short, value_name = "SERIAL")]
    pub serial: Option<String>,
    /// The `adb` program to start if no server is running [default: from $ANDROID_HOME or $PATH]
    #[arg(long, value_name = "FILE")]
    pub adb: Option<PathBuf>,
    /// Wait until a device that another run has is free: for this number of seconds, without one for an hour
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "3600")]
    pub wait: Option<f64>,
    /// Use a simulated phone, behind the real adb: pixel (Android 14 with power rails), plain (Android 10 without), old
    /// (Android 8, no Perfetto), or a stock phone by model and version, such as pixel-8,android-15, which refuses what such
    /// phones refuse (models: pixel, pixel-N, samsung, xiaomi, aosp; Android 9 to 16)
    #[arg(long, hide = NO_PHONE, value_name = "PHONE", num_args = 0..=1, require_equals = true,
        default_missing_value = "pixel", conflicts_with = "serial")]
    pub simulate: Option<SimulatedPhone>,
    /// Inject a fault into the simulated phone (repeatable)
    #[arg(long, hide = NO_PHONE, value_enum, value_name = "FAULT", requires = "simulate")]
    pub fault: Vec<SimulatedFault>,
    /// Execute the code of tests on an Android runtime of this machine ($WATTLE_ART). Only code that does not depend on
    /// Android services can run
    #[arg(long, hide = NO_PHONE, requires = "simulate")]
    pub execute: bool,
    /// Seed of the simulated phone
    #[arg(long, hide = NO_PHONE, value_name = "N", default_value_t = 1, requires = "simulate")]
    pub phone_seed: u64,
}

/// A fault of the simulated phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SimulatedFault {
    /// Disconnects during the scenario and reconnects after two seconds
    Disconnect,
    /// Disconnects during the scenario for good
    Vanish,
    /// The connection is limited to 1 MB/s
    SlowLink,
    /// The storage is nearly full
    FullStorage,
    /// Installing is refused
    RefuseInstall,
    /// The app crashes in its first test
    CrashTest,
    /// One of a hundred log lines is lost
    LoseLogLines,
    /// Reboots during the scenario
    Reboot,
    /// Recording is refused
    RefuseRecording,
    /// The phone is hot
    Hot,
    /// The phone is charging
    Charging,
    /// The battery is nearly empty
    LowBattery,
    /// Battery saver is on
    PowerSave,
}

/// `wattle devices`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Devices {
    #[command(flatten)]
    pub choice: DeviceChoice,
    /// First connect to a device over the network (`adb connect`)
    #[arg(long, value_name = "HOST:PORT")]
    pub connect: Option<String>,
    /// First pair with a device over the network; the device shows the code (`adb pair`)
    #[arg(long, value_name = "HOST:PORT", requires = "code")]
    pub pair: Option<String>,
    /// Pairing code for --pair
    #[arg(long, value_name = "CODE", requires = "pair")]
    pub code: Option<String>,
    /// Undo the changes and end the recorders that earlier, killed runs left on the devices, whatever adb calls them now
    #[arg(long, conflicts_with_all = ["watch", "json", "short"])]
    pub restore: bool,
    /// Only list the devices, without querying their data sources
    #[arg(long)]
    pub short: bool,
    /// Keep running and report each device that connects or disconnects, until Ctrl-C
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,
    /// Write the list as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print no list and no progress
    #[arg(long, short)]
    pub quiet: bool,
}
