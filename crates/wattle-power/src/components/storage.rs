//! Flash storage by bytes: `storage.read.byte` and `storage.write.byte` (nJ/B) × what was read and written between two
//! samples of a device's counters. Nobody publishes them for phones as a rule: they come from calibration.

use wattle_timeline::{CounterScope, Window};
use wattle_units::Watts;

use super::draw::{Rate, Rates};
use super::states::{StateResult, States};
use crate::{Measure, Scope};

const READ: &str = "storage.read.byte";
const WRITE: &str = "storage.write.byte";

pub(super) fn model(states: &States<'_>, rates: Rates<'_>) -> StateResult {
    let mut found = StateResult::default();
    for track in &states.timeline.system.counters {
        let name = states.timeline.names.get(track.name);
        let is_disk = name.starts_with("disk.") && track.scope == CounterScope::Global;
        let figure = match name.rsplit('.').next() {
            Some("read_bytes") if is_disk => READ,
            Some("write_bytes") if is_disk => WRITE,
            _ => continue,
        };
        if track.value.iter().all(|value| Some(value) == track.value.first()) {
            continue;
        }
        let Some(joules) = per_byte(rates, figure) else {
            found.missing.push(figure);
            continue;
        };
        found.used.push(figure);
        found.begin();
        let samples = || track.time.iter().zip(&track.value);
        for ((from, before), (until, after)) in samples().zip(samples().skip(1)) {
            let window = Window::new(*from, *until);
            let seconds = window.duration().seconds();
            let bytes = after - before;
            if seconds > 0.0 && bytes > 0.0 {
                let power = Watts::new(joules * bytes / seconds);
                let rate = Rate { power, ..Rate::default() };
                found.draw(&Scope::Device, window, rate);
            }
        }
    }
    found
}

/// Joules of a byte.
pub(super) fn per_byte(rates: Rates<'_>, name: &str) -> Option<f64> {
    let figure = rates.figures.get(name)?;
    (figure.unit == Measure::NanojoulesPerByte).then_some(*figure.values.first()? * 1e-9)
}
