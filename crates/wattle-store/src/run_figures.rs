//! Energies of a run that histories show: of the run, its app, components and methods.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use wattle_ledger::{Account, Ledger, PathId, steady_name};
use wattle_power::{SourceId, SourceTotals};
use wattle_timeline::{Uid, process_base};
use wattle_units::{CompensatedSum, Estimate, Joules};

/// Energies of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFigures {
    /// The total; `None` where energy cannot be estimated.
    pub total: Option<Estimate>,
    /// The part of the app; `None` without an app, or where it does not occur.
    pub app: Option<Estimate>,
    /// Components.
    pub components: Vec<ComponentFigure>,
    /// Methods, slices and frames of the app, or of all processes where the run has no app. In order of names.
    pub methods: Vec<MethodFigure>,
}

/// The energy of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentFigure {
    /// Its name.
    pub name: String,
    /// Whether it is the app's part.
    pub is_app: bool,
    /// The energy.
    pub energy: Estimate,
}

/// Energies of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodFigure {
    /// Its name, without what differs from run to run.
    pub name: String,
    /// Calls; 0 where it is known by samples only.
    pub calls: u64,
    /// Energy while it was innermost.
    pub own: Estimate,
    /// Energy with all that it called, once where it calls itself.
    pub total: Estimate,
}

/// Energies by source.
type Sums = FxHashMap<SourceId, CompensatedSum>;

impl RunFigures {
    /// The figures of a ledger, with the part of this app.
    pub fn new(ledger: &Ledger, package: &str) -> Self {
        let totals = ledger.source_totals();
        let chosen = Chosen::new(ledger, package);
        let is_app = |account: &Account| chosen.is_app(ledger, account);
        let accounts: Vec<bool> = ledger.rows.accounts.iter().map(is_app).collect();
        let is_own = |account: wattle_ledger::AccountId| {
            accounts.get(account.0 as usize).copied().unwrap_or(false)
        };
        let has_app = !package.is_empty();
        let mut components = Vec::new();
        for of_app in [false, true] {
            if of_app && !has_app {
                continue;
            }
            let groups = ledger.grouped(|booking| {
                (!of_app || is_own(booking.account)).then_some(booking.component)
            });
            for (component, energy) in groups {
                let Some(row) = ledger.rows.components.get(usize::from(component.0)) else {
                    continue;
                };
                components.push(ComponentFigure {
                    name: row.name.to_string(),
                    is_app: of_app,
                    energy,
                });
            }
        }
        Self {
            total: ledger.total(),
            app: has_app.then(|| ledger.estimate_where(|it| is_own(it.account))).flatten(),
            components,
            methods: methods(ledger, &chosen, &totals),
        }
    }
}

/// The threads and uids of an app.
struct Chosen {
    /// By index into the ledger's threads.
    threads: Vec<bool>,
    uids: BTreeSet<u32>,
}

impl Chosen {
    /// By the rules of reports: a process is a package's when it says so or bears its name up to a colon, and from there on the uid decides.
    fn new(ledger: &Ledger, package: &str) -> Self {
        let rows = &ledger.rows;
        if package.is_empty() {
            return Self { threads: vec![true; rows.threads.len()], uids: BTreeSet::new() };
        }
        let named: Vec<bool> = rows
            .processes
            .iter()
            .map(|it| it.package.as_deref() == Some(package) || process_base(&it.name) == package)
            .collect();
        let of_named = rows.processes.iter().zip(&named).filter(|(_, named)| **named);
        let mut uids: BTreeSet<u32> = of_named
            .filter_map(|(process, _)| process.uid)
            .filter(|uid| !Uid(*uid).is_isolated())
            .collect();
        let listed = rows.packages.iter().filter(|it| it.name == package).map(|it| it.uid);
        uids.extend(listed.filter(|uid| rows.accounts.contains(&Account::App { uid: *uid })));
        let processes: Vec<bool> = rows
            .processes
            .iter()
            .zip(named)
            .map(|(it, named)| named || it.uid.is_some_and(|uid| uids.contains(&uid)))
            .collect();
        let of = |process: u32| processes.get(process as usize).copied().unwrap_or(false);
        Self { threads: rows.threads.iter().map(|it| of(it.process)).collect(), uids }
    }

    fn has(&self, ledger: &Ledger, path: PathId) -> bool {
        let row = ledger.rows.paths.get(path.0 as usize);
        row.and_then(|row| self.threads.get(row.thread as usize)).copied().unwrap_or(false)
    }

    fn is_app(&self, ledger: &Ledger, account: &Account) -> bool {
        match account {
            Account::Path { path } => self.has(ledger, *path),
            Account::App { uid } => self.uids.contains(uid),
            _ => false,
        }
    }
}

/// The sums of a method.
#[derive(Default)]
struct MethodSums {
    calls: u64,
    own: Sums,
    total: Sums,
}

fn methods(ledger: &Ledger, chosen: &Chosen, totals: &SourceTotals) -> Vec<MethodFigure> {
    let paths = &ledger.rows.paths;
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let mut sums: Vec<MethodSums> = Vec::new();
    // The method of each path; roots and paths of others have none.
    let method: Vec<Option<u32>> = paths
        .iter()
        .map(|path| {
            let of_app = chosen.threads.get(path.thread as usize).copied().unwrap_or(false);
            if !of_app || path.name.is_empty() {
                return None;
            }
            let next = u32::try_from(sums.len()).ok()?;
            let number = *numbers.entry(steady_name(path).into_owned()).or_insert_with(|| {
                sums.push(MethodSums::default());
                next
            });
            sums[number as usize].calls += path.calls;
            Some(number)
        })
        .collect();
    let mut own: Vec<Vec<(SourceId, Joules)>> = vec![Vec::new(); paths.len()];
    for booking in &ledger.bookings {
        let account = ledger.rows.accounts.get(booking.account.0 as usize);
        let Some(Account::Path { path }) = account else { continue };
        if let Some(of_path) = own.get_mut(path.0 as usize) {
            of_path.push((booking.source, booking.joules));
        }
    }
    // The path that last added to a method's total: a method that calls itself counts once.
    let mut counted = vec![u32::MAX; sums.len()];
    for (at, of_path) in own.iter().enumerate() {
        if of_path.is_empty() {
            continue;
        }
        if let Some(number) = method[at] {
            add(&mut sums[number as usize].own, of_path);
        }
        let mut next = Some(at);
        while let Some(here) = next {
            if let Some(number) = method[here]
                && counted[number as usize] != at as u32
            {
                counted[number as usize] = at as u32;
                add(&mut sums[number as usize].total, of_path);
            }
            // Callers come before their callees, so this ends.
            let caller = paths[here].caller.map(|caller| caller.0 as usize);
            next = caller.filter(|caller| *caller < here);
        }
    }
    let mut named: Vec<(String, u32)> = numbers.into_iter().collect();
    named.sort();
    let estimate = |sums: &Sums| {
        let energies = sums.iter().map(|(source, sum)| (*source, Joules::new(sum.value())));
        let mut energies: Vec<_> = energies.collect();
        energies.sort_by_key(|(source, _)| *source);
        ledger.power.errors.estimate(energies, totals)
    };
    named
        .into_iter()
        .filter_map(|(name, number)| {
            let sums = &sums[number as usize];
            // Without any energy it is a name that ran outside of what is known.
            (!sums.total.is_empty()).then(|| MethodFigure {
                name,
                calls: sums.calls,
                own: estimate(&sums.own),
                total: estimate(&sums.total),
            })
        })
        .collect()
}

fn add(sums: &mut Sums, energies: &[(SourceId, Joules)]) {
    for (source, joules) in energies {
        sums.entry(*source).or_default().add(joules.value());
    }
}
