//! Options of the power model.

use wattle_timeline::Window;
use wattle_units::Volts;

use crate::{DeviceModel, PowerError, PowerProfile};

/// Which kind of model is to be used for the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelChoice {
    /// The best that applies: rails scale, the best model splits.
    #[default]
    Auto,
    /// Rails, and nothing if the recording has none.
    Rails,
    /// Frequency and idle curves, never scaled by rails; no rail is booked. Counts what Perfetto's Wattson
    /// counts, so that both can be compared to the digit: a CPU is deeply idle before its first idle event,
    /// and is counted from its first frequency event on if that comes in the first 10 ms.
    Curves,
    /// `power_profile.xml`, never scaled by rails; no rail is booked.
    Profile,
    /// Android's own estimate, as `dumpsys batterystats` and `batteryusagestats` state it, and nothing else.
    Android,
}

impl ModelChoice {
    /// Whether rails scale models, and stand as tracks of their own.
    pub(crate) fn uses_rails(self) -> bool {
        matches!(self, Self::Auto | Self::Rails)
    }

    /// Whether the terms of linear models are used.
    pub(crate) fn uses_linear_terms(self) -> bool {
        matches!(self, Self::Auto | Self::Rails)
    }

    /// Whether Android's own estimate stands for components that no figures are known of.
    pub(crate) fn uses_android_estimate(self) -> bool {
        matches!(self, Self::Auto | Self::Android)
    }

    /// Whether components are estimated by a device's figures.
    pub(crate) fn uses_figures(self) -> bool {
        matches!(self, Self::Auto | Self::Profile)
    }
}

impl std::str::FromStr for ModelChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "rails" => Ok(Self::Rails),
            "curves" => Ok(Self::Curves),
            "profile" => Ok(Self::Profile),
            "android" => Ok(Self::Android),
            other => {
                Err(format!("expected auto, rails, curves, profile or android, found {other:?}"))
            }
        }
    }
}

/// Options of [`crate::estimate`]. Default is: choose by the recording, the whole recording, nothing of the
/// user's own.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PowerOptions {
    /// Which kind of model.
    pub model: ModelChoice,
    /// The user's device models. The first that names the recording's device is taken, else the first; figures of
    /// presets ([`DeviceModel::is_preset`]) are used beside it.
    pub device_models: Vec<DeviceModel>,
    /// The user's power profiles. The first is taken.
    pub profiles: Vec<PowerProfile>,
    /// The power profile that the recorded device itself has. It is taken before the library's profiles.
    pub recorded_profile: Option<PowerProfile>,
    /// Battery voltage where the recording does not say it. Default is 3.85 V, assumed.
    pub voltage: Option<Volts>,
    /// The part of the recording that is looked at. Default is all of it.
    pub window: Option<Window>,
}

impl PowerOptions {
    /// Takes a model file in.
    #[must_use]
    pub fn with_model_file(mut self, file: ModelFile) -> Self {
        match file {
            ModelFile::Device(model) => self.device_models.push(*model),
            ModelFile::Profile(profile) => self.profiles.push(*profile),
        }
        self
    }
}

/// A file of a user's own: a device model or a power profile.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelFile {
    /// TOML, `wattle-device-model/1`.
    Device(Box<DeviceModel>),
    /// `power_profile.xml`.
    Profile(Box<PowerProfile>),
}

impl ModelFile {
    /// From a file's bytes, by what they look like. `name` is for messages, and is a profile's name.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, PowerError> {
        let unknown = |found: &str| PowerError::UnknownModelFile {
            name: name.to_owned(),
            found: found.into(),
        };
        if bytes.starts_with(&[0x03, 0x00, 0x08, 0x00]) {
            return Err(unknown("binary XML (from an APK); it must be decoded to text first"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| unknown("bytes that are not text"))?;
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.is_empty() {
            return Err(unknown("an empty file"));
        }
        if start.starts_with('<') {
            return PowerProfile::parse(name, text).map(|p| Self::Profile(Box::new(p)));
        }
        if start.starts_with('{') {
            return Err(unknown("JSON"));
        }
        DeviceModel::parse(name, text).map(|model| Self::Device(Box::new(model)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(bytes: &[u8], because: &str) {
        let error = ModelFile::parse("x", bytes).unwrap_err().to_string();
        assert!(error.contains(because), "{error:?} does not say {because:?}");
    }

    #[test]
    fn what_is_no_model_is_refused_with_what_it_looks_like() {
        refuses(b"", "empty");
        refuses(b"\xff\xd8\xff\xe0", "not text");
        refuses(&[0x03, 0x00, 0x08, 0x00, 1, 2], "binary XML");
        refuses(b"{\"a\": 1}", "JSON");
        refuses(b"<resources/>", "power_profile");
        refuses(b"format = \"wattle-device-model/1\"", "missing field");
        refuses(b"hello world", "expected a device model in TOML");
    }
}
