//! Which methods of the framework are behind each method of the app.

use wattle_ledger::Ledger;

use super::outermost::Around;
use super::owners::{Api, NOBODY, Owners};
use crate::model::CallTree;

/// No list is longer: what has less energy is left out of it. Sums hold all of it.
pub(super) const LONGEST: usize = 256;

/// Calls by API, in order of the APIs.
#[derive(Clone, Debug, Default)]
pub(super) struct ApiList {
    calls: Vec<(u32, u64)>,
    /// Whether something had to be left out.
    pub is_cut: bool,
}

impl ApiList {
    fn one(api: u32, calls: u64) -> Self {
        Self { calls: vec![(api, calls)], is_cut: false }
    }

    /// Calls by API.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.calls.iter().copied()
    }

    fn merge(&mut self, other: &Self, costs: &[f64]) {
        self.is_cut |= other.is_cut;
        for (api, calls) in &other.calls {
            match self.calls.binary_search_by_key(api, |(api, _)| *api) {
                Ok(at) => self.calls[at].1 = self.calls[at].1.saturating_add(*calls),
                Err(at) => self.calls.insert(at, (*api, *calls)),
            }
        }
        if self.calls.len() > LONGEST {
            let rank = |(api, calls): &(u32, u64)| {
                costs.get(*api as usize).copied().unwrap_or_default() * *calls as f64
            };
            self.calls.sort_by(|one, other| {
                rank(other)
                    .total_cmp(&rank(one))
                    .then(other.1.cmp(&one.1))
                    .then(one.0.cmp(&other.0))
            });
            self.calls.truncate(LONGEST);
            self.calls.sort_unstable();
            self.is_cut = true;
        }
    }
}

/// For each owner what it calls, with all that happens below its paths.
pub(super) fn by_owner(
    ledger: &Ledger,
    tree: &CallTree,
    (owners, count): (&[u32], usize),
    around: &[Option<Around>],
    apis: &Owners<Api<'_>>,
) -> Vec<ApiList> {
    let cost = |api: &Api<'_>| {
        let cost = ledger.sheets.apis.apis.get(api.entry?)?.cost.as_ref()?;
        Some(cost.per_call.joules.value())
    };
    let costs: Vec<f64> = apis.things.iter().map(|api| cost(api).unwrap_or_default()).collect();
    let mut below: Vec<ApiList> = apis
        .of_path
        .iter()
        .zip(&ledger.rows.paths)
        .map(|(api, path)| match *api {
            NOBODY => ApiList::default(),
            api => ApiList::one(api, path.calls),
        })
        .collect();
    let mut lists = vec![ApiList::default(); count];
    for at in (0..tree.len()).rev() {
        let mut list = std::mem::take(&mut below[at]);
        if around[at].is_none()
            && let Some(of_owner) = lists.get_mut(owners[at] as usize)
        {
            of_owner.merge(&list, &costs);
        }
        if let Some(caller) = tree.caller(at) {
            // The smaller of the two is copied.
            if below[caller].calls.len() < list.calls.len() {
                std::mem::swap(&mut below[caller], &mut list);
            }
            below[caller].merge(&list, &costs);
        }
    }
    lists
}
