//! Recordings by `perfetto`: what is asked for, while they run, and the trace at their end.

mod config;
mod ended;
mod replayed;
mod text_config;

pub(crate) use config::{RecordingConfig, light};
pub(crate) use ended::{end, flush_all, record};
pub use replayed::RecordedTruth;
