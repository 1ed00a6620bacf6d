//! Clocks and how each is turned into boot time.

use rustc_hash::FxHashMap;
use wattle_units::BootNanos;

use crate::clock_fit::boot_between;

/// A clock of a recording. Numbers up to 63 are the kernel's or well known, 64 to 127 belong to one
/// writer, from 128 on they are global to the recording (Perfetto's `ClockSnapshot`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainId {
    /// The clock's number.
    pub clock: u32,
    /// The writer it belongs to; 0 for clocks that belong to nobody.
    pub writer: u32,
}

impl DomainId {
    /// `CLOCK_REALTIME`.
    pub const REALTIME: Self = Self::global(1);
    /// `CLOCK_MONOTONIC`: stands still in suspend.
    pub const MONOTONIC: Self = Self::global(3);
    /// `CLOCK_MONOTONIC_RAW`: not slewed by time synchronisation.
    pub const MONOTONIC_RAW: Self = Self::global(5);
    /// `CLOCK_BOOTTIME`, the clock of a timeline.
    pub const BOOTTIME: Self = Self::global(6);

    /// A clock that belongs to nobody.
    pub const fn global(clock: u32) -> Self {
        Self { clock, writer: 0 }
    }

    /// The clock that a writer means by a number.
    pub const fn of_writer(clock: u32, writer: u32) -> Self {
        let is_own = clock >= 64 && clock < 128;
        Self { clock, writer: if is_own { writer } else { 0 } }
    }
}

/// Reading of one clock in a snapshot of all.
#[derive(Clone, Copy, Debug)]
pub struct ClockReading {
    /// Which.
    pub domain: DomainId,
    /// The reading, in the clock's own unit.
    pub value: u64,
    /// Nanoseconds of one unit.
    pub unit: u64,
    /// Timestamps in this clock are differences from the one before.
    pub is_incremental: bool,
}

/// A clock that cannot be turned into boot time: no snapshot says how it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockError(pub DomainId);

#[derive(Clone, Debug, Default)]
struct Domain {
    /// (this clock, boot time) in nanoseconds, in the order of the snapshots.
    pairs: Vec<(i64, i64)>,
    unit: u64,
    is_incremental: bool,
    /// The last timestamp of an incremental clock, in nanoseconds.
    last: i64,
}

/// Snapshots that are kept of one clock. Recorders take one every ten seconds or so.
const MAX_SNAPSHOTS: usize = 4096;

/// All clocks of a recording.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    domains: FxHashMap<DomainId, Domain>,
}

impl Clocks {
    /// Takes a snapshot in. One that holds no clock which leads to boot time says nothing.
    pub fn snapshot(&mut self, readings: &[ClockReading]) {
        let nanos = |r: &ClockReading| (r.value.saturating_mul(r.unit.max(1))).cast_signed();
        let boot = readings.iter().find(|r| r.domain == DomainId::BOOTTIME).map(nanos);
        let boot = boot.or_else(|| {
            let mut known = readings.iter().filter(|r| !r.is_incremental);
            known.find_map(|r| self.to_boot(r.domain, nanos(r)))
        });
        for reading in readings {
            let domain = self.domains.entry(reading.domain).or_default();
            domain.unit = reading.unit.max(1);
            domain.is_incremental = reading.is_incremental;
            domain.last = nanos(reading);
            if let Some(boot) = boot {
                if domain.pairs.len() >= 2 * MAX_SNAPSHOTS {
                    domain.pairs.drain(..MAX_SNAPSHOTS);
                }
                domain.pairs.push((nanos(reading), boot));
            }
        }
    }

    /// Boot time of a timestamp. Moves incremental clocks on, so each timestamp may be asked for once.
    #[inline]
    pub fn convert(&mut self, domain: DomainId, value: u64) -> Result<BootNanos, ClockError> {
        if domain == DomainId::BOOTTIME {
            return Ok(BootNanos::new(value.cast_signed()));
        }
        let clock = self.domains.get_mut(&domain).ok_or(ClockError(domain))?;
        let mut nanos = value.wrapping_mul(clock.unit).cast_signed();
        if clock.is_incremental {
            nanos = clock.last.wrapping_add(nanos);
            clock.last = nanos;
        }
        self.to_boot(domain, nanos).map(BootNanos::new).ok_or(ClockError(domain))
    }

    /// Boot time of a timestamp of a clock that nobody sets, in nanoseconds: it runs evenly between snapshots ([`crate::ClockFit`]). `None`
    /// before any snapshot of it.
    pub fn even_boot(&self, domain: DomainId, nanos: i64) -> Option<i64> {
        boot_between(self.pairs(domain), nanos)
    }

    /// Readings of a clock in the snapshots, and boot time then; nanoseconds.
    pub fn pairs(&self, domain: DomainId) -> &[(i64, i64)] {
        self.domains.get(&domain).map_or(&[], |domain| &domain.pairs)
    }

    /// Boot time of nanoseconds in a clock, by the last snapshot before, else the first.
    fn to_boot(&self, domain: DomainId, nanos: i64) -> Option<i64> {
        if domain == DomainId::BOOTTIME {
            return Some(nanos);
        }
        let pairs = &self.domains.get(&domain)?.pairs;
        let before = pairs.iter().rev().find(|(clock, _)| *clock <= nanos);
        let (clock, boot) = before.or_else(|| pairs.first())?;
        Some(boot.saturating_add(nanos.saturating_sub(*clock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(domain: DomainId, value: u64) -> ClockReading {
        ClockReading { domain, value, unit: 1, is_incremental: false }
    }

    #[track_caller]
    fn check(clocks: &mut Clocks, domain: DomainId, value: u64, expected: Option<i64>) {
        let found = clocks.convert(domain, value).ok().map(BootNanos::value);
        assert_eq!(found, expected);
    }

    #[test]
    fn boot_time_needs_no_snapshot_and_others_do() {
        let mut clocks = Clocks::default();
        check(&mut clocks, DomainId::BOOTTIME, 7, Some(7));
        check(&mut clocks, DomainId::MONOTONIC, 7, None);
    }

    #[test]
    fn the_last_snapshot_before_counts() {
        let mut clocks = Clocks::default();
        for (mono, boot) in [(100, 1100), (200, 5200)] {
            clocks
                .snapshot(&[reading(DomainId::MONOTONIC, mono), reading(DomainId::BOOTTIME, boot)]);
        }
        check(&mut clocks, DomainId::MONOTONIC, 50, Some(1050));
        check(&mut clocks, DomainId::MONOTONIC, 150, Some(1150));
        check(&mut clocks, DomainId::MONOTONIC, 250, Some(5250));
    }

    #[test]
    fn an_incremental_clock_of_a_writer_leads_over_another_clock() {
        let mut clocks = Clocks::default();
        clocks.snapshot(&[reading(DomainId::MONOTONIC, 1000), reading(DomainId::BOOTTIME, 51_000)]);
        let own = DomainId::of_writer(64, 9);
        clocks.snapshot(&[
            ClockReading { domain: own, value: 2, unit: 1000, is_incremental: true },
            reading(DomainId::MONOTONIC, 2000),
        ]);
        check(&mut clocks, own, 1, Some(53_000));
        check(&mut clocks, own, 2, Some(55_000));
        check(&mut clocks, DomainId::of_writer(64, 8), 2, None);
        assert_eq!(DomainId::of_writer(3, 9), DomainId::MONOTONIC);
    }
}
