//! The battery, as it is and as the statistics are told it is.

/// Coulombs of a microampere-hour.
const COULOMBS: f64 = 3.6e-3;

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
    /// Charge now, in microampere-hours.
    pub charge_uah: f64,
    /// The current out of it, in amperes, in the last moments; negative while it is charged.
    pub amperes: f64,
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
            charge_uah: options.capacity_uah as f64 * f64::from(options.percent.min(100)) / 100.0,
            amperes: 0.0,
            charging: options.usb_powered,
            faked: FakedBattery::default(),
        }
    }

    /// It is at so many percent.
    pub(crate) fn set_percent(&mut self, percent: u32) {
        self.percent = percent.min(100);
        self.charge_uah = self.capacity_uah as f64 * f64::from(self.percent) / 100.0;
    }

    /// Charge has gone out of it, or come in.
    pub(crate) fn draw(&mut self, coulombs: f64, amperes: f64) {
        let capacity = self.capacity_uah as f64;
        self.charge_uah = (self.charge_uah - coulombs / COULOMBS).clamp(0.0, capacity);
        self.percent = (self.charge_uah / capacity.max(1.0) * 100.0).round() as u32;
        self.amperes = amperes;
    }

    /// Whether anything is faked.
    pub const fn is_faked(&self) -> bool {
        self.faked.stopped
    }

    /// Charge in whole microampere-hours.
    pub(crate) const fn whole_uah(&self) -> i64 {
        self.charge_uah as i64
    }

    /// The same in coulombs.
    pub(crate) const fn coulombs(&self) -> f64 {
        self.charge_uah * COULOMBS
    }

    pub(crate) fn usb(&self) -> bool {
        self.faked.usb.unwrap_or(self.charging)
    }

    /// `BATTERY_STATUS_CHARGING` (2) or `…_DISCHARGING` (3) of `BatteryManager`.
    pub(crate) fn status(&self) -> u32 {
        self.faked.status.unwrap_or(if self.charging { 2 } else { 3 })
    }
}
