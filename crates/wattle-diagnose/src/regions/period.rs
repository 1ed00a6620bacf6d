//! The time after which events come back.

use wattle_units::{BootNanos, Nanos};

/// The fewest times between wake-ups that tell of a period.
const FEWEST: usize = 8;
/// Tolerated deviation of the time between wake-ups from the period, as a part of the period.
const TOLERANCE: f64 = 0.2;
/// A beat may be left out so many times at once, less one.
const MULTIPLES: u32 = 3;
/// The part that has to come back after the period.
const MOST: f64 = 0.5;

/// The period of wake-ups, in order of time, and the part of them that come back after it or after two or three of it. The period
/// is the median of the times between wake-ups where these are densest by their ratio, so that neither a beat left out nor a
/// wake-up in between moves it. `None` where fewer than half come back so, or there are too few.
pub(crate) fn period(wakeups: &[BootNanos]) -> Option<(Nanos, f64)> {
    let mut gaps: Vec<i64> = wakeups
        .windows(2)
        .filter_map(|pair| match pair {
            [one, next] => Some((*next - *one).value()).filter(|gap| *gap > 0),
            _ => None,
        })
        .collect();
    if gaps.len() < FEWEST {
        return None;
    }
    gaps.sort_unstable();
    let ratio = (1.0 + TOLERANCE) / (1.0 - TOLERANCE);
    let (mut best, mut end) = (0..0, 0);
    for (first, gap) in gaps.iter().enumerate() {
        while gaps.get(end).is_some_and(|it| *it as f64 <= *gap as f64 * ratio) {
            end += 1;
        }
        if end - first > best.len() {
            best = first..end;
        }
    }
    let densest = gaps.get(best)?;
    let period = *densest.get(densest.len() / 2)? as f64;
    let is_on = |gap: f64| {
        (1..=MULTIPLES).any(|times| {
            let expected = period * f64::from(times);
            (gap - expected).abs() <= TOLERANCE * period
        })
    };
    let on = gaps.iter().filter(|gap| is_on(**gap as f64)).count();
    let share = on as f64 / gaps.len() as f64;
    (share >= MOST).then_some((Nanos::new(period as i64), share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wakeups: &[i64], expected: Option<(i64, f64)>) {
        let times: Vec<BootNanos> = wakeups.iter().copied().map(BootNanos::new).collect();
        let found = period(&times).map(|(period, share)| (period.value(), share));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_period_is_where_most_come_back() {
        let every: Vec<i64> = (0..20).map(|i| i * 100).collect();
        check(&every, Some((100, 1.0)));
        // Some beats are left out, some come late.
        let some: Vec<i64> = (0..20).filter(|i| i % 6 != 0).map(|i| i * 100 + i % 3).collect();
        let gaps = some.len() - 1;
        assert_eq!(gaps, 15);
        check(&some, Some((101, 1.0)));
        // One wake-up in between spoils one time of eleven twice.
        let mut more: Vec<i64> = (0..11).map(|i| i * 100).collect();
        more.push(430);
        more.sort_unstable();
        check(&more, Some((100, 9.0 / 11.0)));
        check(&every[..8], None);
        // Every time is twice the one before.
        check(&(0..20).map(|i| 1 << i).collect::<Vec<i64>>(), None);
    }
}
