//! A simulated trace that goes the way of `wattle report`.

use wattle_diagnose::{DiagnoseOptions, Diagnosis, Input};
use wattle_ledger::{AttributionOptions, Ledger, StretchDetail};
use wattle_power::{DeviceModel, ModelChoice, PowerEstimate, PowerOptions};
use wattle_timeline::Timeline;

/// A simulated trace, with all that a profiler may know of the phone.
#[derive(Clone, Copy, Debug)]
pub struct Profiled<'a> {
    /// The Perfetto trace.
    pub trace: &'a [u8],
    /// The model of phones of this kind, in TOML.
    pub device_model: &'a str,
    /// Which models may estimate.
    pub model: ModelChoice,
    /// Worker threads of the attribution; 0 for as many as the machine has.
    pub threads: usize,
    /// Keep the energy of entries over time and the waits of threads, for a page and for a saved ledger.
    pub over_time: bool,
}

impl Profiled<'_> {
    /// Its ledger, made as `wattle report` makes it with the model that is given of phones of this kind.
    pub fn ledger(self) -> anyhow::Result<Ledger> {
        Ok(self.analysed()?.2)
    }

    /// The same with what `wattle diagnose` finds.
    pub fn diagnosed(self) -> anyhow::Result<(Ledger, Diagnosis)> {
        let (timeline, power, ledger) = self.analysed()?;
        let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
        let found = wattle_diagnose::diagnose(input, &DiagnoseOptions::default())?;
        Ok((ledger, found))
    }

    fn analysed(self) -> anyhow::Result<(Timeline, PowerEstimate, Ledger)> {
        let timeline = wattle_ingest::read_bytes("demo.perfetto-trace", self.trace)?;
        let mut options = PowerOptions::default();
        options.device_models = vec![DeviceModel::parse("demo", self.device_model)?];
        options.model = self.model;
        let power = wattle_power::estimate(&timeline, &options)?;
        let mut attribution = AttributionOptions::default();
        attribution.threads = self.threads;
        attribution.keep_energy_bins = self.over_time;
        attribution.keep_waits = self.over_time;
        attribution.stretches =
            if self.over_time { StretchDetail::Bounded } else { StretchDetail::None };
        attribution.keep_tracks = self.over_time;
        let ledger = wattle_ledger::attribute(&timeline, &power, &attribution)?;
        Ok((timeline, power, ledger))
    }
}
