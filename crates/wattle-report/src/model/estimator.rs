//! From energies by source to figures.

use wattle_ledger::Ledger;
use wattle_power::{ErrorModel, SourceTotals};
use wattle_units::Provenance;

use super::{Figure, Tally};

/// Turns tallies into figures with the error model of a ledger.
pub(crate) struct Estimator<'a> {
    errors: &'a ErrorModel,
    /// Everything that was booked: what shares are shares of.
    totals: SourceTotals,
}

impl<'a> Estimator<'a> {
    pub fn new(ledger: &'a Ledger) -> Self {
        let energies = ledger.bookings.iter().map(|booking| (booking.source, booking.joules));
        Self { errors: &ledger.errors, totals: energies.collect() }
    }

    /// Everything that was booked; 0 if tracks of that provenance were watching and saw nothing.
    pub fn total(&self, watched: Option<Provenance>) -> Figure {
        let mut all = Tally::default();
        for (source, joules) in self.totals.iter() {
            if joules.value() != 0.0 {
                all.add(source, joules);
            }
        }
        self.figure(&all, watched)
    }

    /// The figure of a tally; one to which nothing was added is 0 if a track of that provenance was
    /// watching, else "no data".
    pub fn figure(&self, tally: &Tally, watched: Option<Provenance>) -> Figure {
        if tally.is_empty() {
            return watched.map_or(Figure::NO_DATA, Figure::zero);
        }
        Figure(Some(self.errors.estimate(tally.by_source(), &self.totals)))
    }
}
