//! Distinction between a known 0 J and "no data".

use wattle_ledger::{Charge, Ledger};
use wattle_power::Component;
use wattle_units::Provenance;

use super::gathered::Gathered;

/// With what provenance something was watching; `None` where nothing was, and an energy of which nothing was
/// booked is not known instead of 0.
#[derive(Clone, Copy)]
pub struct Watched {
    /// Each core on its own.
    pub cores: Option<Provenance>,
    /// Power that cores share: known if cores are, or if energy was attributed to it.
    pub shared: Option<Provenance>,
    /// Energy of threads on a CPU: takes a scheduler, too.
    pub threads: Option<Provenance>,
    /// Their part of the cores' own energy.
    pub thread_cores: Option<Provenance>,
}

impl Watched {
    /// Determines what the tracks behind a ledger can have seen.
    pub fn new(ledger: &Ledger, gathered: &Gathered) -> Self {
        let mut components = ledger.rows.components.iter();
        let cpu = components.find(|component| component.name == Component::Cpu);
        let cpu = cpu.map(|cpu| cpu.provenance);
        let own_tracks = ledger.rows.cpus.iter().any(|cpu| !cpu.joules_by_source.is_empty());
        let has_cores = own_tracks || gathered.has_cpu_charge(Charge::Core);
        let cores = cpu.filter(|_| has_cores);
        let shared = cpu.filter(|_| has_cores || gathered.has_cpu_charge(Charge::Shared));
        Self {
            cores,
            shared,
            threads: shared.filter(|_| ledger.recording.has_scheduler),
            thread_cores: cores.filter(|_| ledger.recording.has_scheduler),
        }
    }
}
