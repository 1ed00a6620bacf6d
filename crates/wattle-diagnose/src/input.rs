//! The input of a diagnosis: a timeline, the power that it took, and who paid.

use wattle_ledger::Ledger;
use wattle_power::PowerEstimate;
use wattle_timeline::Timeline;

/// The input of a diagnosis.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Events of the recording.
    pub timeline: &'a Timeline,
    /// The power that it took.
    pub power: &'a PowerEstimate,
    /// Who paid; with stretches ([`wattle_ledger::AttributionOptions::stretches`]), which regions get their energy from.
    pub ledger: &'a Ledger,
}
