//! Which sources, and how they are set up.

use crate::source::{
    ArtTrace, ArtTraceOptions, Batterystats, CounterOptions, Counters, Logcat, Meter, MeterFile,
    Perfetto, PerfettoOptions, Probes, Simpleperf, SimpleperfOptions, Source, SourceChoice,
    SourceName,
};

/// Which sources are used, and how.
#[derive(Clone, Debug, Default)]
pub struct SourcePlan {
    /// Which.
    pub choice: SourceChoice,
    /// What Perfetto records.
    pub perfetto: PerfettoOptions,
    /// How counters are polled.
    pub counters: CounterOptions,
    /// How methods are traced.
    pub art_trace: ArtTraceOptions,
    /// How simpleperf samples.
    pub simpleperf: SimpleperfOptions,
    /// The file of a meter; naming it asks for the source.
    pub meter: Option<MeterFile>,
}

impl SourcePlan {
    /// Whether a source is wanted.
    pub fn wants(&self, name: SourceName) -> bool {
        name == SourceName::Meter && self.meter.is_some() || self.choice.wants(name)
    }

    /// A source, ready to be started.
    pub fn make(&self, name: SourceName) -> Box<dyn Source> {
        match name {
            SourceName::Perfetto => Box::new(Perfetto::new(self.perfetto.clone())),
            SourceName::Logcat => Box::new(Logcat::new()),
            SourceName::Counters => Box::new(Counters::new(self.counters)),
            SourceName::Probes => Box::new(Probes::new()),
            SourceName::Batterystats => Box::new(Batterystats::new()),
            SourceName::ArtTrace => Box::new(ArtTrace::new(self.art_trace)),
            SourceName::Simpleperf => Box::new(Simpleperf::new(self.simpleperf)),
            SourceName::Meter => Box::new(Meter::new(self.meter.clone())),
        }
    }
}
