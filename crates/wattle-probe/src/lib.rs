//! Probes in Android packages: which methods and calls are traced, the rewriting, the runtime class that the
//! probes call, and the probe map that says what each of them means.

mod calls;
mod error;
mod event;
mod map_id;
mod runtime;
mod sink;

pub use calls::{
    ApiPatterns, AppClasses, CallProbes, CallSite, FrameworkCall, FrameworkCalls, InsertedCalls,
    LeftOut, Probe, ProbeOperand, probe_calls,
};
pub use error::{ProbeError, Result};
pub use event::{ProbeArgument, ProbeEvent};
pub use map_id::MapId;
pub use runtime::Runtime;
pub use sink::Sink;
