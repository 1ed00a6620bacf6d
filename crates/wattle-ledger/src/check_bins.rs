//! Whether the energies of entries over time, and the times of meters, have the shape that their columns need.

use wattle_units::Nanos;

use crate::check::{points, refuse};
use crate::energy_bins::{MOST_BINS, PARTS};
use crate::{Ledger, LedgerError};

impl Ledger {
    /// That the table over time has the shape that its columns need, and every entry in it is divided completely.
    pub(crate) fn check_energy_bins(&self) -> Result<(), LedgerError> {
        let Some(table) = &self.over_time.energy else { return Ok(()) };
        let what = "energy bins";
        let (entries, found) = (self.bookings.len(), table.cells.len());
        if entries != found {
            refuse(what, 0, format!("have {found} rows for {entries} entries"))?;
        }
        let bins = table.bins.count;
        if bins == 0 || bins > MOST_BINS || table.bins.width.value() <= 0 {
            refuse(what, 0, format!("have {bins} bins; expected 1 to {MOST_BINS} of some width"))?;
        }
        let cells: u64 = table.cells.iter().map(|count| u64::from(*count)).sum();
        let (steps, parts) = (table.steps.len() as u64, table.parts.len() as u64);
        if steps != cells || parts != cells {
            refuse(what, 0, format!("have {steps} steps and {parts} parts for {cells} cells"))?;
        }
        let mut places = table.steps.iter().zip(&table.parts);
        for (index, count) in table.cells.iter().enumerate() {
            let (mut bin, mut whole, mut steps) = (0_u32, 0_i64, 0);
            for (step, parts) in places.by_ref().take(*count as usize) {
                if steps > 0 && *step == 0 {
                    refuse(what, index, "are not in ascending order".to_owned())?;
                }
                steps += 1;
                bin = bin.saturating_add(*step);
                whole = whole.saturating_add(*parts);
            }
            if bin >= bins {
                refuse(what, index, format!("point to bin {bin}, there are {bins}"))?;
            }
            if *count > 0 && whole != PARTS as i64 {
                refuse(what, index, format!("have {whole} of 1000000000 parts"))?;
            }
        }
        Ok(())
    }

    /// That intervals are of meters that exist, and in order.
    pub(crate) fn check_meter_intervals(&self) -> Result<(), LedgerError> {
        let what = "meter intervals";
        for (index, of) in self.over_time.meter_intervals.iter().enumerate() {
            let meters = self.power.errors.meters.len();
            points((what, index), "meter", usize::from(of.meter.0), meters)?;
            if of.steps.iter().any(|(length, gap)| *length < Nanos::ZERO || *gap < Nanos::ZERO) {
                refuse(what, index, "are not in order of time".to_owned())?;
            }
            let mut end = i128::from(of.start.value());
            for (length, gap) in &of.steps {
                end += i128::from(length.value()) + i128::from(gap.value());
            }
            if i64::try_from(end).is_err() {
                refuse(what, index, "end after the last instant".to_owned())?;
            }
        }
        Ok(())
    }
}
