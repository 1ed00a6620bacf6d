//! The format of logs.

use wattle_import::{Format, ReadOrder};
use wattle_recording::ArtifactKind;

pub(crate) const LOGCAT: Format = Format {
    name: "logcat",
    title: "a log (logcat)",
    family: "a log",
    short: None,
    order: ReadOrder::Logs,
    kinds: &[ArtifactKind::Logcat],
    is_accessory: false,
};
