//! The sources of a recording, one module each: what it needs of a device, how it is started, stopped and collected,
//! and why it may be unavailable.

mod art_trace;
mod batterystats;
mod config_tree;
mod counter_script;
mod device_process;
mod ground;
mod hardware_counts;
mod log_pump;
mod logcat;
mod meter_file;
mod perfetto_config;
mod perfetto_source;
mod polled_counters;
mod probes;
mod program_source;
mod simpleperf;
mod source_choice;
mod source_name;
mod source_plan;
mod source_trait;

pub use art_trace::ArtTraceOptions;
pub use batterystats::Batterystats;
pub use ground::SourceGround;
pub(crate) use logcat::FILE as LOG_FILE;
pub use logcat::Logcat;
pub use meter_file::{Meter, MeterFile};
pub use perfetto_config::{
    OwnConfig, PerfettoOptions, config as perfetto_config, config_text as perfetto_config_text,
};
pub(crate) use perfetto_source::{
    ENDS_SDK as PERFETTO_ENDS_SDK, FIRST_SDK as PERFETTO_SDK, TRACE as TRACE_FILE,
};
pub use polled_counters::CounterOptions;
pub use probes::Probes;
pub use simpleperf::SimpleperfOptions;
pub use source_choice::SourceChoice;
pub use source_name::SourceName;
pub use source_plan::SourcePlan;
pub use source_trait::{Collected, CollectedFile, Source};
