//! Which interrupt handler runs on a core at each instant.

use std::collections::BTreeMap;

use wattle_timeline::{NameId, Timeline};

/// The handler that stands for wakes in which neither a task nor a handler ran.
const WITHOUT_TASK: &str = "wake without a task";

/// All handlers by name, numbered in order of their names.
#[derive(Debug)]
pub(crate) struct Handlers {
    names: Vec<String>,
    number: BTreeMap<NameId, u32>,
    without_task: u32,
}

impl Handlers {
    /// Those of all CPUs.
    pub(crate) fn new(timeline: &Timeline) -> Self {
        let ids: std::collections::BTreeSet<NameId> =
            timeline.cpus.iter().flat_map(|cpu| cpu.interrupts.name.iter().copied()).collect();
        let mut names: Vec<String> =
            ids.iter().map(|id| timeline.names.get(*id).to_owned()).collect();
        names.push(WITHOUT_TASK.to_owned());
        names.sort();
        names.dedup();
        let find = |name: &str| names.partition_point(|other| other.as_str() < name) as u32;
        let number = ids.iter().map(|id| (*id, find(timeline.names.get(*id)))).collect();
        let without_task = find(WITHOUT_TASK);
        Self { names, number, without_task }
    }

    /// Number of a handler.
    pub(crate) fn number(&self, name: NameId) -> u32 {
        self.number.get(&name).copied().unwrap_or(self.without_task)
    }

    /// Number of the one that stands for wakes without a task.
    pub(crate) fn without_task(&self) -> u32 {
        self.without_task
    }

    /// The number of handlers.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// A handler's name.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| name)
    }
}
