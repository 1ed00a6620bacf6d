//! Power over time, for counters.

use wattle_ledger::{Ledger, PowerSeries};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos, Watts};

/// The stretch of time of a bin, cut at the end of the window.
pub fn bin(ledger: &Ledger, index: usize) -> Window {
    let width = ledger.over_time.bins.width.value();
    let offset = i64::try_from(index).unwrap_or(i64::MAX).saturating_mul(width);
    let start: BootNanos = ledger.over_time.bins.start + Nanos::new(offset);
    Window::new(start, start + Nanos::new(width)).intersect(ledger.recording.window)
}

/// Power and energy of each bin of a series.
pub fn bins<'a>(
    ledger: &'a Ledger,
    series: &'a PowerSeries,
) -> impl Iterator<Item = (Window, Watts, Joules)> + 'a {
    series.power.iter().enumerate().map(|(index, power)| {
        let window = bin(ledger, index);
        (window, *power, *power * window.duration())
    })
}
