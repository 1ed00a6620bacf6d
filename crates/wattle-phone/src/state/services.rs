//! The services' common state.

use std::collections::BTreeMap;

use super::{Packages, Sessions, Settings, system_properties};
use crate::PhoneOptions;
use crate::battery_state::Battery;
use crate::kernel_counters::Counters;
use crate::recorded_truth::RecordedTruth;

/// The state of the phone's services.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches of services, each apart")]
pub(crate) struct State {
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) settings: Settings,
    pub(crate) battery: Battery,
    pub(crate) packages: Packages,
    pub(crate) sessions: Sessions,
    /// `Awake` or `Asleep`.
    pub(crate) awake: bool,
    /// `svc power stayon`.
    pub(crate) stay_on: bool,
    pub(crate) wifi: bool,
    /// `cmd power set-fixed-performance-mode-enabled`.
    pub(crate) fixed_performance: bool,
    /// `wm size` and `wm density`.
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) density: Option<u32>,
    /// Temperature of the thermal zones, in degrees Celsius.
    pub(crate) celsius: f64,
    /// `cmd thermalservice override-status`.
    pub(crate) thermal_override: Option<u32>,
    /// When `dumpsys batterystats --reset` was called last: boot time in nanoseconds.
    pub(crate) statistics_since: i64,
    /// The counters at that time: the statistics hold what was counted since.
    pub(crate) statistics_base: Counters,
    /// Whether full wake history is kept (`--enable full-wake-history`).
    pub(crate) full_wake_history: bool,
    /// App that `cmd appops` or `pm grant` was called for, with what: shown to tests.
    pub(crate) grants: Vec<(String, String)>,
    /// The ground truth of the recordings that were made.
    pub(crate) truths: Vec<RecordedTruth>,
}

impl State {
    pub(crate) fn new(options: &PhoneOptions) -> Self {
        Self {
            properties: system_properties::properties(options),
            settings: Settings::of_a_new_phone(),
            battery: Battery::new(&options.battery),
            packages: Packages::default(),
            sessions: Sessions::default(),
            awake: true,
            stay_on: false,
            wifi: true,
            fixed_performance: false,
            size: None,
            density: None,
            celsius: options.battery.celsius + 6.0,
            thermal_override: None,
            statistics_since: 0,
            statistics_base: Counters::default(),
            full_wake_history: false,
            grants: Vec::new(),
            truths: Vec::new(),
        }
    }

    /// The effect of a restart: faked values are reset, stored values stay.
    pub(crate) fn reboot(&mut self) {
        self.battery.faked = crate::battery_state::FakedBattery::default();
        self.sessions = Sessions::default();
        self.thermal_override = None;
        self.awake = true;
        self.statistics_since = 0;
        self.statistics_base = Counters::default();
        self.properties.retain(|key, _| !key.starts_with("debug."));
    }
}
