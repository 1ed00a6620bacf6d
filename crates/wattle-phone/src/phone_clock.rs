//! The phone's clocks, none of which agrees with the host's.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use wattle_units::{BootNanos, Nanos};

/// The differences between the phone's clocks and the host's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClockOptions {
    /// The uptime of the phone when it is started. Default is a little over 26 h.
    pub uptime: Nanos,
    /// The part of it in suspend: the lag of `CLOCK_MONOTONIC` behind boot time. Default is a little over 2 h.
    pub suspended: Nanos,
    /// The lead of its wall clock over the host's. Default is 37.25 s.
    pub skew: Nanos,
    /// The drift of its wall clock against the host's, in parts per million. Default is 12.
    pub drift_ppm: f64,
    /// The zone's name (`persist.sys.timezone`). Default is `Asia/Kolkata`, which has no summer time.
    pub zone: String,
    /// The time zone's offset from UTC, in seconds. Default is 19,800 (5:30 h).
    pub zone_offset: i32,
}

impl Default for ClockOptions {
    fn default() -> Self {
        Self {
            uptime: Nanos::new(93_784_120_340_017),
            suspended: Nanos::new(8_123_456_789_012),
            skew: Nanos::new(37_250_000_000),
            drift_ppm: 12.0,
            zone: "Asia/Kolkata".to_owned(),
            zone_offset: 19_800,
        }
    }
}

/// The clocks while the phone runs.
#[derive(Debug)]
pub(crate) struct PhoneClock {
    options: ClockOptions,
    /// Boot time minus the host's `CLOCK_MONOTONIC`.
    boot_offset: AtomicI64,
    /// Boot time minus the phone's `CLOCK_MONOTONIC`.
    suspended: AtomicI64,
    /// The host's clocks when the phone was started.
    start_monotonic: i64,
    start_wall: i64,
}

impl PhoneClock {
    pub(crate) fn start(options: ClockOptions) -> Self {
        let start_monotonic = host_monotonic();
        Self {
            boot_offset: AtomicI64::new(options.uptime.value().saturating_sub(start_monotonic)),
            suspended: AtomicI64::new(options.suspended.value()),
            start_monotonic,
            start_wall: host_wall(),
            options,
        }
    }

    /// Begins at 0 again, as after a reboot.
    pub(crate) fn reboot(&self) {
        self.boot_offset.store(host_monotonic().saturating_neg(), Ordering::SeqCst);
        self.suspended.store(0, Ordering::SeqCst);
    }

    /// Time since boot, suspend included (`CLOCK_BOOTTIME`).
    pub(crate) fn boot(&self) -> BootNanos {
        BootNanos::new(host_monotonic().saturating_add(self.boot_offset.load(Ordering::SeqCst)))
    }

    /// The lead of boot time over the host's `CLOCK_MONOTONIC`.
    pub(crate) fn boot_ahead(&self) -> Nanos {
        Nanos::new(self.boot_offset.load(Ordering::SeqCst))
    }

    /// The phone's `CLOCK_MONOTONIC` at a boot time, in nanoseconds. It did not sleep since it was started.
    pub(crate) fn monotonic_at(&self, boot: BootNanos) -> i64 {
        boot.value().saturating_sub(self.suspended.load(Ordering::SeqCst))
    }

    /// The phone's wall clock now, Unix nanoseconds.
    pub(crate) fn wall(&self) -> i64 {
        self.wall_at(self.boot())
    }

    /// The phone's wall clock at a boot time.
    pub(crate) fn wall_at(&self, boot: BootNanos) -> i64 {
        let host = boot.value().saturating_sub(self.boot_offset.load(Ordering::SeqCst));
        let since = host.saturating_sub(self.start_monotonic);
        let drift = since as f64 * self.options.drift_ppm * 1e-6;
        self.start_wall
            .saturating_add(since)
            .saturating_add(drift.round() as i64)
            .saturating_add(self.options.skew.value())
    }

    /// The offset of local time from UTC, in seconds.
    pub(crate) const fn zone_offset(&self) -> i32 {
        self.options.zone_offset
    }
}

/// The host's `CLOCK_MONOTONIC`, in nanoseconds.
pub(crate) fn host_monotonic() -> i64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

fn host_wall() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
