//! Vendors of phones.

use std::fmt;

/// The vendor of a phone's system image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vendor {
    /// The Android Open Source Project: images of the emulator and of Cuttlefish.
    Aosp,
    /// Google's Pixel phones.
    Pixel,
    /// Samsung's Galaxy phones, with One UI.
    Samsung,
    /// Xiaomi, Redmi and POCO phones, with MIUI or HyperOS.
    Xiaomi,
}

impl Vendor {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Aosp, Self::Pixel, Self::Samsung, Self::Xiaomi];

    /// The word for it in file names and flags.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Aosp => "aosp",
            Self::Pixel => "pixel",
            Self::Samsung => "samsung",
            Self::Xiaomi => "xiaomi",
        }
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Aosp => "AOSP",
            Self::Pixel => "Pixel",
            Self::Samsung => "Samsung",
            Self::Xiaomi => "Xiaomi",
        })
    }
}
