//! Both ways of giving bytes to calls beside each other.

use rustc_hash::FxHashMap;
use wattle_timeline::ThreadId;
use wattle_units::{BootNanos, CompensatedSum};

use super::{Allocation, allocation_error, total_error};

/// Difference between a shared counter and the calls' own bytes: the two indices of Hitani et al., section 5.1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The count of the counters.
    pub counted: f64,
    /// The part of it that calls were given by time.
    pub shared: f64,
    /// Bytes that calls moved themselves.
    pub hooked: f64,
    /// Error index 1 of what was shared: [`total_error`].
    pub shared_error: Option<f64>,
    /// The same of what was hooked.
    pub hooked_error: Option<f64>,
    /// Error index 2: variance over calls of what the call moved less what it was given, see [`allocation_error`].
    pub allocation_error: Option<f64>,
    /// Calls that either of both knows.
    pub calls: u64,
}

impl Comparison {
    /// Of counters that were shared, such as one for each direction, and of the same calls' own bytes. A call is known by its
    /// thread, its beginning and its path's length; what it has in several allocations is added up.
    pub fn new(shared: &[Allocation], hooked: &[Allocation]) -> Self {
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        let mut known: FxHashMap<(ThreadId, BootNanos, usize), usize> = FxHashMap::default();
        let mut add = |allocation: &Allocation, to: fn(&mut (f64, f64)) -> &mut f64| {
            for call in &allocation.calls {
                let key = (call.thread, call.window.start, allocation.names(call.path).len());
                let at = *known.entry(key).or_insert_with(|| {
                    pairs.push((0.0, 0.0));
                    pairs.len() - 1
                });
                if let Some(pair) = pairs.get_mut(at) {
                    *to(pair) += call.amount;
                }
            }
        };
        for allocation in hooked {
            add(allocation, |pair| &mut pair.0);
        }
        for allocation in shared {
            add(allocation, |pair| &mut pair.1);
        }
        let sum = |all: &[Allocation], of: fn(&Allocation) -> f64| {
            all.iter().map(of).collect::<CompensatedSum>().value()
        };
        let counted = sum(shared, |it| it.counted);
        let given = [shared, hooked].map(|all| sum(all, Allocation::allocated));
        let [shared_error, hooked_error] = given.map(|given| total_error(counted, given));
        Self {
            counted,
            shared: given[0],
            hooked: given[1],
            shared_error,
            hooked_error,
            calls: pairs.len() as u64,
            allocation_error: allocation_error(pairs),
        }
    }
}
