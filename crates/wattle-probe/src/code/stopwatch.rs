//! How long stages take.

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

    /// What has passed since the last stop belongs to this stage.
    pub(super) fn stop(&mut self, stage: Stage) {
        let now = Instant::now();
        let passed = now - self.last;
        self.last = now;
        match self.stages.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, total)) => *total += passed,
            None => self.stages.push((stage, passed)),
        }
    }
}
