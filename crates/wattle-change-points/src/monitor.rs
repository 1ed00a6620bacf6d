//! Watching one series, commit after commit.

use wattle_fit::student_cdf;

use crate::carried_noise::CarriedNoise;
use crate::change_point::{ChangePoint, CommitRange, Confirmation, StepSize};
use crate::clipping::{Clipping, LASTING_COMMITS};
use crate::commit_summary::{CommitSummary, RunScatter};
use crate::commit_verdict::Verdict;
use crate::evidence::{Evidence, StepEvidence};
use crate::flaky_cause::FlakyCause;
use crate::monitor_options::MonitorOptions;
use crate::noise_band::NoiseBand;
use crate::outside_commits::OutsideCommits;
use crate::point::{Point, Run};
use crate::rerun::{Rerun, RerunRequest};
use crate::robust;
use crate::step_scatter::half_of_difference;

/// Share of a level below which values cannot be told apart.
const RESOLUTION: f64 = 1e-5;
/// Metrics that change at a commit, before anything is known.
const CHANGES_PER_COMMIT: f64 = 0.001;
/// Runs among which causes of noise are looked for.
const EXPLAINED_RUNS: usize = 200;
/// Commits after a change from which on causes of noise are looked for.
const KNOWN_COMMITS: usize = 8;
/// Growth of the evidence after re-runs from which they are asked for again.
const NEW_SUSPICION: f64 = 4.0;
/// Chance of re-runs below which more of them may decide at once.
const PROMISING: f64 = 0.1;
/// Pairs of re-runs that the scatter within commits is worth.
const KNOWN_SCATTER: f64 = 10.0;
/// Commits that a drift takes.
const RISES: [usize; 3] = [5, 10, 20];
/// Factor by which a step must explain a series at least as well as all drifts together, which are many.
const ABRUPTNESS: f64 = 0.5;
/// Chance of re-runs up to which they confirm a change.
const RERUNS_AGREE: f64 = 0.002;
/// Part of the evidence for an alarm that is enough together with them.
const RERUNS_NEED: f64 = 0.08;
/// A change is found the sooner the greater it looks: intervals of its size are so much wider (from simulated series).
const FOUND_EARLY: f64 = 1.25;
/// Standard deviations of commits beyond which a step is not one of usual size.
const UNUSUAL: f64 = 4.0;
/// Commits before a step that say where the level was.
const LEVEL_COMMITS: usize = 20;
/// Quantiles of the normal distribution for intervals of 90 % and 95 %.
const NINETY: f64 = 1.645;
const NINETY_FIVE: f64 = 1.96;

/// A commit as the monitor remembers it.
#[derive(Clone, Copy, Debug)]
struct Commit {
    order: u64,
    /// Before clipping.
    mean: f64,
    summary: CommitSummary,
}

/// A commit as the evidence took it in.
#[derive(Clone, Copy, Debug)]
struct Taken {
    clipped: CommitSummary,
    plain: CommitSummary,
    may_step: bool,
}

/// Whether the values after a change are as far from each other as from the level before, so that they may be spikes.
fn may_be_spikes(change: &ChangePoint) -> bool {
    change.confirmation == Confirmation::FollowingCommits
        && change.size.low * change.size.high <= 0.0
}

/// Watches one metric of one series.
///
/// Decisions depend on the commits pushed so far alone and are kept: pushing the same commits again, with one more, gives the
/// same change points and perhaps one more.
#[derive(Clone, Debug)]
pub struct Monitor {
    options: MonitorOptions,
    /// Values are divided by this; `None` until the first value other than 0.
    unit: Option<f64>,
    commits: Vec<Commit>,
    runs: Vec<Run>,
    outside: OutsideCommits,
    scatter: RunScatter,
    clipping: Clipping,
    evidence: Evidence,
    /// The same before the first commit since the last change.
    prior: Evidence,
    /// Commits and re-runs since then.
    taken: Vec<Taken>,
    taken_reruns: Vec<(usize, usize, Vec<f64>)>,
    /// Position of the first commit since the last change.
    segment: usize,
    changes: Vec<ChangePoint>,
    /// Evidence from which re-runs are asked for, and the differences of those made for the present suspicion.
    suspicion: f64,
    rerun_differences: Vec<f64>,
}

impl Monitor {
    /// A monitor that has seen nothing.
    pub fn new(options: MonitorOptions) -> Self {
        Self {
            options,
            unit: None,
            commits: Vec::new(),
            runs: Vec::new(),
            outside: OutsideCommits::default(),
            scatter: RunScatter::default(),
            clipping: Clipping::default(),
            evidence: Evidence::new(RESOLUTION),
            prior: Evidence::new(RESOLUTION),
            taken: Vec::new(),
            taken_reruns: Vec::new(),
            segment: 0,
            changes: Vec::new(),
            suspicion: options.suspicion_factor(),
            rerun_differences: Vec::new(),
        }
    }

    /// Judges all commits of a series in their order; re-runs are taken in after the later one of their commits.
    pub fn from_series(points: &[Point], reruns: &[Rerun], options: MonitorOptions) -> Self {
        let mut monitor = Self::new(options);
        for point in points {
            monitor.push(point);
            for rerun in reruns.iter().filter(|rerun| rerun.after == point.order) {
                monitor.push_rerun(rerun);
            }
        }
        monitor
    }

    /// Takes in the next commit and judges it.
    pub fn push(&mut self, point: &Point) -> Verdict {
        let unit = self.unit_for(point);
        let Some(summary) = self.scatter.summarize(point, unit) else { return Verdict::NoRuns };
        let position = self.commits.len();
        let band = self.noise_band_for(summary.runs);
        self.remember_runs(point);
        self.outside.push(band, summary.mean * unit, point.runs.len());
        self.commits.push(Commit { order: point.order, mean: summary.mean, summary });
        self.take_in(position);
        self.judge(band)
    }

    /// Takes in re-runs and judges the newest commit again. Those of commits before the last change, or of unknown commits, say
    /// nothing new and are ignored.
    pub fn push_rerun(&mut self, rerun: &Rerun) -> Verdict {
        let position = |order| self.commits.iter().position(|commit| commit.order == order);
        let (Some(before), Some(after)) = (position(rerun.before), position(rerun.after)) else {
            return self.judge(None);
        };
        let unit = self.unit.unwrap_or(1.0);
        let differences: Vec<f64> = rerun
            .differences
            .iter()
            .filter(|difference| difference.is_finite() && difference.abs() < 1e150)
            .map(|difference| difference / unit)
            .collect();
        if before < self.segment || after <= before || differences.is_empty() {
            return self.judge(None);
        }
        let (center, deviation) = robust::median_and_deviation(&differences);
        // Of few differences, the scatter within commits says better than their own what is usual.
        let usual = std::f64::consts::SQRT_2 * self.scatter.wide_deviation();
        let bound = if usual > 0.0 { 2.0 * usual } else { 3.0 * deviation };
        let bounded: Vec<f64> = differences
            .iter()
            .map(|d| if bound > 0.0 { d.clamp(center - bound, center + bound) } else { *d })
            .collect();
        self.evidence.observe_differences(before, after, &bounded);
        self.taken_reruns.push((before, after, bounded.clone()));
        self.rerun_differences.extend(bounded);
        // Where they speak for the change, more of them may decide it at once; else commits go first.
        let factor = self.evidence.step().map_or(0.0, |step| step.factor);
        let growth = if self.rerun_chance() < PROMISING { 1.0 } else { NEW_SUSPICION };
        self.suspicion = (growth * factor).max(self.options.suspicion_factor());
        self.judge(None)
    }

    /// Changes found so far, oldest first.
    pub fn change_points(&self) -> &[ChangePoint] {
        &self.changes
    }

    /// The change that is suspected at present, and the re-runs that would decide it.
    pub fn suspected(&self) -> Option<(ChangePoint, RerunRequest)> {
        let step = self.evidence.step().filter(|step| step.factor >= self.suspicion)?;
        let change = self.change(&step, Confirmation::Waiting)?;
        self.matters(&change).then(|| (change, self.request(&step)))
    }

    /// The values among which the next commit is expected, if it has as many runs as the newest.
    pub fn noise_band(&self) -> Option<NoiseBand> {
        self.noise_band_for(self.commits.last()?.summary.runs)
    }

    /// Probability that re-runs differ so much in the direction of the suspected step by chance; 1 without any. Their scatter is
    /// judged together with that of runs within commits.
    fn rerun_chance(&self) -> f64 {
        let count = self.rerun_differences.len() as f64;
        let size = self.evidence.step().and_then(|step| self.evidence.step_size(step.index));
        let Some((size, _)) = size.filter(|_| count >= 2.0) else { return 1.0 };
        let mean = self.rerun_differences.iter().sum::<f64>() / count;
        let squares: f64 = self.rerun_differences.iter().map(|d| (d - mean).powi(2)).sum();
        let known = 2.0 * self.scatter.wide_deviation().powi(2);
        let known_freedom = if known > 0.0 { KNOWN_SCATTER } else { 0.0 };
        let freedom = count - 1.0 + known_freedom;
        let error = ((squares + known_freedom * known) / freedom / count).sqrt();
        let t = size.signum() * mean / error.max(RESOLUTION * 1e-3);
        student_cdf(-t, freedom)
    }

    /// The confirmation of a step that is likely enough, `None` while it waits for one.
    fn confirmation(&self, step: &StepEvidence) -> Option<Confirmation> {
        let alarm = self.options.alarm_factor();
        if step.factor >= RERUNS_NEED * alarm && self.rerun_chance() <= RERUNS_AGREE {
            return Some(Confirmation::Reruns);
        }
        let confirming = self.commits.len() - step.position;
        let enough = confirming >= self.options.confirming_commits && !self.options.needs_reruns;
        (step.factor >= alarm && enough && !self.may_be_drift())
            .then_some(Confirmation::FollowingCommits)
    }

    /// Whether a change that took several commits explains the series about as well as a step, so that conditions may have
    /// changed and not the code.
    fn may_be_drift(&self) -> bool {
        // Not clipped, because a clipped step looks like a drift.
        let factor = |rise: usize| {
            let evidence = self.replayed(self.prior.with_rise(rise), |taken| &taken.plain);
            evidence.step().map_or(0.0, |step| step.factor)
        };
        let step = factor(1);
        RISES.iter().any(|rise| step < ABRUPTNESS * factor(*rise))
    }

    fn unit_for(&mut self, point: &Point) -> f64 {
        if self.unit.is_none() {
            let mut values: Vec<f64> = point
                .runs
                .iter()
                .filter(|run| run.is_usable())
                .map(|run| run.value.abs())
                .collect();
            let level = robust::median(&mut values);
            self.unit = (level > 1e-150).then_some(level);
        }
        self.unit.unwrap_or(1.0)
    }

    fn remember_runs(&mut self, point: &Point) {
        self.runs.extend(&point.runs);
        if self.runs.len() > 2 * EXPLAINED_RUNS {
            self.runs.drain(..self.runs.len() - EXPLAINED_RUNS);
        }
    }

    /// Gives the commit at this position to the evidence.
    fn take_in(&mut self, position: usize) {
        let commit = self.commits[position];
        let clipped = CommitSummary { mean: self.clipping.clip(commit.mean), ..commit.summary };
        let is_lasting = self.clipping.is_lasting(commit.mean);
        self.clipping.learn(commit.mean);
        // After a change the noise is known already, so that fewer commits say where the level is.
        let fewest = if self.segment == 0 { self.options.history } else { 4 };
        let may_step = position >= self.segment + fewest.max(2);
        self.taken.push(Taken { clipped, plain: commit.summary, may_step });
        // All that were clipped up to here, as those before the last few may have been.
        let is_clipped = |taken: &&Taken| taken.clipped.mean != taken.plain.mean;
        let before = self.taken.len() - 1;
        let row = self.taken[..before]
            .iter()
            .rev()
            .take_while(is_clipped)
            .count()
            .max(LASTING_COMMITS - 1);
        let row = &mut self.taken[before.saturating_sub(row)..];
        if is_lasting && row.iter().any(|taken| taken.clipped.mean != taken.plain.mean) {
            for taken in row {
                taken.clipped = taken.plain;
            }
            self.evidence = self.replayed(self.prior.clone(), |taken| &taken.clipped);
        } else {
            self.evidence.observe(position, &clipped, may_step);
        }
    }

    /// Evidence that takes in all commits and re-runs since the last change anew.
    fn replayed(&self, mut evidence: Evidence, summary: fn(&Taken) -> &CommitSummary) -> Evidence {
        for (offset, taken) in self.taken.iter().enumerate() {
            let position = self.segment + offset;
            evidence.observe(position, summary(taken), taken.may_step);
            for (before, after, differences) in &self.taken_reruns {
                if *after == position {
                    evidence.observe_differences(*before, *after, differences);
                }
            }
        }
        evidence
    }

    fn judge(&mut self, band: Option<NoiseBand>) -> Verdict {
        let step = self.evidence.step();
        if step.as_ref().is_none_or(|step| step.factor < self.options.suspicion_factor()) {
            self.forget_suspicion();
        }
        if let Some(step) = step
            && let Some(confirmation) = self.confirmation(&step)
            && let Some(change) = self.change(&step, confirmation)
            && self.matters(&change)
            && !may_be_spikes(&change)
        {
            let share = change.size.relative().unwrap_or(0.0);
            self.restart(&step, (1.0 + share).abs());
            self.changes.push(change);
            return Verdict::Changed(change);
        }
        match self.suspected() {
            Some((change, request)) => Verdict::Suspected { change, request },
            None => self.judge_noise(band),
        }
    }

    fn judge_noise(&self, band: Option<NoiseBand>) -> Verdict {
        let seen = self.commits.len() - self.segment.min(self.commits.len());
        if self.segment == 0 && seen <= self.options.history {
            return Verdict::TooFewCommits(self.options.history + 1 - seen);
        }
        let (Some(band), Some(newest)) = (band, self.commits.last()) else { return Verdict::Flat };
        let unit = self.unit.unwrap_or(1.0);
        let width = (band.high - band.low) / band.level.abs().max(f64::MIN_POSITIVE);
        if band.contains(newest.mean * unit) && width <= self.options.flaky_band {
            return Verdict::Flat;
        }
        let is_known = self.segment == 0 || seen >= KNOWN_COMMITS;
        if !is_known {
            return if self.outside.runs > 0 { Verdict::Outside } else { Verdict::Flat };
        }
        let runs_since_change =
            self.commits.len().saturating_sub(self.segment) * (newest.summary.freedom as usize + 1);
        let first = self.runs.len().saturating_sub(runs_since_change.min(EXPLAINED_RUNS));
        let runs = &self.runs[first..];
        if self.outside.runs > 0 {
            let (before, newest) = runs.split_at(runs.len().saturating_sub(self.outside.runs));
            return FlakyCause::of_newest(newest, before).map_or(Verdict::Outside, Verdict::Flaky);
        }
        Verdict::Flaky(FlakyCause::from_runs(runs, self.evidence.drift_probability()))
    }

    fn noise_band_for(&self, runs: f64) -> Option<NoiseBand> {
        if self.commits.len() < self.segment + 3 {
            return None;
        }
        let unit = self.unit.unwrap_or(1.0);
        let (level, deviation) = self.evidence.prediction(runs);
        let reach = NINETY_FIVE * deviation;
        let band = NoiseBand {
            level: level * unit,
            low: (level - reach) * unit,
            high: (level + reach) * unit,
        };
        (band.low.is_finite() && band.high.is_finite()).then_some(band)
    }

    fn forget_suspicion(&mut self) {
        self.rerun_differences.clear();
        self.suspicion = self.options.suspicion_factor();
    }

    fn matters(&self, change: &ChangePoint) -> bool {
        change.size.relative().is_none_or(|share| share.abs() >= self.options.smallest_change)
    }

    fn request(&self, step: &StepEvidence) -> RerunRequest {
        // One commit before the range, in case that the range is one too narrow.
        let before = step.range.0.saturating_sub(2).max(self.segment);
        RerunRequest {
            before: self.commits[before].order,
            earliest: self.commits[self.segment].order,
            after: self.commits[self.commits.len() - 1].order,
            // Few at first: most suspicions end with them.
            pairs: match self.rerun_differences.len() {
                0 => self.options.rerun_pairs.div_ceil(2),
                _ => self.options.rerun_pairs,
            },
        }
    }

    fn change(&self, step: &StepEvidence, confirmation: Confirmation) -> Option<ChangePoint> {
        let order = |position: usize| self.commits.get(position).map(|commit| commit.order);
        let range = CommitRange {
            last_good: order(step.range.0.checked_sub(1)?)?,
            first_bad: order(step.position)?,
            surely_bad: order(step.range.1)?,
        };
        let odds = step.factor * CHANGES_PER_COMMIT;
        Some(ChangePoint {
            range,
            size: self.size(step)?,
            confidence: odds / (1.0 + odds),
            confirmation,
            found_at: self.commits.last()?.order,
        })
    }

    fn size(&self, step: &StepEvidence) -> Option<StepSize> {
        let (size, deviation) = self.evidence.step_size(step.index)?;
        let unit = self.unit.unwrap_or(1.0);
        let mut before: Vec<f64> = self.commits[self.segment..step.position]
            .iter()
            .rev()
            .take(LEVEL_COMMITS)
            .map(|c| c.mean)
            .collect();
        let mut after: Vec<f64> = self.commits[step.position..].iter().map(|c| c.mean).collect();
        let level = robust::median(&mut before);
        // The first commits after a great step were clipped at the bound of single commits: its size is that of the values.
        let first = step.position.saturating_sub(self.segment).min(self.taken.len());
        let is_clipped = self.taken[first..].iter().any(|t| t.clipped.mean != t.plain.mean);
        let size = if is_clipped { robust::median(&mut after) - level } else { size };
        // After a step beyond all that was usual, noise may be another one, of which runs before it say nothing.
        let (_, usual) = robust::median_and_deviation(&before);
        let is_far = (robust::median(&mut after) - level).abs() > UNUSUAL * usual;
        let summaries = |commits: &[Commit]| -> Vec<CommitSummary> {
            commits.iter().map(|commit| commit.summary).collect()
        };
        let scattered = if is_far {
            let (before, after) = self.commits[self.segment..].split_at(first);
            let recent = &before[before.len().saturating_sub(LEVEL_COMMITS)..];
            half_of_difference(&summaries(recent), &summaries(after))
        } else {
            0.0
        };
        let reach = (NINETY * FOUND_EARLY * deviation).max(scattered);
        Some(StepSize {
            estimate: size * unit,
            low: (size - reach) * unit,
            high: (size + reach) * unit,
            before: level * unit,
        })
    }

    /// Begins a new segment at a step. `ratio`: level after it in units of that before.
    fn restart(&mut self, step: &StepEvidence, ratio: f64) {
        let before = &self.commits[self.segment..step.position];
        let means: Vec<f64> =
            before.iter().rev().take(LEVEL_COMMITS).map(|commit| commit.mean).collect();
        let runs = before.iter().map(|commit| commit.summary.runs).sum::<f64>()
            / before.len().max(1) as f64;
        let (_, of_means) = robust::median_and_deviation(&means);
        let of_runs = (of_means * runs.max(1.0).sqrt()).max(RESOLUTION);
        let carried = CarriedNoise::over_step(ratio, of_runs);
        self.evidence = self.evidence.restarted(step.index, carried);
        self.prior = self.evidence.clone();
        self.taken.clear();
        self.taken_reruns.clear();
        self.clipping = self.clipping.restarted(carried.scale);
        self.segment = step.position;
        self.forget_suspicion();
        for position in step.position..self.commits.len() {
            self.take_in(position);
        }
    }
}
