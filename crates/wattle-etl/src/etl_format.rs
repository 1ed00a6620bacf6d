//! The format of event trace logs, for the registry and for what is said of artifacts.

use wattle_import::{Format, ReadOrder};
use wattle_recording::ArtifactKind;

pub(crate) const FORMAT: Format = Format {
    name: "etl",
    title: "a Windows event trace (ETL)",
    family: "a trace",
    short: Some("ETL"),
    order: ReadOrder::Traces,
    kinds: &[ArtifactKind::Etl],
    is_accessory: false,
};
