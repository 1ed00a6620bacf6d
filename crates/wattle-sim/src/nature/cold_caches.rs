//! Caches that the recorder has filled with its own.

/// Slowdown of code that only waits for memory, and of the rest, by the size.
const SLOWDOWN: (f64, f64) = (0.35, 0.04);
/// Growth of the misses by the size.
const MORE_MISSES: f64 = 2.0;

/// The caches after the recorder has read its buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColdCaches {
    size: f64,
    /// The recorder has run since the last look.
    pub was_evicted: bool,
    is_cold: bool,
}

impl ColdCaches {
    pub const fn new(size: f64) -> Self {
        Self { size, was_evicted: false, is_cold: false }
    }

    /// A look: they are cold until the next one if the recorder has run since the last.
    pub const fn look(&mut self) {
        self.is_cold = self.was_evicted;
        self.was_evicted = false;
    }

    /// The speed of code relative to that with warm caches.
    pub fn speed(&self, memory_bound: f64) -> f64 {
        if self.is_cold {
            1.0 / (1.0 + self.size * (SLOWDOWN.0 * memory_bound + SLOWDOWN.1))
        } else {
            1.0
        }
    }

    /// The factor on misses.
    pub fn misses(&self) -> f64 {
        if self.is_cold { 1.0 + self.size * MORE_MISSES } else { 1.0 }
    }
}
