//! The code of an app: probes in several files at once.

mod division;
mod instrument;
mod instrumented;
mod invocations;
mod map_text;
mod names;
mod rewriting;
mod stopwatch;
mod texts;
mod verification;

pub use instrument::instrument;
pub use instrumented::{CodeFile, Instrumented, RewrittenFile, Stage};
