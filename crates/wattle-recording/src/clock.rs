//! Simultaneous readings of the clocks of host and device.

use serde::{Deserialize, Serialize};

/// A reading of the device's clocks, enclosed by two readings of the host's. What the device said is true of some
/// moment between `host_before_ns` and `host_after_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockPair {
    /// The host's wall clock (Unix time) before the question, in nanoseconds.
    pub host_before_ns: i64,
    /// The device's wall clock (Unix time), in nanoseconds.
    pub device_real_ns: i64,
    /// The device's boot time in nanoseconds, as `/proc/uptime` has it.
    pub device_boot_ns: i64,
    /// Boot time was `device_boot_ns` at least and less than this more when the wall clock was read: the step of `/proc/uptime`, which
    /// counts in hundredths and cuts off, and the time that reading took.
    pub boot_step_ns: i64,
    /// The host's wall clock after the answer, in nanoseconds.
    pub host_after_ns: i64,
    /// The device's time zone: minutes east of Greenwich.
    #[serde(default)]
    pub zone_minutes: i32,
}
