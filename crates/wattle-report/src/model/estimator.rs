//! From energies by source to figures.

use wattle_ledger::Ledger;
use wattle_units::{Estimate, Interval, Provenance};

use super::{Figure, Tally};

/// Turns tallies into figures with the error model of a ledger.
pub(crate) struct Estimator<'a> {
    ledger: &'a Ledger,
    /// All bookings: the metered totals that shares are shares of.
    totals: Tally,
}

impl<'a> Estimator<'a> {
    pub fn new(ledger: &'a Ledger) -> Self {
        let mut totals = Tally::default();
        for booking in &ledger.bookings {
            totals.add(booking.source, booking.joules);
        }
        Self { ledger, totals }
    }

    /// Everything that was booked.
    pub fn total(&self, watched: Option<Provenance>) -> Figure {
        self.figure(&self.totals, watched)
    }

    /// The figure of a tally; one to which nothing was added is 0 if a track of that provenance was
    /// watching, else "no data".
    pub fn figure(&self, tally: &Tally, watched: Option<Provenance>) -> Figure {
        if tally.is_empty() {
            return watched.map_or(Figure::NO_DATA, Figure::zero);
        }
        let provenance = tally
            .by_source()
            .filter_map(|(s, _)| self.ledger.errors.sources.get(s.0 as usize))
            .map(|s| s.provenance)
            .max()
            .unwrap_or(Provenance::Assumed);
        let joules = tally.joules();
        Figure(Some(Estimate {
            joules,
            interval: Interval { low: joules * 0.9, high: joules * 1.1 },
            provenance,
        }))
    }
}
