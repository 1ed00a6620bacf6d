//! When a CPU was off, from the kernel's hotplug steps.
//!
//! Each step of bringing a CPU up or down (`cpuhp_enter`) runs on the CPU itself or, while that is not
//! able to, on another one. The CPU is off from the first step that another CPU takes over until the
//! next that it does itself. Stretches under 100 µs are hand-overs within one operation. (Perfetto
//! `wattson/cpu/hotplug.sql`.)

use wattle_units::BootNanos;

use crate::{Steps, Window};

const HAND_OVER_NANOS: i64 = 100_000;

#[derive(Debug, Default)]
pub(crate) struct Hotplug {
    /// Time of a step and whether another CPU did it.
    steps: Vec<(i64, bool)>,
}

impl Hotplug {
    pub fn step(&mut self, time: i64, is_other_cpu: bool) {
        self.steps.push((time, is_other_cpu));
    }

    pub fn finish(mut self, window: Window) -> Steps<bool> {
        self.steps.sort_by_key(|(time, _)| *time);
        self.steps.dedup_by_key(|(_, is_other)| *is_other);
        // The side that the first step was done on is not a change of sides.
        let changes = self.steps.get(1..).unwrap_or_default();
        let mut online = Steps::default();
        if !changes.is_empty() {
            online.push(window.start, true);
        }
        for (i, (time, is_other)) in changes.iter().enumerate() {
            let until = changes.get(i + 1).map_or(window.end.value(), |(next, _)| *next);
            let is_off = *is_other && until.saturating_sub(*time) >= HAND_OVER_NANOS;
            online.push(BootNanos::new(*time), !is_off);
        }
        online
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(steps: &[(i64, bool)], expected: &[(i64, bool)]) {
        let mut hotplug = Hotplug::default();
        for (time, is_other) in steps {
            hotplug.step(time * 1000, *is_other);
        }
        let window = Window::new(BootNanos::new(0), BootNanos::new(10_000_000));
        let online = hotplug.finish(window);
        let found: Vec<_> = online.iter().map(|(t, on)| (t.value() / 1000, on)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn off_from_the_first_step_of_another_cpu_to_the_next_own_one() {
        check(&[], &[]);
        check(&[(100, true)], &[]);
        check(&[(100, false), (200, false)], &[]);
        check(&[(100, false), (200, true), (900, false)], &[(0, true), (200, false), (900, true)]);
        check(&[(100, false), (200, true)], &[(0, true), (200, false)]);
    }

    #[test]
    fn a_hand_over_is_not_off() {
        check(
            &[(100, false), (200, true), (250, false), (300, true), (500, false)],
            &[(0, true), (300, false), (500, true)],
        );
    }
}
