//! Trees that are opened node by node.

use std::collections::BTreeMap;

use super::{EnergyPaths, ForestColumn};

/// A node of a forest: an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForestNode(pub u32);

/// The hierarchy of a forest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ForestView {
    /// Process, thread, callers, callees.
    #[default]
    Calls,
    /// Functions by what they drew themselves; below each who called it, down to the threads.
    Callers,
    /// Functions, whoever called them; nothing below.
    Functions,
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ForestKind {
    /// A process: an index into the ledger's.
    Process(u32),
    /// A thread: an index into the ledger's. In views by function what it drew outside of any.
    Thread(u32),
    /// A function, slice or frame: the number of its name.
    Function(u32),
    /// Accounts without call path: the number of their class.
    Others(u32),
}

/// A path that a node is of: whose energy it is, and where it stands now. Both are equal where callees hang below callers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub leaf: u32,
    pub at: u32,
}

pub(super) struct Node {
    pub kind: ForestKind,
    parent: Option<ForestNode>,
    depth: u32,
    pub members: Vec<Member>,
    /// `None` until somebody asked.
    children: Option<Vec<ForestNode>>,
    is_sorted: bool,
}

/// A view of a ledger's call paths as trees. What hangs below a node is worked out when it is asked for the first time, in the order that
/// is set.
///
/// In [`ForestView::Calls`] and [`ForestView::Callers`] what a node drew itself and the totals of its children are its total.
pub struct EnergyForest {
    view: ForestView,
    nodes: Vec<Node>,
    roots: Vec<ForestNode>,
    order: (ForestColumn, bool),
}

impl EnergyForest {
    /// The roots of a view, most energy first (most CPU time where there is no energy); of the app's processes alone where asked for.
    pub fn new(paths: &EnergyPaths<'_>, view: ForestView, app_only: bool) -> Self {
        let first = if paths.has_energy() { ForestColumn::Total } else { ForestColumn::Cpu };
        let mut forest = Self { view, nodes: Vec::new(), roots: Vec::new(), order: (first, true) };
        let is_shown = |process: usize| !app_only || paths.is_of_app(process as u32);
        let shown = paths.roots.iter().enumerate().filter(|(process, _)| is_shown(*process));
        let mut groups: BTreeMap<ForestKind, Vec<Member>> = BTreeMap::new();
        for (process, threads) in shown {
            for (thread, roots) in threads {
                if view == ForestView::Calls {
                    let members = roots.iter().map(|root| Member { leaf: *root, at: *root });
                    let kind = ForestKind::Process(process as u32);
                    groups.entry(kind).or_default().extend(members);
                    continue;
                }
                for at in roots.iter().flat_map(|root| paths.subtree(*root)) {
                    let kind = match paths.function_of(at) {
                        Some(name) => ForestKind::Function(name),
                        // A thread that was always inside of something is no row of its own.
                        None if paths.is_idle(at) => continue,
                        None => ForestKind::Thread(*thread),
                    };
                    groups.entry(kind).or_default().push(Member { leaf: at, at });
                }
            }
        }
        if !app_only {
            let others =
                (0..paths.others.len()).map(|at| (ForestKind::Others(at as u32), Vec::new()));
            groups.extend(others);
        }
        // Threads of a process need not follow each other: what is outermost is told by the order of positions.
        for members in groups.values_mut() {
            members.sort_unstable_by_key(|member| member.at);
        }
        forest.roots = forest.add(None, groups);
        forest.sort(paths, first, true);
        forest
    }

    /// Which view it is.
    pub fn view(&self) -> ForestView {
        self.view
    }

    /// The outermost nodes, in order.
    pub fn roots(&self) -> &[ForestNode] {
        &self.roots
    }

    /// Returns the number of nodes computed so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the kind of a node.
    pub fn kind(&self, node: ForestNode) -> ForestKind {
        self.node(node).kind
    }

    /// Returns its parent.
    pub fn parent(&self, node: ForestNode) -> Option<ForestNode> {
        self.node(node).parent
    }

    /// Returns the number of nodes above it.
    pub fn depth(&self, node: ForestNode) -> u32 {
        self.node(node).depth
    }

    /// Returns the column by which siblings are ordered, and `true` if the largest comes first.
    pub fn order(&self) -> (ForestColumn, bool) {
        self.order
    }

    /// Orders siblings everywhere.
    pub fn sort(&mut self, paths: &EnergyPaths<'_>, by: ForestColumn, descending: bool) {
        self.order = (by, descending);
        self.nodes.iter_mut().for_each(|node| node.is_sorted = false);
        let mut roots = std::mem::take(&mut self.roots);
        self.sort_siblings(paths, &mut roots);
        self.roots = roots;
    }

    /// Whether something hangs below it.
    pub fn has_children(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> bool {
        let node = self.node(node);
        if let Some(children) = &node.children {
            return !children.is_empty();
        }
        match (self.view, node.kind) {
            (_, ForestKind::Others(_)) | (ForestView::Functions, _) => false,
            (ForestView::Callers, kind) => matches!(kind, ForestKind::Function(_)),
            (ForestView::Calls, ForestKind::Process(_)) => !node.members.is_empty(),
            (ForestView::Calls, kind) => node.members.iter().any(|member| {
                let is_function = paths.function_of(member.at).is_some();
                let is_below = matches!(kind, ForestKind::Thread(_)) && is_function;
                is_below || paths.callees(member.at).next().is_some()
            }),
        }
    }

    /// Returns its children computed so far; empty as long as nobody asked.
    pub fn known_children(&self, node: ForestNode) -> &[ForestNode] {
        self.node(node).children.as_deref().unwrap_or_default()
    }

    /// Returns its children, in order.
    pub fn children(&mut self, paths: &EnergyPaths<'_>, node: ForestNode) -> &[ForestNode] {
        let at = node.0 as usize;
        if self.nodes[at].children.is_none() {
            let groups = self.groups_below(paths, node);
            let children = self.add(Some(node), groups);
            self.nodes[at].children = Some(children);
        }
        if !self.nodes[at].is_sorted {
            let mut children = self.nodes[at].children.take().unwrap_or_default();
            self.sort_siblings(paths, &mut children);
            self.nodes[at].children = Some(children);
            self.nodes[at].is_sorted = true;
        }
        self.nodes[at].children.as_deref().unwrap_or_default()
    }

    /// Positions of the paths that it is of.
    pub(super) fn positions(&self, node: ForestNode) -> impl Iterator<Item = u32> + '_ {
        self.node(node).members.iter().map(|member| member.at)
    }

    pub(super) fn node(&self, node: ForestNode) -> &Node {
        &self.nodes[node.0 as usize]
    }

    fn add(
        &mut self,
        parent: Option<ForestNode>,
        groups: BTreeMap<ForestKind, Vec<Member>>,
    ) -> Vec<ForestNode> {
        let depth = parent.map_or(0, |parent| self.depth(parent) + 1);
        let mut added = Vec::with_capacity(groups.len());
        for (kind, members) in groups {
            added.push(ForestNode(self.nodes.len() as u32));
            let node = Node { kind, parent, depth, members, children: None, is_sorted: false };
            self.nodes.push(node);
        }
        added
    }

    fn groups_below(
        &self,
        paths: &EnergyPaths<'_>,
        node: ForestNode,
    ) -> BTreeMap<ForestKind, Vec<Member>> {
        let node = self.node(node);
        let mut groups: BTreeMap<ForestKind, Vec<Member>> = BTreeMap::new();
        let mut put = |kind: ForestKind, leaf: u32, at: u32| {
            groups.entry(kind).or_default().push(Member { leaf, at });
        };
        for member in &node.members {
            match (self.view, node.kind) {
                (_, ForestKind::Others(_)) | (ForestView::Functions, _) => {}
                (ForestView::Calls, ForestKind::Process(_)) => {
                    put(ForestKind::Thread(paths.entry_at(member.at).thread), member.at, member.at);
                }
                (ForestView::Calls, kind) => {
                    let own_name = paths.function_of(member.at);
                    if let (ForestKind::Thread(_), Some(name)) = (kind, own_name) {
                        put(ForestKind::Function(name), member.at, member.at);
                        continue;
                    }
                    for callee in paths.callees(member.at) {
                        let name = paths.function_of(callee).unwrap_or_default();
                        put(ForestKind::Function(name), callee, callee);
                    }
                }
                (ForestView::Callers, ForestKind::Function(_)) => {
                    let caller = paths.caller_of(member.at);
                    let thread = ForestKind::Thread(paths.entry_at(member.at).thread);
                    let function = caller.and_then(|caller| paths.function_of(caller));
                    let kind = function.map_or(thread, ForestKind::Function);
                    put(kind, member.leaf, caller.unwrap_or(member.at));
                }
                (ForestView::Callers, _) => {}
            }
        }
        groups
    }

    fn sort_siblings(&self, paths: &EnergyPaths<'_>, siblings: &mut Vec<ForestNode>) {
        let (column, descending) = self.order;
        let value = |node| self.value(paths, node, column).unwrap_or(f64::NEG_INFINITY);
        let mut keyed: Vec<_> = siblings.drain(..).map(|node| (value(node), node)).collect();
        keyed.sort_by(|(a, one), (b, other)| {
            let by_number = if descending { b.total_cmp(a) } else { a.total_cmp(b) };
            by_number.then_with(|| {
                let by_name = self.label(paths, *one).cmp(&self.label(paths, *other));
                let is_backwards = column == ForestColumn::Name && descending;
                if is_backwards { by_name.reverse() } else { by_name }
            })
        });
        siblings.extend(keyed.into_iter().map(|(_, node)| node));
    }
}
