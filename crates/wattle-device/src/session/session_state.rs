//! The state of a session that goes on.

use std::collections::{BTreeMap, BTreeSet};

use wattle_recording::{DeviceFacts, Outcome};

use crate::session::books::Books;
use crate::session::recording_folder::RecordingFolder;
use crate::session::source_set::SourceSet;
use crate::session::{Environment, HostFile, SessionPlan};
use crate::{Cancel, Device, Progress};

/// A session that goes on.
pub(super) struct Work<'a> {
    pub(super) plan: &'a SessionPlan,
    pub(super) device: &'a dyn Device,
    /// The device for saving what there is: only somebody in a hurry stops that.
    pub(super) calm: Box<dyn Device>,
    pub(super) cancel: &'a Cancel,
    pub(super) environment: &'a mut dyn Environment,
    pub(super) progress: &'a dyn Progress,
    pub(super) books: Books,
    pub(super) kept: BTreeSet<u32>,
    /// The device that made the runs that are kept.
    pub(super) made_by: Option<String>,
    /// Runs that are complete but for files that are still on the device.
    pub(super) to_fetch: Vec<(u32, RecordingFolder)>,
    pub(super) runs: u32,
    pub(super) outcome: Outcome,
    pub(super) made: u32,
    pub(super) facts: DeviceFacts,
    pub(super) files: Vec<HostFile>,
    pub(super) sources: SourceSet,
    /// The number of the installed build, by package.
    pub(super) installed: BTreeMap<String, usize>,
    pub(super) boot: Option<String>,
    /// Whether anything may have been changed on the device.
    pub(super) touched: bool,
}
