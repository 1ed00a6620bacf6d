//! Series of runs with known differences.

use wattle_compare::{Build, Run};
use wattle_random::SplitMix64;
use wattle_units::Joules;

/// Mean energy of a run, in joules.
pub const ENERGY: f64 = 10.0;

/// The noise of runs: 2 % of the energy in all worlds but that of spikes, where it is 1 % with one run in ten 6 % higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Normal, each run for itself.
    Independent,
    /// Student's t with three degrees of freedom, each run for itself.
    HeavyTails,
    /// Two modes, 4 % apart, drawn anew for each run.
    Bimodal,
    Spikes,
    /// Two modes, 4 % apart, that last for ten runs on average.
    Modes,
    /// Neighbouring runs are correlated by 0.5.
    Correlated,
    /// Neighbouring runs are correlated by 0.8.
    StronglyCorrelated,
    /// A linear drift of 6 % over the series, and 1 % for each run.
    Drift,
    /// The device heats up by 6 % within a few runs, and 1 % for each run.
    Heat,
}

impl Noise {
    pub const ALL: [Self; 9] = [
        Self::Independent,
        Self::HeavyTails,
        Self::Bimodal,
        Self::Spikes,
        Self::Modes,
        Self::Correlated,
        Self::StronglyCorrelated,
        Self::Drift,
        Self::Heat,
    ];

    /// Whether neighbouring runs share most of it: what turns are for.
    pub const fn is_slow(self) -> bool {
        matches!(self, Self::Modes | Self::StronglyCorrelated | Self::Drift | Self::Heat)
    }

    /// Noise of a series of runs, as parts of the energy.
    fn series(self, count: usize, random: &mut SplitMix64) -> Vec<f64> {
        let mut state = random.normal();
        let mut mode = if random.chance(0.5) { 1.0 } else { -1.0 };
        let mut run = |at: usize| match self {
            Self::Independent => 0.02 * random.normal(),
            Self::HeavyTails => {
                let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                // The deviation of t with three degrees of freedom is √3.
                0.02 * random.normal() / (squares / 3.0).sqrt() / 3.0_f64.sqrt()
            }
            Self::Bimodal => {
                let mode = if random.chance(0.5) { 1.0 } else { -1.0 };
                0.0194 * mode + 0.005 * random.normal()
            }
            Self::Spikes => 0.01 * random.normal() + if random.chance(0.1) { 0.06 } else { 0.0 },
            Self::Modes => {
                if random.chance(0.1) {
                    mode = -mode;
                }
                0.0194 * mode + 0.005 * random.normal()
            }
            Self::Correlated | Self::StronglyCorrelated => {
                let correlation: f64 = if self == Self::Correlated { 0.5 } else { 0.8 };
                state = correlation * state
                    + (1.0 - correlation * correlation).sqrt() * random.normal();
                0.02 * state
            }
            Self::Drift => 0.06 * at as f64 / (count - 1) as f64 + 0.01 * random.normal(),
            Self::Heat => 0.06 * (1.0 - (-(at as f64) / 3.0).exp()) + 0.01 * random.normal(),
        };
        (0..count).map(&mut run).collect()
    }
}

/// The order of the builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A B B A
    Mirrored,
    /// A B A B
    Alternating,
}

/// A series of so many runs of each build; the second build uses `change` more, as a part of the energy.
pub fn series(
    noise: Noise,
    order: Order,
    of_each: usize,
    change: f64,
    random: &mut SplitMix64,
) -> Vec<Run> {
    let noise = noise.series(2 * of_each, random);
    let run = |(at, noise): (usize, f64)| {
        let is_after = match order {
            Order::Mirrored => matches!(at % 4, 1 | 2),
            Order::Alternating => at % 2 == 1,
        };
        let (build, change) = if is_after { (Build::After, change) } else { (Build::Before, 0.0) };
        let joules = Joules::new(ENERGY * (1.0 + change + noise));
        Run { build, number: at as u32, joules, own_error: Joules::ZERO }
    };
    noise.into_iter().enumerate().map(run).collect()
}
