//! The flags that choose a device, and those of `wattle devices`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which device.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Device")]
pub struct DeviceChoice {
    /// The device, as `wattle devices` lists it [default: $ANDROID_SERIAL, else the only one]
    #[arg(long, short, value_name = "SERIAL")]
    pub serial: Option<String>,
    /// The `adb` program that is started where no server runs [default: from $ANDROID_HOME or $PATH]
    #[arg(long, value_name = "FILE")]
    pub adb: Option<PathBuf>,
    /// Take a simulated phone, behind the real adb, instead of a real one
    #[arg(long, value_enum, value_name = "PHONE", num_args = 0..=1, require_equals = true,
        default_missing_value = "pixel", conflicts_with = "serial")]
    pub simulate: Option<SimulatedPhone>,
    /// What goes wrong with the simulated phone (repeatable)
    #[arg(long, value_enum, value_name = "FAULT", requires = "simulate")]
    pub fault: Vec<SimulatedFault>,
    /// Let the simulated phone execute the code of tests, on an Android runtime of this machine ($WATTLE_ART):
    /// only code that needs nothing of Android can be
    #[arg(long, requires = "simulate")]
    pub execute: bool,
    /// Seed of the simulated phone
    #[arg(long, value_name = "N", default_value_t = 1, requires = "simulate")]
    pub phone_seed: u64,
}

/// A kind of simulated phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SimulatedPhone {
    /// Android 14 with power rails
    Pixel,
    /// Android 10 without power rails
    Plain,
    /// Android 8: no Perfetto
    Old,
}

/// What goes wrong with a simulated phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SimulatedFault {
    /// It goes away in the middle of the scenario, and comes back after two seconds
    Disconnect,
    /// It goes away in the middle of the scenario for good
    Vanish,
    /// The link carries 1 MB a second
    SlowLink,
    /// Nearly nothing is free
    FullStorage,
    /// It refuses to install
    RefuseInstall,
    /// The app dies in its first test
    CrashTest,
    /// One log line of a hundred is lost
    LoseLogLines,
    /// It starts anew in the middle of the scenario
    Reboot,
    /// It does not record
    RefuseRecording,
    /// It is hot
    Hot,
    /// It charges
    Charging,
    /// Its battery is nearly empty
    LowBattery,
    /// It saves power
    PowerSave,
}

/// `wattle devices`.
#[derive(Debug, Args)]
pub struct Devices {
    #[command(flatten)]
    pub choice: DeviceChoice,
    /// Connect to a device over the network first (`adb connect`)
    #[arg(long, value_name = "HOST:PORT")]
    pub connect: Option<String>,
    /// Pair with a device over the network first, which shows the code (`adb pair`)
    #[arg(long, value_name = "HOST:PORT", requires = "code")]
    pub pair: Option<String>,
    /// The code of --pair
    #[arg(long, value_name = "CODE", requires = "pair")]
    pub code: Option<String>,
    /// Only list them: do not ask the devices what they can give
    #[arg(long)]
    pub short: bool,
    /// Go on and tell each device that comes and goes, until Ctrl-C
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,
    /// Write the list as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print no list and no progress
    #[arg(long, short)]
    pub quiet: bool,
}
