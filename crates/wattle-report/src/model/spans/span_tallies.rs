//! Energies of stretches by consumer and component.

use std::collections::BTreeMap;

use wattle_ledger::{ComponentId, Ledger, SpanEntry, SpanParty, SpanRole};

use crate::Figure;
use crate::model::basis::Basis;
use crate::model::order::by_energy;
use crate::model::{ComponentRow, Tally};

/// The named stretches of a ledger, with their numbers.
pub(super) fn named(ledger: &Ledger) -> impl Iterator<Item = (usize, &SpanEntry)> {
    ledger.spans.entries.iter().enumerate().filter(|(_, span)| span.role == SpanRole::Named)
}

/// By stretch: its energies.
pub(super) struct SpanTallies {
    spans: Vec<BTreeMap<(SpanParty, ComponentId), Tally>>,
}

impl SpanTallies {
    /// One pass over the entries of stretches.
    pub(super) fn new(ledger: &Ledger) -> Self {
        let mut spans = vec![BTreeMap::new(); ledger.spans.entries.len()];
        for booking in &ledger.spans.bookings {
            if let Some(of_span) = spans.get_mut(booking.span as usize) {
                let tally: &mut Tally =
                    of_span.entry((booking.party, booking.component)).or_default();
                tally.add(booking.source, booking.joules);
            }
        }
        Self { spans }
    }

    /// The energy of some consumers.
    pub(super) fn tally(&self, span: usize, counts: impl Fn(SpanParty) -> bool) -> Tally {
        let mut all = Tally::default();
        for ((party, _), tally) in self.spans.get(span).into_iter().flatten() {
            if counts(*party) {
                all.merge(tally);
            }
        }
        all
    }

    /// The energy of one consumer: 0 where threads were watched and none of its was there.
    pub(super) fn party(&self, basis: Basis<'_>, span: usize, party: SpanParty) -> Figure {
        let watched = basis.watched.threads.filter(|_| basis.total.0.is_some());
        basis.estimator.figure(&self.tally(span, |it| it == party), watched)
    }

    /// By component, most energy first; shares are of the stretch.
    pub(super) fn components(&self, basis: Basis<'_>, span: usize) -> Vec<ComponentRow> {
        let mut sums: BTreeMap<ComponentId, Tally> = BTreeMap::new();
        for ((_, component), tally) in self.spans.get(span).into_iter().flatten() {
            sums.entry(*component).or_default().merge(tally);
        }
        let whole = basis.estimator.figure(&self.tally(span, |_| true), None);
        let row = |(id, tally): (ComponentId, Tally)| {
            let entry = basis.ledger.rows.components.get(usize::from(id.0))?;
            let energy = basis.estimator.figure(&tally, None);
            let share = energy.share_of(whole);
            Some(ComponentRow { name: entry.name.to_string(), energy, share, mean_mw: None })
        };
        let mut rows: Vec<_> = sums.into_iter().filter_map(row).collect();
        rows.sort_by(|one, other| {
            by_energy(one.energy, other.energy).then_with(|| one.name.cmp(&other.name))
        });
        rows
    }
}
