//! Limits on the memory that a reader uses for one input, whatever the input declares.

pub use wattle_android_logs::limits::*;
pub use wattle_etl::limits::*;
pub use wattle_import::limits::*;
pub use wattle_kernel_traces::limits::*;
pub use wattle_meters::limits::*;
pub use wattle_stacks::limits::*;
