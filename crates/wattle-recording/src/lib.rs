//! Format of a recording on disk: a folder (or zip) with `recording.json` and the artifacts of one run on one device.
//!
//! Whoever makes recordings writes [`Recording`], whoever reads them reads it; neither knows the other. Unknown keys are
//! passed over and almost everything is optional, so that a recording of a later version, or one that somebody wrote by
//! hand (`{"artifacts": ["trace.perfetto-trace"]}`), can be read.

mod app;
mod artifact;
mod clock;
mod condition_facts;
mod device;
mod error;
mod file;
mod iteration;
mod probe_cost;
mod recording;
mod source;
mod start_facts;
mod step;

pub use app::AppFacts;
pub use artifact::{Artifact, ArtifactKind};
pub use clock::ClockPair;
pub use condition_facts::ConditionFacts;
pub use device::{BatteryFacts, DeviceFacts, PolicyFacts, ProductFacts, ScreenFacts};
pub use error::RecordingError;
pub use file::{FILE_NAME, load, save};
pub use iteration::{Iteration, Outcome, ScenarioFacts, TestFacts};
pub use probe_cost::ProbeCostFacts;
pub use recording::{FileOnDevice, Recorder, Recording, SeriesFacts, VERSION};
pub use source::SourceFacts;
pub use start_facts::StartFacts;
pub use step::{Stage, StepFacts};
