//! Knowledge of noise that outlives a change.

/// Levels that differ by more than this factor have noise of their own.
const GREAT_STEP: f64 = 1.5;
/// Runs that it is worth at most: usually, and after a great step.
const RUNS: f64 = 200.0;
const RUNS_AFTER_GREAT_STEP: f64 = 4.0;

/// Noise at so many times the level in units of what it was. It grows with the energy, which shows only where levels are far apart.
pub fn noise_ratio(ratio: f64) -> f64 {
    let is_near = (1.0 / GREAT_STEP..=GREAT_STEP).contains(&ratio);
    if !ratio.is_finite() || ratio <= 0.0 || is_near { 1.0 } else { ratio }
}

/// Noise before a change, as what is expected after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CarriedNoise {
    /// Runs that it is worth at most.
    pub runs: f64,
    /// Standard deviation after the change in units of that before.
    pub scale: f64,
    /// Standard deviation of a run after the change; `None`: that of what the step left unexplained.
    pub deviation: Option<f64>,
}

impl CarriedNoise {
    /// Over a step to so many times the level, before which runs scattered by `deviation`. How exactly noise grows with it is for the
    /// next commits to say.
    pub fn over_step(ratio: f64, deviation: f64) -> Self {
        let scale = noise_ratio(ratio);
        if scale == 1.0 {
            return Self { runs: RUNS, scale, deviation: None };
        }
        // Of a great step, a small part that is left unexplained would pass for noise.
        let deviation = Some(deviation * scale).filter(|it| it.is_finite());
        Self { runs: RUNS_AFTER_GREAT_STEP, scale, deviation }
    }
}
