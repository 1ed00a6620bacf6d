//! The battery, as it is and as the statistics are told it is.

/// The battery when the phone is started.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatteryOptions {
    /// Charge in percent. Default is 84.
    pub percent: u32,
    /// Volts. Default is 4.05.
    pub volts: f64,
    /// Degrees Celsius. Default is 27.3.
    pub celsius: f64,
    /// Whether it hangs on a charging USB port. Default is no: the simulated phone is reached over Wi-Fi.
    pub usb_powered: bool,
    /// Charge when full, in microampere-hours. Default is 4,600,000.
    pub capacity_uah: i64,
}

impl Default for BatteryOptions {
    fn default() -> Self {
        Self {
            percent: 84,
            volts: 4.05,
            celsius: 27.3,
            usb_powered: false,
            capacity_uah: 4_600_000,
        }
    }
}

/// The battery now.
#[derive(Clone, Debug, PartialEq)]
pub struct Battery {
    /// Charge in percent.
    pub percent: u32,
    /// Volts.
    pub volts: f64,
    /// Degrees Celsius.
    pub celsius: f64,
    /// Charge when full, in microampere-hours.
    pub capacity_uah: i64,
    /// Whether it is charged, truly.
    pub charging: bool,
    /// The values faked by `dumpsys battery unplug` and `set`; all `None` after `reset`.
    pub faked: FakedBattery,
}

/// The faked state that `dumpsys battery` shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FakedBattery {
    /// `dumpsys battery` has stopped the updates: something is faked, if only the plug.
    pub stopped: bool,
    /// `set ac`.
    pub ac: Option<bool>,
    /// `set usb`.
    pub usb: Option<bool>,
    /// `set wireless`.
    pub wireless: Option<bool>,
    /// `set level`.
    pub level: Option<u32>,
    /// `set status`.
    pub status: Option<u32>,
    /// `set temp`, in tenths of a degree.
    pub temperature: Option<i32>,
}

impl Battery {
    pub(crate) fn new(options: &BatteryOptions) -> Self {
        Self {
            percent: options.percent.min(100),
            volts: options.volts,
            celsius: options.celsius,
            capacity_uah: options.capacity_uah,
            charging: options.usb_powered,
            faked: FakedBattery::default(),
        }
    }

    /// Whether anything is faked.
    pub const fn is_faked(&self) -> bool {
        self.faked.stopped
    }

    /// Charge in microampere-hours.
    pub(crate) fn charge_uah(&self) -> i64 {
        self.capacity_uah * i64::from(self.percent) / 100
    }

    pub(crate) fn usb(&self) -> bool {
        self.faked.usb.unwrap_or(self.charging)
    }

    /// `BATTERY_STATUS_CHARGING` (2) or `…_DISCHARGING` (3) of `BatteryManager`.
    pub(crate) fn status(&self) -> u32 {
        self.faked.status.unwrap_or(if self.charging { 2 } else { 3 })
    }
}
