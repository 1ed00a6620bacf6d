//! The proof that a ledger closes.

use wattle_power::Component;
use wattle_units::{CompensatedSum, Joules};

use crate::{Closure, Ledger, LedgerError};

/// Largest relative difference of the two sides.
const TOLERANCE: f64 = 1e-9;

/// Energies below this are as good as none.
const NOTHING: Joules = Joules::new(1e-9);

/// Compares the entries of each component with the integral of its tracks.
pub(crate) fn check<'a>(
    ledger: &Ledger,
    integrals: impl Iterator<Item = (&'a Component, Joules)>,
) -> Result<Vec<Closure>, LedgerError> {
    let mut booked = vec![CompensatedSum::default(); ledger.rows.components.len()];
    for booking in &ledger.bookings {
        if let Some(sum) = booked.get_mut(usize::from(booking.component.0)) {
            sum.add(booking.joules.value());
        }
    }
    booked
        .into_iter()
        .zip(integrals)
        .map(|(booked, (component, integrated))| compare(component, booked, integrated))
        .collect()
}

/// Compares both sides of one component.
pub(crate) fn compare(
    component: &Component,
    booked: CompensatedSum,
    integrated: Joules,
) -> Result<Closure, LedgerError> {
    let component = component.clone();
    let booked = Joules::new(booked.value());
    let error = difference(booked, integrated);
    if error <= TOLERANCE {
        Ok(Closure { component, booked, integrated, error })
    } else {
        Err(LedgerError::DoesNotClose { component, booked, integrated, error })
    }
}

/// The relative difference; 0 where both are nothing, NaN where either is no number.
fn difference(booked: Joules, integrated: Joules) -> f64 {
    if booked.abs() < NOTHING && integrated.abs() < NOTHING {
        return 0.0;
    }
    if !(booked.is_finite() && integrated.is_finite()) {
        return f64::NAN;
    }
    (booked - integrated).abs() / booked.abs().max(integrated.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(booked: f64, integrated: f64, closes: bool) {
        let error = difference(Joules::new(booked), Joules::new(integrated));
        assert_eq!(error <= TOLERANCE, closes, "{error}");
    }

    #[test]
    fn a_nanojoule_at_zero_and_a_billionth_above() {
        check(0.0, 0.0, true);
        check(0.0, 9e-10, true);
        check(0.0, 2e-9, false);
        check(1.0, 1.0 + 0.9e-9, true);
        check(1.0, 1.0 + 1.1e-9, false);
        check(1e6, 1e6 + 0.9e-3, true);
        check(-1.0, 1.0, false);
        check(f64::NAN, 1.0, false);
        check(f64::INFINITY, f64::INFINITY, false);
    }
}
