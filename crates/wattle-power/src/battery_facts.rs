//! Facts about the recorded device's own battery: its capacity, and its voltage while it was recorded.

use serde::{Deserialize, Serialize};
use wattle_timeline::{Quantity, Timeline, Window};
use wattle_units::{Coulombs, Volts};

use crate::PowerOptions;
use crate::choose::Applicable;
use crate::voltage::Voltage;

/// Capacity in AOSP's default profile, and in every emulator, for a battery that nobody has measured, in mAh.
pub(crate) const PLACEHOLDER: f64 = 1000.0;
/// Less than this no device holds that runs Android (the smallest watches have some 200 mAh).
const LEAST: f64 = 100.0;
/// More than this no device holds; larger figures are in microampere-hours.
const MOST: f64 = 100_000.0;
/// The figure of a power profile.
const FIGURE: &str = "battery.capacity";

/// The recorded device's battery, as far as anybody says. An emulator has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatteryFacts {
    /// Capacity when full; `None` if it is not reported, or a placeholder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<BatteryCapacity>,
    /// Its voltage; `None` where neither the recording nor the user says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voltage: Option<BatteryVoltage>,
}

/// The charge of a full battery, by its design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatteryCapacity {
    /// The charge.
    pub charge: Coulombs,
    /// The source of the figure.
    pub source: String,
}

/// The battery's voltage in the time that is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatteryVoltage {
    /// The mean over time.
    pub volts: Volts,
    /// The source of the figure.
    pub source: String,
}

impl BatteryFacts {
    /// Of a recording.
    pub(crate) fn new(
        timeline: &Timeline,
        window: Window,
        voltage: &Voltage,
        options: &PowerOptions,
        applicable: &[Applicable],
    ) -> Self {
        if timeline.device.is_virtual() {
            // Its battery is a number that somebody typed in.
            return Self::default();
        }
        Self {
            capacity: capacity(timeline, options, applicable),
            voltage: mean_voltage(window, voltage, options),
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.capacity.is_none() && self.voltage.is_none()
    }
}

/// The user's word, the device's own profile, the system's statistics, the library's model of this very device.
fn capacity(
    timeline: &Timeline,
    options: &PowerOptions,
    applicable: &[Applicable],
) -> Option<BatteryCapacity> {
    let said = |milliampere_hours: Option<f64>, source: String| {
        let mah = milliampere_hours.filter(|mah| is_real(*mah))?;
        Some(BatteryCapacity { charge: Coulombs::from_microampere_hours(mah * 1e3), source })
    };
    let of_user = || {
        let models = options.device_models.iter().map(|model| (&model.name, model.figures.clone()));
        let profiles = options.profiles.iter().map(|profile| (&profile.name, profile.figures()));
        models.chain(profiles).find_map(|(name, figures)| {
            said(figures.value(FIGURE), format!("{name}, --device-model"))
        })
    };
    let of_device = || {
        let profile = options.recorded_profile.as_ref()?;
        let source = "power_profile.xml of the recorded device".to_owned();
        said(profile.figures().value(FIGURE), source)
    };
    let of_statistics = || {
        // Without a tag it is that of the profile, `estimated` is the fuel gauge's; what was learnt is not the design.
        let mut usages = timeline.system.usage.iter().filter(|usage| {
            let tag = usage.tag.map(|tag| timeline.names.get(tag));
            usage.quantity == Quantity::BatteryCapacity
                && usage.uid.is_none()
                && matches!(tag, None | Some("estimated"))
        });
        usages.find_map(|usage| said(Some(usage.value), "batterystats".to_owned()))
    };
    let of_library = || {
        // The same chip is in devices with other batteries: the model must name this device.
        let name = timeline.device.device_name()?;
        let of_this = |known: &&Applicable| known.model.matching.has_device(name);
        applicable.iter().filter(of_this).find_map(|known| {
            said(known.model.figures.value(FIGURE), format!("{}, library", known.model.name))
        })
    };
    of_user().or_else(of_device).or_else(of_statistics).or_else(of_library)
}

/// A capacity that a device can have and that is not AOSP's placeholder.
fn is_real(milliampere_hours: f64) -> bool {
    (LEAST..MOST).contains(&milliampere_hours) && milliampere_hours != PLACEHOLDER
}

fn mean_voltage(
    window: Window,
    voltage: &Voltage,
    options: &PowerOptions,
) -> Option<BatteryVoltage> {
    if voltage.is_measured() {
        let duration = window.duration().seconds();
        let mut next = voltage.next_step(window.start);
        let volts = if duration > 0.0 {
            Volts::new(voltage.volt_seconds(&mut next, window.start, window.end) / duration)
        } else {
            voltage.at(window.start)
        };
        return Some(BatteryVoltage { volts, source: "measured by the battery".to_owned() });
    }
    options.voltage.map(|volts| BatteryVoltage { volts, source: "--voltage".to_owned() })
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{BatterySample, BatteryTrack, Usage};
    use wattle_units::BootNanos;

    use super::*;
    use crate::{DeviceModel, PowerProfile};

    const SECOND: i64 = 1_000_000_000;

    fn timeline(capacity: Option<f64>, codename: &str) -> Timeline {
        let window = Window::new(BootNanos::new(0), BootNanos::new(10 * SECOND));
        let mut timeline = Timeline { window, ..Timeline::default() };
        timeline.device.codename = Some(codename.to_owned());
        timeline.system.usage.extend(capacity.map(|value| Usage {
            quantity: Quantity::BatteryCapacity,
            uid: None,
            tag: None,
            window,
            value,
        }));
        timeline
    }

    fn profile(capacity: &str) -> PowerProfile {
        let text = format!("<device name=\"x\"><item name=\"{FIGURE}\">{capacity}</item></device>");
        PowerProfile::parse("x", &text).expect("a profile")
    }

    #[track_caller]
    fn check(timeline: &Timeline, options: &PowerOptions, expected: Option<(f64, &str)>) {
        let voltage = Voltage::new(timeline, options.voltage);
        let facts = BatteryFacts::new(timeline, timeline.window, &voltage, options, &[]);
        let found = facts.capacity.as_ref().map(|capacity| {
            (capacity.charge.milliampere_hours().round(), capacity.source.as_str())
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_capacity_is_somebodys_word_and_never_a_placeholder() {
        let plain = PowerOptions::default();
        let recorded = PowerOptions { recorded_profile: Some(profile("4410")), ..plain.clone() };
        let placeholder = PowerOptions { recorded_profile: Some(profile("1000")), ..plain.clone() };
        let mut model = DeviceModel::named("mine");
        let figure = crate::Figure {
            values: vec![5000.0],
            unit: crate::Measure::MilliampereHours,
            source: String::new(),
            provenance: wattle_units::Provenance::Modelled,
            error: None,
        };
        model.figures.insert(FIGURE, figure);
        let named = PowerOptions { device_models: vec![model], ..recorded.clone() };
        let profile = "power_profile.xml of the recorded device";
        check(&timeline(None, "bluejay"), &plain, None);
        check(&timeline(Some(4030.0), "bluejay"), &plain, Some((4030.0, "batterystats")));
        check(&timeline(Some(4030.0), "bluejay"), &recorded, Some((4410.0, profile)));
        check(&timeline(Some(4030.0), "bluejay"), &named, Some((5000.0, "mine, --device-model")));
        check(&timeline(Some(4030.0), "bluejay"), &placeholder, Some((4030.0, "batterystats")));
        for value in [1000.0, 0.0, -1.0, f64::NAN, f64::INFINITY, 4_030_000.0] {
            check(&timeline(Some(value), "bluejay"), &plain, None);
        }
        check(&timeline(Some(4030.0), "emu64xa"), &recorded, None);
    }

    #[test]
    fn the_voltage_is_a_mean_over_the_window() {
        let mut timeline = timeline(None, "bluejay");
        let options = PowerOptions { voltage: Some(Volts::new(3.7)), ..PowerOptions::default() };
        let facts = |timeline: &Timeline| {
            let voltage = Voltage::new(timeline, options.voltage);
            let facts = BatteryFacts::new(timeline, timeline.window, &voltage, &options, &[]);
            let voltage = facts.voltage.expect("a voltage");
            (voltage.volts.value(), voltage.source)
        };
        assert_eq!(facts(&timeline), (3.7, "--voltage".to_owned()));
        let sample = |seconds: i64, microvolts| BatterySample {
            time: BootNanos::new(seconds * SECOND),
            voltage: Some(microvolts),
            ..BatterySample::default()
        };
        let samples = vec![sample(0, 4_200_000), sample(4, 4_000_000)];
        timeline.energy.batteries.push(BatteryTrack { name: None, samples });
        let (volts, source) = facts(&timeline);
        // 4 s at 4.2 V and 6 s at 4 V.
        assert!((volts - 4.08).abs() < 1e-12, "{volts}");
        assert_eq!(source, "measured by the battery");
    }
}
