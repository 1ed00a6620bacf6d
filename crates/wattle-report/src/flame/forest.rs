//! Call trees of one or two runs, merged by names.

use std::collections::{BTreeMap, HashMap};

use wattle_ledger::{Account, FrameClass, Ledger, PathEntry, ProcessEntry, steady_name};
use wattle_power::{ComparedRun, Component, ErrorBasis};
use wattle_timeline::{Uid, process_base};
use wattle_units::Nanos;

use super::component_tally::ComponentTally;
use super::steady_names::{folded_process, folded_thread};
use super::{FlameBy, FlameKind, FlameOptions};
use crate::model::{CallTree, Doubt, chosen, doubt, uid_names};

/// Hardware that an app used and none of its threads: it was in front, or only its uid is known.
const WHOLE_APP: &str = "used by the app as a whole";

/// A node before figures are made of it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Its own number for the root.
    pub parent: usize,
    pub kind: FlameKind,
    pub name: String,
    /// The class of its frames that most samples found, and how many did.
    pub class: Option<(FrameClass, u64)>,
    /// By run; `None` where the run has no such node.
    pub runs: [Option<NodeRun>; 2],
}

/// Figures of a node in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeRun {
    pub calls: u64,
    pub samples: u64,
    /// While it was innermost.
    pub cpu: Nanos,
    pub own: ComponentTally,
}

impl NodeRun {
    pub fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        self.samples += other.samples;
        self.cpu += other.cpu;
        self.own.merge(&other.own);
    }
}

/// Nodes, parents before their children, the root first.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    pub nodes: Vec<Node>,
    /// Components of the energies.
    pub components: Vec<Component>,
    children: HashMap<(usize, FlameKind, String), usize>,
}

/// A run that is added to a forest.
pub(super) struct AddedRun<'a> {
    pub ledger: &'a Ledger,
    pub run: ComparedRun,
    /// Origin of its sources' numbers.
    pub basis: &'a ErrorBasis,
    /// Factor of the energies.
    pub factor: f64,
}

impl Forest {
    pub fn new(components: Vec<Component>) -> Self {
        let root = Node {
            parent: 0,
            kind: FlameKind::Root,
            name: String::new(),
            class: None,
            runs: [None, None],
        };
        Self { nodes: vec![root], components, children: HashMap::new() }
    }

    /// Adds the call trees and the accounts of a run. Components that are not among the forest's are left out.
    pub fn add(&mut self, added: &AddedRun<'_>, options: &FlameOptions) {
        let ledger = added.ledger;
        self.node(added.run, 0, FlameKind::Root, "");
        let chosen = (!options.apps.is_empty()).then(|| chosen(ledger, &options.apps));
        let is_shown = |process: u32| {
            chosen.as_ref().is_none_or(|c| c.processes.get(process as usize) == Some(&true))
        };
        let is_hidden = |uid: u32| chosen.as_ref().is_some_and(|it| !it.uids.contains(&uid));
        let paths = self.add_paths(added, options.by, is_shown);
        let components: Vec<Option<usize>> = ledger
            .rows
            .components
            .iter()
            .map(|entry| self.components.iter().position(|known| *known == entry.name))
            .collect();
        for booking in &ledger.bookings {
            let Some(account) = ledger.rows.accounts.get(booking.account.0 as usize) else {
                continue;
            };
            let at = usize::from(booking.component.0);
            let Some(component) = components.get(at).copied().flatten() else { continue };
            let Some(source) = added.basis.id(added.run, booking.source) else { continue };
            let joules = Some(booking.joules * added.factor).filter(|joules| joules.is_finite());
            let joules = joules.unwrap_or_default();
            let node = match account {
                Account::Path { path } | Account::Recorder { path } => {
                    paths.get(path.0 as usize).copied().flatten()
                }
                Account::App { uid } if is_hidden(*uid) => {
                    Some(self.node(added.run, 0, FlameKind::OtherProcesses, "other processes"))
                }
                other => Some(self.account(added, other, component)),
            };
            let Some(node) = node else { continue };
            let own = &mut self.run(node, added.run).own;
            own.add(component, source, joules);
            // What was taken off a path may have been too much or too little.
            if let Account::ProfilingOverhead { path: Some(path) } = account
                && let Some(process) = process_of(ledger, path.0)
            {
                let left = doubt(ledger, process, joules);
                own.doubt(component, Doubt { less: left.more, more: left.less });
                if let Some(path) = paths.get(path.0 as usize).copied().flatten() {
                    self.run(path, added.run).own.doubt(component, left);
                }
            }
        }
    }

    /// The node of each path.
    fn add_paths(
        &mut self,
        added: &AddedRun<'_>,
        by: FlameBy,
        is_shown: impl Fn(u32) -> bool,
    ) -> Vec<Option<usize>> {
        let (ledger, run) = (added.ledger, added.run);
        let mut threads: Vec<Option<(usize, bool)>> = Vec::with_capacity(ledger.rows.threads.len());
        for thread in &ledger.rows.threads {
            let Some(process) = ledger.rows.processes.get(thread.process as usize) else {
                threads.push(None);
                continue;
            };
            if !is_shown(thread.process) {
                let others = self.node(run, 0, FlameKind::OtherProcesses, "other processes");
                threads.push(Some((others, false)));
                continue;
            }
            let name = match process.pid {
                None if process.name.is_empty() => "(unknown process)".into(),
                _ => folded_process(&process.name),
            };
            // All processes of an app are below the one that is called as the app.
            let app = app_of(process)
                .map_or(0, |app| self.node(run, 0, FlameKind::Process, &folded_process(app)));
            let mut node = self.node(run, app, FlameKind::Process, &name);
            if by == FlameBy::Thread {
                node = self.node(run, node, FlameKind::Thread, &folded_thread(&thread.name));
            }
            threads.push(Some((node, true)));
        }
        let tree = CallTree::new(ledger);
        let mut paths: Vec<Option<usize>> = Vec::with_capacity(tree.len());
        for (at, path) in ledger.rows.paths.iter().enumerate() {
            let thread = threads.get(path.thread as usize).copied().flatten();
            let Some((thread, is_shown)) = thread else {
                paths.push(None);
                continue;
            };
            let is_root = path.caller.is_none() && path.name.is_empty();
            let parent = tree.caller(at).and_then(|caller| paths[caller]).unwrap_or(thread);
            let node = if is_root || !is_shown {
                thread
            } else {
                self.node(run, parent, FlameKind::Call, &steady_name(path))
            };
            let is_call = node != thread;
            self.count(added, node, path, is_call);
            paths.push(Some(node));
        }
        paths
    }

    fn count(&mut self, added: &AddedRun<'_>, node: usize, path: &PathEntry, is_call: bool) {
        let of = self.run(node, added.run);
        of.calls += if is_call { path.calls } else { 0 };
        of.samples += path.samples;
        of.cpu += path.self_cpu;
        let frame = path.frame.and_then(|frame| added.ledger.rows.frames.get(frame as usize));
        if let Some(class) = frame.map(|frame| frame.class).filter(|_| is_call) {
            let known = &mut self.nodes[node].class;
            if known.is_none_or(|(_, samples)| samples < path.samples) {
                *known = Some((class, path.samples));
            }
        }
    }

    /// The node of an account that is no thread's: of hardware that an app used as a whole below the app, else below its class
    /// the handler, the uid, the component.
    fn account(&mut self, added: &AddedRun<'_>, account: &Account, component: usize) -> usize {
        if let Account::App { uid } = account
            && let Some(app) = program_of(added.ledger, Uid(*uid))
        {
            let app = self.node(added.run, 0, FlameKind::Process, &folded_process(&app));
            return self.node(added.run, app, FlameKind::Account, WHOLE_APP);
        }
        let group = self.node(added.run, 0, FlameKind::Account, account.class());
        let name = match account {
            Account::Interrupts { handler } => handler.clone(),
            // Its number may be another on the next device.
            Account::App { uid } => uid_names::name(added.ledger, Uid(*uid)),
            _ => self.components[component].name().to_owned(),
        };
        self.node(added.run, group, FlameKind::Account, &name)
    }

    /// The child of that name; it is in that run now.
    fn node(&mut self, run: ComparedRun, parent: usize, kind: FlameKind, name: &str) -> usize {
        let at = if kind == FlameKind::Root {
            0
        } else {
            let key = (parent, kind, name.to_owned());
            if let Some(at) = self.children.get(&key) {
                *at
            } else {
                let name = name.to_owned();
                self.nodes.push(Node { parent, kind, name, class: None, runs: [None, None] });
                self.children.insert(key, self.nodes.len() - 1);
                self.nodes.len() - 1
            }
        };
        self.run(at, run);
        at
    }

    fn run(&mut self, node: usize, run: ComparedRun) -> &mut NodeRun {
        self.nodes[node].runs[run.index()].get_or_insert_default()
    }

    /// By node: its children.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            children[node.parent].push(at);
        }
        children
    }
}

/// The app of a process that has another name: its package, or its name up to a colon.
fn app_of(process: &ProcessEntry) -> Option<&str> {
    let is_package = |name: &&str| name.contains('.') && !name.contains(['/', ' ']);
    let app = process.package.as_deref().unwrap_or_else(|| process_base(&process.name));
    Some(app).filter(is_package).filter(|app| *app != process.name)
}

/// The process by whose name an app goes: one of its own that is called as its package, else as the package would be.
fn program_of(ledger: &Ledger, uid: Uid) -> Option<String> {
    let packages = uid_names::packages(ledger, uid);
    let is_running =
        |package: &&String| ledger.rows.processes.iter().any(|process| process.name == **package);
    packages.iter().find(is_running).or(packages.first()).cloned()
}

fn process_of(ledger: &Ledger, path: u32) -> Option<u32> {
    let thread = ledger.rows.paths.get(path as usize)?.thread;
    let process = ledger.rows.threads.get(thread as usize)?.process;
    ledger.rows.processes.get(process as usize).map(|_| process)
}

/// Energies by component of a run that a forest leaves out.
pub(super) fn left_out(
    ledger: &Ledger,
    components: &[Component],
) -> BTreeMap<Component, crate::model::Tally> {
    let mut sums: BTreeMap<Component, crate::model::Tally> = BTreeMap::new();
    for booking in &ledger.bookings {
        let entry = ledger.rows.components.get(usize::from(booking.component.0));
        if let Some(entry) = entry.filter(|entry| !components.contains(&entry.name)) {
            sums.entry(entry.name.clone()).or_default().add(booking.source, booking.joules);
        }
    }
    sums
}
