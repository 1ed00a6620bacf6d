//! Differences between the conditions of two runs.

use std::fmt::Display;

use wattle_recording::ConditionFacts;

/// Conditions that somebody changed between two runs, in words. Heat and charge change by themselves and are no such
/// thing.
pub(crate) fn differences(first: &ConditionFacts, now: &ConditionFacts) -> Vec<String> {
    let plugged = |facts: &ConditionFacts| {
        let battery = facts.battery.as_ref()?;
        Some(if battery.plugged.is_empty() { "no".to_owned() } else { battery.plugged.join(", ") })
    };
    // A brightness that follows the light is expected to change.
    let fixed = |facts: &ConditionFacts| {
        facts.brightness.filter(|_| facts.brightness_automatic != Some(true))
    };
    let found = [
        changed("plugged in", plugged(first), plugged(now)),
        changed("battery saver", word(first.power_save), word(now.power_save)),
        changed("screen", lit(first.screen_on), lit(now.screen_on)),
        changed("brightness", fixed(first), fixed(now)),
        changed(
            "automatic brightness",
            word(first.brightness_automatic),
            word(now.brightness_automatic),
        ),
        changed("airplane mode", word(first.airplane_mode), word(now.airplane_mode)),
        changed("Wi-Fi", word(first.wifi), word(now.wifi)),
        changed("mobile data", word(first.mobile_data), word(now.mobile_data)),
    ];
    found.into_iter().flatten().collect()
}

fn changed<T: Display + PartialEq>(what: &str, first: Option<T>, now: Option<T>) -> Option<String> {
    let (first, now) = (first?, now?);
    (first != now).then(|| format!("{what}: {first}, now {now}"))
}

fn word(on: Option<bool>) -> Option<&'static str> {
    on.map(|on| if on { "on" } else { "off" })
}

fn lit(on: Option<bool>) -> Option<&'static str> {
    on.map(|on| if on { "lit" } else { "dark" })
}

#[cfg(test)]
mod tests {
    use wattle_recording::{BatteryFacts, ConditionFacts};

    use super::differences;

    #[test]
    fn what_somebody_changed_is_named_and_heat_is_not() {
        let battery = |celsius, plugged: &[&str]| BatteryFacts {
            temperature: Some(celsius),
            plugged: plugged.iter().map(|&word| word.to_owned()).collect(),
            ..BatteryFacts::default()
        };
        let first = ConditionFacts {
            battery: Some(battery(25.0, &[])),
            brightness: Some(100),
            wifi: Some(true),
            ..ConditionFacts::default()
        };
        let now = ConditionFacts {
            battery: Some(battery(31.0, &["usb"])),
            brightness: Some(80),
            ..first.clone()
        };
        assert_eq!(
            differences(&first, &now),
            ["plugged in: no, now usb", "brightness: 100, now 80"]
        );
        assert!(differences(&first, &first).is_empty());
        assert!(differences(&first, &ConditionFacts::default()).is_empty());
    }
}
