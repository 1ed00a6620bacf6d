//! Activity and power of made-up runs, whose alignment is known.

use wattle_random::SplitMix64;

use super::pieces::Pieces;

pub(crate) const SECOND: i64 = 1_000_000_000;

/// A made-up run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub seed: u64,
    pub seconds: i64,
    /// Nanoseconds to add to the meter's time at the run's beginning.
    pub offset: i64,
    /// Standard deviation of the power's noise, where a core draws half a watt.
    pub noise: f64,
    /// Relative excess rate of the meter's clock.
    pub drift: f64,
}

/// Some of four cores are busy, for 2 to 300 ms each time; the run begins 100 s after the boot.
pub(crate) fn activity(run: &Run) -> Pieces {
    let mut random = SplitMix64::new(run.seed);
    let mut pieces = Pieces::default();
    let (mut at, end) = (100 * SECOND, (100 + run.seconds) * SECOND);
    while at < end {
        pieces.time.push(at);
        pieces.value.push((random.unit() * 5.0).floor());
        at += ((2e6 * (random.unit() * 5.0).exp()) as i64).max(1);
    }
    pieces.time.push(end);
    pieces.value.push(0.0);
    pieces
}

/// 1 kHz of power of it, from up to 3 s before until up to 3 s after: a floor, what busy cores draw, and noise.
pub(crate) fn metered(activity: &Pieces, run: &Run) -> Pieces {
    let mut random = SplitMix64::new(run.seed ^ 0xabcd);
    let (from, to) = (activity.time[0], *activity.time.last().unwrap());
    let before = (random.unit() * 3e9) as i64;
    let after = (random.unit() * 3e9) as i64;
    let mut pieces = Pieces::default();
    let mut boot = from - before;
    while boot < to + after {
        let index = activity.time.partition_point(|time| *time <= boot);
        let busy = index.checked_sub(1).map_or(0.0, |index| activity.value[index]);
        // Twelve even numbers make a nearly normal one.
        let noise: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        pieces.time.push(boot - run.offset + ((boot - from) as f64 * run.drift) as i64);
        pieces.value.push(0.3 + 0.5 * busy + run.noise * noise);
        boot += SECOND / 1000;
    }
    pieces
}
