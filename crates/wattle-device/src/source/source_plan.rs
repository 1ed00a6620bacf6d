//! The sources of a recording and their options.

use crate::source::art_trace::ArtTrace;
use crate::source::perfetto_source::Perfetto;
use crate::source::polled_counters::Counters;
use crate::source::program_source::ProgramSource;
use crate::source::simpleperf::Simpleperf;
use crate::source::{
    ArtTraceOptions, Batterystats, CounterOptions, Logcat, Meter, MeterFile, PerfettoOptions,
    Probes, SimpleperfOptions, Source, SourceChoice, SourceName,
};

/// The sources of a recording and their options.
#[derive(Clone, Debug, Default)]
pub struct SourcePlan {
    /// Which.
    pub choice: SourceChoice,
    /// Options of Perfetto.
    pub perfetto: PerfettoOptions,
    /// Options of polling counters.
    pub counters: CounterOptions,
    /// Options of the method trace.
    pub art_trace: ArtTraceOptions,
    /// Options of simpleperf.
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
            SourceName::Perfetto => {
                Box::new(ProgramSource::new(Perfetto::new(self.perfetto.clone())))
            }
            SourceName::Logcat => Box::new(Logcat::new()),
            SourceName::Counters => Box::new(ProgramSource::new(Counters::new(self.counters))),
            SourceName::Probes => Box::new(Probes::new()),
            SourceName::Batterystats => Box::new(Batterystats::new()),
            SourceName::ArtTrace => Box::new(ProgramSource::new(ArtTrace::new(self.art_trace))),
            SourceName::Simpleperf => {
                Box::new(ProgramSource::new(Simpleperf::new(self.simpleperf)))
            }
            SourceName::Meter => Box::new(Meter::new(self.meter.clone())),
        }
    }
}
