//! Energy of entries over time: from it the energy of any period follows, with the interval of the entries' sources.

use serde::{Deserialize, Serialize};
use wattle_units::Joules;

use crate::{Booking, PowerBins};

/// Bins at the start; there are fewer where the table would have more than [`MOST_CELLS`] cells.
pub(crate) const MOST_BINS: u32 = 1024;

/// The most cells of a table, unless that would be fewer than two for each entry of the ledger.
pub(crate) const MOST_CELLS: usize = 400_000;

/// The parts that the energy of one entry is divided into.
pub(crate) const PARTS: f64 = 1e9;

/// The energy of each entry in equal bins of time, as a sparse table. The cells of an entry are one after the other, the entries in their
/// order; an entry without cells has energy of no known time.
///
/// The energy of a cell is a whole number of billionth parts of its entry's, and the parts of each entry add up to all of it: sums over all
/// bins *are* the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnergyBins {
    /// The time axis.
    pub bins: PowerBins,
    /// Number of cells of each entry.
    pub cells: Vec<u32>,
    /// By cell: its bin, less that of the cell before of the same entry; of the first, its bin.
    pub steps: Vec<u32>,
    /// By cell: billionth parts of the entry's energy.
    pub parts: Vec<i64>,
}

/// The energy of one entry in one bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyCell {
    /// Index into [`crate::Ledger::bookings`].
    pub booking: usize,
    /// Number of the bin.
    pub bin: u32,
    /// The energy.
    pub joules: Joules,
}

impl EnergyBins {
    /// The table of cells that are in order of entry and bin, each of which occurs once.
    pub(crate) fn from_cells(bins: PowerBins, bookings: &[Booking], cells: &[EnergyCell]) -> Self {
        let mut table = Self { bins, ..Self::default() };
        let mut rest = cells;
        for (index, booking) in bookings.iter().enumerate() {
            let count = rest.iter().take_while(|cell| cell.booking == index).count();
            let (own, later) = rest.split_at(count);
            rest = later;
            let count = table.add_entry(booking.joules, own);
            table.cells.push(count);
        }
        table
    }

    /// Adds the cells of one entry and returns their number.
    fn add_entry(&mut self, whole: Joules, cells: &[EnergyCell]) -> u32 {
        let sum: f64 = cells.iter().map(|cell| cell.joules.value()).sum();
        let is_divisible = whole != Joules::ZERO && sum.is_normal();
        if !is_divisible {
            return 0;
        }
        // Running sums are rounded, so that what rounding takes from one cell the next one has.
        let (mut sum_before, mut parts_before, mut bin_before) = (0.0, 0_i64, 0);
        let first = self.parts.len();
        for cell in cells {
            sum_before += cell.joules.value();
            let parts = (sum_before / sum * PARTS).round() as i64;
            if parts != parts_before {
                self.steps.push(cell.bin - bin_before);
                self.parts.push(parts - parts_before);
                (parts_before, bin_before) = (parts, cell.bin);
            }
        }
        if let Some(last) = self.parts.last_mut().filter(|_| parts_before != 0) {
            *last += PARTS as i64 - parts_before;
        }
        (self.parts.len() - first) as u32
    }

    /// All cells, in order of entry and bin.
    pub fn cells<'a>(&'a self, bookings: &'a [Booking]) -> impl Iterator<Item = EnergyCell> + 'a {
        let mut places = self.steps.iter().zip(&self.parts);
        let entries = bookings.iter().zip(&self.cells).enumerate();
        entries.flat_map(move |(booking, (entry, count))| {
            let mut bin = 0;
            let of_entry: Vec<EnergyCell> = places
                .by_ref()
                .take(*count as usize)
                .map(|(step, parts)| {
                    bin += step;
                    let joules = Joules::new(entry.joules.value() * (*parts as f64 / PARTS));
                    EnergyCell { booking, bin, joules }
                })
                .collect();
            of_entry
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wattle_power::SourceId;

    use super::*;
    use crate::{AccountId, Charge, ComponentId};

    fn entry(joules: f64) -> Booking {
        Booking {
            account: AccountId(0),
            component: ComponentId(0),
            charge: Charge::Core,
            source: SourceId(0),
            joules: Joules::new(joules),
        }
    }

    proptest! {
        #[test]
        fn sums_over_bins_are_the_entries(
            energies in prop::collection::vec(prop::collection::vec(0.0_f64..10.0, 1..40), 1..20)
        ) {
            let bookings: Vec<_> = energies.iter().map(|own| entry(own.iter().sum())).collect();
            let cells: Vec<_> = energies
                .iter()
                .enumerate()
                .flat_map(|(booking, own)| {
                    (0..).zip(own).map(move |(bin, joules)| {
                        EnergyCell { booking, bin, joules: Joules::new(*joules) }
                    })
                })
                .collect();
            let table = EnergyBins::from_cells(PowerBins::default(), &bookings, &cells);
            let mut sums = vec![0.0; bookings.len()];
            for cell in table.cells(&bookings) {
                sums[cell.booking] += cell.joules.value();
                let expected = energies[cell.booking][cell.bin as usize];
                let whole = bookings[cell.booking].joules.value();
                prop_assert!((cell.joules.value() - expected).abs() <= 2e-9 * whole);
            }
            for (sum, booking) in sums.iter().zip(&bookings) {
                let whole = booking.joules.value();
                prop_assert!((sum - whole).abs() <= 1e-12 * whole);
            }
        }
    }
}
