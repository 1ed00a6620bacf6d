//! The accounts of a running simulation.

use std::collections::BTreeMap;

use wattle_units::{CompensatedSum, Joules, Nanos};

use crate::thread_program::{NameIndex, Names};
use crate::{Charges, MethodTruth};

/// A node of a thread's call tree.
pub(crate) type NodeIndex = usize;

/// The handler that pays for a wake after which no task ran.
pub(crate) const WAKE_WITHOUT_TASK: &str = "wake without a task";

/// Who pays for a core at this instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// Nobody: the idle floor.
    Idle,
    /// Whoever will be the first task.
    FirstTask,
    /// A thread in its innermost call.
    Node(NodeIndex),
    /// An interrupt handler.
    Interrupt(usize),
}

impl Payer {
    /// Whether it makes its core busy, that is, whether it shares the cluster's static power.
    pub const fn is_busy(self) -> bool {
        matches!(self, Self::Node(_) | Self::Interrupt(_))
    }
}

#[derive(Clone, Debug)]
struct Node {
    task: usize,
    parent: Option<NodeIndex>,
    name: Option<NameIndex>,
    core: CompensatedSum,
    shared: CompensatedSum,
    wake: CompensatedSum,
    cpu: i64,
    calls: u64,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    core: CompensatedSum,
    shared: CompensatedSum,
    wake: CompensatedSum,
}

impl Sums {
    fn charges(&self) -> Charges {
        Charges {
            core: Joules::new(self.core.value()),
            shared: Joules::new(self.shared.value()),
            wake: Joules::new(self.wake.value()),
        }
    }
}

/// All accounts. Energies are in joules, times in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    nodes: Vec<Node>,
    children: BTreeMap<(NodeIndex, NameIndex), NodeIndex>,
    interrupts: Vec<Sums>,
    without_task: Sums,
    idle: Sums,
    /// By CPU: what was drawn since it began to leave idle and nobody has paid yet.
    pending: Vec<f64>,
}

impl Meter {
    /// With one root node for each task, of the task's index.
    pub fn new(tasks: usize, cpus: usize, interrupts: usize) -> Self {
        let root = |task| Node {
            task,
            parent: None,
            name: None,
            core: CompensatedSum::default(),
            shared: CompensatedSum::default(),
            wake: CompensatedSum::default(),
            cpu: 0,
            calls: 0,
        };
        Self {
            nodes: (0..tasks).map(root).collect(),
            children: BTreeMap::new(),
            interrupts: vec![Sums::default(); interrupts],
            without_task: Sums::default(),
            idle: Sums::default(),
            pending: vec![0.0; cpus],
        }
    }

    /// Books a core's own energy over a stretch of time.
    pub fn core(&mut self, cpu: usize, payer: Payer, joules: f64, nanos: i64) {
        match payer {
            Payer::Idle => self.idle.core.add(joules),
            Payer::FirstTask => self.pending[cpu] += joules,
            Payer::Node(node) => {
                self.nodes[node].core.add(joules);
                self.nodes[node].cpu += nanos;
            }
            Payer::Interrupt(source) => self.interrupts[source].core.add(joules),
        }
    }

    /// Books a share of a cluster's static energy; without a busy core it is the idle floor's.
    pub fn shared(&mut self, payer: Payer, joules: f64) {
        match payer {
            Payer::Idle | Payer::FirstTask => self.idle.shared.add(joules),
            Payer::Node(node) => self.nodes[node].shared.add(joules),
            Payer::Interrupt(source) => self.interrupts[source].shared.add(joules),
        }
    }

    /// The first task after idle has come, or none has.
    pub fn end_wake(&mut self, cpu: usize, first_task: Option<NodeIndex>) {
        let joules = std::mem::take(&mut self.pending[cpu]);
        if joules != 0.0 {
            match first_task {
                Some(node) => self.nodes[node].wake.add(joules),
                None => self.without_task.wake.add(joules),
            }
        }
    }

    /// Goes into a method.
    pub fn enter(&mut self, caller: NodeIndex, name: NameIndex) -> NodeIndex {
        let next = self.nodes.len();
        let node = *self.children.entry((caller, name)).or_insert(next);
        if node == next {
            let task = self.nodes[caller].task;
            self.nodes.push(Node {
                task,
                parent: Some(caller),
                name: Some(name),
                core: CompensatedSum::default(),
                shared: CompensatedSum::default(),
                wake: CompensatedSum::default(),
                cpu: 0,
                calls: 0,
            });
        }
        self.nodes[node].calls += 1;
        node
    }

    /// Is in a method since before the begin.
    pub fn open(&mut self, caller: NodeIndex, name: NameIndex) -> NodeIndex {
        let node = self.enter(caller, name);
        self.nodes[node].calls -= 1;
        node
    }

    /// The methods from the outermost to a node's.
    pub fn path(&self, node: NodeIndex, names: &Names) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = self.nodes.get(node);
        while let Some(here) = at {
            path.extend(here.name.map(|name| names.text(name).to_owned()));
            at = here.parent.map(|parent| &self.nodes[parent]);
        }
        path.reverse();
        path
    }

    /// Comes out of a method.
    pub fn exit(&self, node: NodeIndex) -> NodeIndex {
        self.nodes[node].parent.unwrap_or(node)
    }

    /// Returns the energy of every task, and its time on a CPU.
    pub fn tasks(&self, count: usize) -> Vec<(Charges, Nanos)> {
        let mut tasks = vec![(Sums::default(), 0); count];
        for node in &self.nodes {
            let (sums, cpu) = &mut tasks[node.task];
            sums.core.merge(node.core);
            sums.shared.merge(node.shared);
            sums.wake.merge(node.wake);
            *cpu += node.cpu;
        }
        tasks.into_iter().map(|(sums, cpu)| (sums.charges(), Nanos::new(cpu))).collect()
    }

    /// Returns the energy of every call path; the caller fills in the thread by the index of the task.
    pub fn methods(&self, names: &Names) -> Vec<(usize, MethodTruth)> {
        let own =
            |node: &Node| Sums { core: node.core, shared: node.shared, wake: node.wake }.charges();
        let mut totals: Vec<CompensatedSum> = self
            .nodes
            .iter()
            .map(|node| std::iter::once(own(node).total().value()).collect())
            .collect();
        // Callees have higher indices than their callers.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let callee = totals[index];
                totals[parent].merge(callee);
            }
        }
        self.nodes
            .iter()
            .enumerate()
            .zip(totals)
            .map(|((index, node), total)| {
                let own = own(node);
                let method = MethodTruth {
                    process: String::new(),
                    thread: String::new(),
                    tid: 0,
                    recorder: false,
                    path: self.path(index, names),
                    own,
                    self_joules: own.total(),
                    total_joules: Joules::new(total.value()),
                    calls: node.calls,
                    self_cpu: Nanos::new(node.cpu),
                };
                (node.task, method)
            })
            .collect()
    }

    /// Returns the energy that belongs to no task.
    pub fn idle(&self) -> Charges {
        let mut idle = self.idle.charges();
        // Whoever would have been the first task did not come before the end.
        idle.core += self.pending.iter().map(|joules| Joules::new(*joules)).sum();
        idle
    }

    /// Returns the energy of interrupts, by handler.
    pub fn interrupts<'a>(
        &self,
        handlers: impl Iterator<Item = &'a str>,
    ) -> BTreeMap<String, Charges> {
        let mut by_handler: BTreeMap<String, Charges> = BTreeMap::new();
        for (handler, sums) in handlers.zip(&self.interrupts) {
            *by_handler.entry(handler.to_owned()).or_default() += sums.charges();
        }
        let without = self.without_task.charges();
        if without.total() > Joules::ZERO {
            by_handler.insert(WAKE_WITHOUT_TASK.to_owned(), without);
        }
        by_handler
    }
}
