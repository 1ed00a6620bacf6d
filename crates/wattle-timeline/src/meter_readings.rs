//! Readings of the device's own meters, raw: interpretation is the power model's.

use wattle_units::BootNanos;

use crate::{NameId, SharedColumn, Uid};

/// A power rail: a cumulative energy counter of the on-device power monitor (Perfetto's
/// `PowerRails`).
#[derive(Clone, Debug, PartialEq)]
pub struct Rail {
    /// The monitor's own name (`S2M_VDD_CPUCL2`).
    pub name: NameId,
    /// The subsystem it gave (`Cpu`), if any.
    pub subsystem: Option<NameId>,
    /// Samples a second that the monitor claims, 0 if it did not say.
    pub sampling_rate: u32,
    /// The time of each sample, in order. Rails that were read together share the column.
    pub time: SharedColumn<BootNanos>,
    /// Energy since boot at each sample, in microwatt-seconds, as counted: wraps and resets are in it.
    pub energy: SharedColumn<u64>,
}

/// One poll of the battery. Units as the fields of Perfetto's `BatteryCounters`; the sign and even the
/// unit of the current differ by maker, see the power model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatterySample {
    /// When.
    pub time: BootNanos,
    /// `charge_counter_uah`.
    pub charge: Option<i64>,
    /// `capacity_percent`.
    pub capacity_percent: Option<f64>,
    /// `current_ua`.
    pub current: Option<i64>,
    /// `current_avg_ua`.
    pub current_average: Option<i64>,
    /// `voltage_uv`.
    pub voltage: Option<i64>,
    /// `energy_counter_uwh`.
    pub energy: Option<i64>,
}

/// One battery over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatteryTrack {
    /// Its name, on devices with several.
    pub name: Option<NameId>,
    /// Polls in order of time.
    pub samples: Vec<BatterySample>,
}

/// A consumer of Android's energy-estimation breakdown (`EnergyConsumer` of the power-stats HAL).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnergyConsumer {
    /// The HAL's number.
    pub id: i32,
    /// Which of several of one type.
    pub ordinal: i32,
    /// Its type (`CPU_CLUSTER`, `DISPLAY`).
    pub kind: NameId,
    /// Its name (`CPUCL0`).
    pub name: NameId,
}

/// One value of the energy-estimation breakdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnergySample {
    /// When.
    pub time: BootNanos,
    /// Index into [`crate::EnergyReadings::consumers`].
    pub consumer: u32,
    /// The app it was attributed to; `None` is the consumer's total.
    pub uid: Option<Uid>,
    /// Energy since boot in microwatt-seconds.
    pub energy: i64,
}
