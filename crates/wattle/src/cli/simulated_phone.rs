//! The value of `--simulate`.

use std::str::FromStr;

/// Oldest and newest version of Android that stock phones are described for.
const VERSIONS: std::ops::RangeInclusive<u32> = 9..=16;
/// First Pixel whose power rails are readable.
const FIRST_PIXEL_WITH_RAILS: u32 = 6;

/// A simulated phone to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedPhone {
    /// Android 14 with power rails.
    Pixel,
    /// Android 10 without power rails.
    Plain,
    /// Android 8: no Perfetto.
    Old,
    /// One that refuses what stock phones of this kind refuse.
    Stock {
        /// Whose system image it has.
        maker: PhoneMaker,
        /// Whether it has power rails.
        rails: bool,
        /// Version of Android.
        android: u32,
    },
}

/// The maker of a phone's system image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhoneMaker {
    /// Images of the emulator.
    Aosp,
    /// Google.
    Pixel,
    /// Samsung.
    Samsung,
    /// Xiaomi, with Redmi and POCO.
    Xiaomi,
}

impl PhoneMaker {
    /// The maker by the first word of a model.
    fn of_model(model: &str) -> Option<Self> {
        match model.split('-').next()? {
            "aosp" | "emulator" => Some(Self::Aosp),
            "pixel" => Some(Self::Pixel),
            "samsung" | "galaxy" => Some(Self::Samsung),
            "xiaomi" | "redmi" | "poco" => Some(Self::Xiaomi),
            _ => None,
        }
    }
}

impl FromStr for SimulatedPhone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (model, version) = match text.split_once(',') {
            Some((model, version)) => (model, Some(version)),
            None => (text, None),
        };
        match (model, version) {
            ("pixel", None) => return Ok(Self::Pixel),
            ("plain", None) => return Ok(Self::Plain),
            ("old", None) => return Ok(Self::Old),
            _ => {}
        }
        let maker = PhoneMaker::of_model(model).ok_or_else(|| {
            format!(
                "unknown phone {model}; there are pixel, plain and old, and with a version of Android pixel, pixel-N, \
                 samsung, xiaomi and aosp"
            )
        })?;
        let Some(version) = version else {
            return Err(format!("add a version of Android: {model},android-15"));
        };
        let number = version.strip_prefix("android-").and_then(|number| number.parse().ok());
        let android = number.filter(|number| VERSIONS.contains(number)).ok_or_else(|| {
            format!(
                "expected android-{} to android-{}, not {version}",
                VERSIONS.start(),
                VERSIONS.end()
            )
        })?;
        let rails = maker == PhoneMaker::Pixel && has_rails(model)?;
        Ok(Self::Stock { maker, rails, android })
    }
}

/// Whether a Pixel has power rails; without a number it is a newer one.
fn has_rails(model: &str) -> Result<bool, String> {
    let Some(name) = model.strip_prefix("pixel-") else { return Ok(true) };
    let digits = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
    let number = name.get(..digits).and_then(|number| number.parse::<u32>().ok());
    let number = number.ok_or_else(|| format!("expected a model such as pixel-8, not {model}"))?;
    Ok(number >= FIRST_PIXEL_WITH_RAILS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_are_named_by_model_and_version() {
        let stock = |maker, rails, android| Ok(SimulatedPhone::Stock { maker, rails, android });
        let cases = [
            ("pixel", Ok(SimulatedPhone::Pixel)),
            ("plain", Ok(SimulatedPhone::Plain)),
            ("old", Ok(SimulatedPhone::Old)),
            ("pixel-8,android-15", stock(PhoneMaker::Pixel, true, 15)),
            ("pixel,android-14", stock(PhoneMaker::Pixel, true, 14)),
            ("pixel-5,android-12", stock(PhoneMaker::Pixel, false, 12)),
            ("pixel-6a,android-13", stock(PhoneMaker::Pixel, true, 13)),
            ("galaxy-s24,android-14", stock(PhoneMaker::Samsung, false, 14)),
            ("redmi,android-9", stock(PhoneMaker::Xiaomi, false, 9)),
            ("aosp,android-16", stock(PhoneMaker::Aosp, false, 16)),
            ("pixel-8", Err("add a version")),
            ("samsung", Err("add a version")),
            ("pixel-x,android-15", Err("such as pixel-8")),
            ("pixel-8,android-17", Err("android-9 to android-16")),
            ("pixel-8,15", Err("android-9 to android-16")),
            ("plain,android-10", Err("unknown phone plain")),
            ("nokia,android-10", Err("unknown phone nokia")),
            ("", Err("unknown phone")),
        ];
        for (text, expected) in cases {
            match (text.parse::<SimulatedPhone>(), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(found), Err(part)) => assert!(found.contains(part), "{text}: {found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
