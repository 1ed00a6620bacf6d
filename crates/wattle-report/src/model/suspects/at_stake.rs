//! Joules above the mean power.
//!
//! The energy of tests above the mean is a difference of energies of the same sources: an error that all tests have in
//! common (a curve that reads 5 % high) is mostly gone in it. So it is summed up by source, with its signs, before the
//! error model is applied.

use std::collections::BTreeMap;

use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance};

use super::super::{Estimator, Tally};
use super::sample::SuspectsSample;
use super::usable::UsableTest;
use crate::Figure;

/// Potential saving in some tests.
#[derive(Clone, Copy, Debug)]
pub struct Stake {
    /// Their energy above the mean power.
    pub excess: Figure,
    /// Their total duration.
    pub time: Nanos,
}

/// Potential savings in any of the tests of all samples.
pub struct Stakes<'a> {
    samples: Vec<Part<'a>>,
    /// By test over all samples: its sample.
    tests: Vec<(usize, &'a UsableTest)>,
    /// Many methods ran in the same tests.
    known: BTreeMap<Vec<usize>, Stake>,
}

/// A sample, and its part of what a second at the mean power takes.
struct Part<'a> {
    estimator: Estimator<'a>,
    second: Tally,
}

impl<'a> Stakes<'a> {
    /// Of samples.
    pub fn new(samples: &'a [SuspectsSample]) -> Self {
        let of = |(at, sample): (usize, &'a SuspectsSample)| {
            sample.tests.iter().map(move |test| (at, test))
        };
        let tests: Vec<_> = samples.iter().enumerate().flat_map(of).collect();
        let count = tests.len() as f64;
        let part = |sample: &'a SuspectsSample| {
            let mut second = Tally::default();
            for test in &sample.tests {
                for (source, joules) in test.tally.by_source() {
                    second.add(source, joules / (test.duration.seconds() * count));
                }
            }
            Part { estimator: sample.estimator(), second }
        };
        Self { samples: samples.iter().map(part).collect(), tests, known: BTreeMap::new() }
    }

    /// Returns the potential saving in these tests, ascending.
    pub fn of(&mut self, tests: Vec<usize>) -> Stake {
        if let Some(known) = self.known.get(&tests) {
            return *known;
        }
        let stake = self.sum(&tests);
        self.known.insert(tests, stake);
        stake
    }

    fn sum(&self, tests: &[usize]) -> Stake {
        let mut drawn = vec![Tally::default(); self.samples.len()];
        let mut time = Nanos::ZERO;
        for (sample, test) in tests.iter().filter_map(|test| self.tests.get(*test)) {
            drawn[*sample].merge(&test.tally);
            time += test.duration;
        }
        let mut excess: Option<Estimate> = None;
        for (part, mut above) in self.samples.iter().zip(drawn) {
            for (source, joules) in part.second.by_source() {
                above.add(source, -joules * time.seconds());
            }
            let Some(of_part) = difference(&part.estimator, &above) else { continue };
            excess = Some(excess.map_or(of_part, |sum| sum_of(sum, of_part)));
        }
        Stake { excess: Figure(excess), time }
    }
}

/// The figure of a difference: its error is symmetric, and its interval may reach below 0.
fn difference(estimator: &Estimator<'_>, tally: &Tally) -> Option<Estimate> {
    let Figure(Some(mut estimate)) = estimator.figure(tally, None) else { return None };
    if estimate.joules > Joules::ZERO {
        // Intervals of positive energies are log-normal, so that they stay positive; those of others are not.
        let mut negative = Tally::default();
        for (source, joules) in tally.by_source() {
            negative.add(source, -joules);
        }
        let reach = estimator.figure(&negative, None).interval()?.half_width();
        let joules = estimate.joules;
        estimate.interval = Interval { low: joules - reach, high: joules + reach };
    }
    Some(estimate)
}

/// The sum of energies whose errors may have a cause in common: bounds add up.
pub fn sum_of(one: Estimate, other: Estimate) -> Estimate {
    Estimate {
        joules: one.joules + other.joules,
        interval: Interval {
            low: one.interval.low + other.interval.low,
            high: one.interval.high + other.interval.high,
        },
        provenance: Provenance::weakest(one.provenance, other.provenance),
    }
}
