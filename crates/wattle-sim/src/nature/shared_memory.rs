//! Cores that share a memory slow each other down.

/// Work of memory-bound code in cycles of a little core a nanosecond at which memory is as busy as the effect's size is
/// measured at.
const BUSY: f64 = 2.0;
/// Part of a core's active power that it does not draw while it waits for memory.
const SAVED: f64 = 0.5;

/// Memory as the cores find it.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Slowdown of code that only waits for memory, once memory is busy.
    size: f64,
    /// Demand of each CPU at the last look, relative to a busy memory.
    demands: Vec<f64>,
}

impl Memory {
    pub fn new(size: f64, cpus: usize) -> Self {
        Self { size, demands: vec![0.0; cpus] }
    }

    /// Takes note of what a CPU does: memory-bound work in cycles of a little core a nanosecond.
    pub fn demand(&mut self, cpu: usize, memory_work: f64) {
        self.demands[cpu] = memory_work / BUSY;
    }

    /// Demand of all CPUs, relative to a busy memory.
    pub fn pressure(&self) -> f64 {
        self.demands.iter().sum()
    }

    /// The speed of code on a CPU relative to that with memory for itself, above 0 to 1.
    pub fn speed(&self, cpu: usize, memory_bound: f64) -> f64 {
        let others = (self.pressure() - self.demands[cpu]).max(0.0);
        1.0 / (1.0 + self.size * memory_bound * others)
    }

    /// The factor on a core's active power of code at a speed.
    pub fn power(speed: f64) -> f64 {
        1.0 - SAVED * (1.0 - speed)
    }
}
