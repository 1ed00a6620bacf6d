//! GPU, TPU and bus clocks over time.

use wattle_units::Hertz;

use crate::{NameId, Steps, Uid, Window};

/// One GPU over time.
#[derive(Clone, Debug, Default)]
pub struct GpuTimeline {
    /// The driver's number (`gpu_id` of `gpu_frequency`).
    pub id: u32,
    /// Frequency; zero while it is off.
    pub frequency: Steps<Hertz>,
    /// Power state: 0 off, 1 power-gated or low, 2 on (Mali `gpu_power_state`, PowerVR).
    pub power_state: Steps<u8>,
    /// Who had work on it (`gpu_work_period`), in order of start.
    pub work: Vec<GpuWorkPeriod>,
}

/// A period in which an app had work on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuWorkPeriod {
    /// From the first to the last work in the period.
    pub window: Window,
    /// Whose work.
    pub uid: Uid,
    /// Time the GPU was truly busy with it, at most the window's length.
    pub active: wattle_units::Nanos,
}

/// A bus or memory clock (`devfreq_frequency`).
#[derive(Clone, Debug)]
pub struct DevfreqTrack {
    /// The device's name (`dsufreq`, `17000010.devfreq_mif`).
    pub name: NameId,
    /// Its frequency.
    pub frequency: Steps<Hertz>,
}

/// A tensor processing unit over time.
#[derive(Clone, Debug, Default)]
pub struct TpuTimeline {
    /// Its cluster.
    pub cluster: u32,
    /// Frequency; zero while it is off.
    pub frequency: Steps<Hertz>,
    /// Requests in flight.
    pub requests: Steps<u32>,
}
