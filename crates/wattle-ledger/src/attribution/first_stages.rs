//! The results of the first stages together.

use super::activity::ActiveTracks;
use super::call_paths::CallPaths;
use super::device_users::DeviceUsers;
use super::occupancy::Occupancy;

/// The results that the last stages need.
#[derive(Clone, Copy)]
pub(crate) struct Stages<'a> {
    pub(crate) paths: &'a CallPaths,
    pub(crate) occupancy: &'a Occupancy,
    pub(crate) users: &'a DeviceUsers,
    pub(crate) active: &'a ActiveTracks<'a>,
}
