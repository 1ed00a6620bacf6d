//! Calls of the framework: which calls land there, which of them are wanted, and the probes around them.

mod api_patterns;
mod app_classes;
mod byte_count;
mod call_site;
mod cover;
mod framework_calls;
mod hierarchy;
mod names;
mod plan;
mod probe_calls;
mod probe_nodes;
mod resolution;
mod scratch;

pub use api_patterns::ApiPatterns;
pub use app_classes::AppClasses;
pub use byte_count::ByteCount;
pub use call_site::{
    CallProbes, CallRefusal, CallSite, CallValue, InsertedCalls, Probe, ProbeOperand,
};
pub use framework_calls::{FrameworkCall, FrameworkCalls};
pub(crate) use names::MethodKey;
pub use probe_calls::probe_calls;
