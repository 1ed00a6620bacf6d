//! Configurations of recordings, as `perfetto` takes them.

mod config;
mod message;
mod text_config;

pub(crate) use config::{RecordingConfig, light};
