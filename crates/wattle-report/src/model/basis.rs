//! The common input of all rows.

use wattle_ledger::Ledger;

use super::Estimator;
use super::chosen::Chosen;
use super::gathered::Gathered;
use super::watched::Watched;
use crate::Figure;

/// Everything that rows are computed from.
#[derive(Clone, Copy)]
pub struct Basis<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// Its energies by every key that some row needs.
    pub gathered: &'a Gathered,
    /// From sums by source to figures.
    pub estimator: &'a Estimator<'a>,
    /// Which hardware was watched.
    pub watched: Watched,
    /// The processes and uids of the apps that were asked for.
    pub chosen: &'a Chosen,
    /// The whole window's energy.
    pub total: Figure,
}
