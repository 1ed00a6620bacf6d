//! One kind of noise, applied to a series: how likely the series is without a step, and with one at each recent commit.

use std::collections::VecDeque;

use crate::carried_noise::CarriedNoise;
use crate::commit_summary::CommitSummary;
use crate::noise_shape::NoiseShape;

/// Variance of the unknown level in units of that of a run: nothing is known of it.
const UNKNOWN_LEVEL: f64 = 1e6;
/// Share of what is known of the noise that is kept from one commit to the next: noise may change with time.
const KEPT: f64 = 0.99;
/// Shape of the prior of the variance: worth one run.
const PRIOR_FREEDOM: f64 = 1.0;

/// Standard deviations of sizes of steps that are expected, in units of that of a run.
const STEP_DEVIATIONS: [f64; 2] = [0.7, 2.5];

/// Estimates of the level, of the newest commit's part, and of that of the commit before.
type State = [f64; 3];

/// A step that may have happened at one commit.
#[derive(Clone, Copy, Debug, Default)]
struct StepResponse {
    /// The part of a step of size 1 that the filter has taken in by now.
    state: State,
    /// Innovations in the direction of the step, each by its precision.
    score: f64,
    /// Precision of the step's size.
    information: f64,
}

/// A Kalman filter of level and commit noise in units of a run's unknown variance, which is integrated out.
#[derive(Clone, Debug)]
pub struct ShapeFilter {
    pub shape: NoiseShape,
    log_prior: f64,
    prior_freedom: f64,
    prior_squares: f64,
    /// Estimates for the next commit, and their covariance.
    state: State,
    covariance: [State; 3],
    seen: bool,
    /// Squared standardized innovations, their number, and the logarithms of their variances.
    squares: f64,
    count: f64,
    log_variances: f64,
    steps: VecDeque<StepResponse>,
    /// Commits in which a step reaches its size.
    rise: usize,
}

impl ShapeFilter {
    /// Noise of this shape of which nothing was seen. `floor` is a standard deviation below which values cannot be told apart.
    pub fn new(shape: NoiseShape, floor: f64) -> Self {
        Self::from_prior(shape, shape.prior.ln(), PRIOR_FREEDOM, PRIOR_FREEDOM * floor * floor)
    }

    fn from_prior(shape: NoiseShape, log_prior: f64, freedom: f64, squares: f64) -> Self {
        Self {
            shape,
            log_prior,
            prior_freedom: freedom,
            prior_squares: squares,
            state: [0.0; 3],
            covariance: [
                [UNKNOWN_LEVEL, 0.0, 0.0],
                [0.0, shape.commit_share, shape.neighbour_covariance],
                [0.0, shape.neighbour_covariance, shape.commit_share],
            ],
            seen: false,
            squares: 0.0,
            count: 0.0,
            log_variances: 0.0,
            steps: VecDeque::new(),
            rise: 1,
        }
    }

    /// Lets steps take so many commits to reach their size.
    pub fn set_rise(&mut self, commits: usize) {
        self.rise = commits.max(1);
    }

    /// Makes the next commit one at which a step may have happened.
    pub fn add_step(&mut self) {
        self.steps.push_back(StepResponse::default());
    }

    /// Forgets the oldest such commit.
    pub fn drop_step(&mut self) {
        self.steps.pop_front();
    }

    /// Takes in one commit.
    pub fn observe(&mut self, summary: &CommitSummary) {
        let shape = self.shape;
        let run_variance = shape.run_share() / summary.runs.max(0.01);
        if !self.seen {
            self.state[0] = summary.mean;
            self.seen = true;
        }
        self.squares *= KEPT;
        self.count *= KEPT;
        self.log_variances *= KEPT;

        let innovation = summary.mean - self.state[0] - self.state[1];
        // Covariance of each estimate with the commit's mean.
        let shared = self.covariance.map(|row| row[0] + row[1]);
        let variance = shared[0] + shared[1] + run_variance;
        let gain = shared.map(|covariance| covariance / variance);
        // The first commit only says where the level is.
        if variance < UNKNOWN_LEVEL / 2.0 {
            self.add_square(innovation, variance);
        }
        if summary.freedom > 0.0 {
            self.squares += summary.scatter / shape.run_share();
            self.count += summary.freedom;
            self.log_variances += summary.freedom * shape.run_share().ln();
        }
        let rise = self.rise as f64;
        for (age, step) in self.steps.iter_mut().rev().enumerate() {
            let risen = ((age + 1) as f64 / rise).min(1.0);
            let unexplained = risen - step.state[0] - step.state[1];
            step.score += unexplained * innovation / variance;
            step.information += unexplained * unexplained / variance;
            step.state = shape.next_state(step.state, gain, unexplained);
        }
        self.state = shape.next_state(self.state, gain, innovation);
        self.covariance = shape.next_covariance(self.covariance, shared, gain);
    }

    /// Takes in differences of runs that were taken in turns. `spans` says of each possible step whether it lies between the
    /// two commits.
    pub fn observe_differences(&mut self, differences: &[f64], spans: &[bool]) {
        let variance = 2.0 * self.shape.run_share();
        for difference in differences {
            self.add_square(*difference, variance);
            for (step, _) in self.steps.iter_mut().zip(spans).filter(|(_, spans)| **spans) {
                step.score += difference / variance;
                step.information += 1.0 / variance;
            }
        }
    }

    fn add_square(&mut self, deviation: f64, variance: f64) {
        self.squares += deviation * deviation / variance;
        self.count += 1.0;
        self.log_variances += variance.ln();
    }

    fn freedom(&self) -> f64 {
        f64::midpoint(self.prior_freedom, self.count)
    }

    fn half_squares(&self) -> f64 {
        f64::midpoint(self.prior_squares, self.squares)
    }

    /// Logarithm of the likelihood without a step, up to a constant that all shapes share.
    pub fn log_likelihood(&self) -> f64 {
        self.log_prior - 0.5 * self.log_variances - self.freedom() * self.half_squares().ln()
    }

    /// The factor by which a step at the `index`-th possible commit makes the series likelier.
    pub fn log_gain(&self, index: usize) -> f64 {
        let Some(step) = self.steps.get(index) else { return 0.0 };
        let (freedom, half) = (self.freedom(), self.half_squares());
        let mut gains = STEP_DEVIATIONS.iter().map(|deviation| {
            let expected = deviation * deviation;
            let fitted = 0.5 * step.score * step.score / (step.information + 1.0 / expected);
            let left = (1.0 - fitted / half).max(1e-12);
            -0.5 * (expected * step.information).ln_1p() - freedom * left.ln()
        });
        let (a, b) = (gains.next().unwrap_or(0.0), gains.next().unwrap_or(0.0));
        let greater = a.max(b);
        greater + (0.5 * ((a - greater).exp() + (b - greater).exp())).ln()
    }

    /// A number that [`Self::log_gain`] does not exceed, for much less work.
    pub fn log_gain_bound(&self, index: usize) -> f64 {
        let Some(step) = self.steps.get(index).filter(|step| step.information > 0.0) else {
            return 0.0;
        };
        let share = 0.5 * step.score * step.score / step.information / self.half_squares();
        // −ln(1 − x) ≤ x / (1 − x)
        if share < 0.99 { self.freedom() * share / (1.0 - share) } else { f64::INFINITY }
    }

    /// Size of a step at the `index`-th possible commit, and its variance.
    pub fn step_size(&self, index: usize) -> Option<(f64, f64)> {
        let step = self.steps.get(index).filter(|step| step.information > 0.0)?;
        let half = self.half_squares() - 0.5 * step.score * step.score / step.information;
        let variance = (half / self.freedom()).max(0.0) / step.information;
        Some((step.score / step.information, variance))
    }

    /// The next commit's expected mean, and its standard deviation if it has so many runs.
    pub fn prediction(&self, runs: f64) -> (f64, f64) {
        let [level, commit, _] = self.covariance;
        let known = level[0] + 2.0 * level[1] + commit[1];
        let variance = known + self.shape.run_share() / runs.max(0.01);
        (
            self.state[0] + self.state[1],
            (variance * self.half_squares() / self.freedom()).max(0.0).sqrt(),
        )
    }

    /// A filter for what follows a step at the `index`-th possible commit: its level is unknown, its noise is what was
    /// carried over.
    pub fn restarted(&self, index: usize, carried: CarriedNoise) -> Self {
        let explained = self.steps.get(index).map_or(0.0, |step| {
            0.5 * step.score * step.score / (step.information + 1.0 / STEP_DEVIATIONS[1].powi(2))
        });
        let squares = 2.0 * (self.half_squares() - explained).max(self.prior_squares / 2.0);
        let freedom = 2.0 * self.freedom();
        let kept = (carried.runs / freedom).min(1.0);
        let log_prior = self.log_likelihood() + self.log_gain(index);
        // Scaled so that what was already counted in the prior is not counted again by the smaller freedom.
        let (freedom, squares) = match carried.deviation {
            Some(deviation) => (carried.runs, carried.runs * deviation * deviation),
            None => (freedom * kept, squares * kept),
        };
        Self::from_prior(
            self.shape,
            log_prior + 0.5 * freedom * (0.5 * squares).ln(),
            freedom,
            squares,
        )
    }

    /// Subtracts a constant from the logarithm of the prior, so that numbers stay small.
    pub fn lower_prior(&mut self, by: f64) {
        self.log_prior -= by;
    }
}

impl NoiseShape {
    /// Estimates for the next commit, after an innovation was shared among them by the gain.
    fn next_state(&self, state: State, gain: State, innovation: f64) -> State {
        let [level, commit, before] = [0, 1, 2].map(|i| state[i] + gain[i] * innovation);
        [level, self.follow[0] * commit + self.follow[1] * before, commit]
    }

    /// Their covariance.
    fn next_covariance(&self, covariance: [State; 3], shared: State, gain: State) -> [State; 3] {
        let known = |i: usize, j: usize| covariance[i][j] - gain[i] * shared[j];
        let [first, second] = self.follow;
        let level_commit = first * known(0, 1) + second * known(0, 2);
        let level_before = known(0, 1);
        let commit = first * first * known(1, 1)
            + 2.0 * first * second * known(1, 2)
            + second * second * known(2, 2)
            + self.fresh;
        let commit_before = first * known(1, 1) + second * known(1, 2);
        [
            [known(0, 0), level_commit, level_before],
            [level_commit, commit, commit_before],
            [level_before, commit_before, known(1, 1)],
        ]
    }
}
