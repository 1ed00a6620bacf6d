//! The energy that is at stake: what a ledger and its power tracks say of threads, apps and components.
//!
//! All of it is an upper bound: it is what was drawn meanwhile by whoever the finding is about, and mending the defect saves no more
//! than that. `None` is "no energy is known", which is not 0 J.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use wattle_ledger::{Account, Booking, Charge};
use wattle_power::{Component, Scope, SourceTotals};
use wattle_timeline::{ThreadId, Uid, Window};
use wattle_units::{Estimate, Interval, Joules, Provenance};

use crate::Input;
use crate::windows;

/// The kernel's numbers of a process, where it is known, and a thread.
type Numbers = (Option<u32>, u32);

/// Looks energies up.
#[derive(Debug)]
pub(super) struct Stakes<'a> {
    input: Input<'a>,
    /// When defects of threads are looked for.
    idle: Vec<Window>,
    /// Rows of the ledger by process and thread number.
    threads: OnceCell<FxHashMap<Numbers, Vec<u32>>>,
    /// By row of a thread: what it drew in all, and what of it in `idle`.
    stretches: OnceCell<BTreeMap<u32, (f64, f64)>>,
    totals: OnceCell<SourceTotals>,
}

impl<'a> Stakes<'a> {
    pub(super) fn new(input: Input<'a>, idle: Vec<Window>) -> Self {
        Self {
            input,
            idle,
            threads: OnceCell::new(),
            stretches: OnceCell::new(),
            totals: OnceCell::new(),
        }
    }

    /// Rows of the ledger that a thread of the timeline is.
    fn rows(&self, thread: ThreadId) -> &[u32] {
        let ledger = self.input.ledger;
        let known = self.threads.get_or_init(|| {
            let mut rows: FxHashMap<Numbers, Vec<u32>> = FxHashMap::default();
            for (row, thread) in (0..).zip(&ledger.rows.threads) {
                let process = ledger.rows.processes.get(thread.process as usize);
                let pid = process.and_then(|process| process.pid);
                rows.entry((pid, thread.tid)).or_default().push(row);
            }
            rows
        });
        let timeline = self.input.timeline;
        let Some(facts) = timeline.tasks.threads.get(thread.index()) else { return &[] };
        let process = facts.process.and_then(|id| timeline.tasks.processes.get(id.index()));
        let key = (process.map(|process| process.pid.0), facts.tid.0);
        known.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Returns the energy of each row in all and at idle.
    fn stretches(&self) -> &BTreeMap<u32, (f64, f64)> {
        self.stretches.get_or_init(|| {
            let ledger = self.input.ledger;
            let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
            for stretch in &ledger.over_time.stretches {
                let Some(path) = ledger.rows.paths.get(stretch.path.0 as usize) else { continue };
                let length = stretch.window.duration().value() as f64;
                let inside = windows::inside(&self.idle, stretch.window).value() as f64;
                let joules = stretch.joules.value();
                let sum = sums.entry(path.thread).or_default();
                sum.0 += joules;
                sum.1 += if length > 0.0 { joules * inside / length } else { 0.0 };
            }
            sums
        })
    }

    /// Estimates all energy of threads, idle or not.
    pub(super) fn whole(&self, threads: &[ThreadId]) -> Option<Estimate> {
        let rows: FxHashSet<u32> =
            threads.iter().flat_map(|thread| self.rows(*thread)).copied().collect();
        let is_of = |booking: &Booking| self.row(booking).is_some_and(|row| rows.contains(&row));
        self.input.ledger.estimate_where(is_of)
    }

    /// Estimates the energy of threads at idle; all of their energy if the ledger does not say when it was drawn.
    pub(super) fn threads(&self, threads: &[ThreadId]) -> Option<Estimate> {
        let rows: FxHashSet<u32> =
            threads.iter().flat_map(|thread| self.rows(*thread)).copied().collect();
        let ledger = self.input.ledger;
        let of_rows = |booking: &Booking| self.row(booking).is_some_and(|row| rows.contains(&row));
        let all = ledger.estimate_where(of_rows)?;
        let known = self.stretches();
        let sums = rows.iter().filter_map(|row| known.get(row));
        let (whole, idle) = sums.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        Some(if whole > 0.0 { part(all, idle / whole) } else { all })
    }

    /// The thread that pays a booking.
    fn row(&self, booking: &Booking) -> Option<u32> {
        let ledger = self.input.ledger;
        let path = ledger.rows.accounts.get(booking.account.0 as usize)?.path()?;
        Some(ledger.rows.paths.get(path.0 as usize)?.thread)
    }

    /// The same for a part of their time on CPUs.
    pub(super) fn threads_for(&self, threads: &[ThreadId], share: f64) -> Option<Estimate> {
        self.threads(threads).map(|energy| part(energy, share))
    }

    /// The app that pays a booking, if that is an app.
    fn payer(&self, booking: &Booking) -> Option<Uid> {
        let ledger = self.input.ledger;
        if let Account::App { uid } = ledger.rows.accounts.get(booking.account.0 as usize)? {
            return Some(Uid(*uid));
        }
        let row = self.row(booking)?;
        let process = ledger.rows.threads.get(row as usize)?.process;
        ledger.rows.processes.get(process as usize)?.uid.map(Uid)
    }

    fn is_of(&self, booking: &Booking, component: &Component) -> bool {
        let entry = self.input.ledger.rows.components.get(usize::from(booking.component.0));
        entry.is_some_and(|entry| entry.name == *component)
    }

    /// Estimates the energy of a component attributed to an app.
    pub(super) fn app(&self, uid: Uid, component: &Component) -> Option<Estimate> {
        self.input.ledger.estimate_where(|booking| {
            self.is_of(booking, component) && self.payer(booking) == Some(uid)
        })
    }

    /// Estimates the energy of a component attributed to an app, limited to the energy of the component inside of a set
    /// of time: the app cannot have spent more then than either.
    pub(super) fn component_of_app(
        &self,
        uid: Uid,
        component: &Component,
        set: &[Window],
    ) -> Option<Estimate> {
        let paid = self.app(uid, component)?;
        match self.component(component, set).filter(|_| !set.is_empty()) {
            Some(drawn) if drawn.joules < paid.joules => Some(drawn),
            _ => Some(paid),
        }
    }

    /// Estimates the energy attributed to an app that rests on numbers of a model with this name.
    pub(super) fn app_by_source(&self, uid: Uid, source: &str) -> Option<Estimate> {
        let sources = &self.input.ledger.power.errors.sources;
        self.input.ledger.estimate_where(|booking| {
            let name = sources.get(usize::from(booking.source.0)).map(|it| it.name.as_str());
            name == Some(source) && self.payer(booking) == Some(uid)
        })
    }

    /// Estimates the energy of a component after its last use, by one app or by all.
    pub(super) fn tail(&self, component: &Component, uid: Option<Uid>) -> Option<Estimate> {
        self.input.ledger.estimate_where(|booking| {
            booking.charge == Charge::Tail
                && self.is_of(booking, component)
                && (uid.is_none() || self.payer(booking) == uid)
        })
    }

    /// Estimates the energy attributed to the chosen paths.
    pub(super) fn paths(
        &self,
        is_chosen: impl Fn(wattle_ledger::PathId) -> bool,
    ) -> Option<Estimate> {
        let ledger = self.input.ledger;
        ledger.estimate_where(|booking| {
            let account = ledger.rows.accounts.get(booking.account.0 as usize);
            account.and_then(Account::path).is_some_and(&is_chosen)
        })
    }

    /// Estimates the energy of a component inside of a set of time, whatever its consumer; floors and energy drawn
    /// asleep are left out, because nobody can save them.
    pub(super) fn component(&self, component: &Component, set: &[Window]) -> Option<Estimate> {
        let power = self.input.power;
        let is_meant = |scope: &Scope| !matches!(scope, Scope::Floor | Scope::Suspended);
        let mut tracks = power
            .tracks
            .iter()
            .filter(|it| it.component == *component && is_meant(&it.scope))
            .peekable();
        tracks.peek()?;
        let totals = self.totals.get_or_init(|| {
            let energies = power.tracks.iter().flat_map(|track| track.energies(track.window()));
            energies.collect()
        });
        let energies =
            tracks.flat_map(|track| set.iter().flat_map(|window| track.energies(*window)));
        Some(power.errors.estimate(energies, totals))
    }
}

/// A part of an energy, 0 to 1. Which part rests on the model, so it is no longer what a meter measured.
pub(super) fn part(energy: Estimate, share: f64) -> Estimate {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let scaled = |joules: Joules| Joules::new(joules.value() * share);
    Estimate {
        joules: scaled(energy.joules),
        interval: Interval { low: scaled(energy.interval.low), high: scaled(energy.interval.high) },
        provenance: energy.provenance.weakest(Provenance::Modelled),
    }
}
