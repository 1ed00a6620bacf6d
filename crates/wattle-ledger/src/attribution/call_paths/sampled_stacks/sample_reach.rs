//! Time on CPUs before and after an instant.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

/// A thread's stretches on CPUs, with what they add up to.
#[derive(Debug)]
pub(super) struct OnCpuTime {
    stretches: Vec<Window>,
    /// Time of all stretches before each, and of all.
    before: Vec<i64>,
}

impl OnCpuTime {
    /// Of stretches in order of start. Where events were lost they can overlap, and no thread runs twice at once.
    pub(super) fn new(of: &[Window]) -> Self {
        let mut sum = 0_i64;
        let mut stretches: Vec<Window> = Vec::with_capacity(of.len());
        for stretch in of {
            match stretches.last_mut() {
                Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
                _ => stretches.push(*stretch),
            }
        }
        let mut before = Vec::with_capacity(stretches.len() + 1);
        before.push(0);
        for stretch in &stretches {
            sum = sum.saturating_add(stretch.duration().value());
            before.push(sum);
        }
        Self { stretches, before }
    }

    /// All of it.
    pub(super) fn total(&self) -> Nanos {
        Nanos::new(self.before.last().copied().unwrap_or_default())
    }

    /// The amount of it until the instant.
    fn until(&self, time: BootNanos) -> i64 {
        let index = self.stretches.partition_point(|stretch| stretch.end <= time);
        let before = self.before.get(index).copied().unwrap_or_default();
        let inside = self.stretches.get(index).map_or(0, |stretch| {
            Window::new(stretch.start, time.max(stretch.start)).duration().value()
        });
        before.saturating_add(inside)
    }

    /// When so much of it had been.
    fn at(&self, amount: i64) -> BootNanos {
        let index = self.before.partition_point(|before| *before <= amount).saturating_sub(1);
        let Some(stretch) = self.stretches.get(index) else {
            return self.stretches.last().map_or(BootNanos::MAX, |last| last.end);
        };
        let before = self.before.get(index).copied().unwrap_or_default();
        stretch.start + Nanos::new(amount.saturating_sub(before))
    }

    /// The amount of it before each of these instants, back to the one before; where there is any. In order of time.
    pub(super) fn gaps(
        &self,
        times: impl Iterator<Item = BootNanos>,
    ) -> impl Iterator<Item = Nanos> {
        let mut last = 0;
        times.filter_map(move |time| {
            let until = self.until(time);
            let gap = until - last;
            last = until;
            (gap > 0).then(|| Nanos::new(gap))
        })
    }

    /// From when on there was so much of it until the instant.
    pub(super) fn back(&self, time: BootNanos, amount: Nanos) -> BootNanos {
        let from = self.until(time).saturating_sub(amount.value());
        if from <= 0 { BootNanos::MIN } else { self.at(from).min(time) }
    }

    /// Until when there is so much of it from the instant on.
    pub(super) fn forward(&self, time: BootNanos, amount: Nanos) -> BootNanos {
        let to = self.until(time).saturating_add(amount.value());
        if to >= self.total().value() { BootNanos::MAX } else { self.at(to).max(time) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_on_a_cpu_counts() {
        let window = |from, to| Window::new(BootNanos::new(from), BootNanos::new(to));
        let stretches = [window(10, 20), window(50, 60), window(60, 70)];
        let time = OnCpuTime::new(&stretches);
        let back = |at, amount| time.back(BootNanos::new(at), Nanos::new(amount)).value();
        let forward = |at, amount| time.forward(BootNanos::new(at), Nanos::new(amount)).value();
        assert_eq!(time.total(), Nanos::new(30));
        assert_eq!((back(55, 5), back(55, 8), back(55, 15)), (50, 17, i64::MIN));
        assert_eq!((back(40, 5), back(80, 5), back(5, 1)), (15, 65, i64::MIN));
        assert_eq!((forward(15, 5), forward(15, 6), forward(15, 20)), (50, 51, 65));
        assert_eq!((forward(15, 25), forward(0, 3), forward(90, 1)), (i64::MAX, 13, i64::MAX));
    }
}
