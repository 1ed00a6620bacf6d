//! The formats of probes' records and of probe maps.

use wattle_import::{Format, ReadOrder};
use wattle_recording::ArtifactKind;

pub(super) const RECORDS: Format = Format {
    name: "probes",
    title: "records of probes",
    family: "probe records",
    short: None,
    order: ReadOrder::Calls,
    kinds: &[ArtifactKind::Probes],
    is_accessory: false,
};

pub(super) const MAP: Format = Format {
    name: "probe-map",
    title: "a probe map, which says nothing without a recording",
    family: "probe records",
    short: None,
    order: ReadOrder::Meanings,
    kinds: &[ArtifactKind::ProbeMap],
    is_accessory: true,
};
