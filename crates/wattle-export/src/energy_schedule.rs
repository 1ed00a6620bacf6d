//! Energies in whole numbers over time: what formats with a time axis are written from.

use rustc_hash::FxHashMap;
use wattle_ledger::{ComponentId, Ledger};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use crate::energy_sheet::{Share, shares, whole_numbers};
use crate::{EnergyUnit, Extract, Payer};

/// Energy of a call path over a stretch of its thread's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece<'a> {
    /// The thread, an index into [`wattle_ledger::LedgerRows::threads`].
    pub thread: u32,
    /// The call path.
    pub path: u32,
    /// When.
    pub window: Window,
    /// Energy by component, in order of components.
    pub amounts: &'a [(ComponentId, i64)],
}

impl Piece<'_> {
    /// All components together.
    pub fn sum(&self) -> i64 {
        self.amounts.iter().map(|(_, amount)| amount).sum()
    }
}

/// All energies of a ledger: in time where it says when, else apart.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The unit of the amounts.
    pub unit: EnergyUnit,
    /// Whether the ledger does not say when. Then each thread's paths follow each other from the window's start, callers before
    /// callees and the most energy first, each as long as it was on a CPU: lengths are true, times are not.
    pub is_synthesised: bool,
    pieces: Vec<(u32, u32, Window, usize, usize)>,
    unplaced: Vec<(Payer, usize, usize)>,
    amounts: Vec<(ComponentId, i64)>,
}

impl Schedule {
    /// Of all bookings.
    pub fn new(extract: &Extract<'_>, unit: EnergyUnit) -> Self {
        let ledger = extract.ledger();
        let shares = shares(extract);
        if ledger.over_time.stretches.is_empty() {
            return Self::synthesised(extract, unit, &shares);
        }
        let kept = kept_by_paths(&shares);
        let mut placed: FxHashMap<(u32, ComponentId), f64> = FxHashMap::default();
        let mut all: Vec<Share> =
            Vec::with_capacity(ledger.over_time.stretches.len() + shares.len());
        let mut windows: Vec<Window> = Vec::with_capacity(ledger.over_time.stretches.len());
        for stretch in &ledger.over_time.stretches {
            let known = usize::from(stretch.component.0) < ledger.rows.components.len();
            if !known || stretch.path.0 as usize >= ledger.rows.paths.len() {
                continue;
            }
            // A stretch holds what probes took, too, which has an account of its own: evenly taken from all of the path's.
            let kept = kept.get(&(stretch.path.0, stretch.component)).copied().unwrap_or(1.0);
            let joules = stretch.joules.value() * kept;
            *placed.entry((stretch.path.0, stretch.component)).or_default() += joules;
            all.push(Share {
                payer: Payer::Path(stretch.path.0),
                component: stretch.component,
                joules,
            });
            windows.push(stretch.window);
        }
        all.extend(shares.iter().filter_map(|share| {
            let of_path = match share.payer {
                Payer::Path(path) => placed.get(&(path, share.component)).copied(),
                _ => None,
            };
            let Some(placed) = of_path else { return Some(*share) };
            let rest = share.joules - placed;
            // What is left of a sum by rounding alone is nothing.
            (rest.abs() > 1e-9 * share.joules.abs()).then_some(Share { joules: rest, ..*share })
        }));
        let whole = whole_numbers(extract, unit, &all);
        let mut schedule = Self::empty(unit, false);
        let mut order: Vec<usize> = (0..windows.len()).collect();
        let thread = |index: usize| all[index].payer.thread(ledger).unwrap_or_default();
        order.sort_by_key(|index| {
            let window = windows[*index];
            (thread(*index), window.start, window.end, all[*index].payer, all[*index].component)
        });
        for index in order {
            let path = all[index].payer.path().unwrap_or_default();
            schedule.place(thread(index), path, windows[index], all[index].component, whole[index]);
        }
        for (share, amount) in all.iter().zip(&whole).skip(windows.len()) {
            schedule.keep_apart(share.payer, share.component, *amount);
        }
        schedule
    }

    const fn empty(unit: EnergyUnit, is_synthesised: bool) -> Self {
        Self { unit, is_synthesised, pieces: Vec::new(), unplaced: Vec::new(), amounts: Vec::new() }
    }

    fn synthesised(extract: &Extract<'_>, unit: EnergyUnit, shares: &[Share]) -> Self {
        let ledger = extract.ledger();
        let whole = whole_numbers(extract, unit, shares);
        let mut schedule = Self::empty(unit, true);
        let mut of_path: FxHashMap<u32, Vec<(ComponentId, i64)>> = FxHashMap::default();
        for (share, amount) in shares.iter().zip(&whole) {
            match share.payer {
                Payer::Path(path) => {
                    of_path.entry(path).or_default().push((share.component, *amount));
                }
                payer => schedule.keep_apart(payer, share.component, *amount),
            }
        }
        let mut ends: FxHashMap<u32, BootNanos> = FxHashMap::default();
        for path in by_energy(ledger, shares) {
            let Some(entry) = ledger.rows.paths.get(path as usize) else { continue };
            let end = ends.entry(entry.thread).or_insert(ledger.recording.window.start);
            let window = Window::new(*end, *end + Nanos::new(entry.self_cpu.value().max(0)));
            *end = window.end;
            for (component, amount) in of_path.remove(&path).unwrap_or_default() {
                schedule.place(entry.thread, path, window, component, amount);
            }
        }
        schedule.pieces.sort_by_key(|(thread, _, window, ..)| (*thread, window.start, window.end));
        schedule
    }

    fn place(
        &mut self,
        thread: u32,
        path: u32,
        window: Window,
        component: ComponentId,
        amount: i64,
    ) {
        let at = self.amounts.len();
        self.amounts.push((component, amount));
        match self.pieces.last_mut() {
            Some((_, last, when, _, end)) if *last == path && *when == window && *end == at => {
                *end = at + 1;
            }
            _ => self.pieces.push((thread, path, window, at, at + 1)),
        }
    }

    fn keep_apart(&mut self, payer: Payer, component: ComponentId, amount: i64) {
        let at = self.amounts.len();
        self.amounts.push((component, amount));
        match self.unplaced.last_mut() {
            Some((last, _, end)) if *last == payer && *end == at => *end = at + 1,
            _ => self.unplaced.push((payer, at, at + 1)),
        }
    }

    /// Returns the energies placed in time, by thread, start and end.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.pieces.iter().map(|(thread, path, window, start, end)| Piece {
            thread: *thread,
            path: *path,
            window: *window,
            amounts: self.amounts.get(*start..*end).unwrap_or_default(),
        })
    }

    /// Returns the energies not placed in time: accounts without a path, and energies of paths of which nothing says
    /// when they were drawn.
    pub fn unplaced(&self) -> impl Iterator<Item = (Payer, &[(ComponentId, i64)])> {
        self.unplaced
            .iter()
            .map(|(payer, start, end)| (*payer, self.amounts.get(*start..*end).unwrap_or_default()))
    }
}

/// The part of a path's energy that its probes did not take, where they took any.
fn kept_by_paths(shares: &[Share]) -> FxHashMap<(u32, ComponentId), f64> {
    let mut of_probes: FxHashMap<(u32, ComponentId), f64> = FxHashMap::default();
    for share in shares {
        if let Payer::Probes(path) = share.payer {
            of_probes.insert((path, share.component), share.joules);
        }
    }
    let mut kept: FxHashMap<(u32, ComponentId), f64> =
        of_probes.keys().map(|key| (*key, 0.0)).collect();
    for share in shares {
        let Payer::Path(path) = share.payer else { continue };
        let key = (path, share.component);
        if let Some(probes) = of_probes.get(&key) {
            let all = share.joules + probes;
            kept.insert(key, if all > 0.0 { share.joules / all } else { 0.0 });
        }
    }
    kept
}

/// Call paths, callers before callees and among siblings those with the most energy, callees included, first.
fn by_energy(ledger: &Ledger, shares: &[Share]) -> Vec<u32> {
    let count = ledger.rows.paths.len();
    let mut totals = vec![0.0; count];
    for share in shares {
        if let Some(total) = share.payer.path().and_then(|path| totals.get_mut(path as usize)) {
            *total += share.joules;
        }
    }
    let caller = |path: usize| {
        ledger.rows.paths[path]
            .caller
            .map(|caller| caller.0 as usize)
            .filter(|caller| *caller < path)
    };
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for path in (0..count).rev() {
        match caller(path) {
            Some(caller) => {
                totals[caller] += totals[path];
                children[caller].push(path as u32);
            }
            None => roots.push(path as u32),
        }
    }
    let least_first = |paths: &mut Vec<u32>| {
        paths.sort_by(|a, b| totals[*a as usize].total_cmp(&totals[*b as usize]).then(b.cmp(a)));
    };
    least_first(&mut roots);
    children.iter_mut().for_each(least_first);
    let (mut order, mut open) = (Vec::with_capacity(count), roots);
    while let Some(path) = open.pop() {
        order.push(path);
        open.append(&mut children[path as usize]);
    }
    order
}
