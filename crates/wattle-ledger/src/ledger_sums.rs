//! Figures of a ledger: sums of bookings with their intervals.

use std::collections::BTreeMap;

use wattle_power::{SourceId, SourceTotals};
use wattle_units::{CompensatedSum, Estimate, Joules, sum_by_key};

use crate::{Booking, Ledger};

impl Ledger {
    /// Energy of every source over the whole ledger: what [`wattle_power::ErrorModel::estimate`] needs in
    /// order to know a figure's share of a metered sum.
    pub fn source_totals(&self) -> SourceTotals {
        self.bookings.iter().map(|booking| (booking.source, booking.joules)).collect()
    }

    /// The sum of the bookings that are kept. `None` when there is none: "no data", which is not 0 J.
    pub fn estimate_where(&self, keep: impl Fn(&Booking) -> bool) -> Option<Estimate> {
        let mut kept = self.bookings.iter().filter(|booking| keep(booking)).peekable();
        kept.peek()?;
        let energies = kept.map(|booking| (booking.source, booking.joules));
        Some(self.power.errors.estimate(energies, &self.source_totals()))
    }

    /// The sum of all bookings. `None` when there is none.
    pub fn total(&self) -> Option<Estimate> {
        self.estimate_where(|_| true)
    }

    /// Sums by key, in order of the keys; bookings without a key are left out. A key without
    /// bookings is absent, which is not 0 J. Linear in the number of bookings, but for finding the key.
    pub fn grouped<K: Ord>(&self, key: impl Fn(&Booking) -> Option<K>) -> BTreeMap<K, Estimate> {
        let mut groups: BTreeMap<K, Vec<(SourceId, CompensatedSum)>> = BTreeMap::new();
        for booking in &self.bookings {
            let Some(key) = key(booking) else { continue };
            let sums = groups.entry(key).or_default();
            // A list that is full is folded to one entry a source, and grows only if that did
            // not free half of it: short lists, and each entry is sorted a bounded number of times.
            if sums.len() == sums.capacity() {
                sum_by_key(sums);
                sums.reserve(sums.len().max(4));
            }
            let mut sum = CompensatedSum::default();
            sum.add(booking.joules.value());
            sums.push((booking.source, sum));
        }
        let totals = self.source_totals();
        groups
            .into_iter()
            .map(|(key, mut sums)| {
                sum_by_key(&mut sums);
                let energies = sums.iter().map(|(source, sum)| (*source, Joules::new(sum.value())));
                (key, self.power.errors.estimate(energies, &totals))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use wattle_power::{ErrorGroup, ErrorGroupId, ErrorSource};
    use wattle_timeline::Window;
    use wattle_units::Provenance;

    use super::*;
    use crate::{Account, AccountId, Charge, ComponentId};

    fn ledger(bookings: &[(u32, u16, f64)]) -> Ledger {
        let mut ledger = Ledger::empty(Window::default());
        let group = ErrorGroup { name: "g".into(), shared: 0.1, freedom: None };
        ledger.power.errors.groups.push(group);
        for index in 0..40 {
            ledger.power.errors.sources.push(ErrorSource {
                name: index.to_string(),
                group: ErrorGroupId(0),
                own: 0.0,
                meter: None,
                provenance: Provenance::Modelled,
            });
        }
        ledger.rows.accounts = vec![Account::IdleFloor, Account::Unattributed];
        ledger.bookings = bookings
            .iter()
            .map(|(account, source, joules)| Booking {
                account: AccountId(*account),
                component: ComponentId(0),
                charge: Charge::Core,
                source: SourceId(*source),
                joules: Joules::new(*joules),
            })
            .collect();
        ledger
    }

    #[test]
    fn no_bookings_is_no_data() {
        assert_eq!(ledger(&[]).total(), None);
        assert_eq!(ledger(&[(0, 0, 1.0)]).estimate_where(|b| b.account.0 == 1), None);
        let zero = ledger(&[(0, 0, 0.0)]).total().map(|total| total.joules);
        assert_eq!(zero, Some(Joules::ZERO));
    }

    #[test]
    fn groups_are_what_their_bookings_sum_to() {
        let lines: Vec<(u32, u16, f64)> =
            (0..1000).map(|i| (i % 2, (i % 37) as u16, f64::from(i))).collect();
        let ledger = ledger(&lines);
        let groups = ledger.grouped(|b| (b.joules.value() >= 10.0).then_some(b.account));
        // Σ of the even numbers 10..=998 and of the odd ones 11..=999, by Gauss.
        let joules: Vec<f64> = groups.values().map(|e| e.joules.value()).collect();
        assert_eq!(joules, [495.0 * 504.0, 495.0 * 505.0]);
        for (account, estimate) in &groups {
            let alone =
                ledger.estimate_where(|b| b.joules.value() >= 10.0 && b.account == *account);
            assert_eq!(alone, Some(*estimate));
        }
    }
}
