//! The device and the circumstances of a source.

use std::time::Duration;

use wattle_recording::{AppFacts, DeviceFacts};

use crate::{Cancel, Device};

/// The device and the circumstances that a source records in.
#[derive(Clone, Copy, Debug)]
pub struct SourceGround<'a> {
    /// The device.
    pub device: &'a dyn Device,
    /// Whether to stop.
    pub cancel: &'a Cancel,
    /// The facts of the device.
    pub facts: &'a DeviceFacts,
    /// The app that is looked at; `None`: the device as a whole.
    pub app: Option<&'a AppFacts>,
    /// After this time what runs on the device ends by itself, so that a lost connection does not record for ever.
    pub limit: Duration,
}

impl SourceGround<'_> {
    /// The device's API level; a device that does not say it is taken for Android 7.
    pub fn sdk(&self) -> u32 {
        self.facts.sdk.unwrap_or(24)
    }

    /// The app's package, if there is an app.
    pub fn package(&self) -> Option<&str> {
        self.app.map(|app| app.package.as_str()).filter(|package| !package.is_empty())
    }
}
