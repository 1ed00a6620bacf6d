//! True values of a simulated phone beside their estimates: the only place that pairs them.

use std::collections::BTreeMap;

use wattle_ledger::{Account, Booking, Ledger, PathId};
use wattle_power::Component;
use wattle_sim::Truth;
use wattle_units::{Estimate, Joules};

/// The kind of a true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Everything that the battery gave.
    Total,
    /// The processor.
    Cpu,
    /// A device beside the processor, with what it draws without any app.
    Component,
    /// Energy that an app caused on a device beside the processor; apps are uids.
    Device,
    /// Accounts of the processor: threads, interrupts, idle floor, profiling overhead.
    Account,
    /// A process on the processor.
    Process,
    /// A thread on the processor.
    Thread,
    /// Self energy of a method on one call path of one thread.
    Method,
}

/// A true value with its estimate.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Its kind.
    pub level: Level,
    /// A name for tables.
    pub name: String,
    /// The energy that the simulator spent.
    pub truth: Joules,
    /// Its estimate; `None` when the ledger has none.
    pub estimate: Option<Estimate>,
    /// Its share of the energy of the processor or of the device that it is a part of, 0 to 1; 1 for a whole one.
    pub share: f64,
}

/// A method of a thread by its call path, outermost first.
type Method = (u32, Vec<String>);

impl Compared {
    /// All true values of at least a share of the whole that they are a part of: those of one level together, the largest
    /// first in processes, threads, methods and devices. The recorder's threads are in the account *profiling overhead* alone.
    pub fn all(truth: &Truth, ledger: &Ledger, least_share: f64) -> Vec<Self> {
        let mut all = components(truth, ledger);
        all.extend(accounts(truth, ledger));
        let parts = [processes, threads, methods, devices];
        for mut part in parts.map(|part| part(truth, ledger)) {
            part.retain(|compared| compared.share >= least_share);
            part.sort_by(|a, b| b.truth.value().total_cmp(&a.truth.value()));
            all.append(&mut part);
        }
        all
    }

    /// Whether its true value lies inside the 90 % interval of its estimate.
    pub fn is_inside(&self) -> bool {
        self.estimate.is_some_and(|estimate| estimate.interval.contains(self.truth))
    }

    fn part(level: Level, name: String, truth: &Truth, joules: Joules) -> Self {
        Self { level, name, truth: joules, estimate: None, share: joules / truth.total }
    }

    fn with(self, estimate: Option<Estimate>) -> Self {
        Self { estimate, ..self }
    }
}

fn components(truth: &Truth, ledger: &Ledger) -> Vec<Compared> {
    let whole = |level, name: &str, truth, estimate| Compared {
        level,
        name: name.to_owned(),
        truth,
        estimate,
        share: 1.0,
    };
    let cpu = ledger.estimate_where(|booking| is_of(ledger, booking, &Component::Cpu));
    let mut all = vec![whole(Level::Cpu, "cpu", truth.total, cpu)];
    all.extend(truth.devices.iter().map(|device| {
        let name = device.device.name();
        let estimate = ledger.estimate_where(|booking| component(ledger, booking) == Some(name));
        whole(Level::Component, name, device.total, estimate)
    }));
    all.extend(truth.battery.map(|battery| {
        whole(Level::Total, "whole phone, by the battery", battery, ledger.total())
    }));
    all
}

/// Energy that apps caused on devices beside the processor.
fn devices(truth: &Truth, ledger: &Ledger) -> Vec<Compared> {
    let estimates =
        ledger.grouped(|booking| Some((component(ledger, booking)?, uid(ledger, booking)?)));
    let mut all = Vec::new();
    for device in &truth.devices {
        let name = device.device.name();
        let mut by_uid: BTreeMap<u32, (&str, Joules)> = BTreeMap::new();
        for process in &device.processes {
            let entry = by_uid.entry(process.uid).or_insert((&process.process, Joules::ZERO));
            entry.1 += process.joules;
        }
        all.extend(by_uid.into_iter().map(|(uid, (app, joules))| Compared {
            level: Level::Device,
            name: format!("{name} / {app}"),
            truth: joules,
            estimate: estimates.get(&(name, uid)).copied(),
            share: joules / device.total,
        }));
    }
    all
}

/// The name of the component that an energy is of.
fn component<'a>(ledger: &'a Ledger, booking: &Booking) -> Option<&'a str> {
    Some(ledger.rows.components.get(usize::from(booking.component.0))?.name.name())
}

/// The uid of the app that an energy is attributed to.
fn uid(ledger: &Ledger, booking: &Booking) -> Option<u32> {
    match ledger.rows.accounts.get(booking.account.0 as usize)? {
        Account::App { uid } => Some(*uid),
        Account::Path { path } => {
            let thread = ledger.rows.paths.get(path.0 as usize)?.thread;
            let process = ledger.rows.threads.get(thread as usize)?.process;
            ledger.rows.processes.get(process as usize)?.uid
        }
        _ => None,
    }
}

fn is_of(ledger: &Ledger, booking: &Booking, wanted: &Component) -> bool {
    let entry = ledger.rows.components.get(usize::from(booking.component.0));
    entry.is_some_and(|entry| entry.name == *wanted)
}

fn accounts(truth: &Truth, ledger: &Ledger) -> Vec<Compared> {
    let threads: Joules =
        truth.threads.iter().filter(|t| !t.recorder).map(|t| t.charges.total()).sum();
    let all = [
        ("threads", threads),
        ("interrupts", truth.interrupts_total()),
        ("idle floor", truth.idle_floor.total()),
        ("profiling overhead", truth.profiling_overhead()),
    ];
    all.into_iter()
        .map(|(class, joules)| {
            let estimate = ledger.estimate_where(|booking| {
                let account = ledger.rows.accounts.get(booking.account.0 as usize);
                account.is_some_and(|account| account.class() == class)
                    && is_of(ledger, booking, &Component::Cpu)
            });
            Compared::part(Level::Account, class.to_owned(), truth, joules).with(estimate)
        })
        .collect()
}

fn processes(truth: &Truth, ledger: &Ledger) -> Vec<Compared> {
    let estimates = ledger.grouped(|booking| {
        let thread = ledger.rows.threads.get(thread_of(ledger, booking)?)?;
        ledger.rows.processes.get(thread.process as usize)?.pid
    });
    let mut by_pid: BTreeMap<u32, (&str, Joules)> = BTreeMap::new();
    for thread in truth.threads.iter().filter(|thread| !thread.recorder) {
        let entry = by_pid.entry(thread.pid).or_insert((&thread.process, Joules::ZERO));
        entry.1 += thread.charges.total();
    }
    by_pid
        .into_iter()
        .map(|(pid, (name, joules))| {
            Compared::part(Level::Process, name.to_owned(), truth, joules)
                .with(estimates.get(&pid).copied())
        })
        .collect()
}

fn threads(truth: &Truth, ledger: &Ledger) -> Vec<Compared> {
    let estimates =
        ledger.grouped(|booking| Some(ledger.rows.threads.get(thread_of(ledger, booking)?)?.tid));
    let own = truth.threads.iter().filter(|thread| !thread.recorder);
    own.map(|thread| {
        let name = format!("{} / {}", thread.process, thread.thread);
        Compared::part(Level::Thread, name, truth, thread.charges.total())
            .with(estimates.get(&thread.tid).copied())
    })
    .collect()
}

fn methods(truth: &Truth, ledger: &Ledger) -> Vec<Compared> {
    let names: Vec<Option<Method>> =
        (0..ledger.rows.paths.len()).map(|index| method(ledger, PathId(index as u32))).collect();
    let estimates: BTreeMap<&Method, Estimate> = ledger.grouped(|booking| {
        let path = cpu_path(ledger, booking)?;
        names.get(path.0 as usize)?.as_ref()
    });
    let own = truth.methods.iter().filter(|m| !m.recorder && !m.path.is_empty());
    own.map(|m| {
        let name = format!("{} [{}]", m.path.last().map_or("", String::as_str), m.thread);
        Compared::part(Level::Method, name, truth, m.self_joules)
            .with(estimates.get(&(m.tid, m.path.clone())).copied())
    })
    .collect()
}

/// The call path of a thread that an energy of the processor is attributed to.
fn cpu_path(ledger: &Ledger, booking: &Booking) -> Option<PathId> {
    match ledger.rows.accounts.get(booking.account.0 as usize)? {
        Account::Path { path } if is_of(ledger, booking, &Component::Cpu) => Some(*path),
        _ => None,
    }
}

/// The row of the thread that an energy of the processor is attributed to.
fn thread_of(ledger: &Ledger, booking: &Booking) -> Option<usize> {
    let path = cpu_path(ledger, booking)?;
    Some(ledger.rows.paths.get(path.0 as usize)?.thread as usize)
}

/// Thread number and names from the outermost slice to this one; `None` for a thread's root.
fn method(ledger: &Ledger, path: PathId) -> Option<Method> {
    let mut entry = ledger.rows.paths.get(path.0 as usize)?;
    let tid = ledger.rows.threads.get(entry.thread as usize)?.tid;
    let mut names = Vec::new();
    while let Some(caller) = entry.caller {
        names.push(entry.name.clone());
        entry = ledger.rows.paths.get(caller.0 as usize)?;
    }
    names.reverse();
    (!names.is_empty()).then_some((tid, names))
}
