//! Noise of runs, one after another in time.

use std::f64::consts::TAU;

use wattle_random::SplitMix64;

use crate::series_kind::SeriesKind;

/// Standard deviation of one run as a share of its level.
const NOISE: f64 = 0.02;
/// Time between the measurements of two commits, in runs.
const RUNS_BETWEEN_COMMITS: u32 = 2;

/// The noise of one metric on one device, run by run.
#[derive(Clone, Debug)]
pub struct NoiseProcess {
    random: SplitMix64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Gaussian,
    Bimodal { upper: f64 },
    Autocorrelated { correlation: f64, value: f64 },
    Spiked { disturbance: f64 },
    HeatDrift(Heat),
}

#[derive(Clone, Debug)]
struct Heat {
    /// Commits since the beginning, period and phase of the room's temperature, and days that are hotter than that.
    commit: f64,
    period: f64,
    phase: f64,
    wave: f64,
    wave_to_come: f64,
    /// Share by which a device that is warm all through draws more, and the share of that reached by now.
    warming: f64,
    warmth: f64,
}

impl NoiseProcess {
    /// Noise of this kind; its parameters differ from seed to seed.
    pub fn new(kind: SeriesKind, mut random: SplitMix64) -> Self {
        let state = match kind {
            SeriesKind::Gaussian => State::Gaussian,
            SeriesKind::Bimodal => State::Bimodal { upper: random.between(0.25, 0.75) },
            SeriesKind::Autocorrelated => State::Autocorrelated {
                correlation: random.between(0.5, 0.8),
                value: random.normal(),
            },
            SeriesKind::Spiked => State::Spiked { disturbance: 0.0 },
            SeriesKind::HeatDrift => State::HeatDrift(Heat {
                commit: 0.0,
                period: random.between(25.0, 70.0),
                phase: random.between(0.0, TAU),
                wave: 0.0,
                wave_to_come: 0.0,
                warming: random.between(0.0, 0.02),
                warmth: 0.0,
            }),
        };
        Self { random, state }
    }

    /// Lets the time pass until the next commit is measured.
    pub fn begin_commit(&mut self) {
        let Self { random, state } = self;
        match state {
            State::Gaussian | State::Bimodal { .. } => {}
            State::Autocorrelated { correlation, value } => {
                for _ in 0..RUNS_BETWEEN_COMMITS {
                    *value = follow(random, *correlation, *value);
                }
            }
            State::Spiked { disturbance } => {
                *disturbance = if random.chance(0.02) { random.between(0.03, 0.12) } else { 0.0 };
            }
            State::HeatDrift(heat) => {
                heat.commit += 1.0;
                // A heat wave begins once in 60 commits, rises over about five and fades over about ten.
                heat.wave += 0.3 * (heat.wave_to_come - heat.wave);
                heat.wave_to_come *= 0.85;
                if random.chance(1.0 / 60.0) {
                    heat.wave_to_come += random.between(0.02, 0.05);
                }
                heat.warmth *= 0.2;
            }
        }
    }

    /// The noise of the next run, as a share of its level.
    pub fn next_run(&mut self) -> f64 {
        let Self { random, state } = self;
        match state {
            State::Gaussian => NOISE * random.normal(),
            State::Bimodal { upper } => {
                // Distance such that modes and the scatter around them make up the noise together.
                let (share, scatter) = (*upper, 0.4 * NOISE);
                let distance =
                    ((NOISE * NOISE - scatter * scatter) / (share * (1.0 - share))).sqrt();
                let mode = if random.chance(share) { 1.0 - share } else { -share };
                mode * distance + scatter * random.normal()
            }
            State::Autocorrelated { correlation, value } => {
                *value = follow(random, *correlation, *value);
                NOISE * *value
            }
            State::Spiked { disturbance } => {
                let spike = if random.chance(0.03) { random.exponential(0.12) } else { 0.0 };
                NOISE * random.normal() + spike + *disturbance
            }
            State::HeatDrift(heat) => {
                let room = 0.016 * (heat.phase + TAU * heat.commit / heat.period).sin();
                heat.warmth += 0.35 * (1.0 - heat.warmth);
                0.014 * random.normal() + room + heat.wave + heat.warming * heat.warmth
            }
        }
    }
}

/// The next value of a stationary autoregressive process of variance 1.
fn follow(random: &mut SplitMix64, correlation: f64, value: f64) -> f64 {
    correlation * value + (1.0 - correlation * correlation).sqrt() * random.normal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_runs_scatter_by_two_percent() {
        for kind in SeriesKind::ALL {
            let mut values = Vec::new();
            for seed in 0..300 {
                let mut process = NoiseProcess::new(kind, SplitMix64::new(seed));
                for _ in 0..50 {
                    process.begin_commit();
                    values.push(process.next_run());
                }
            }
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            // Spikes apart, which have no usual size.
            values.sort_by(|a, b| (a - mean).abs().total_cmp(&(b - mean).abs()));
            values.truncate(values.len() * 95 / 100);
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let deviation = (squares / values.len() as f64).sqrt();
            assert!((0.012..0.023).contains(&deviation), "{kind:?}: {deviation}");
        }
    }
}
