//! What a recording draws from: one module a source, each saying what it needs of a device, how it is started, stopped
//! and brought home, and why it is not to be had.

mod art_trace;
mod batterystats;
mod choice;
mod counter_script;
mod counters;
mod device_process;
mod ground;
mod log_pump;
mod logcat;
mod meter;
mod name;
mod perfetto;
mod perfetto_config;
mod plan;
mod probes;
mod simpleperf;
mod source_trait;

pub use art_trace::{ArtTrace, ArtTraceOptions};
pub use batterystats::Batterystats;
pub use choice::SourceChoice;
pub use counters::{CounterOptions, Counters};
pub use ground::SourceGround;
pub use logcat::Logcat;
pub use meter::{Meter, MeterFile};
pub use name::SourceName;
pub use perfetto::Perfetto;
pub use perfetto_config::{PerfettoOptions, config as perfetto_config};
pub use plan::SourcePlan;
pub use probes::Probes;
pub use simpleperf::{Simpleperf, SimpleperfOptions};
pub use source_trait::{Collected, CollectedFile, Source};
