//! The code of an app: probes in several files at once.

mod classes_in_front;
mod division;
mod instrumented;
mod instrumenting;
mod invocations;
mod map_text;
mod method_names;
mod rewriting;
mod stopwatch;
mod texts;
mod verification;

pub use instrumented::{CodeFile, Instrumented, Placement, RewrittenFile, Stage};
pub use instrumenting::instrument;
pub(crate) use instrumenting::{Extent, instrument_files};
