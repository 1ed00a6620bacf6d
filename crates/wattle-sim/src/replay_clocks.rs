//! Relation of the phone's other clocks to its boot time.

use wattle_units::{BootNanos, Nanos};

/// The wall clock was set, by hand or by the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockStep {
    /// When.
    pub at: BootNanos,
    /// By how much; negative for back.
    pub by: Nanos,
}

/// The clocks of a phone. Boot time is the one that everything is told in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayClocks {
    /// `CLOCK_REALTIME` at boot time 0: Unix time in nanoseconds.
    pub real_at_boot: Nanos,
    /// Drift of `CLOCK_REALTIME` against boot time, in parts per million.
    pub real_drift_ppm: f64,
    /// When the wall clock was set.
    pub real_steps: Vec<ClockStep>,
    /// Offset of `CLOCK_MONOTONIC` behind boot time at boot time 0: how long the phone was suspended before.
    pub monotonic_behind: Nanos,
    /// Drift of `CLOCK_MONOTONIC` against boot time, in parts per million. 0 on a real phone; a host that lends its
    /// clock to a simulated phone may differ.
    pub monotonic_drift_ppm: f64,
}

impl ReplayClocks {
    /// `CLOCK_REALTIME` at an instant: Unix time in nanoseconds.
    pub fn real(&self, at: BootNanos) -> i64 {
        let steps: i64 =
            self.real_steps.iter().filter(|step| step.at <= at).map(|step| step.by.value()).sum();
        at.value()
            .saturating_add(drifted(at, self.real_drift_ppm))
            .saturating_add(self.real_at_boot.value())
            .saturating_add(steps)
    }

    /// `CLOCK_MONOTONIC` at an instant, in nanoseconds.
    pub fn monotonic(&self, at: BootNanos) -> i64 {
        at.value()
            .saturating_add(drifted(at, self.monotonic_drift_ppm))
            .saturating_sub(self.monotonic_behind.value())
    }

    /// Boot time at an instant of `CLOCK_MONOTONIC`, to the nanosecond.
    pub fn boot_of_monotonic(&self, monotonic: i64) -> BootNanos {
        let since_boot = monotonic.saturating_add(self.monotonic_behind.value());
        let speed = 1.0 + self.monotonic_drift_ppm * 1e-6;
        let guess = BootNanos::new((since_boot as f64 / speed).round() as i64);
        let error = monotonic.saturating_sub(self.monotonic(guess));
        guess + Nanos::new(error)
    }
}

/// Returns the time that a drifting clock has gained since boot.
fn drifted(at: BootNanos, ppm: f64) -> i64 {
    (at.value() as f64 * ppm * 1e-6).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_clock_steps_and_drifts() {
        let at = |seconds: i64| BootNanos::new(seconds * 1_000_000_000);
        let clocks = ReplayClocks {
            real_at_boot: Nanos::new(1_700_000_000_000_000_000),
            real_drift_ppm: 20.0,
            real_steps: vec![ClockStep { at: at(50), by: Nanos::new(-3_000_000_000) }],
            monotonic_behind: Nanos::new(7_000_000_000),
            monotonic_drift_ppm: 0.0,
        };
        assert_eq!(clocks.real(at(10)), 1_700_000_010_000_200_000);
        assert_eq!(clocks.real(at(100)), 1_700_000_097_002_000_000);
        assert_eq!(clocks.monotonic(at(10)), 3_000_000_000);
    }

    #[test]
    fn monotonic_time_comes_back_as_boot_time() {
        for ppm in [0.0, 35.5, -80.0] {
            let clocks = ReplayClocks {
                monotonic_behind: Nanos::new(123_456_789),
                monotonic_drift_ppm: ppm,
                ..ReplayClocks::default()
            };
            for boot in [0, 1, 999, 5_000_000_123, 86_400_000_000_007] {
                let back = clocks.boot_of_monotonic(clocks.monotonic(BootNanos::new(boot)));
                assert!((back.value() - boot).abs() <= 1, "{ppm}: {boot} became {back:?}");
            }
        }
    }
}
