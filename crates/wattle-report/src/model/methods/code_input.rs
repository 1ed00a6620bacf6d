//! The common input of the rows of code.

use wattle_ledger::Ledger;

use super::outermost::Around;
use super::owners::{Api, Method, Owners};
use super::row_order::Order;
use super::sums::{PathSums, Sums, by_owner};
use crate::model::watched::Watched;
use crate::model::{CallTree, Estimator};
use crate::{CodeDetail, Figure};

/// The sources of all rows.
pub(super) struct Code<'a> {
    pub ledger: &'a Ledger,
    pub tree: &'a CallTree,
    pub estimator: &'a Estimator<'a>,
    pub watched: Watched,
    /// Of what shares are.
    pub whole: Figure,
    pub api_whole: Figure,
    /// Paths of threads that are shown.
    pub shown: Vec<bool>,
    pub methods: Owners<Method<'a>>,
    pub apis: Owners<Api<'a>>,
    /// Names of the methods.
    pub method_names: Vec<String>,
    pub api_names: Vec<String>,
    pub paths: PathSums<'a>,
    /// Of the paths of methods.
    pub around: Vec<Option<Around>>,
    pub order: Order,
    pub detail: CodeDetail,
}

impl Code<'_> {
    /// Energies of owners: own, total, and both by tables.
    pub fn sums(&self, owners: &[u32], count: usize, around: &[Option<Around>]) -> Vec<Sums> {
        by_owner(owners, count, around, &self.paths)
    }

    /// The figure of a sum of paths.
    pub fn figure(&self, tally: &crate::model::Tally) -> Figure {
        self.estimator.figure(tally, self.watched.threads)
    }
}
