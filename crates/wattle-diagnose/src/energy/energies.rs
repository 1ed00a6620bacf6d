//! Energy of threads in windows, with intervals.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_ledger::{Charge, Ledger};
use wattle_power::{ErrorModel, SourceId, SourceTotals};
use wattle_timeline::{ThreadId, Timeline, Window};
use wattle_units::{Estimate, Interval, Joules, Provenance};

use super::IdlePower;
use super::cumulative::CumulativeEnergy;
use super::ledger_threads::ledger_threads;
use crate::events::ThreadEvents;

/// An amount of energy by the number of the model that it rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Share {
    by_source: BTreeMap<SourceId, f64>,
    /// The part of it that cores share with each other.
    shared: f64,
}

impl Share {
    /// Adds another amount.
    pub(crate) fn add(&mut self, other: &Self) {
        for (source, joules) in &other.by_source {
            *self.by_source.entry(*source).or_default() += joules;
        }
        self.shared += other.shared;
    }

    /// Whether it is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.joules() <= 0.0
    }

    fn joules(&self) -> f64 {
        self.by_source.values().sum()
    }
}

/// Energy of one thread through one component.
#[derive(Debug, Default)]
struct Drawn {
    over_time: CumulativeEnergy,
    /// Parts of it by number of the model; their sum is 1.
    sources: Vec<(SourceId, f64)>,
    /// The part that cores share.
    shared: f64,
}

/// Energy of threads over time.
///
/// A ledger says when call paths drew energy, and by number of the model what they drew in all. In a window each component's
/// energy of a thread is taken to rest on the model's numbers as it does over the whole recording.
#[derive(Debug)]
pub(crate) struct Energies<'a> {
    errors: &'a ErrorModel,
    totals: SourceTotals,
    threads: FxHashMap<ThreadId, Vec<Drawn>>,
}

/// Sums of bookings of one thread and component.
#[derive(Clone, Debug, Default)]
struct Booked {
    by_source: BTreeMap<SourceId, f64>,
    shared: f64,
}

impl<'a> Energies<'a> {
    /// Of the threads that are wanted; `None` without energies over time.
    pub(crate) fn new(timeline: &Timeline, ledger: &'a Ledger, wanted: &[bool]) -> Option<Self> {
        if ledger.over_time.stretches.is_empty() {
            return None;
        }
        let of_ledger = ledger_threads(timeline, ledger);
        let is_wanted = |thread: &ThreadId| wanted.get(thread.index()).copied().unwrap_or(false);
        let thread_of = |path: wattle_ledger::PathId| -> Option<ThreadId> {
            let thread = ledger.rows.paths.get(path.0 as usize)?.thread;
            of_ledger.get(thread as usize).copied().flatten().filter(is_wanted)
        };
        let totals = ledger.source_totals();
        let mut booked: FxHashMap<(ThreadId, u16), Booked> = FxHashMap::default();
        for booking in &ledger.bookings {
            let account = ledger.rows.accounts.get(booking.account.0 as usize);
            let thread = account.and_then(wattle_ledger::Account::path).and_then(thread_of);
            let Some(thread) = thread else { continue };
            let sum = booked.entry((thread, booking.component.0)).or_default();
            *sum.by_source.entry(booking.source).or_default() += booking.joules.value();
            if booking.charge == Charge::Shared {
                sum.shared += booking.joules.value();
            }
        }
        let mut over_time: FxHashMap<(ThreadId, u16), Vec<(Window, f64)>> = FxHashMap::default();
        for stretch in &ledger.over_time.stretches {
            if let Some(thread) = thread_of(stretch.path) {
                let key = (thread, stretch.component.0);
                over_time.entry(key).or_default().push((stretch.window, stretch.joules.value()));
            }
        }
        let mut over_time: Vec<_> = over_time.into_iter().collect();
        over_time.sort_unstable_by_key(|it| it.0);
        let mut threads: FxHashMap<ThreadId, Vec<Drawn>> = FxHashMap::default();
        for (key, stretches) in over_time {
            let Booked { by_source, shared } = booked.remove(&key).unwrap_or_default();
            let all: f64 = by_source.values().sum();
            if all <= 0.0 {
                continue;
            }
            let sources = by_source.into_iter().map(|(source, it)| (source, it / all)).collect();
            let over_time = CumulativeEnergy::new(&stretches);
            let drawn = Drawn { over_time, sources, shared: shared / all };
            threads.entry(key.0).or_default().push(drawn);
        }
        // Those of the ledger: attribution adds sources, and the numbers of bookings are of these.
        Some(Self { errors: &ledger.power.errors, totals, threads })
    }

    /// Returns the energy of the thread in the windows, which are disjoint; `None` if no energy of it is known.
    pub(crate) fn of(&self, thread: ThreadId, windows: &[Window]) -> Option<Share> {
        let mut share = Share::default();
        for drawn in self.threads.get(&thread)? {
            let joules: f64 = windows.iter().map(|it| drawn.over_time.within(*it)).sum();
            for (source, part) in &drawn.sources {
                *share.by_source.entry(*source).or_default() += joules * part;
            }
            share.shared += joules * drawn.shared;
        }
        (!share.is_empty()).then_some(share)
    }

    /// With its interval.
    pub(crate) fn estimate(&self, share: &Share) -> Estimate {
        let energies = share.by_source.iter().map(|(id, joules)| (*id, Joules::new(*joules)));
        self.errors.estimate(energies, &self.totals)
    }

    /// Estimates the part of it that could have been saved had the thread slept: without the energy that its cores
    /// would have drawn idle, and without the part of shared power that goes on at idle. The lower bound leaves all
    /// shared power out: others may have kept it up.
    pub(crate) fn saved(
        &self,
        share: &Share,
        idle: &IdlePower,
        (events, window): (&ThreadEvents, Window),
    ) -> Estimate {
        let whole = self.estimate(share);
        let all = whole.joules.value();
        let shared = share.shared.clamp(0.0, all);
        let at_idle = idle.of(events, window);
        let still_drawn = at_idle + shared * idle.shared_part;
        let saved = (all - still_drawn).max(0.0);
        let own_part = if all > 0.0 { (all - shared) / all } else { 0.0 };
        let low = (whole.interval.low.value() * own_part - at_idle).clamp(0.0, saved);
        let high = (whole.interval.high.value() - still_drawn).max(saved);
        Estimate {
            joules: Joules::new(saved),
            interval: Interval { low: Joules::new(low), high: Joules::new(high) },
            provenance: whole.provenance.weakest(Provenance::Modelled),
        }
    }
}
