//! Errors of the power monitor.

use crate::SplitMix64;
use crate::{Effect, Effects, PhoneSpec};

/// Number of readings that a sample is the mean of when it lags.
const WINDOW: usize = 3;

/// The errors of one rail's meter.
#[derive(Clone, Debug)]
pub(crate) struct RailError {
    gain: f64,
    /// Watts.
    offset: f64,
    /// Delay of a sample behind the youngest reading that it holds, in nanoseconds; 0 without lag.
    pub lag: i64,
    /// Latest readings in joules, the oldest first.
    window: Vec<f64>,
}

impl RailError {
    /// Reading of a counter that has supplied so much energy in so many seconds, in joules.
    pub fn reading(&self, joules: f64, seconds: f64) -> f64 {
        self.gain * joules + self.offset * seconds
    }

    /// Delays of the readings of one sample from one another, in nanoseconds. The window is as long as the delay.
    pub const fn step(&self) -> i64 {
        self.lag / (WINDOW as i64 - 1)
    }

    /// Takes a reading into the window.
    pub fn latch(&mut self, reading: f64) {
        if self.window.len() == WINDOW {
            self.window.remove(0);
        }
        self.window.push(reading);
    }

    /// The mean of the window; `None` before it is full.
    pub fn sample(&self) -> Option<f64> {
        (self.window.len() == WINDOW).then(|| self.window.iter().sum::<f64>() / WINDOW as f64)
    }
}

/// Draws the errors of all rails.
pub(super) fn draw(effects: &Effects, spec: &PhoneSpec, mut random: SplitMix64) -> Vec<RailError> {
    let size = |effect| effects.size(effect).unwrap_or(0.0);
    let sizes = (size(Effect::RailGain), size(Effect::RailOffset), size(Effect::RailLag));
    let mut error = |period: f64| RailError {
        gain: (sizes.0 * random.normal()).exp(),
        offset: sizes.1 * random.normal(),
        lag: (0.45 * period * sizes.2 * random.between(0.5, 1.0)) as i64,
        window: Vec::new(),
    };
    spec.rails.iter().map(|rail| error(rail.period.value().max(1_000_000) as f64)).collect()
}
