//! Devices beside the processor that draw power for apps.

use wattle_units::Watts;

/// A device with a rail of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Device {
    /// Memory and its interface: by cache misses.
    Memory,
    /// System cache and fabric: by cache misses.
    Fabric,
    /// Panel and display controller: by the app in front.
    Display,
    /// Graphics: by the work that apps submit.
    Gpu,
    /// Flash storage: by requests and bytes.
    Storage,
    /// Wi-Fi: by packets and bytes, and for a while after the last one.
    Wifi,
}

impl Device {
    /// All devices.
    pub const ALL: [Self; 6] =
        [Self::Memory, Self::Fabric, Self::Display, Self::Gpu, Self::Storage, Self::Wifi];

    /// The name of the component.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Fabric => "fabric",
            Self::Display => "display",
            Self::Gpu => "gpu",
            Self::Storage => "storage",
            Self::Wifi => "wifi",
        }
    }

    /// Power of a screen of full brightness with content of the usual brightness, above that of the panel itself. An app's content
    /// takes 0.4 to 1.6 times as much.
    pub const FULL_SCREEN: Watts = Watts::new(0.7);

    /// Power that it draws whatever apps do.
    pub const fn idle_power(self) -> Watts {
        Watts::new(self.base())
    }

    /// The same in watts.
    pub(crate) const fn base(self) -> f64 {
        match self {
            Self::Memory => 0.06,
            Self::Fabric => 0.045,
            Self::Display => 0.28,
            Self::Gpu => 0.012,
            Self::Storage => 0.009,
            Self::Wifi => 0.014,
        }
    }
}
