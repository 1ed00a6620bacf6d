//! What a meter outside the device measured.

use wattle_units::{BootNanos, Watts};

use crate::NameId;

/// Power by a meter at the battery's or the supply's terminals, aligned with the recording. Columns.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterTrack {
    /// The channel, as the file names it.
    pub name: NameId,
    /// What it was: `monsoon`, `otii`, `joulescope`, `battor`, `csv`.
    pub instrument: NameId,
    /// When each sample was taken, in order.
    pub time: Vec<BootNanos>,
    /// Power until the next sample.
    pub power: Vec<Watts>,
}
