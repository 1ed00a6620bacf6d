//! Operations of disks by thread.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::Nanos;

/// One operation (Intel's third table).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiskRow {
    /// Whose: index into [`crate::Diagnosis::threads`].
    pub thread: u32,
    /// `Read`, `Write` or `Flush`.
    pub kind: String,
    /// From its beginning to its completion.
    pub window: Window,
    /// Whether its beginning was recorded.
    pub begin_seen: bool,
    /// Whether its completion was recorded.
    pub end_seen: bool,
    /// Time that the disk itself took for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Nanos>,
    /// In bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The region of its thread that it began in, if any: index into [`crate::Diagnosis::regions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<u32>,
}
