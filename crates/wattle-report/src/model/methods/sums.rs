//! Energies of call paths, and of all paths of one owner.

use wattle_ledger::Ledger;

use super::api_tally::ApiTally;
use super::outermost::Around;
use super::owners::{Api, NOBODY, Owners};
use crate::model::{CallTree, Tally};

/// Energies of each path.
pub(super) struct PathSums<'a> {
    /// While it was innermost.
    pub own: &'a [Tally],
    /// With all that was called below it.
    pub total: Vec<Tally>,
    /// The call that it is, by tables of costs.
    pub api_own: Vec<ApiTally>,
    /// With all calls below it.
    pub api_total: Vec<ApiTally>,
}

impl<'a> PathSums<'a> {
    pub fn new(ledger: &Ledger, tree: &CallTree, own: &'a [Tally], apis: &Owners<Api<'_>>) -> Self {
        let cost = |owner: u32| {
            let entry = apis.things.get(owner as usize)?.entry?;
            ledger.sheets.apis.apis.get(entry)?.cost.as_ref()
        };
        let api_own: Vec<ApiTally> = ledger
            .rows
            .paths
            .iter()
            .zip(&apis.of_path)
            .map(|(path, owner)| {
                let mut tally = ApiTally::default();
                if *owner != NOBODY {
                    tally.add(cost(*owner), path.calls);
                }
                tally
            })
            .collect();
        let mut total = own.to_vec();
        let mut api_total = api_own.clone();
        // Callees come after their callers: going backwards, a path's callees are complete when it is reached.
        for at in (0..tree.len()).rev() {
            let Some(caller) = tree.caller(at) else { continue };
            let (callers, callees) = total.split_at_mut(at);
            callers[caller].merge(&callees[0]);
            let (callers, callees) = api_total.split_at_mut(at);
            callers[caller].merge(&callees[0]);
        }
        Self { own, total, api_own, api_total }
    }
}

/// Energies of one owner.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub own: Tally,
    /// Once where a path lies inside another of the same owner.
    pub total: Tally,
    pub api_own: ApiTally,
    pub api_total: ApiTally,
    /// Number of paths.
    pub paths: usize,
}

/// The energies of all owners.
pub(super) fn by_owner(
    owners: &[u32],
    count: usize,
    around: &[Option<Around>],
    paths: &PathSums<'_>,
) -> Vec<Sums> {
    let mut all = vec![Sums::default(); count];
    for (at, owner) in owners.iter().enumerate() {
        let Some(sums) = all.get_mut(*owner as usize) else { continue };
        sums.paths += 1;
        sums.own.merge(&paths.own[at]);
        sums.api_own.merge(&paths.api_own[at]);
        if around[at].is_none() {
            sums.total.merge(&paths.total[at]);
            sums.api_total.merge(&paths.api_total[at]);
        }
    }
    all
}
