//! Energy by every key that some row needs.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::{Account, Booking, Charge, Ledger};
use wattle_power::Component;
use wattle_units::{Joules, Nanos};

use super::{Doubt, Tally};

/// Energy by every key that some row needs, gathered in one pass over the bookings.
pub struct Gathered {
    pub components: Vec<Tally>,
    pub accounts: BTreeMap<(usize, Charge), Tally>,
    pub interrupts: BTreeMap<String, Tally>,
    /// By uid and component.
    pub uids: BTreeMap<u32, BTreeMap<usize, Tally>>,
    pub threads: Vec<ThreadTally>,
    pub paths: Vec<Tally>,
    /// By path and component, without the CPU.
    pub devices: BTreeMap<(usize, usize), Tally>,
    /// By process: whether all of its threads that paid are the recorder's.
    pub recorders: Vec<bool>,
    /// Energy of the probes in apps' code.
    pub probes: Tally,
    pub cpu_shared: Tally,
    /// Charges that occur for the CPU.
    pub cpu_charges: BTreeSet<Charge>,
    pub dangling: u64,
}

/// Energy attributed to one thread.
#[derive(Clone, Default)]
pub struct ThreadTally {
    pub all: Tally,
    pub core: Tally,
    pub shared: Tally,
    pub wake: Tally,
    pub components: BTreeMap<usize, Tally>,
    /// Whether the thread is the recorder's.
    pub is_recorders: bool,
}

impl Gathered {
    /// One pass over the bookings.
    pub fn new(ledger: &Ledger) -> Self {
        let mut gathered = Self {
            components: vec![Tally::default(); ledger.rows.components.len()],
            accounts: BTreeMap::new(),
            interrupts: BTreeMap::new(),
            uids: BTreeMap::new(),
            threads: vec![ThreadTally::default(); ledger.rows.threads.len()],
            paths: vec![Tally::default(); ledger.rows.paths.len()],
            devices: BTreeMap::new(),
            recorders: vec![false; ledger.rows.processes.len()],
            probes: Tally::default(),
            cpu_shared: Tally::default(),
            cpu_charges: BTreeSet::new(),
            dangling: 0,
        };
        for booking in &ledger.bookings {
            if gathered.add(ledger, booking).is_none() {
                gathered.dangling += 1;
            }
        }
        // Doubt about nothing is no row.
        gathered.accounts.retain(|_, tally| !tally.is_empty());
        for thread in &mut gathered.threads {
            thread.components.retain(|_, tally| !tally.is_empty());
        }
        gathered.find_recorders(ledger);
        gathered
    }

    fn find_recorders(&mut self, ledger: &Ledger) {
        let mut others = vec![false; ledger.rows.processes.len()];
        for (thread, tally) in ledger.rows.threads.iter().zip(&self.threads) {
            let process = thread.process as usize;
            if tally.is_recorders
                && let Some(recorders) = self.recorders.get_mut(process)
            {
                *recorders = true;
            } else if !tally.all.is_empty()
                && let Some(others) = others.get_mut(process)
            {
                *others = true;
            }
        }
        for (recorders, others) in self.recorders.iter_mut().zip(others) {
            *recorders &= !others;
        }
    }

    /// Whether a thread's energy is its process's own: not the recorder's thread inside an app.
    pub fn is_own(&self, ledger: &Ledger, thread: usize) -> bool {
        let wholly = ledger
            .rows
            .threads
            .get(thread)
            .and_then(|entry| self.recorders.get(entry.process as usize).copied());
        wholly == Some(true) || self.threads.get(thread).is_none_or(|tally| !tally.is_recorders)
    }

    /// Whether anything was booked for the CPU under this charge.
    pub fn has_cpu_charge(&self, charge: Charge) -> bool {
        self.cpu_charges.contains(&charge)
    }

    /// `None` for a booking that points to something that is not there.
    fn add(&mut self, ledger: &Ledger, booking: &Booking) -> Option<()> {
        let Booking { component, charge, source, joules, .. } = *booking;
        let account = ledger.rows.accounts.get(booking.account.0 as usize)?;
        let at = component.0 as usize;
        let is_cpu = ledger.rows.components.get(at)?.name == Component::Cpu;
        match account {
            Account::Path { path } | Account::Recorder { path } => {
                let path = path.0 as usize;
                let thread = ledger.rows.paths.get(path)?.thread as usize;
                ledger.rows.processes.get(ledger.rows.threads.get(thread)?.process as usize)?;
                self.paths[path].add(source, joules);
                if !is_cpu {
                    self.devices.entry((path, at)).or_default().add(source, joules);
                }
                let thread = &mut self.threads[thread];
                thread.is_recorders |= matches!(account, Account::Recorder { .. });
                thread.all.add(source, joules);
                thread.components.entry(at).or_default().add(source, joules);
                match charge {
                    Charge::Core if is_cpu => thread.core.add(source, joules),
                    Charge::Shared if is_cpu => thread.shared.add(source, joules),
                    Charge::WakeTransition => thread.wake.add(source, joules),
                    _ => {}
                }
            }
            Account::ProfilingOverhead { path } => {
                if let Some(path) = path {
                    let thread = ledger.rows.paths.get(path.0 as usize)?.thread as usize;
                    let process = ledger.rows.threads.get(thread)?.process;
                    ledger.rows.processes.get(process as usize)?;
                    let doubt = doubt(ledger, process, joules);
                    let part = Part { component: at, charge, is_cpu };
                    self.doubt(path.0 as usize, thread, part, doubt);
                }
                self.probes.add(source, joules);
            }
            Account::App { uid } => {
                let components = self.uids.entry(*uid).or_default();
                components.entry(at).or_default().add(source, joules);
            }
            Account::Interrupts { handler } => {
                self.interrupts.entry(handler.clone()).or_default().add(source, joules);
            }
            _ => {}
        }
        self.components[at].add(source, joules);
        self.accounts.entry((class_order(account), charge)).or_default().add(source, joules);
        if is_cpu {
            self.cpu_charges.insert(charge);
        }
        if is_cpu && charge == Charge::Shared {
            self.cpu_shared.add(source, joules);
        }
        Some(())
    }
}

/// The part of the hardware that an energy was drawn through.
#[derive(Clone, Copy)]
struct Part {
    component: usize,
    charge: Charge,
    is_cpu: bool,
}

impl Gathered {
    /// Adds uncertainty: the probe energy subtracted from a path may have been too much or too little, so the rest is
    /// as uncertain as the part that was subtracted.
    fn doubt(
        &mut self,
        path: usize,
        thread: usize,
        Part { component, charge, is_cpu }: Part,
        left: Doubt,
    ) {
        self.paths[path].doubt(left);
        let thread = &mut self.threads[thread];
        thread.all.doubt(left);
        thread.components.entry(component).or_default().doubt(left);
        match charge {
            Charge::Core if is_cpu => thread.core.doubt(left),
            Charge::Shared if is_cpu => thread.shared.doubt(left),
            _ => {}
        }
        let taken = Doubt { less: left.more, more: left.less };
        self.probes.doubt(taken);
        self.accounts.entry((OVERHEAD, charge)).or_default().doubt(taken);
        self.accounts.entry((THREADS, charge)).or_default().doubt(left);
    }
}

/// Returns the uncertainty of the rest of a path from which this probe energy was subtracted, by the spread of the
/// times of the probes that were timed in its process.
pub fn doubt(ledger: &Ledger, process: u32, taken: Joules) -> Doubt {
    let pid = ledger.rows.processes.get(process as usize).and_then(|process| process.pid);
    let costs =
        ledger.sheets.probes.as_ref().map(|probes| probes.costs.as_slice()).unwrap_or_default();
    let of = |pid| costs.iter().find(|cost| cost.pid == pid && cost.pair > Nanos::ZERO);
    let own = of(pid).filter(|_| pid.is_some()).or_else(|| of(None));
    let Some(cost) = own else { return Doubt::default() };
    let relative = |time: Nanos| time.seconds() / cost.pair.seconds();
    Doubt {
        less: taken * (relative(cost.high) - 1.0).max(0.0),
        more: taken * (1.0 - relative(cost.low)).max(0.0),
    }
}

/// The places of two of [`CLASSES`].
const THREADS: usize = 0;
const OVERHEAD: usize = 4;

/// Account classes in the order of a report: who did something first, then the rest.
pub const CLASSES: [&str; 7] = [
    "threads",
    "apps",
    "interrupts",
    "idle floor",
    "profiling overhead",
    "unmetered",
    "unattributed",
];

fn class_order(account: &Account) -> usize {
    CLASSES.iter().position(|class| *class == account.class()).unwrap_or(CLASSES.len() - 1)
}
