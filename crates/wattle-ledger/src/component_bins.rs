//! The energy of components over time, as a small table.

use wattle_units::{Joules, Nanos};

use crate::{Ledger, PowerBins, TrackRange};

/// The energy of each component in equal bins of time: sums of the ledger's entries over time ([`crate::EnergyBins`]).
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentBins {
    /// The time axis.
    pub bins: PowerBins,
    /// Length of the window in nanoseconds, with which the last bin ends.
    end: i64,
    /// By component, in the order of [`crate::LedgerRows::components`]: an energy for each bin.
    joules: Vec<Vec<f64>>,
}

impl Ledger {
    /// The energy of components over time; `None` where the ledger does not have its entries over time.
    pub fn component_bins(&self) -> Option<ComponentBins> {
        let table = self.over_time.energy.as_ref()?;
        let count = table.bins.count as usize;
        let mut joules = vec![vec![0.0; count]; self.rows.components.len()];
        for cell in table.cells(&self.bookings) {
            let component = self.bookings.get(cell.booking).map(|it| it.component.0 as usize);
            let of = component.and_then(|at| joules.get_mut(at)?.get_mut(cell.bin as usize));
            if let Some(sum) = of {
                *sum += cell.joules.value();
            }
        }
        let end = (self.recording.window.end - table.bins.start).value();
        Some(ComponentBins { bins: table.bins, end, joules })
    }
}

impl ComponentBins {
    /// The energy of each component in a range of the bins' time. Inside of a bin power is taken as even; ranges that begin and end with
    /// bins have exactly their energy, and neighbouring ranges add up.
    pub fn between(&self, range: TrackRange) -> Vec<Joules> {
        let width = self.bins.width.value().max(1);
        let share = |bin: usize| {
            let start = width.saturating_mul(bin as i64);
            let end = start.saturating_add(width).min(self.end);
            let length = end.saturating_sub(start);
            let inside = end.min(range.to).saturating_sub(start.max(range.from));
            if length <= 0 { 0.0 } else { inside.clamp(0, length) as f64 / length as f64 }
        };
        let shares: Vec<f64> = (0..self.bins.count as usize).map(share).collect();
        let sum =
            |of: &Vec<f64>| of.iter().zip(&shares).map(|(joules, share)| joules * share).sum();
        self.joules.iter().map(|of| Joules::new(sum(of))).collect()
    }

    /// The width of a bin.
    pub const fn width(&self) -> Nanos {
        self.bins.width
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;

    #[test]
    fn ranges_of_bins_are_exact_and_others_add_up() {
        let bins = PowerBins { start: BootNanos::new(500), width: Nanos::new(100), count: 3 };
        // The last bin is 30 long.
        let table =
            ComponentBins { bins, end: 230, joules: vec![vec![1.0, 2.0, 3.0], vec![0.5; 3]] };
        let between = |from, to| table.between(TrackRange { from, to })[0].value();
        assert_eq!(between(0, 100), 1.0);
        assert_eq!(between(100, 230), 5.0);
        assert_eq!(between(0, 1000), 6.0);
        assert_eq!(between(200, 215), 1.5);
        assert!((between(0, 37) + between(37, 222) + between(222, 230) - 6.0).abs() < 1e-12);
        assert_eq!(between(300, 400), 0.0);
    }
}
