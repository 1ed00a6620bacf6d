//! Single events that are very expensive.

use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Nanos};

use crate::RegionOptions;
use crate::events::ThreadEvents;

/// The fewest other events that one can be held against.
const FEWEST_OTHERS: usize = 3;

/// Stretches on a CPU that are far longer than the rest of the thread's: mean and deviation are of the rest, in which none of them
/// is, so that one of them does not hide another. They are no more than the rest. Of many events the longest one is long by chance
/// alone, by the logarithm of their number in means; so much more is asked for.
pub(crate) fn single(events: &ThreadEvents, options: &RegionOptions) -> Vec<Window> {
    let length = |window: Window| window.duration().seconds();
    let least = options.single_least.max(Nanos::new(1));
    let (mut long, rest): (Vec<Window>, Vec<Window>) =
        events.runs.iter().map(|run| run.window).partition(|it| it.duration() >= least);
    long.sort_by_key(|window| window.duration());
    let mut sum: CompensatedSum = rest.iter().map(|it| length(*it)).collect();
    let mut squares: CompensatedSum = rest.iter().map(|it| length(*it).powi(2)).collect();
    // From the shortest on: the first one that is far longer than all that are shorter, and with it all that are longer.
    for (index, window) in long.iter().enumerate() {
        let (shorter, own) = (rest.len() + index, length(*window));
        let others = shorter as f64;
        let mean = sum.value() / others;
        let deviation = (squares.value() / others - mean * mean).max(0.0).sqrt();
        if shorter >= FEWEST_OTHERS.max(long.len() - index)
            && own >= mean + options.single_deviations * deviation
            && own >= mean * (options.single_factor + others.ln())
        {
            return long.split_off(index);
        }
        sum.add(own);
        squares.add(own.powi(2));
    }
    Vec::new()
}
