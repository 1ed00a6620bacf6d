//! Energies of a ledger by whatever is asked for: within a component, a process, a period of time.

use std::collections::BTreeMap;

use wattle_ledger::{Account, Booking, Ledger, PathId, ThreadEntry};
use wattle_power::{Component, SourceId};
use wattle_report::ConsumerNames;
use wattle_units::{Estimate, Joules};

use super::TimeRange;
use crate::answer::clip;

/// The most names of a call path that are shown.
const MOST_NAMES: usize = 6;

/// The key by which energies are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// All of it in one sum, without a name.
    All,
    /// By app, or program; what no program used by its reason.
    App,
    /// By process.
    Process,
    /// By thread.
    Thread,
    /// By method, without what it called.
    Method,
    /// By call path of a thread, without what it called.
    CallPath,
    /// By component.
    Component,
    /// By kind of consumer: threads, idle floor, unattributed …
    Account,
}

/// A part of a ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergyQuery<'a> {
    /// Only this component.
    pub component: Option<&'a Component>,
    /// Only processes, or apps, of this name.
    pub process: Option<&'a str>,
    /// Only this thread: the kernel's numbers of its process and of itself.
    pub thread: Option<(Option<u32>, u32)>,
    /// Only methods of this name.
    pub method: Option<&'a str>,
    /// Only this time.
    pub time: Option<TimeRange>,
}

/// A sum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyGroup {
    /// The name.
    pub name: String,
    /// The energy.
    pub energy: Estimate,
    /// Whether apps or programs used it, and not the device itself: its idle floor, what has no cause recorded.
    pub is_of_programs: bool,
}

/// A sum while it grows.
#[derive(Debug, Default)]
struct GroupSum {
    joules: BTreeMap<SourceId, f64>,
    is_of_programs: bool,
}

/// The sums of a part of a ledger, most energy first.
pub fn energy_groups(ledger: &Ledger, kind: GroupKind, query: EnergyQuery<'_>) -> Vec<EnergyGroup> {
    let names = Names { ledger, consumers: ConsumerNames::new(ledger) };
    let keys: Vec<Option<GroupKey>> =
        ledger.rows.accounts.iter().map(|account| names.key(account, kind, query)).collect();
    let mut sums: BTreeMap<&str, GroupSum> = BTreeMap::new();
    let mut add = |booking: &Booking, joules: Joules| {
        let component = ledger.rows.components.get(usize::from(booking.component.0));
        let Some(component) = component else { return };
        if query.component.is_some_and(|wanted| *wanted != component.name) {
            return;
        }
        let key = keys.get(booking.account.0 as usize).and_then(Option::as_ref);
        let Some(key) = key else { return };
        let name = if kind == GroupKind::Component { component.name.name() } else { &key.name };
        let sum = sums.entry(name).or_default();
        *sum.joules.entry(booking.source).or_default() += joules.value();
        sum.is_of_programs |= key.is_of_program;
    };
    match (query.time, &ledger.over_time.energy) {
        (None, _) => ledger.bookings.iter().for_each(|booking| add(booking, booking.joules)),
        (Some(_), None) => {}
        (Some(range), Some(energy)) => {
            for cell in energy.cells(&ledger.bookings).filter(|cell| range.contains(cell.bin)) {
                if let Some(booking) = ledger.bookings.get(cell.booking) {
                    add(booking, cell.joules);
                }
            }
        }
    }
    let totals = ledger.source_totals();
    let estimate = |energies: BTreeMap<SourceId, f64>| {
        let energies = energies.into_iter().map(|(source, sum)| (source, Joules::new(sum)));
        ledger.power.errors.estimate(energies, &totals)
    };
    let mut groups: Vec<EnergyGroup> = sums
        .into_iter()
        .map(|(name, sum)| EnergyGroup {
            name: name.to_owned(),
            energy: estimate(sum.joules),
            is_of_programs: sum.is_of_programs,
        })
        .collect();
    groups.sort_by(|a, b| b.energy.joules.value().total_cmp(&a.energy.joules.value()));
    groups
}

/// The group of an account.
struct GroupKey {
    name: String,
    is_of_program: bool,
}

struct Names<'a> {
    ledger: &'a Ledger,
    consumers: ConsumerNames,
}

impl Names<'_> {
    /// The key of an account; `None` where it is no part of what is asked for.
    fn key(&self, account: &Account, kind: GroupKind, query: EnergyQuery<'_>) -> Option<GroupKey> {
        let rows = &self.ledger.rows;
        let path = account.path();
        let thread = path
            .and_then(|path| rows.paths.get(path.0 as usize))
            .and_then(|path| rows.threads.get(path.thread as usize));
        let app = self.app(account, thread);
        let process = thread.and_then(|it| rows.processes.get(it.process as usize));
        let process_name = process.map_or("", |process| process.name.as_str());
        if let Some(wanted) = query.process
            && !(app == Some(wanted)
                || process_name == wanted
                || process.is_some_and(|it| it.package.as_deref() == Some(wanted)))
        {
            return None;
        }
        let numbers = thread.map(|it| (process.and_then(|process| process.pid), it.tid));
        if query.thread.is_some_and(|wanted| numbers != Some(wanted)) {
            return None;
        }
        let method =
            path.and_then(|path| rows.paths.get(path.0 as usize)).map(|it| it.name.as_str());
        if query.method.is_some_and(|wanted| method != Some(wanted)) {
            return None;
        }
        let is_of_program = app.is_some();
        let name = match kind {
            GroupKind::All | GroupKind::Component => Some(String::new()),
            GroupKind::Account => Some(account_title(account).to_owned()),
            GroupKind::App => Some(app.unwrap_or_else(|| account_title(account)).to_owned()),
            GroupKind::Process => match process {
                Some(process) => Some(named(process_name, process.pid, "pid")),
                // Hardware that is known by uid only.
                None => app.map(|app| format!("{app}, by uid alone")),
            },
            GroupKind::Thread => {
                let thread = thread?;
                Some(thread_title(&thread.name, thread.tid, process_name))
            }
            GroupKind::Method => method.filter(|name| !name.is_empty()).map(str::to_owned),
            GroupKind::CallPath => self.call_path(path?, thread?),
        };
        Some(GroupKey { name: name?, is_of_program })
    }

    /// The app or program, by the name that it has in all reports.
    fn app(&self, account: &Account, thread: Option<&ThreadEntry>) -> Option<&str> {
        if let Account::App { uid } = account {
            return self.consumers.of_uid(*uid);
        }
        self.consumers.of_process(thread?.process as usize)
    }

    /// `thread > outermost > … > innermost`.
    fn call_path(&self, path: PathId, thread: &ThreadEntry) -> Option<String> {
        let rows = &self.ledger.rows;
        let mut names = Vec::new();
        let mut entry = rows.paths.get(path.0 as usize)?;
        while let Some(caller) = entry.caller {
            names.push(clip(&entry.name, 60));
            entry = rows.paths.get(caller.0 as usize)?;
        }
        names.reverse();
        if names.len() > MOST_NAMES {
            let left_out = names.len() - MOST_NAMES;
            names.splice(1..=left_out, [format!("({left_out} more)")]);
        }
        names.insert(
            0,
            match thread.name.trim() {
                "" => named("", Some(thread.tid), "tid"),
                name => clip(name, 40),
            },
        );
        if names.len() == 1 {
            names.push("(outside of any method)".to_owned());
        }
        Some(names.join(" > "))
    }
}

/// The name of what no program used.
fn account_title(account: &Account) -> &'static str {
    match account {
        Account::Unmetered => "unmetered rest of the device",
        Account::Unattributed => "no cause recorded",
        other => other.class(),
    }
}

/// The title of a thread in answers: `main (tid 4000) of com.example.news`.
pub fn thread_title(name: &str, tid: u32, process: &str) -> String {
    let process = if process.is_empty() { "(unknown process)" } else { process };
    format!("{} of {process}", named(name, Some(tid), "tid"))
}

/// The title of a process in answers: `com.example.news (pid 4000)`.
pub fn process_title(name: &str, pid: Option<u32>) -> String {
    named(name, pid, "pid")
}

fn named(name: &str, number: Option<u32>, word: &str) -> String {
    match (name.trim(), number) {
        ("", Some(number)) => format!("{word} {number}"),
        ("", None) => "(unknown process)".to_owned(),
        (name, Some(number)) => format!("{name} ({word} {number})"),
        (name, None) => name.to_owned(),
    }
}
