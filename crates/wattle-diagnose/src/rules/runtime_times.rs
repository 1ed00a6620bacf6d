//! CPU time of each process by what the runtime did with it.

use std::collections::BTreeMap;

use wattle_ledger::{Ledger, PathId, RuntimeClass, RuntimeTax};

/// Collections that ART makes when a process changes its state (AOSP `gc_cause.cc`), not because of garbage.
const OF_STATE: [&str; 4] =
    ["CollectorTransition", "HomogeneousSpaceCompact", "HeapTrim", "DisableMovingGc"];

/// The CPU time of one process, in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct RuntimeTimes {
    /// All of it.
    pub(super) all: f64,
    /// By class, collections of changes of state left out.
    pub(super) by_class: BTreeMap<RuntimeClass, f64>,
}

impl RuntimeTimes {
    /// The time of a class.
    pub(super) fn of(&self, class: RuntimeClass) -> f64 {
        self.by_class.get(&class).copied().unwrap_or(0.0)
    }
}

/// The classes of a ledger's paths, with the times of its processes.
#[derive(Debug)]
pub(super) struct RuntimeUse {
    classes: Vec<Option<RuntimeClass>>,
    /// By index of the process in the ledger.
    pub(super) processes: BTreeMap<u32, RuntimeTimes>,
}

impl RuntimeUse {
    /// `None` where no path has any time on a CPU.
    pub(super) fn new(ledger: &Ledger) -> Option<Self> {
        let paths = &ledger.rows.paths;
        if paths.iter().all(|path| path.self_cpu.value() == 0) {
            return None;
        }
        let tax = RuntimeTax::from_ledger(ledger);
        let mut of_state: Vec<bool> = Vec::with_capacity(paths.len());
        for path in paths {
            let caller = path.caller.and_then(|it| of_state.get(it.0 as usize)).copied();
            let is_one = OF_STATE.iter().any(|cause| path.name.starts_with(cause));
            of_state.push(is_one || caller.unwrap_or(false));
        }
        let class = |(index, of_state): (u32, bool)| {
            let class = tax.class_of(PathId(index))?;
            (!of_state || class != RuntimeClass::GarbageCollection).then_some(class)
        };
        let classes: Vec<_> = (0..).zip(of_state).map(class).collect();
        let mut processes: BTreeMap<u32, RuntimeTimes> = BTreeMap::new();
        for (path, class) in paths.iter().zip(&classes) {
            let Some(thread) = ledger.rows.threads.get(path.thread as usize) else { continue };
            let times = processes.entry(thread.process).or_default();
            let own = path.self_cpu.seconds();
            times.all += own;
            if let Some(class) = class {
                *times.by_class.entry(*class).or_default() += own;
            }
        }
        Some(Self { classes, processes })
    }

    /// The class of a path; `None` for what the app did itself, and for collections of changes of state.
    pub(super) fn class_of(&self, path: PathId) -> Option<RuntimeClass> {
        self.classes.get(path.0 as usize).copied().flatten()
    }
}
