//! Hardware counters of the CPUs.

use super::Progress;

/// Instructions for each cycle of work of code that is nobody's: handlers and the idle task.
const KERNEL_INSTRUCTIONS: f64 = 0.6;

/// Counters of one CPU since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub cycles: f64,
    pub instructions: f64,
    pub misses: f64,
    pub switches: u64,
}

/// The counters of all CPUs.
#[derive(Clone, Debug)]
pub(crate) struct Pmu {
    cpus: Vec<Counts>,
}

impl Pmu {
    pub fn new(cpus: usize) -> Self {
        Self { cpus: vec![Counts::default(); cpus] }
    }

    /// A thread's code made progress in so many cycles of its CPU's clock.
    pub fn ran(&mut self, cpu: usize, cycles: f64, progress: Progress) {
        let counts = &mut self.cpus[cpu];
        counts.cycles += cycles;
        counts.instructions += progress.instructions;
        counts.misses += progress.misses;
    }

    /// The kernel ran for so many cycles of its CPU's clock.
    pub fn ran_kernel(&mut self, cpu: usize, cycles: f64) {
        let counts = &mut self.cpus[cpu];
        counts.cycles += cycles;
        counts.instructions += cycles * KERNEL_INSTRUCTIONS;
    }

    /// Counts a switch of tasks, and reads the counters at it.
    pub fn switched(&mut self, cpu: usize) -> Counts {
        self.cpus[cpu].switches += 1;
        self.cpus[cpu]
    }
}
