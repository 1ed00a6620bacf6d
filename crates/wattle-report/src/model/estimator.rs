//! From energies by source to figures.

use wattle_ledger::Ledger;
use wattle_power::{ErrorModel, SourceTotals};
use wattle_units::{Interval, Joules, Provenance};

use super::{Doubt, Tally};
use crate::Figure;

/// Turns tallies into figures with the error model of a ledger.
pub(crate) struct Estimator<'a> {
    errors: &'a ErrorModel,
    /// Everything that was booked: what shares are shares of.
    totals: SourceTotals,
}

impl<'a> Estimator<'a> {
    pub fn new(ledger: &'a Ledger) -> Self {
        let energies = ledger.bookings.iter().map(|booking| (booking.source, booking.joules));
        Self { errors: &ledger.power.errors, totals: energies.collect() }
    }

    /// With the errors and totals of a ledger that need not be there any more.
    pub fn with(errors: &'a ErrorModel, totals: SourceTotals) -> Self {
        Self { errors, totals }
    }

    /// Everything that was booked, by source.
    pub fn totals(&self) -> &SourceTotals {
        &self.totals
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
        let figure = if tally.is_empty() {
            watched.map_or(Figure::NO_DATA, Figure::zero)
        } else {
            Figure(Some(self.errors.estimate(tally.by_source(), &self.totals)))
        };
        widened(figure, tally.doubts())
    }
}

/// The figure with what probes put in doubt. That has nothing to do with the model's errors, so widths add in quadrature.
fn widened(figure: Figure, doubt: Doubt) -> Figure {
    let Figure(Some(mut estimate)) = figure else { return figure };
    if doubt == Doubt::default() {
        return figure;
    }
    let joules = estimate.joules;
    let width =
        |bound: Joules, doubt: Joules| Joules::new((bound - joules).value().hypot(doubt.value()));
    estimate.interval = Interval {
        low: (joules - width(estimate.interval.low, doubt.less)).max(Joules::ZERO),
        high: joules + width(estimate.interval.high, doubt.more),
    };
    Figure(Some(estimate))
}
