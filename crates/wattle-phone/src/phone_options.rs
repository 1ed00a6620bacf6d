//! Options of a phone.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use wattle_sim::PhoneSpec;

use crate::conformance::Vendor;
use crate::{BatteryOptions, ClockOptions, LaunchSpec, TestSpec};

/// Lowest and highest Android API level that a phone can have.
pub(crate) const API_LEVELS: std::ops::RangeInclusive<u32> = 24..=36;

/// A phone to start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PhoneOptions {
    /// The program that the phone's shell runs for each of its own commands, with first arguments: it must call
    /// [`crate::tool_main`] with the rest. Default is this program with `phone-tool`.
    pub tool: Vec<OsString>,
    /// `ro.serialno`. Default is `WATTLE0000SIM`.
    pub serial: String,
    /// Android API level, 24 to 36: what does not exist at that level is not there. Default is 34.
    pub api: u32,
    /// The vendor whose stock phones it is like: what they refuse at this API level it refuses
    /// ([`crate::conformance`]). Default is none: it does whatever it can.
    pub vendor: Option<Vendor>,
    /// Whether `su` gives root. Default is no.
    pub rooted: bool,
    /// Processor, rails and recorder. Default is [`PhoneSpec::pixel_like`] with rails of all devices.
    pub hardware: PhoneSpec,
    /// Clocks.
    pub clock: ClockOptions,
    /// Battery and temperature.
    pub battery: BatteryOptions,
    /// Bytes that are free for data. Default is 4 GiB.
    pub free_bytes: u64,
    /// `res/xml/power_profile.xml` of the framework, as text. Default is one that fits the default hardware.
    pub power_profile: Option<String>,
    /// Packages that are installed from the start.
    pub packages: Vec<PathBuf>,
    /// Tests that `am instrument` pretends to run where code is not executed, with the outcomes that they are given. Empty: those
    /// that the package's code declares; none of them is executed, and each is reported as not executed.
    pub tests: Vec<TestSpec>,
    /// The work of apps from their launch on, by package and build. Others do something plausible.
    pub launches: Vec<LaunchSpec>,
    /// Whether the code of test packages is executed, on the Android runtime of this machine
    /// ([`crate::art::ArtRuntime::find`]), instead of [`Self::tests`]. Only code that is pure logic can be. Default is no.
    pub execute: bool,
    /// The duration of a reboot. Default is 2 s.
    pub reboot_takes: Duration,
    /// The port, 0 for any. Default is 0.
    pub port: u16,
    /// Whatever is drawn at random is drawn from it. Default is 1.
    pub seed: u64,
}

impl Default for PhoneOptions {
    fn default() -> Self {
        let program = std::env::current_exe().unwrap_or_else(|_| "wattle".into());
        Self {
            tool: vec![program.into_os_string(), "phone-tool".into()],
            serial: "WATTLE0000SIM".to_owned(),
            api: 34,
            vendor: None,
            rooted: false,
            hardware: PhoneSpec::pixel_like().with_device_rails(),
            clock: ClockOptions::default(),
            battery: BatteryOptions::default(),
            free_bytes: 4 << 30,
            power_profile: None,
            packages: Vec::new(),
            tests: Vec::new(),
            launches: Vec::new(),
            execute: false,
            reboot_takes: Duration::from_secs(2),
            port: 0,
            seed: 1,
        }
    }
}
