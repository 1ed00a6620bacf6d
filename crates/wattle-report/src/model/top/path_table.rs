//! A ledger's call paths in preorder.

use std::collections::HashMap;
use std::ops::Range;

use wattle_ledger::{ComponentId, Ledger, PathEnergies, PathId, RuntimeTax};
use wattle_power::SourceId;
use wattle_units::{Joules, Nanos, Provenance};

use super::others::Other;
use crate::Figure;
use crate::model::gathered::Gathered;
use crate::model::watched::Watched;
use crate::model::{CallTree, Estimator, Tally, chosen};

/// The mark of a path without caller.
const NONE: u32 = u32::MAX;

/// Call paths of a ledger in preorder: a path's callees follow it at once, so that a subtree is a range. What a path and all below it
/// drew is known for each; intervals are worked out when somebody asks.
///
/// Energies are those of [`PathEnergies`]: what probes took from a path belongs to it.
pub struct EnergyPaths<'a> {
    pub(super) ledger: &'a Ledger,
    estimator: Estimator<'a>,
    watched: Option<Provenance>,
    everything: Figure,
    pub(super) tax: RuntimeTax,
    /// Whose processes are the app's.
    of_app: Vec<bool>,
    pub(super) components: usize,
    /// By position: the path, its caller's position, the end of its subtree, its name.
    path: Vec<u32>,
    caller: Vec<u32>,
    end: Vec<u32>,
    name: Vec<u32>,
    /// By position and component.
    own: Vec<f64>,
    total: Vec<f64>,
    cpu: Vec<Nanos>,
    samples: Vec<u64>,
    /// By position: where its entries begin; and all entries.
    first_entry: Vec<u32>,
    entries: Vec<(SourceId, Joules)>,
    names: Vec<&'a str>,
    /// By process: positions of its threads' roots, by thread.
    pub(super) roots: Vec<Vec<(u32, Vec<u32>)>>,
    pub(super) others: Vec<Other>,
}

impl<'a> EnergyPaths<'a> {
    /// Of a ledger, and which apps are meant where somebody asks for the app alone (all where none is named).
    pub fn new(ledger: &'a Ledger, apps: &[String]) -> Self {
        let gathered = Gathered::new(ledger);
        let watched = Watched::new(ledger, &gathered).threads;
        drop(gathered);
        let energies = PathEnergies::new(ledger);
        let tree = CallTree::new(ledger);
        let components = ledger.rows.components.len();
        let mut roots = vec![Vec::new(); ledger.rows.processes.len()];
        let (path, end) = preorder(&tree, ledger, &mut roots);
        let mut position = vec![NONE; ledger.rows.paths.len()];
        for (at, path) in (0..).zip(&path) {
            position[*path as usize] = at;
        }
        let caller_of = |path: &u32| tree.caller(*path as usize).map_or(NONE, |it| position[it]);
        let caller: Vec<u32> = path.iter().map(caller_of).collect();
        let (name, names) = names(ledger, &path);
        let of_path = |path: &u32| &ledger.rows.paths[*path as usize];
        let mut own = Vec::with_capacity(path.len() * components);
        for path in &path {
            let ids = (0..components).map(|component| ComponentId(component as u16));
            own.extend(ids.map(|component| energies.own_of(PathId(*path), component).value()));
        }
        let mut total = own.clone();
        let mut cpu: Vec<Nanos> = path.iter().map(|it| of_path(it).self_cpu).collect();
        let mut samples: Vec<u64> = path.iter().map(|it| of_path(it).samples).collect();
        // Callees come after their callers: backwards, each hands its sum on.
        for at in (0..path.len()).rev() {
            let Some(to) = Some(caller[at] as usize).filter(|to| *to < at) else { continue };
            for component in 0..components {
                total[to * components + component] += total[at * components + component];
            }
            let (time, count) = (cpu[at], samples[at]);
            cpu[to] += time;
            samples[to] = samples[to].saturating_add(count);
        }
        let (first_entry, entries) = entries(ledger, &position, path.len());
        let chosen = chosen(ledger, apps);
        let estimator = Estimator::new(ledger);
        let provenance = ledger.rows.components.iter().map(|component| component.provenance).max();
        Self {
            ledger,
            everything: provenance.map_or(Figure::NO_DATA, |it| estimator.total(Some(it))),
            estimator,
            watched,
            tax: RuntimeTax::from_ledger(ledger),
            of_app: chosen.processes,
            components,
            path,
            caller,
            end,
            name,
            own,
            total,
            cpu,
            samples,
            first_entry,
            entries,
            names,
            roots,
            others: Other::all(ledger),
        }
    }

    /// The ledger that it is of.
    pub fn ledger(&self) -> &'a Ledger {
        self.ledger
    }

    /// Whether there is any energy to show.
    pub fn has_energy(&self) -> bool {
        self.components > 0
    }

    /// Whether any path has samples.
    pub fn has_samples(&self) -> bool {
        self.ledger.rows.paths.iter().any(|path| path.samples > 0)
    }

    /// Whether processes of the app are told from others.
    pub fn knows_app(&self) -> bool {
        self.of_app.contains(&true)
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.path.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.path.is_empty()
    }

    /// Everything that was booked.
    pub fn everything(&self) -> Figure {
        self.everything
    }

    pub(super) fn is_of_app(&self, process: u32) -> bool {
        self.of_app.get(process as usize) == Some(&true)
    }

    pub(super) fn path_at(&self, at: u32) -> PathId {
        PathId(self.path[at as usize])
    }

    pub(super) fn entry_at(&self, at: u32) -> &'a wattle_ledger::PathEntry {
        &self.ledger.rows.paths[self.path[at as usize] as usize]
    }

    /// The caller; `None` for what a thread runs itself.
    pub(super) fn caller_of(&self, at: u32) -> Option<u32> {
        Some(self.caller[at as usize]).filter(|caller| *caller != NONE)
    }

    /// The name's number; [`Self::name`] is the text. Root paths without name are no function.
    pub(super) fn function_of(&self, at: u32) -> Option<u32> {
        Some(self.name[at as usize]).filter(|name| *name != NONE)
    }

    pub(super) fn name(&self, name: u32) -> &'a str {
        self.names[name as usize]
    }

    /// All names.
    pub(super) fn names(&self) -> &[&'a str] {
        &self.names
    }

    pub(super) fn subtree(&self, at: u32) -> Range<u32> {
        at..self.end[at as usize]
    }

    /// Returns the paths that it called, in order of the ledger.
    pub(super) fn callees(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end[at as usize];
        let first = Some(at + 1).filter(|first| *first < end);
        std::iter::successors(first, move |callee| {
            Some(self.end[*callee as usize]).filter(|next| *next < end)
        })
    }

    /// Whether it neither drew nor ran anything itself.
    pub(super) fn is_idle(&self, at: u32) -> bool {
        self.own(at, None) == 0.0 && self.entry_at(at).self_cpu == Nanos::ZERO
    }

    /// Its own energy, through one component or all.
    pub(super) fn own(&self, at: u32, component: Option<ComponentId>) -> f64 {
        self.sum(&self.own, at, component)
    }

    /// Its energy with all below it.
    pub(super) fn total(&self, at: u32, component: Option<ComponentId>) -> f64 {
        self.sum(&self.total, at, component)
    }

    fn sum(&self, of: &[f64], at: u32, component: Option<ComponentId>) -> f64 {
        let first = at as usize * self.components;
        let row = &of[first..first + self.components];
        match component {
            Some(component) => row.get(usize::from(component.0)).copied().unwrap_or_default(),
            None => row.iter().sum(),
        }
    }

    /// Time on a CPU with all below it.
    pub(super) fn cpu(&self, at: u32) -> Nanos {
        self.cpu[at as usize]
    }

    /// Samples with all below it.
    pub(super) fn samples(&self, at: u32) -> u64 {
        self.samples[at as usize]
    }

    /// Adds everything that was booked in ranges of positions.
    pub(super) fn gather(&self, ranges: impl Iterator<Item = Range<u32>>, to: &mut Tally) {
        for range in ranges {
            let first = self.first_entry[range.start as usize] as usize;
            let end = self.first_entry[range.end as usize] as usize;
            for (source, joules) in &self.entries[first..end] {
                to.add(*source, *joules);
            }
        }
    }

    /// The figure of what was gathered.
    pub(super) fn figure(&self, tally: &Tally) -> Figure {
        self.estimator.figure(tally, self.watched)
    }
}

/// Paths in preorder, thread by thread, and the end of each subtree; notes where each thread's roots are.
fn preorder(
    tree: &CallTree,
    ledger: &Ledger,
    roots: &mut [Vec<(u32, Vec<u32>)>],
) -> (Vec<u32>, Vec<u32>) {
    let mut by_thread = vec![Vec::new(); ledger.rows.threads.len()];
    for at in (0..tree.len()).filter(|at| tree.caller(*at).is_none()) {
        if let Some(thread) = by_thread.get_mut(ledger.rows.paths[at].thread as usize) {
            thread.push(at);
        }
    }
    let mut path = Vec::with_capacity(tree.len());
    let mut end = Vec::with_capacity(tree.len());
    // Enter and leave by hand: call stacks of a trace can be deeper than ours.
    let mut steps: Vec<(usize, Option<usize>)> = Vec::new();
    for (thread, of_thread) in (0..).zip(by_thread) {
        let process = ledger.rows.threads[thread as usize].process as usize;
        let Some(of_process) = roots.get_mut(process) else { continue };
        let mut positions = Vec::with_capacity(of_thread.len());
        for root in of_thread {
            positions.push(path.len() as u32);
            steps.push((root, None));
            while let Some((node, entered)) = steps.pop() {
                if let Some(position) = entered {
                    end[position] = path.len() as u32;
                    continue;
                }
                steps.push((node, Some(path.len())));
                path.push(node as u32);
                end.push(0);
                steps.extend(tree.callees(node).iter().rev().map(|callee| (*callee, None)));
            }
        }
        if !positions.is_empty() {
            of_process.push((thread, positions));
        }
    }
    (path, end)
}

/// By position the number of its name, and the names.
fn names<'a>(ledger: &'a Ledger, path: &[u32]) -> (Vec<u32>, Vec<&'a str>) {
    let mut ids: HashMap<&'a str, u32> = HashMap::new();
    let mut names = Vec::new();
    let of_path = path.iter().map(|path| {
        let entry = &ledger.rows.paths[*path as usize];
        if entry.caller.is_none() && entry.name.is_empty() && entry.frame.is_none() {
            return NONE;
        }
        *ids.entry(entry.name.as_str()).or_insert_with(|| {
            names.push(entry.name.as_str());
            names.len() as u32 - 1
        })
    });
    (of_path.collect(), names)
}

/// Returns the energies attributed to paths, by position: the start of each (and one more, the end), and all.
fn entries(ledger: &Ledger, position: &[u32], count: usize) -> (Vec<u32>, Vec<(SourceId, Joules)>) {
    let of_booking = |booking: &wattle_ledger::Booking| {
        let account = ledger.rows.accounts.get(booking.account.0 as usize)?;
        ledger.rows.components.get(usize::from(booking.component.0))?;
        let position = *position.get(account.path()?.0 as usize)?;
        Some(position as usize).filter(|position| *position < count)
    };
    let mut first = vec![0_u32; count + 1];
    for booking in &ledger.bookings {
        if let Some(at) = of_booking(booking) {
            first[at + 1] += 1;
        }
    }
    for at in 0..count {
        first[at + 1] += first[at];
    }
    let mut next = first.clone();
    let mut entries = vec![(SourceId(0), Joules::ZERO); first[count] as usize];
    for booking in &ledger.bookings {
        if let Some(at) = of_booking(booking) {
            entries[next[at] as usize] = (booking.source, booking.joules);
            next[at] += 1;
        }
    }
    (first, entries)
}
