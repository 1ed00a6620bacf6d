//! When the device slept, from the kernel's `suspend_resume` steps.
//!
//! The device sleeps while time is frozen: between start and end of `timekeeping_freeze` (suspend to
//! idle) or `syscore_resume` (suspend to RAM). A recording that has the reduced event instead uses
//! only that. A stretch that reaches into the next one lost its end and is left out. (Perfetto
//! `android/suspend.sql`.)

use wattle_units::BootNanos;

use crate::Steps;

/// Which event a step came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendStep {
    /// `suspend_resume`, `timekeeping_freeze`.
    Freeze,
    /// `suspend_resume`, `syscore_resume`.
    Resume,
    /// `suspend_resume_minimal`.
    Minimal,
}

#[derive(Debug, Default)]
pub(crate) struct SuspendLog {
    steps: Vec<(i64, SuspendStep, bool)>,
}

impl SuspendLog {
    pub fn step(&mut self, time: i64, step: SuspendStep, is_start: bool) {
        self.steps.push((time, step, is_start));
    }

    pub fn finish(mut self) -> Steps<bool> {
        self.steps.sort_by_key(|(time, ..)| *time);
        let has_minimal = self.steps.iter().any(|(_, step, _)| *step == SuspendStep::Minimal);
        let mut asleep: Vec<(i64, i64)> = Vec::new();
        let mut open = [None; 3];
        for (time, step, is_start) in self.steps {
            if (step == SuspendStep::Minimal) != has_minimal {
                continue;
            }
            let open = &mut open[step as usize];
            if is_start {
                open.get_or_insert(time);
            } else if let Some(start) = open.take() {
                asleep.push((start, time));
            }
        }
        asleep.sort_unstable();
        let mut steps = Steps::default();
        for (i, (start, end)) in asleep.iter().enumerate() {
            if asleep.get(i + 1).is_none_or(|(next, _)| end <= next) && start < end {
                steps.push(BootNanos::new(*start), true);
                steps.push(BootNanos::new(*end), false);
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::SuspendStep::{Freeze, Minimal, Resume};
    use super::*;

    #[track_caller]
    fn check(steps: &[(i64, SuspendStep, bool)], expected: &[(i64, bool)]) {
        let mut suspend = SuspendLog::default();
        for (time, step, is_start) in steps {
            suspend.step(*time, *step, *is_start);
        }
        let found: Vec<_> = suspend.finish().iter().map(|(t, s)| (t.value(), s)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn asleep_while_time_is_frozen() {
        check(&[(1, Freeze, true), (5, Freeze, false)], &[(1, true), (5, false)]);
        check(&[(5, Resume, false), (1, Resume, true)], &[(1, true), (5, false)]);
        check(&[(1, Freeze, true)], &[]);
        check(&[(1, Freeze, false)], &[]);
    }

    #[test]
    fn the_reduced_event_wins_and_overlaps_are_dropped() {
        check(
            &[(1, Freeze, true), (2, Minimal, true), (3, Minimal, false), (5, Freeze, false)],
            &[(2, true), (3, false)],
        );
        check(
            &[(1, Freeze, true), (4, Resume, true), (5, Resume, false), (9, Freeze, false)],
            &[(4, true), (5, false)],
        );
    }
}
