//! Single events that are very expensive.

use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Nanos};

use crate::RegionOptions;
use crate::events::ThreadEvents;

/// The fewest other events that one can be held against.
const FEWEST_OTHERS: usize = 3;

/// Stretches on a CPU that are far longer than all the thread's others: mean and deviation are of the others, so that one event
/// among few does not set the measure that it is held against. Of many events the longest one is long by chance alone, by the
/// logarithm of their number in means; so much more is asked for.
pub(crate) fn single(events: &ThreadEvents, options: &RegionOptions) -> Vec<Window> {
    let others = events.runs.len().saturating_sub(1);
    if others < FEWEST_OTHERS {
        return Vec::new();
    }
    let length = |window: Window| window.duration().seconds();
    let sum: CompensatedSum = events.runs.iter().map(|run| length(run.window)).collect();
    let squares: CompensatedSum =
        events.runs.iter().map(|run| length(run.window).powi(2)).collect();
    let others = others as f64;
    let by_chance = others.ln();
    let is_expensive = |window: Window| {
        let own = length(window);
        let mean = (sum.value() - own).max(0.0) / others;
        let variance = (squares.value() - own * own).max(0.0) / others - mean * mean;
        let deviation = variance.max(0.0).sqrt();
        window.duration() >= options.single_least.max(Nanos::new(1))
            && own >= mean + options.single_deviations * deviation
            && own >= mean * (options.single_factor + by_chance)
    };
    events.runs.iter().map(|run| run.window).filter(|window| is_expensive(*window)).collect()
}
