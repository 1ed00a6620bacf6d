//! The clocks of a method trace.

/// Which clocks were read at each entry and exit (`clock=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceClock {
    /// Only a clock that all threads have in common (`wall`; `global` of Dalvik).
    Wall,
    /// Only the time that each thread was on a CPU (`thread-cpu`).
    ThreadCpu,
    /// Both (`dual`).
    Dual,
}

impl TraceClock {
    /// The clock with this name.
    pub fn from_name(text: &[u8]) -> Option<Self> {
        match text {
            b"wall" | b"global" => Some(Self::Wall),
            b"thread-cpu" => Some(Self::ThreadCpu),
            b"dual" => Some(Self::Dual),
            _ => None,
        }
    }
}

/// Nanoseconds of a microsecond.
const MICRO: i64 = 1000;
/// Microseconds after which a number of 32 bits begins anew: 71 minutes.
const TURN: i64 = 1 << 32;
/// Times past this, nanoseconds, are no times: 73 years.
pub const LATEST: i64 = i64::MAX / 4;

/// Nanoseconds of a count of microseconds that has 32 bits: those nearest to a time that is known.
#[inline]
pub fn unwrapped(micros: u32, near: i64) -> i64 {
    let micros = i64::from(micros);
    let near = near / MICRO;
    if near < TURN / 2 && micros < TURN / 2 {
        return micros * MICRO;
    }
    let turns = (near - micros + TURN / 2).div_euclid(TURN).max(0);
    (micros + turns * TURN).saturating_mul(MICRO).min(LATEST)
}

/// Returns true if the header's time is wall time, judged by its size: traces of Dalvik have the wall clock's
/// microseconds, those of the Android runtime count from when the device began.
pub fn is_wall_time(start: i64) -> bool {
    /// 2001-09-09; no device runs for that long.
    const LEAST: i64 = 1_000_000_000_000_000_000;
    start >= LEAST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_begin_anew() {
        let turn = TURN * MICRO;
        let near_end = u32::MAX - 9;
        assert_eq!(unwrapped(5, 0), 5000);
        assert_eq!(unwrapped(near_end, 0), i64::from(near_end) * MICRO);
        let before = i64::from(near_end) * MICRO;
        assert_eq!(unwrapped(5, before), turn + 5000);
        assert_eq!(unwrapped(near_end, turn + 5000), before);
        assert_eq!(unwrapped(5, 7 * turn), 7 * turn + 5000);
        assert!(unwrapped(u32::MAX, i64::MAX) > 0);
    }
}
