//! Energy over time of ledgers made by hand.

use wattle_ledger::{EnergyBins, Ledger, MeterIntervals, PowerBins};
use wattle_units::Nanos;

/// Ten bins; each entry in those of which the number, counted from 1, divides its own, with more energy in later ones.
pub fn with_bins(mut ledger: Ledger) -> Ledger {
    const BINS: u32 = 10;
    let window = ledger.recording.window;
    let width = Nanos::new(window.duration().value() / i64::from(BINS));
    let mut table = EnergyBins {
        bins: PowerBins { start: window.start, width, count: BINS },
        cells: Vec::new(),
        steps: Vec::new(),
        parts: Vec::new(),
    };
    for entry in 1..=ledger.bookings.len() as u32 {
        let bins: Vec<u32> = (0..BINS).filter(|bin| entry % (bin + 1) == 0).collect();
        let all: i64 = bins.iter().map(|bin| i64::from(*bin) + 1).sum();
        let (mut last, mut left) = (0, 1_000_000_000);
        for (nth, bin) in bins.iter().enumerate() {
            let part = 1_000_000_000 * (i64::from(*bin) + 1) / all;
            let part = if nth + 1 == bins.len() { left } else { part };
            table.steps.push(bin - last);
            table.parts.push(part);
            (last, left) = (*bin, left - part);
        }
        table.cells.push(bins.len() as u32);
    }
    ledger.over_time.energy = Some(table);
    // Read every half second: bins of a second begin and end with a reading.
    let half = Nanos::new(500_000_000);
    ledger.over_time.meter_intervals = (0..ledger.power.errors.meters.len() as u16)
        .map(|meter| MeterIntervals {
            meter: wattle_power::MeterId(meter),
            start: window.start,
            steps: vec![(half, Nanos::ZERO); 20],
        })
        .collect();
    ledger
}
