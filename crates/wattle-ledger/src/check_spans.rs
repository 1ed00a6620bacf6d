//! Whether the stretches of a ledger are rows of it, and each kind of them is its total.

use wattle_units::CompensatedSum;

use crate::check::{points, refuse};
use crate::{Ledger, LedgerError, SpanKind, SpanRole};

/// The largest relative difference of two sums of the same energies, as for [`crate::Closure`].
const TOLERANCE: f64 = 1e-9;

impl Ledger {
    /// That entries point to rows and are in order, and that each kind sums up to the bookings of every component.
    pub(crate) fn check_spans(&self) -> Result<(), LedgerError> {
        for (index, span) in self.spans.entries.iter().enumerate() {
            if span.window.end < span.window.start {
                refuse("span", index, "ends before it starts".to_owned())?;
            }
        }
        let mut last = None;
        for (index, booking) in self.spans.bookings.iter().enumerate() {
            let row = ("span booking", index);
            points(row, "span", booking.span as usize, self.spans.entries.len())?;
            points(row, "component", usize::from(booking.component.0), self.rows.components.len())?;
            points(row, "source", usize::from(booking.source.0), self.power.errors.sources.len())?;
            let place = (booking.span, booking.party, booking.component, booking.source);
            if last >= Some(place) {
                refuse("span booking", index, "is not in ascending order".to_owned())?;
            }
            last = Some(place);
        }
        self.check_span_totals()
    }

    fn check_span_totals(&self) -> Result<(), LedgerError> {
        let components = self.rows.components.len();
        let mut booked = vec![CompensatedSum::default(); components];
        for booking in &self.bookings {
            if let Some(sum) = booked.get_mut(usize::from(booking.component.0)) {
                sum.add(booking.joules.value());
            }
        }
        for kind in SpanKind::ALL {
            let mut sums = vec![CompensatedSum::default(); components];
            let mut first = None;
            for (index, span) in self.spans.entries.iter().enumerate() {
                if span.subject.kind() == kind {
                    first.get_or_insert(index);
                }
            }
            let Some(first) = first else { continue };
            for booking in &self.spans.bookings {
                let Some(span) = self.spans.entries.get(booking.span as usize) else { continue };
                if span.subject.kind() != kind {
                    continue;
                }
                let sign = if span.role == SpanRole::Repeated { -1.0 } else { 1.0 };
                if let Some(sum) = sums.get_mut(usize::from(booking.component.0)) {
                    sum.add(sign * booking.joules.value());
                }
            }
            for (index, (sum, booked)) in sums.iter().zip(&booked).enumerate() {
                let (sum, booked) = (sum.value(), booked.value());
                let largest = sum.abs().max(booked.abs());
                if (sum - booked).abs() > TOLERANCE * largest.max(1.0) {
                    let name = &self.rows.components[index].name;
                    let problem = format!(
                        "its kind sums up to {sum} J of {name}, the entries of the ledger to {booked} J"
                    );
                    refuse("span", first, problem)?;
                }
            }
        }
        Ok(())
    }
}
