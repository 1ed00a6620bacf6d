//! The part of the counted clocks that the model knows.

use std::collections::BTreeSet;

use wattle_power::ClockReach;
use wattle_timeline::{CpuId, Note, Severity};
use wattle_units::Hertz;

/// Clocks that are not steps of the model.
#[derive(Debug, Default)]
pub(super) struct Reach {
    clamped: BTreeSet<(CpuId, Hertz)>,
    foreign: BTreeSet<CpuId>,
}

impl Reach {
    pub fn add(&mut self, cpu: CpuId, frequency: Hertz, reach: ClockReach) {
        match reach {
            ClockReach::Step | ClockReach::Between => {}
            ClockReach::Clamped => {
                self.clamped.insert((cpu, frequency));
            }
            ClockReach::OtherCluster => {
                self.foreign.insert(cpu);
            }
        }
    }

    pub fn notes(&self, model: &str) -> Vec<Note> {
        let mut notes = Vec::new();
        if !self.clamped.is_empty() {
            let mut clocks: Vec<u64> =
                self.clamped.iter().map(|(_, clock)| clock.value() / 1_000_000).collect();
            clocks.sort_unstable();
            clocks.dedup();
            let clocks: Vec<String> = clocks.iter().take(8).map(u64::to_string).collect();
            let text = format!(
                "clocks beyond the first or last step of {model:?} ({} MHz): that step's current stands for them, and above the last \
                 it is no bound",
                clocks.join(", ")
            );
            let count = self.clamped.len() as u64;
            notes.push(Note::new(Severity::Warning, "bound-clamped", text).times(count));
        }
        if !self.foreign.is_empty() {
            let cpus: Vec<String> =
                self.foreign.iter().take(8).map(|cpu| cpu.0.to_string()).collect();
            let text = format!(
                "CPUs that {model:?} does not know (CPU {}): the currents of its costliest cluster stand for them",
                cpus.join(", ")
            );
            let count = self.foreign.len() as u64;
            notes.push(Note::new(Severity::Warning, "bound-other-cluster", text).times(count));
        }
        notes
    }
}
