//! Measurements of a meter outside the device, and the marks in a recording that it is aligned by.

use wattle_units::{BootNanos, Provenance, Watts};

use crate::NameId;

/// Power by a meter at the battery's or the supply's terminals, aligned with the recording. Columns.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterTrack {
    /// The channel, as the file names it.
    pub name: NameId,
    /// The kind of meter: `monsoon`, `otii`, `joulescope`, `battor`, `csv`.
    pub instrument: NameId,
    /// Measured; or assumed, where the file has currents only and nobody said the voltage.
    pub provenance: Provenance,
    /// When each sample was taken, in order.
    pub time: Vec<BootNanos>,
    /// Power until the next sample; not a number where the meter lost samples. The last one only ends the one before.
    pub power: Vec<Watts>,
}

/// Something that was done at a known moment so that another instrument sees it too (`trace_event_clock_sync`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncMark {
    /// When.
    pub time: BootNanos,
    /// The text after `trace_event_clock_sync:`, such as `name=battor regulator=8941_smbb_boost`.
    pub text: NameId,
}
