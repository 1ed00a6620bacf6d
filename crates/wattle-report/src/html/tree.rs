//! The call tree of the page: total → process → thread → call path, and the accounts that are no thread's.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{Account, FrameClass, Ledger, PathEntry, PathId};
use wattle_timeline::SiteKind;

use super::strings::Strings;
use crate::model::CallTree;

/// Kind of a node; numbers of `model.js`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    #[default]
    Root = 0,
    Process = 1,
    Thread = 2,
    Slice = 3,
    Account = 4,
    /// Nodes omitted below its parent.
    Rest = 5,
}

/// The tree in preorder, as columns.
#[derive(Serialize)]
pub struct Tree {
    depth: Vec<u32>,
    kind: Vec<u8>,
    /// Index into the names.
    name: Vec<usize>,
    /// pid, tid or uid; −1 without.
    number: Vec<i64>,
    /// Calls of a slice, number of paths left out of a rest.
    calls: Vec<u64>,
    /// On-CPU time of its own in microseconds.
    cpu_us: Vec<i64>,
    /// Class of its frame: 0 for a recorded call, else one more than its place in [`CLASSES`]; empty if no stack was
    /// sampled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    class: Vec<u8>,
    /// Number of paths left out.
    left_out: u64,
    /// No node that is left out has more energy than this, in joules.
    left_out_below: Option<f64>,
    #[serde(skip)]
    places: Places,
}

/// The rows of a tree that the parts of a ledger have.
#[derive(Default)]
pub struct Places {
    /// By booking: the row of the node that consumed it, `None` for one of no node.
    pub bookings: Vec<Option<usize>>,
    /// By process: its row. A process that was left out has the row of what was.
    pub processes: Vec<Option<usize>>,
    /// By thread: its row.
    pub threads: Vec<Option<usize>>,
    /// By call path: its row.
    pub paths: Vec<Option<usize>>,
    /// Rows of apps of which only the uid is known, with the uid.
    pub uids: Vec<(usize, u32)>,
}

#[derive(Default)]
struct Node {
    parent: usize,
    kind: Kind,
    name: String,
    number: i64,
    calls: u64,
    cpu_us: i64,
    class: u8,
    total: f64,
}

/// Classes of frames in the order of `model.js`.
const CLASSES: [FrameClass; 7] = [
    FrameClass::Native,
    FrameClass::Kernel,
    FrameClass::Java,
    FrameClass::Jit,
    FrameClass::Unknown,
    FrameClass::Truncated,
    FrameClass::Unsampled,
];

/// The class of a path's frame as the page has it.
pub fn class_number(class: Option<FrameClass>) -> u8 {
    let place = class.and_then(|class| CLASSES.iter().position(|known| *known == class));
    place.map_or(0, |place| place as u8 + 1)
}

/// All nodes before anything is left out.
#[derive(Default)]
struct Forest {
    nodes: Vec<Node>,
    /// By booking.
    consumers: Vec<Option<usize>>,
    processes: Vec<usize>,
    threads: Vec<Option<usize>>,
    paths: Vec<Option<usize>>,
    uids: Vec<(usize, u32)>,
}

impl Tree {
    /// The tree with at most that many nodes besides those that stand for what was left out.
    pub fn new(ledger: &Ledger, most: usize, strings: &mut Strings) -> Self {
        let mut forest = Forest::new(ledger);
        forest.add_up(ledger.bookings.is_empty());
        let (kept, limit) = forest.choose(most);
        let limit = limit.filter(|_| !ledger.bookings.is_empty());
        forest.write(&kept, limit, strings)
    }

    /// The rows of the parts of the ledger.
    pub const fn places(&self) -> &Places {
        &self.places
    }
}

impl Forest {
    fn new(ledger: &Ledger) -> Self {
        let mut forest = Self::default();
        forest.push(0, Kind::Root, String::new(), -1);
        let processes: Vec<_> = ledger
            .rows
            .processes
            .iter()
            .map(|p| {
                let name = match p.pid {
                    None if p.name.is_empty() => "(unknown process)".to_owned(),
                    _ => p.name.clone(),
                };
                forest.push(0, Kind::Process, name, p.pid.map_or(-1, i64::from))
            })
            .collect();
        let threads: Vec<_> = ledger
            .rows
            .threads
            .iter()
            .map(|t| {
                let process = processes.get(t.process as usize).copied()?;
                Some(forest.push(process, Kind::Thread, t.name.clone(), i64::from(t.tid)))
            })
            .collect();
        let tree = CallTree::new(ledger);
        let lines = lines_of_siblings(ledger);
        let mut paths: Vec<Option<usize>> = Vec::with_capacity(tree.len());
        for (at, path) in ledger.rows.paths.iter().enumerate() {
            let thread = threads.get(path.thread as usize).copied().flatten();
            let is_root = path.caller.is_none() && path.name.is_empty();
            let parent = tree.caller(at).and_then(|caller| paths[caller]).or(thread);
            let node = match parent {
                Some(thread) if is_root => Some(thread),
                Some(parent) => {
                    let line = lines.get(&at).map_or(String::new(), |line| format!(":{line}"));
                    Some(forest.push(parent, Kind::Slice, path.name.clone() + &line, -1))
                }
                None => None,
            };
            if let Some(node) = node.and_then(|node| forest.nodes.get_mut(node)) {
                node.calls = if is_root { 0 } else { path.calls };
                node.cpu_us += path.self_cpu.value() / 1000;
                let frame = path.frame.and_then(|frame| ledger.rows.frames.get(frame as usize));
                node.class = class_number(frame.map(|frame| frame.class));
            }
            paths.push(node);
        }
        forest.processes = processes;
        forest.threads = threads;
        forest.book(ledger, &paths);
        forest.paths = paths;
        forest
    }

    /// Adds every booking to the node that consumed it.
    fn book(&mut self, ledger: &Ledger, paths: &[Option<usize>]) {
        let mut groups: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut others: BTreeMap<(u32, u16), usize> = BTreeMap::new();
        for booking in &ledger.bookings {
            let Some(account) = ledger.rows.accounts.get(booking.account.0 as usize) else {
                self.consumers.push(None);
                continue;
            };
            let thread = match account {
                Account::Path { path } | Account::Recorder { path } => Some(path),
                _ => None,
            };
            let node = if let Some(path) = thread {
                paths.get(path.0 as usize).copied().flatten()
            } else {
                let key = match account {
                    Account::App { .. } | Account::Interrupts { .. } => (booking.account.0, 0),
                    // One account a call path: all of them are one node.
                    Account::ProfilingOverhead { .. } => (u32::MAX, booking.component.0),
                    _ => (booking.account.0, booking.component.0),
                };
                let component = ledger.rows.components.get(booking.component.0 as usize);
                let component = component.map_or("?", |component| component.name.name());
                let node = || self.account(account, component, &mut groups);
                Some(*others.entry(key).or_insert_with(node))
            };
            self.consumers.push(node);
            if let Some(node) = node.and_then(|node| self.nodes.get_mut(node)) {
                let joules = Some(booking.joules).filter(|joules| joules.is_finite());
                node.total += joules.map_or(0.0, |joules| joules.value().abs());
            }
        }
    }

    /// The node of an account that is no thread's: below its class the handler, the uid, else the component.
    fn account(
        &mut self,
        account: &Account,
        component: &str,
        groups: &mut BTreeMap<&'static str, usize>,
    ) -> usize {
        let class = account.class();
        let group = match groups.get(class) {
            Some(group) => *group,
            None => self.push(0, Kind::Account, class.to_owned(), -1),
        };
        groups.insert(class, group);
        match account {
            Account::Interrupts { handler } => self.push(group, Kind::Account, handler.clone(), -1),
            Account::App { uid } => {
                let node = self.push(group, Kind::Account, format!("uid {uid}"), i64::from(*uid));
                self.uids.push((node, *uid));
                node
            }
            _ => self.push(group, Kind::Account, component.to_owned(), -1),
        }
    }

    fn push(&mut self, parent: usize, kind: Kind, name: String, number: i64) -> usize {
        self.nodes.push(Node { parent, kind, name, number, ..Node::default() });
        self.nodes.len() - 1
    }

    /// Totals, callees into callers: parents stand before their children. Without any energy a node counts
    /// by its time on a CPU.
    fn add_up(&mut self, by_time: bool) {
        for at in (1..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            if by_time {
                node.total += node.cpu_us as f64;
            }
            let Node { parent, total, .. } = self.nodes[at];
            self.nodes[parent].total += total;
        }
    }

    /// Which nodes stay, and the energy below which they do not.
    fn choose(&self, most: usize) -> (Vec<bool>, Option<f64>) {
        if self.nodes.len() <= most {
            return (vec![true; self.nodes.len()], None);
        }
        let mut totals: Vec<f64> = self.nodes.iter().map(|node| node.total).collect();
        totals.sort_by(|a, b| b.total_cmp(a));
        let limit = totals.get(most).copied().unwrap_or(0.0);
        let mut kept = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            kept[at] = at == 0 || (kept[node.parent] && node.total > limit);
        }
        (kept, Some(limit))
    }

    fn write(&self, kept: &[bool], limit: Option<f64>, strings: &mut Strings) -> Tree {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            children[node.parent].push(at);
        }
        let mut tree = Tree {
            depth: Vec::new(),
            kind: Vec::new(),
            name: Vec::new(),
            number: Vec::new(),
            calls: Vec::new(),
            cpu_us: Vec::new(),
            class: Vec::new(),
            left_out: 0,
            left_out_below: limit,
            places: Places::default(),
        };
        let mut rows = vec![0; self.nodes.len()];
        let is_sampled = self.nodes.iter().any(|node| node.class != 0);
        let mut stack = vec![(0, 0)];
        while let Some((at, depth)) = stack.pop() {
            let node = &self.nodes[at];
            rows[at] = tree.row(depth, node, strings.id(&node.name), is_sampled);
            let (stay, go): (Vec<usize>, Vec<usize>) =
                children[at].iter().partition(|child| kept[**child]);
            if !go.is_empty() {
                let below = Self::below(go, &children);
                let mut rest = Node { kind: Kind::Rest, ..Node::default() };
                rest.calls = below.len() as u64;
                rest.cpu_us = below.iter().map(|at| self.nodes[*at].cpu_us).sum();
                tree.left_out += rest.calls;
                let row = tree.row(depth + 1, &rest, strings.id(""), is_sampled);
                for at in below {
                    rows[at] = row;
                }
            }
            // The largest first: the stack is popped from its end.
            let mut stay = stay;
            stay.sort_by(|a, b| self.nodes[*a].total.total_cmp(&self.nodes[*b].total));
            stack.extend(stay.into_iter().map(|child| (child, depth + 1)));
        }
        let row = |node: usize| rows.get(node).copied();
        tree.places = Places {
            bookings: self.consumers.iter().map(|node| node.and_then(row)).collect(),
            processes: self.processes.iter().map(|node| row(*node)).collect(),
            threads: self.threads.iter().map(|node| node.and_then(row)).collect(),
            paths: self.paths.iter().map(|node| node.and_then(row)).collect(),
            uids: self.uids.iter().filter_map(|(node, uid)| Some((row(*node)?, *uid))).collect(),
        };
        tree
    }

    /// The given nodes and all below them.
    fn below(mut open: Vec<usize>, children: &[Vec<usize>]) -> Vec<usize> {
        let mut below = Vec::new();
        while let Some(at) = open.pop() {
            below.push(at);
            open.extend(&children[at]);
        }
        below
    }
}

/// By caller, thread and name: paths, and the lines that they are called from.
type Siblings<'a> = BTreeMap<(Option<PathId>, u32, &'a str), Vec<(usize, u32)>>;

/// By path: the line of a call that its caller makes from other lines, too.
fn lines_of_siblings(ledger: &Ledger) -> BTreeMap<usize, u32> {
    let line = |path: &PathEntry| {
        let site = ledger.rows.sites.get(path.site? as usize)?;
        site.line.filter(|_| site.kind == SiteKind::Call)
    };
    let mut siblings = Siblings::new();
    for (at, path) in ledger.rows.paths.iter().enumerate() {
        if let Some(line) = line(path) {
            let key = (path.caller, path.thread, path.name.as_str());
            siblings.entry(key).or_default().push((at, line));
        }
    }
    siblings.into_values().filter(|siblings| siblings.len() > 1).flatten().collect()
}

impl Tree {
    /// Appends a row and returns its number.
    fn row(&mut self, depth: u32, node: &Node, name: usize, is_sampled: bool) -> usize {
        if is_sampled {
            self.class.push(node.class);
        }
        self.depth.push(depth);
        self.kind.push(node.kind as u8);
        self.name.push(name);
        self.number.push(node.number);
        self.calls.push(node.calls);
        self.cpu_us.push(node.cpu_us);
        self.depth.len() - 1
    }
}
