//! Energy of calls: from method to method, and by the line that calls.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use wattle_power::{SourceId, SourceTotals};
use wattle_timeline::SiteKind;
use wattle_units::{CompensatedSum, Estimate, Joules};

use crate::{
    Account, CallEdge, CalledLine, FunctionPlace, Ledger, PathEntry, SiteEntry, steady_name,
};

/// The most names of callees of a line.
const MOST_CALLEES: usize = 8;

/// Energy of calls, by steady names: from method to method, and by the line that calls. A call within the same call counts once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallEnergies {
    /// Calls from one method to another, those of most energy first.
    pub edges: Vec<CallEdge>,
    /// Lines from which something was called, by method and line.
    pub lines: Vec<CalledLine>,
    /// Functions of sampled stacks of which source lines are known, by name and file.
    pub places: Vec<FunctionPlace>,
}

type Sums = FxHashMap<SourceId, CompensatedSum>;

#[derive(Default)]
struct CallSums {
    calls: u64,
    sums: Sums,
    callees: BTreeSet<String>,
    /// The path that last added to it.
    last: Option<usize>,
}

impl CallSums {
    fn add(&mut self, path: usize, energies: &[(SourceId, Joules)]) {
        if self.last != Some(path) {
            self.last = Some(path);
            for (source, joules) in energies {
                self.sums.entry(*source).or_default().add(joules.value());
            }
        }
    }

    fn estimate(&self, ledger: &Ledger, totals: &SourceTotals) -> Estimate {
        let energies = self.sums.iter().map(|(source, sum)| (*source, Joules::new(sum.value())));
        let mut energies: Vec<_> = energies.collect();
        energies.sort_by_key(|(source, _)| *source);
        ledger.power.errors.estimate(energies, totals)
    }
}

impl CallEnergies {
    /// The calls of a ledger.
    pub fn new(ledger: &Ledger) -> Self {
        let paths = &ledger.rows.paths;
        let names = PathNames::new(ledger);
        let mut edges: FxHashMap<(u32, u32), CallSums> = FxHashMap::default();
        let mut lines: BTreeMap<(u32, u32), CallSums> = BTreeMap::new();
        for (at, path) in paths.iter().enumerate() {
            let Some((caller, callee)) = names.step(at) else { continue };
            edges.entry((caller, callee)).or_default().calls += path.calls;
            if let Some(line) = line(ledger, path) {
                let of_line = lines.entry((caller, line)).or_default();
                of_line.calls += path.calls;
                if of_line.callees.len() < MOST_CALLEES {
                    of_line.callees.insert(last_name(&path.name).to_owned());
                }
            }
        }
        let mut own: Vec<Vec<(SourceId, Joules)>> = vec![Vec::new(); paths.len()];
        for booking in &ledger.bookings {
            let account = ledger.rows.accounts.get(booking.account.0 as usize);
            let Some(Account::Path { path }) = account else { continue };
            if let Some(of_path) = own.get_mut(path.0 as usize) {
                of_path.push((booking.source, booking.joules));
            }
        }
        for (at, energies) in own.iter().enumerate().filter(|(_, energies)| !energies.is_empty()) {
            let mut next = Some(at);
            while let Some(here) = next {
                if let Some((caller, callee)) = names.step(here) {
                    if let Some(sums) = edges.get_mut(&(caller, callee)) {
                        sums.add(at, energies);
                    }
                    let line = line(ledger, &paths[here]);
                    if let Some(sums) = line.and_then(|line| lines.get_mut(&(caller, line))) {
                        sums.add(at, energies);
                    }
                }
                // Callers come before their callees, so this ends.
                next = paths[here].caller.map(|it| it.0 as usize).filter(|caller| *caller < here);
            }
        }
        let totals = ledger.source_totals();
        let edge = |((caller, callee), sums): ((u32, u32), CallSums)| CallEdge {
            caller: names.name(caller),
            callee: names.name(callee),
            calls: sums.calls,
            energy: sums.estimate(ledger, &totals),
        };
        let has_energy = |sums: &CallSums| !sums.sums.is_empty();
        let mut edges: Vec<CallEdge> =
            edges.into_iter().filter(|(_, sums)| has_energy(sums)).map(edge).collect();
        edges.sort_by(|a, b| {
            let by_energy = b.energy.joules.value().total_cmp(&a.energy.joules.value());
            by_energy.then_with(|| (&a.caller, &a.callee).cmp(&(&b.caller, &b.callee)))
        });
        let called = |((method, line), sums): ((u32, u32), CallSums)| CalledLine {
            method: names.name(method),
            line,
            calls: sums.calls,
            energy: sums.estimate(ledger, &totals),
            callees: sums.callees.into_iter().collect(),
        };
        let lines = lines.into_iter().filter(|(_, sums)| has_energy(sums)).map(called).collect();
        Self { edges, lines, places: places(ledger) }
    }
}

/// Steady names of paths, as numbers.
struct PathNames {
    all: Vec<String>,
    /// By path; `None` for roots.
    of_path: Vec<Option<u32>>,
    /// The names of their callers.
    of_caller: Vec<Option<u32>>,
}

impl PathNames {
    fn new(ledger: &Ledger) -> Self {
        let paths = &ledger.rows.paths;
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut all = Vec::new();
        let name = |path: &PathEntry| {
            if path.name.is_empty() {
                return None;
            }
            let next = u32::try_from(all.len()).ok()?;
            let name = steady_name(path).into_owned();
            Some(*numbers.entry(name).or_insert_with_key(|name| {
                all.push(name.clone());
                next
            }))
        };
        let of_path: Vec<Option<u32>> = paths.iter().map(name).collect();
        let caller = |path: &PathEntry| {
            path.caller.and_then(|caller| of_path.get(caller.0 as usize).copied().flatten())
        };
        let of_caller = paths.iter().map(caller).collect();
        Self { all, of_path, of_caller }
    }

    fn name(&self, number: u32) -> String {
        self.all.get(number as usize).cloned().unwrap_or_default()
    }

    /// Caller and callee of a path.
    fn step(&self, path: usize) -> Option<(u32, u32)> {
        Some((self.of_caller[path]?, self.of_path[path]?))
    }
}

/// The line from which a path was called, where that is certain.
fn line(ledger: &Ledger, path: &PathEntry) -> Option<u32> {
    if let Some(call) = site(ledger, path).filter(|site| site.kind == SiteKind::Call) {
        return call.line;
    }
    match path.from_lines.as_slice() {
        [line] => Some(*line),
        _ => None,
    }
}

fn site<'l>(ledger: &'l Ledger, path: &PathEntry) -> Option<&'l SiteEntry> {
    path.site.and_then(|site| ledger.rows.sites.get(site as usize))
}

/// The last part of a name: `load` of `com.example.Feed.load(I)V` and of `ns::Feed::load(int)`; of a constructor the class's, `Item` of
/// `com.example.Feed$Item.<init>`.
fn last_name(name: &str) -> &str {
    let plain = name.split('(').next().unwrap_or(name);
    let class = plain.strip_suffix(".<init>");
    let last = class.unwrap_or(plain).rsplit(['.', ':', ' ']).next().unwrap_or(plain);
    class.and_then(|_| last.rsplit('$').next()).unwrap_or(last)
}

fn places(ledger: &Ledger) -> Vec<FunctionPlace> {
    let mut found: BTreeMap<(String, String), [u32; 2]> = BTreeMap::new();
    for path in &ledger.rows.paths {
        let frame = path.frame.and_then(|frame| ledger.rows.frames.get(frame as usize));
        let place = frame.and_then(|it| Some((it.file.clone()?, it.line?)));
        let Some((file, line)) = place else { continue };
        let lines = found.entry((steady_name(path).into_owned(), file)).or_insert([line, line]);
        *lines = [lines[0].min(line), lines[1].max(line)];
    }
    let place = |((function, file), lines)| FunctionPlace { function, file, lines };
    found.into_iter().map(place).collect()
}
