//! The state of a device before a run.

use std::time::Duration;

use wattle_recording::{BatteryFacts, ConditionFacts};

use crate::facts::{BatteryDump, ThermalDump, is_awake};
use crate::prepare::radio::is_wireless;
use crate::prepare::{Condition, Finding, Level, Limits};
use crate::questions::Questions;
use crate::{Device, DeviceError};

const LIMIT: Duration = Duration::from_secs(40);
/// `Temperature.THROTTLING_MODERATE`.
const MODERATE: u32 = 2;

/// The radios that are on, as far as the device says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RadioStates {
    /// Airplane mode.
    pub airplane_mode: Option<bool>,
    /// Wi-Fi.
    pub wifi: Option<bool>,
    /// Mobile data.
    pub mobile_data: Option<bool>,
}

/// The conditions that a run depends on. Read in one round trip, so that they can be read again between the runs of a series.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Conditions {
    /// The battery; `None` if the device does not say.
    pub battery: Option<BatteryFacts>,
    /// Somebody has set the battery's state by hand.
    pub faked_battery: bool,
    /// `Thermal Status` of Android 10 and later: 0 none, 1 light, 2 moderate, 3 severe, 4 critical, 5 emergency.
    pub thermal_status: Option<u32>,
    /// Whether power-save mode is on.
    pub power_save: Option<bool>,
    /// Whether the screen is lit.
    pub awake: Option<bool>,
    /// Brightness from 0 to 255.
    pub brightness: Option<u32>,
    /// Whether the brightness follows the light.
    pub brightness_automatic: Option<bool>,
    /// Which radios are on.
    pub radios: RadioStates,
    /// Whether it is an emulator.
    pub emulator: bool,
    /// Whether adb comes over the network.
    pub wireless: bool,
}

impl Conditions {
    /// Asks the device.
    ///
    /// # Errors
    /// If it is gone, or somebody asked to stop.
    pub fn read(device: &dyn Device) -> Result<Self, DeviceError> {
        let answers = Questions::new()
            .ask("battery", "dumpsys battery")
            .ask("thermal", "dumpsys thermalservice")
            .ask("power", "dumpsys power")
            .ask("low power", "settings get global low_power")
            .ask("brightness", "settings get system screen_brightness")
            .ask("brightness mode", "settings get system screen_brightness_mode")
            .ask("airplane", "settings get global airplane_mode_on")
            .ask("wifi", "settings get global wifi_on")
            .ask("data", "settings get global mobile_data")
            .ask("qemu", "getprop ro.kernel.qemu; getprop ro.boot.qemu")
            .put(device, LIMIT)?;
        let number =
            |name: &str| answers.text(name).ok().and_then(|text| text.trim().parse::<u32>().ok());
        // `wifi_on`: 1 on, 2 on in spite of airplane mode, 0 and 3 off (`WifiSettingsStore`).
        let is_on = |name: &str| number(name).map(|value| matches!(value, 1 | 2));
        let battery = BatteryDump::parse(answers.any_text("battery"));
        Ok(Self {
            faked_battery: battery.as_ref().is_some_and(|battery| battery.frozen),
            battery: battery.map(|battery| battery.facts),
            thermal_status: ThermalDump::parse(answers.any_text("thermal")).status,
            power_save: match answers.text("low power").map(str::trim) {
                Ok("1") => Some(true),
                // Never set is off.
                Ok("0" | "null") => Some(false),
                _ => None,
            },
            awake: is_awake(answers.any_text("power")),
            brightness: number("brightness"),
            brightness_automatic: is_on("brightness mode"),
            radios: RadioStates {
                airplane_mode: is_on("airplane"),
                wifi: is_on("wifi"),
                mobile_data: is_on("data"),
            },
            emulator: answers.any_text("qemu").lines().any(|line| line.trim() == "1"),
            wireless: is_wireless(device.serial()),
        })
    }

    /// The same, as a recording has them.
    pub fn facts(&self) -> ConditionFacts {
        ConditionFacts {
            battery: self.battery.clone(),
            thermal_status: self.thermal_status,
            power_save: self.power_save,
            screen_on: self.awake,
            brightness: self.brightness,
            brightness_automatic: self.brightness_automatic,
            airplane_mode: self.radios.airplane_mode,
            wifi: self.radios.wifi,
            mobile_data: self.radios.mobile_data,
            cooled_seconds: 0.0,
        }
    }

    /// The conditions that spoil a measurement. A run begins only if none of them is [`Level::Refuse`].
    pub fn check(&self, limits: &Limits) -> Vec<Finding> {
        let found = [
            (Condition::Emulator, self.is_emulator()),
            (Condition::Charging, self.charging()),
            (Condition::FakedBattery, self.faked()),
            (Condition::Hot, self.hot(limits)),
            (Condition::LowCharge, self.low_charge(limits)),
            (Condition::PowerSave, self.saving()),
            (Condition::ScreenOff, self.dark()),
            (Condition::Unknown, self.unknown()),
        ];
        let finding = |(condition, text): (Condition, Option<String>)| {
            let level = limits.level(condition);
            text.filter(|_| level > Level::Ignore).map(|text| Finding { condition, level, text })
        };
        found.into_iter().filter_map(finding).collect()
    }

    fn is_emulator(&self) -> Option<String> {
        self.emulator.then(|| {
            "this is an emulator: it has no currents, and its clocks are those of this machine; what is measured is the \
             work of the app, not the drain of a phone"
                .to_owned()
        })
    }

    fn charging(&self) -> Option<String> {
        let plugged = &self.battery.as_ref()?.plugged;
        if plugged.is_empty() || self.emulator {
            return None;
        }
        let advice = if self.wireless {
            "unplug the charger"
        } else {
            "for drain that counts, use adb over Wi-Fi: `adb tcpip 5555`, then `adb connect <address of the phone>:5555` \
             (from Android 11 on also `adb pair`, in the developer options under wireless debugging), then unplug"
        };
        Some(format!(
            "the phone is plugged in ({}): the battery's currents are not what the phone draws, so they do not count as \
             drain; faking the plug state for the statistics stops no current; {advice}",
            plugged.join(", ")
        ))
    }

    fn faked(&self) -> Option<String> {
        self.faked_battery.then(|| {
            "somebody has set the battery's state by hand, so level, voltage and plug state stand still; \
             `adb shell dumpsys battery reset` shows the true ones"
                .to_owned()
        })
    }

    fn hot(&self, limits: &Limits) -> Option<String> {
        let battery = self.battery.as_ref().and_then(|battery| battery.temperature);
        let battery = battery.filter(|degrees| *degrees >= limits.hot_celsius);
        let status = self.thermal_status.filter(|status| *status >= MODERATE);
        let mut what = Vec::new();
        if let Some(degrees) = battery {
            what.push(format!(
                "the battery has {degrees:.1} °C ({:.0} °C is the limit)",
                limits.hot_celsius
            ));
        }
        if let Some(status) = status {
            what.push(format!("the phone says it is throttled ({})", throttling(status)));
        }
        let what = (!what.is_empty()).then(|| what.join(", and "))?;
        Some(format!("{what}: hot chips run slower and leak more; let the phone cool down"))
    }

    fn low_charge(&self, limits: &Limits) -> Option<String> {
        let level = self.battery.as_ref()?.level.filter(|level| *level < limits.least_charge)?;
        Some(format!(
            "the battery has {level:.0} % ({:.0} % is the least): the voltage drops and the phone may save power; charge it",
            limits.least_charge
        ))
    }

    fn saving(&self) -> Option<String> {
        (self.power_save == Some(true)).then(|| {
            "power-save mode is on: clocks, network and background work are limited; switch it off, or \
             `adb shell settings put global low_power 0`"
                .to_owned()
        })
    }

    fn dark(&self) -> Option<String> {
        (self.awake == Some(false))
            .then(|| "the screen is dark: apps in the background are limited".to_owned())
    }

    fn unknown(&self) -> Option<String> {
        let mut what = Vec::new();
        if self.battery.is_none() {
            what.push("of its battery");
        }
        if self.power_save.is_none() {
            what.push("of power-save mode");
        }
        (!what.is_empty()).then(|| {
            format!(
                "the phone says nothing {}: whether it is fit for measuring is unknown",
                what.join(" and ")
            )
        })
    }
}

/// `Temperature.THROTTLING_*`.
const fn throttling(status: u32) -> &'static str {
    match status {
        0 => "none",
        1 => "light",
        2 => "moderate",
        3 => "severe",
        4 => "critical",
        5 => "emergency",
        _ => "shutdown",
    }
}
