//! Counts of all CPUs' clocks at one instant, as Navitas writes them: `cpu0 <kHz> <ticks> <kHz> <ticks> … ; cpu1 … ;
//! EndOfData <brightness>`.
//!
//! A CPU that is offline has no file: its name stands there without figures and without a semicolon. The log cuts long lines.

use wattle_timeline::MAX_CPUS;

/// Steps of all clocks of one reading. Phones have some two hundred.
const MAX_CLOCKS: usize = 1 << 14;

/// One clock's count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Count {
    pub cpu: u32,
    pub kilohertz: u32,
    pub ticks: u64,
}

/// All counts of one instant, by CPU and frequency in ascending order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readings {
    counts: Vec<Count>,
    /// CPUs that were named without figures.
    pub offline: u32,
    /// Value after `EndOfData`; `None` where the line was cut before it.
    pub brightness: Option<i64>,
}

impl Readings {
    /// From what stands behind `TimeInStates`.
    pub fn parse(text: &str) -> Self {
        let mut readings = Self::default();
        let mut words = text.split_ascii_whitespace();
        let mut cpu: Option<u32> = None;
        let mut named = (0_u32, 0_u32);
        while let Some(word) = words.next() {
            if word == "EndOfData" {
                readings.brightness = Some(words.next().and_then(|w| w.parse().ok()).unwrap_or(0));
                break;
            }
            if word == ";" {
                cpu = None;
            } else if let Some(number) = word.strip_prefix("cpu") {
                cpu = number.parse().ok();
                named.0 += 1;
            } else if let (Some(of), Some(kilohertz), Some(ticks)) =
                (cpu, word.parse().ok(), words.next().and_then(|word| word.parse().ok()))
            {
                readings.push(of, kilohertz, ticks);
            }
        }
        if readings.brightness.is_none() {
            // The last figure may be the beginning of a longer one.
            readings.counts.pop();
        }
        let mut last = None;
        readings.settle();
        for count in &readings.counts {
            named.1 += u32::from(last.replace(count.cpu) != Some(count.cpu));
        }
        readings.offline = named.0.saturating_sub(named.1);
        readings
    }

    /// Adds one count. [`Self::settle`] must follow the last.
    pub fn push(&mut self, cpu: u32, kilohertz: u32, ticks: u64) {
        if cpu < MAX_CPUS && self.counts.len() < MAX_CLOCKS {
            self.counts.push(Count { cpu, kilohertz, ticks });
        }
    }

    /// Puts the counts in order. Of a clock that came twice the last holds.
    pub fn settle(&mut self) {
        self.counts.sort_by_key(|count| (count.cpu, count.kilohertz));
        self.counts.dedup_by(|later, earlier| {
            let is_same = (later.cpu, later.kilohertz) == (earlier.cpu, earlier.kilohertz);
            if is_same {
                earlier.ticks = later.ticks;
            }
            is_same
        });
    }

    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// Returns the ticks of the CPU that has been counting longest. These counters run with the wall clock, so this is
    /// a clock of the device.
    pub fn uptime(&self) -> Option<u64> {
        let of_cpus = self.counts.chunk_by(|a, b| a.cpu == b.cpu);
        of_cpus.map(|of_cpu| of_cpu.iter().fold(0_u64, |sum, c| sum.saturating_add(c.ticks))).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        text: &str,
        counts: &[(u32, u32, u64)],
        offline: u32,
        brightness: Option<i64>,
        uptime: Option<u64>,
    ) {
        let readings = Readings::parse(text);
        let found: Vec<_> = readings.counts.iter().map(|c| (c.cpu, c.kilohertz, c.ticks)).collect();
        assert_eq!(found, counts, "{text}");
        assert_eq!((readings.offline, readings.brightness), (offline, brightness), "{text}");
        assert_eq!(readings.uptime(), uptime, "{text}");
    }

    #[test]
    fn readings_of_all_shapes() {
        check(
            "cpu0 1600000 47 800000 216 ; cpu1 1600000 40 ;  EndOfData 0",
            &[(0, 800_000, 216), (0, 1_600_000, 47), (1, 1_600_000, 40)],
            0,
            Some(0),
            Some(263),
        );
        // Offline: neither figures nor semicolon.
        check(
            "cpu0 1 2 ; cpu1 cpu2 3 4 ; EndOfData 5",
            &[(0, 1, 2), (2, 3, 4)],
            1,
            Some(5),
            Some(4),
        );
        // Cut by the log in the middle of a figure.
        check("cpu0 1000 2000 3000 40", &[(0, 1000, 2000)], 0, None, Some(2000));
        check("cpu0 1000 2000 3000", &[], 1, None, None);
        check("cpu0 5 1 5 2 ; EndOfData", &[(0, 5, 2)], 0, Some(0), Some(2));
        check("cpu4096 5 1 ; cpux 5 1 ; 7 7 EndOfData 0", &[], 2, Some(0), None);
        check("", &[], 0, None, None);
    }
}
