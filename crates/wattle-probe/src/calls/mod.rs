//! Calls of the framework: which calls land there, which of them are wanted, and the probes around them.

mod api_patterns;
mod app_classes;
mod app_hierarchy;
mod byte_count;
mod call_names;
mod call_plan;
mod call_site;
mod cover;
mod framework_calls;
mod probe_calls;
mod probe_nodes;
mod resolution;
mod scratch;

pub use api_patterns::ApiPatterns;
pub use app_classes::AppClasses;
pub use byte_count::ByteCount;
pub(crate) use call_names::MethodKey;
pub use call_site::{
    CallProbes, CallRefusal, CallSite, CallValue, InsertedCalls, Probe, ProbeOperand,
};
pub use framework_calls::{FrameworkCall, FrameworkCalls};
pub use probe_calls::probe_calls;
