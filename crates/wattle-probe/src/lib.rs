//! Probes in Android packages: which methods and calls are traced, the rewriting, the runtime class that the
//! probes call, and the probe map that says what each of them means.

mod calls;
mod code;
mod error;
mod java_name;
mod mode;
mod package_probes;
mod plan;
mod probe_event;
mod probe_label;
mod probe_map;
mod probe_map_id;
mod probe_options;
mod probe_sink;
mod rewrite;
mod runtime;
mod scope;
mod skip;

pub use calls::{
    ApiPatterns, AppClasses, ByteCount, CallProbes, CallRefusal, CallSite, CallValue,
    FrameworkCall, FrameworkCalls, InsertedCalls, Probe, ProbeOperand, probe_calls,
};
pub use code::{CodeFile, Instrumented, Placement, RewrittenFile, Stage, instrument};
pub use error::{ProbeError, Result};
pub use mode::{Mode, ShortMethods};
pub use package_probes::{InstrumentedPackage, Note, PackageOptions, instrument_packages};
pub use plan::{Counts, LeftOutMethod};
pub use probe_event::{ProbeArgument, ProbeEvent};
pub use probe_map::{
    InlinedFrame, MapHeader, ProbeMap, ProbePoint, ProbedCall, ProbedClass, ProbedInvocation,
    ProbedMethod,
};
pub use probe_map_id::MapId;
pub use probe_options::Options;
pub use probe_sink::Sink;
pub use runtime::Runtime;
pub use scope::{ClassPattern, Scope, own_packages};
pub use skip::SkipReason;
pub use wattle_retrace::Mapping;
