//! The preparation of a device for a run.

use crate::prepare::app_data::ClearedData;
use crate::prepare::battery_statistics::{FullWakeHistory, StatisticsReset};
use crate::prepare::console_change::Discharging;
use crate::prepare::fixed_performance::FixedPerformance;
use crate::prepare::halted_charging::HaltedCharging;
use crate::prepare::log_buffers::{ClearedLog, EnlargedLog};
use crate::prepare::log_size::LogSize;
use crate::prepare::plug_state::FakedUnplug;
use crate::prepare::radio::Switched;
use crate::prepare::radio_kind::Radio;
use crate::prepare::screen_changes::{Unlocked, Woken};
use crate::prepare::setting::Setting;
use crate::prepare::{Change, ConsoleAccess, Need};

/// The changes made to a device before a run. Each field documents what is restored afterwards, by a [`Journal`].
///
/// Changes of the default are optional: if a device refuses one, that is noted and the run goes on. Changes that
/// somebody asked for by setting a field are mandatory: if a device refuses one, the run ends.
///
/// [`Journal`]: crate::prepare::Journal
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Preparation {
    /// The statistics see an unplugged phone; put back. Default is true.
    pub fake_unplug: bool,
    /// The battery statistics begin anew; this cannot be undone. Default is true.
    pub reset_statistics: bool,
    /// The battery history keeps every wakelock; switched off afterwards. Default is false.
    pub full_wake_history: bool,
    /// Log buffers have at least this many MiB; put back. Default is 16.
    pub log_buffer_mebibytes: Option<u32>,
    /// The log is emptied; this cannot be undone. Default is true.
    pub clear_log: bool,
    /// The screen is lit and unlocked; put out afterwards if it was dark. Default is true.
    pub wake_screen: bool,
    /// The screen stays on; put back. Default is true.
    pub keep_screen_on: bool,
    /// Animations are off; put back. Default is false.
    pub still_animations: bool,
    /// The brightness has this value of 0 to 255 and does not follow the light; put back. Default is none.
    pub brightness: Option<u8>,
    /// The data of these packages are deleted; this cannot be undone. Default is none.
    pub clear_data_of: Vec<String>,
    /// The phone runs on its battery: its charging is stopped where a cable is in, and let go afterwards. Default is false.
    pub halt_charging: bool,
    /// Clocks stay at the vendor's fixed point; put back. Default is false.
    pub fixed_performance: bool,
    /// Airplane mode is on or off; put back. Default is to leave it alone.
    pub airplane_mode: Option<bool>,
    /// Wi-Fi is on or off; put back. Default is to leave it alone.
    pub wifi: Option<bool>,
}

impl Default for Preparation {
    fn default() -> Self {
        Self {
            fake_unplug: true,
            reset_statistics: true,
            log_buffer_mebibytes: Some(16),
            clear_log: true,
            wake_screen: true,
            keep_screen_on: true,
            ..Self::nothing()
        }
    }
}

impl Preparation {
    /// The scales of animations, and what they scale.
    const ANIMATIONS: [&'static str; 3] =
        ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];
    /// All of ac, usb, wireless and dock (`BatteryManager.BATTERY_PLUGGED_ANY`).
    const ANY_PLUG: &'static str = "15";
    /// The longest that Android takes: 24 days.
    const LONGEST_TIMEOUT: &'static str = "2147483647";

    /// Nothing is changed.
    pub const fn nothing() -> Self {
        Self {
            fake_unplug: false,
            reset_statistics: false,
            full_wake_history: false,
            log_buffer_mebibytes: None,
            clear_log: false,
            wake_screen: false,
            keep_screen_on: false,
            still_animations: false,
            brightness: None,
            clear_data_of: Vec::new(),
            halt_charging: false,
            fixed_performance: false,
            airplane_mode: None,
            wifi: None,
        }
    }

    /// The changes, in their order: what takes long or makes noise first, what begins to count last.
    pub(crate) fn changes<'c>(
        &self,
        console: Option<&'c dyn ConsoleAccess>,
    ) -> Vec<Box<dyn Change + 'c>> {
        let mut changes: Vec<Box<dyn Change + 'c>> = Vec::new();
        for package in &self.clear_data_of {
            changes.push(Box::new(ClearedData(package.clone())));
        }
        for (radio, wanted) in [(Radio::AirplaneMode, self.airplane_mode), (Radio::Wifi, self.wifi)]
        {
            if let Some(on) = wanted {
                changes.push(Box::new(Switched { radio, on }));
            }
        }
        if self.fixed_performance {
            changes.push(Box::new(FixedPerformance));
        }
        if self.wake_screen {
            changes.push(Box::new(Woken));
            changes.push(Box::new(Unlocked));
        }
        for setting in self.settings() {
            changes.push(Box::new(setting));
        }
        if let Some(number) = self.log_buffer_mebibytes {
            changes.push(Box::new(EnlargedLog(LogSize::mebibytes(number))));
        }
        if let Some(console) = console.filter(|_| self.fake_unplug) {
            changes.push(Box::new(Discharging(console)));
        }
        if self.halt_charging {
            // Before the plug state is faked: afterwards the battery service says what it was told.
            changes.push(Box::new(HaltedCharging));
        }
        if self.fake_unplug {
            changes.push(Box::new(FakedUnplug));
        }
        if self.full_wake_history {
            changes.push(Box::new(FullWakeHistory));
        }
        if self.reset_statistics {
            changes.push(Box::new(StatisticsReset));
        }
        if self.clear_log {
            changes.push(Box::new(ClearedLog));
        }
        changes
    }

    fn settings(&self) -> Vec<Setting> {
        let setting = |what, namespace, key, value: &str, need| Setting {
            what,
            namespace,
            key,
            value: value.to_owned(),
            need,
        };
        let mut settings = Vec::new();
        if self.keep_screen_on {
            let what = "screen kept on";
            let plugged = "stay_on_while_plugged_in";
            settings.push(setting(what, "global", plugged, Self::ANY_PLUG, Need::Wish));
            // With the plug state faked, the first one does nothing.
            let timeout = "screen_off_timeout";
            settings.push(setting(what, "system", timeout, Self::LONGEST_TIMEOUT, Need::Wish));
        }
        if self.still_animations {
            for key in Self::ANIMATIONS {
                settings.push(setting("animations off", "global", key, "0", Need::Must));
            }
        }
        if let Some(brightness) = self.brightness {
            let what = "brightness fixed";
            settings.push(setting(what, "system", "screen_brightness_mode", "0", Need::Must));
            let value = brightness.to_string();
            settings.push(setting(what, "system", "screen_brightness", &value, Need::Must));
        }
        settings
    }
}
