//! The clock domain that all clusters share: the DynamIQ shared unit with its cache.

/// Clocks in kilohertz, ascending.
const CLOCKS: [u64; 6] = [300_000, 610_000, 920_000, 1_230_000, 1_540_000, 1_850_000];

/// A domain with a governor and a power of its own.
#[derive(Clone, Debug)]
pub(crate) struct SharedDomain {
    /// Factor on its power.
    size: f64,
    level: usize,
    pub settled: i64,
}

impl SharedDomain {
    pub const fn new(size: f64, start: i64) -> Self {
        Self { size, level: 0, settled: start }
    }

    /// Its clock in kilohertz.
    pub const fn kilohertz(&self) -> u64 {
        CLOCKS[self.level]
    }

    /// Sets the clock for a demand from 0 to 1: up at once, down one step at a time. Returns whether it changed.
    pub fn govern(&mut self, demand: f64) -> bool {
        let before = self.level;
        let wanted = (demand.clamp(0.0, 1.0) * (CLOCKS.len() - 1) as f64).ceil() as usize;
        self.level = wanted.max(self.level.saturating_sub(1));
        self.level != before
    }

    /// Power in watts with so many busy cores: part of it grows with the clock, part with what the cores do.
    pub fn watts(&self, busy: u32) -> f64 {
        let clock = self.kilohertz() as f64 / 1.85e6;
        self.size * (0.015 + 0.05 * clock.powi(2) + 0.025 * clock.powi(3) * f64::from(busy))
    }
}
