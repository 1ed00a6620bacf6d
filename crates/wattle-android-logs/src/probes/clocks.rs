//! The clocks in records of probes.

use wattle_import::{Clock, Reading, ReadingSource};

/// Source of the readings, as reports name it.
const SOURCE: ReadingSource = ReadingSource { rank: 2, text: "clocks of the probes" };

/// The clocks of probes: monotonic time, wall time in milliseconds, boot time (-1 where it is not known), monotonic time, read one
/// after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeClocks {
    pub before: i64,
    pub wall_ms: i64,
    pub boot: i64,
    pub after: i64,
}

const MILLISECOND: i64 = 1_000_000;
/// Readings that took longer say nothing: something else ran in between.
const LONGEST: i64 = 60_000_000_000;

impl ProbeClocks {
    /// Returns the readings of the device's clocks that these times imply.
    pub fn readings(self) -> Vec<(Clock, Reading)> {
        let took = self.after.saturating_sub(self.before);
        if self.boot < 0 || !(0..=LONGEST).contains(&took) {
            return Vec::new();
        }
        let monotonic = (self.before, self.after);
        let at_wall = (self.boot.saturating_sub(took), self.boot);
        let wall = self.wall_ms.saturating_mul(MILLISECOND);
        let wall = (wall, wall.saturating_add(MILLISECOND));
        let boot = (self.boot, self.boot);
        vec![
            (Clock::Monotonic, Reading::new(monotonic, boot, SOURCE)),
            (Clock::Real, Reading::new(wall, at_wall, SOURCE)),
        ]
    }
}
