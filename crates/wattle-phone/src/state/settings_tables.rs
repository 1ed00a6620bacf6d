//! The settings provider: three tables of text.

use std::collections::BTreeMap;

/// A table of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    /// `global`.
    Global,
    /// `secure`.
    Secure,
    /// `system`.
    System,
}

impl Namespace {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "global" => Some(Self::Global),
            "secure" => Some(Self::Secure),
            "system" => Some(Self::System),
            _ => None,
        }
    }
}

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    tables: BTreeMap<(Namespace, String), String>,
}

impl Settings {
    /// The settings of a new phone.
    pub(crate) fn of_a_new_phone() -> Self {
        const DEFAULTS: [(Namespace, &str, &str); 13] = [
            (Namespace::Global, "airplane_mode_on", "0"),
            (Namespace::Global, "adb_enabled", "1"),
            (Namespace::Global, "animator_duration_scale", "1.0"),
            (Namespace::Global, "low_power", "0"),
            (Namespace::Global, "mobile_data", "1"),
            (Namespace::Global, "stay_on_while_plugged_in", "0"),
            (Namespace::Global, "transition_animation_scale", "1.0"),
            (Namespace::Global, "wifi_on", "1"),
            (Namespace::Global, "window_animation_scale", "1.0"),
            (Namespace::Secure, "android_id", "9d7f1c3a5e8b2046"),
            (Namespace::System, "screen_brightness", "102"),
            (Namespace::System, "screen_brightness_mode", "1"),
            (Namespace::System, "screen_off_timeout", "30000"),
        ];
        let tables = DEFAULTS
            .iter()
            .map(|(namespace, key, value)| ((*namespace, (*key).to_owned()), (*value).to_owned()));
        Self { tables: tables.collect() }
    }

    pub(crate) fn get(&self, namespace: Namespace, key: &str) -> Option<&str> {
        self.tables.get(&(namespace, key.to_owned())).map(String::as_str)
    }

    /// The screen's brightness as a share of the full one.
    pub(crate) fn brightness(&self) -> Option<f64> {
        let level: f64 = self.get(Namespace::System, "screen_brightness")?.parse().ok()?;
        Some((level / 255.0).clamp(0.0, 1.0)).filter(|share| share.is_finite())
    }

    /// Its name in the battery's history: `BatteryStats.SCREEN_BRIGHTNESS_NAMES`, of 51 levels each.
    pub(crate) fn brightness_name(&self) -> &'static str {
        let fifth = (self.brightness().unwrap_or(0.4) * 255.0 / 51.0) as u32;
        match fifth {
            0 => "dark",
            1 => "dim",
            2 => "medium",
            3 => "light",
            _ => "bright",
        }
    }

    pub(crate) fn put(&mut self, namespace: Namespace, key: &str, value: &str) {
        self.tables.insert((namespace, key.to_owned()), value.to_owned());
    }

    pub(crate) fn delete(&mut self, namespace: Namespace, key: &str) -> bool {
        self.tables.remove(&(namespace, key.to_owned())).is_some()
    }

    pub(crate) fn list(&self, namespace: Namespace) -> impl Iterator<Item = (&str, &str)> {
        self.tables
            .iter()
            .filter(move |((table, _), _)| *table == namespace)
            .map(|((_, key), value)| (key.as_str(), value.as_str()))
    }
}
