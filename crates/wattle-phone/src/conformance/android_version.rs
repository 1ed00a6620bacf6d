//! Versions of Android.

use std::fmt;

use serde::Deserialize;

/// A version of Android that phones are described for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "u32")]
pub struct AndroidVersion(u32);

impl AndroidVersion {
    /// Android 9, the first with Perfetto.
    pub const FIRST: Self = Self(9);
    /// The newest that there are statements for.
    pub const NEWEST: Self = Self(16);
    /// API level by version; of Android 12 the first, of 12L it is 32.
    const API_LEVELS: [(u32, u32); 8] =
        [(9, 28), (10, 29), (11, 30), (12, 31), (13, 33), (14, 34), (15, 35), (16, 36)];

    /// The version of this number, if it is one of 9 to 16.
    pub fn new(number: u32) -> Option<Self> {
        (Self::FIRST.0..=Self::NEWEST.0).contains(&number).then_some(Self(number))
    }

    /// The version with this API level.
    pub fn of_api_level(level: u32) -> Option<Self> {
        // 12L is Android 12 with another number.
        let level = if level == 32 { 31 } else { level };
        Self::API_LEVELS.iter().find(|(_, known)| *known == level).map(|(number, _)| Self(*number))
    }

    /// The number, as in `ro.build.version.release`.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The API level, as in `ro.build.version.sdk`.
    pub fn api_level(self) -> u32 {
        let known = Self::API_LEVELS.iter().find(|(number, _)| *number == self.0);
        // Each version that can be made is in the table.
        known.map_or(28, |(_, level)| *level)
    }

    /// All versions, oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::FIRST.0..=Self::NEWEST.0).map(Self)
    }

    /// The version after this one.
    pub(super) fn next(self) -> Option<Self> {
        self.0.checked_add(1).and_then(Self::new)
    }
}

impl TryFrom<u32> for AndroidVersion {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        Self::new(number).ok_or_else(|| {
            format!("Android {number} is not one of {} to {}", Self::FIRST.0, Self::NEWEST.0)
        })
    }
}

impl fmt::Display for AndroidVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Android {}", self.0)
    }
}
