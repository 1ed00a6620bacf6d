//! A difference of two energies, and what is known of it.

use wattle_fit::{normal_cdf, normal_quantile, student_cdf, student_quantile};
use wattle_units::{Interval, Joules};

use crate::change_verdict::FALSE_VERDICTS;
use crate::common_error::CommonError;
use crate::outlook::ASKED_RUNS;
use crate::{Outlook, Verdict};

/// Probability that an effect of the detectable size is found.
const POWER: f64 = 0.9;

/// Probability that the runs of [`Outlook::MoreRuns`] settle a comparison.
const SETTLED: f64 = 0.75;

/// A difference and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The second energy less the first.
    pub joules: Joules,
    /// Its 90 % interval.
    pub interval: Interval,
    /// Differences up to this do not matter ([`crate::Threshold`]).
    pub threshold: Joules,
    /// Probability of a difference at least this large, in either direction, if there were none; adjusted where many figures are compared
    /// ([`crate::adjusted`]).
    pub p_value: f64,
    /// The smallest true difference that has a definite verdict with a probability of 90 %.
    pub detectable: Joules,
    /// The way to a verdict.
    pub outlook: Outlook,
}

/// A difference of two runs, as far as the model's errors go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelDifference {
    /// The second energy less the first.
    pub joules: Joules,
    /// Its 90 % interval.
    pub interval: Interval,
    /// The distance, at 90 %, of errors that can turn the sign: 0 if all errors only make the difference larger or smaller.
    pub turning: Joules,
}

/// A difference of builds, as estimated from their runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimated {
    pub joules: f64,
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
    pub common: CommonError,
    pub threshold: f64,
    /// Runs of the build that has fewer.
    pub runs: u32,
    /// The largest energies that both builds can have: nothing falls by more than there was.
    pub most: [f64; 2],
}

impl Change {
    /// A difference of two runs, one of each build. The verdict is about these runs: how far runs of one build lie apart is unknown, and not part
    /// of the interval.
    pub fn from_model(difference: ModelDifference, threshold: Joules) -> Self {
        let ModelDifference { joules, interval, turning } = difference;
        let size = joules.abs().value();
        let quantile = normal_quantile(0.95);
        let p_value = match turning.value() {
            _ if size == 0.0 => 1.0,
            reach if reach > 0.0 => 2.0 * normal_cdf(-quantile * size / reach),
            _ => 0.0,
        };
        let missed = normal_quantile(POWER);
        let detectable = if turning > Joules::ZERO {
            let deviation = turning.value() / quantile;
            let significant = (normal_quantile(1.0 - FALSE_VERDICTS / 2.0) + missed) * deviation;
            significant.max(threshold.value() + missed * deviation)
        } else {
            let towards_0 =
                if joules < Joules::ZERO { interval.high - joules } else { joules - interval.low };
            let share = if size > 0.0 { towards_0.value() / quantile / size } else { 0.0 };
            threshold.value() * (1.0 + missed * share)
        };
        let detectable = Joules::new(detectable);
        let outlook = Outlook::Settled;
        let mut change = Self { joules, interval, threshold, p_value, detectable, outlook };
        if change.verdict() == Verdict::Inconclusive {
            change.outlook = Outlook::ModelError;
        }
        change
    }

    pub(crate) fn from_runs(of: &Estimated) -> Self {
        let deviation = of.deviation(of.standard_error);
        let freedom = of.joined_freedom();
        let p_value = match of.joules.abs() {
            0.0 => 1.0,
            size if deviation > 0.0 => 2.0 * student_cdf(-size / deviation, freedom),
            _ => 0.0,
        };
        let (significant, missed) = (
            student_quantile(1.0 - FALSE_VERDICTS / 2.0, freedom),
            student_quantile(POWER, freedom),
        );
        let detectable =
            ((significant + missed) * deviation).max(of.threshold + missed * deviation);
        let mut change = Self {
            joules: Joules::new(of.joules),
            interval: of.interval(),
            threshold: Joules::new(of.threshold),
            p_value,
            detectable: Joules::new(detectable),
            outlook: Outlook::Settled,
        };
        if change.verdict() == Verdict::Inconclusive {
            change.outlook = of.outlook();
        }
        change
    }

    /// Returns the verdict.
    pub fn verdict(self) -> Verdict {
        let Interval { low, high } = self.interval;
        let is_certain = self.p_value <= FALSE_VERDICTS;
        if is_certain && self.joules > self.threshold {
            Verdict::Higher
        } else if is_certain && self.joules < -self.threshold {
            Verdict::Lower
        } else if low >= -self.threshold && high <= self.threshold {
            Verdict::Equal
        } else {
            Verdict::Inconclusive
        }
    }

    /// The same with a p-value that was adjusted for the number of comparisons ([`crate::adjusted`]).
    #[must_use]
    pub fn with_p_value(self, p_value: f64) -> Self {
        let mut adjusted = Self { p_value, ..self };
        if self.verdict().is_definite() && !adjusted.verdict().is_definite() {
            adjusted.outlook = Outlook::ManyComparisons;
        }
        adjusted
    }
}

impl Estimated {
    /// The standard deviation of errors that can turn the sign.
    fn deviation(&self, standard_error: f64) -> f64 {
        standard_error.hypot(self.common.turning())
    }

    /// Degrees of freedom of scatter and model error together (Welch and Satterthwaite; the model's are unlimited).
    fn joined_freedom(&self) -> f64 {
        if self.standard_error <= 0.0 {
            return f64::INFINITY;
        }
        self.freedom * (self.deviation(self.standard_error) / self.standard_error).powi(4)
    }

    fn interval(&self) -> Interval {
        let scatter = student_quantile(0.95, self.freedom) * self.standard_error;
        let common = normal_quantile(0.95) * self.common.deviation(self.joules);
        let reach = scatter.hypot(common);
        let (mut low, mut high) = (self.joules - reach, self.joules + reach);
        // A common factor turns no sign that the scatter leaves certain.
        if self.common.turning() == 0.0 {
            if self.joules >= scatter {
                low = low.max(0.0);
            }
            if self.joules <= -scatter {
                high = high.min(0.0);
            }
        }
        let [before, after] = self.most;
        Interval {
            low: Joules::new(low.max((-before).min(self.joules))),
            high: Joules::new(high.min(after.max(self.joules))),
        }
    }

    fn outlook(&self) -> Outlook {
        let has_common_error = self.common.deviation(self.joules) > 0.0;
        if has_common_error && !self.bounds(0.0, f64::INFINITY).settle(self.joules.abs()) {
            return Outlook::ModelError;
        }
        // More runs hardly ever settle less.
        let at = ASKED_RUNS.partition_point(|more| self.chance_to_settle(*more) < SETTLED);
        ASKED_RUNS.get(at).map_or(Outlook::TooClose, |more| Outlook::MoreRuns(*more))
    }

    /// Probability of a verdict after so many further runs of each build, if all that is known is what these runs say: the difference will
    /// be found somewhere around what it is now.
    fn chance_to_settle(&self, more: u32) -> f64 {
        let growth = 1.0 + f64::from(more) / f64::from(self.runs.max(1));
        let standard_error = self.standard_error / growth.sqrt();
        let Bounds { equal, definite } = self.bounds(standard_error, self.freedom * growth);
        let spread = self.standard_error * (1.0 - 1.0 / growth).sqrt();
        let below = |bound: f64| normal_cdf((bound - self.joules) / spread);
        let is_definite = below(-definite) + 1.0 - below(definite);
        let is_equal = if equal > 0.0 { below(equal) - below(-equal) } else { 0.0 };
        is_definite + is_equal
    }

    /// Sizes of a difference that have a verdict.
    fn bounds(&self, standard_error: f64, freedom: f64) -> Bounds {
        let significant = student_quantile(1.0 - FALSE_VERDICTS / 2.0, freedom);
        let common = normal_quantile(0.95) * self.common.deviation(self.joules);
        let reach = (student_quantile(0.95, freedom) * standard_error).hypot(common);
        Bounds {
            equal: self.threshold - reach,
            definite: self.threshold.max(significant * self.deviation(standard_error)),
        }
    }
}

/// Sizes of a difference that have a verdict.
struct Bounds {
    /// Up to this one, it is equal.
    equal: f64,
    /// From this one on, it is higher or lower.
    definite: f64,
}

impl Bounds {
    fn settle(&self, size: f64) -> bool {
        size <= self.equal || size >= self.definite
    }
}
