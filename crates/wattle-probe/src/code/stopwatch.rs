//! Durations of stages.

use std::time::{Duration, Instant};

use super::Stage;

/// Adds up what the stages take.
pub(super) struct Stopwatch {
    last: Instant,
    pub(super) stages: Vec<(Stage, Duration)>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { last: Instant::now(), stages: Vec::new() }
    }

    /// Adds the time since the last stop to this stage.
    pub(super) fn stop(&mut self, stage: Stage) {
        let now = Instant::now();
        let passed = now - self.last;
        self.last = now;
        self.add(stage, passed);
    }

    /// Adds the time since the last stop to several stages that ran side by side, in proportion to
    /// what each took.
    pub(super) fn stop_divided(&mut self, times: &[(Stage, Duration)]) {
        let now = Instant::now();
        let passed = now - self.last;
        self.last = now;
        let total: Duration = times.iter().map(|(_, time)| *time).sum();
        for (stage, time) in times {
            let share =
                passed.mul_f64(time.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE));
            self.add(*stage, share);
        }
    }

    fn add(&mut self, stage: Stage, time: Duration) {
        match self.stages.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, total)) => *total += time,
            None => self.stages.push((stage, time)),
        }
    }
}
