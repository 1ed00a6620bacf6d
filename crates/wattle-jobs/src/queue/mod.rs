//! Jobs: what is to be done, who does it, and what happened.

mod claim_registry;
mod first_figures;
mod job_claim;
mod job_event;
mod job_kind;
mod job_output;
mod job_record;
mod job_registry;
mod lent_device;

pub use claim_registry::{ClaimWatch, JobClaims};
pub use first_figures::{FirstConsumer, FirstFigures};
pub use job_claim::{Beat, JobClaim, JobEnd, JobInput};
pub use job_event::{JobEvent, JobEventKind};
pub use job_kind::{AnalysisOptions, JobKind, RangeOptions, RunOptions, RunScenario};
pub use job_output::JobOutput;
pub use job_record::{Job, JobFilter, JobState, NewJob};
pub use job_registry::JobQueue;
pub use lent_device::{DeviceNeed, LentDevice};
