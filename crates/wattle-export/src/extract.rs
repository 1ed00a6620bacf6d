//! The exported data: a ledger, or a part of it.

use std::borrow::Cow;

use wattle_ledger::{Account, Booking, Ledger};
use wattle_power::SourceTotals;
use wattle_units::{Estimate, Joules};

use crate::{Filter, Mark};

/// A ledger, or what a [`Filter`] leaves of it, with what intervals need of the whole.
#[derive(Debug)]
pub struct Extract<'a> {
    ledger: Cow<'a, Ledger>,
    totals: SourceTotals,
    is_part: bool,
    marks: Vec<Mark>,
}

impl<'a> Extract<'a> {
    /// All of it.
    pub fn whole(ledger: &'a Ledger) -> Self {
        Self {
            totals: ledger.source_totals(),
            ledger: Cow::Borrowed(ledger),
            is_part: false,
            marks: Vec::new(),
        }
    }

    /// The same with findings to show on a time axis, in any order.
    #[must_use]
    pub fn with_marks(mut self, mut marks: Vec<Mark>) -> Self {
        marks.sort_by(|one, other| {
            let key = |mark: &Mark| (mark.window.start, mark.window.end);
            key(one).cmp(&key(other)).then_with(|| one.title.cmp(&other.title))
        });
        self.marks = marks;
        self
    }

    /// Findings to show on a time axis, in order of time.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The threads and apps that are asked for, with their paths and bookings. What interrupts, the idle floor and other accounts
    /// drew is left out, and so is the power of components over time, which is everybody's. Numbers of rows stay what they are.
    pub fn part(ledger: &'a Ledger, filter: &Filter) -> Self {
        if filter.is_empty() {
            return Self::whole(ledger);
        }
        let kept: Vec<bool> = ledger
            .rows
            .threads
            .iter()
            .map(|thread| {
                let process = ledger.rows.processes.get(thread.process as usize);
                process.is_some_and(|process| filter.keeps(process, thread))
            })
            .collect();
        let is_kept_thread = |thread: u32| kept.get(thread as usize).copied().unwrap_or(false);
        let is_kept = |account: &Account| match account {
            Account::App { uid } => filter.keeps_app(ledger, *uid),
            account => account
                .path()
                .and_then(|path| ledger.rows.paths.get(path.0 as usize))
                .is_some_and(|path| is_kept_thread(path.thread)),
        };
        let keeps = |booking: &&Booking| {
            ledger.rows.accounts.get(booking.account.0 as usize).is_some_and(is_kept)
        };
        let mut part = ledger.clone();
        part.bookings = ledger.bookings.iter().filter(keeps).copied().collect();
        part.over_time.stretches.retain(|stretch| {
            let path = ledger.rows.paths.get(stretch.path.0 as usize);
            path.is_some_and(|path| is_kept_thread(path.thread))
        });
        part.over_time.series.clear();
        part.closure.clear();
        // Rows keep their numbers, so what is not kept stays as rows of which nothing is said.
        for path in part.rows.paths.iter_mut().filter(|path| !is_kept_thread(path.thread)) {
            path.calls = 0;
            path.samples = 0;
            path.self_cpu = wattle_units::Nanos::ZERO;
            path.wall = wattle_units::Nanos::ZERO;
            path.clock_cpu = None;
        }
        for (thread, _) in part.rows.threads.iter_mut().zip(&kept).filter(|(_, kept)| !**kept) {
            thread.cpu = wattle_units::Nanos::ZERO;
        }
        Self {
            totals: ledger.source_totals(),
            ledger: Cow::Owned(part),
            is_part: true,
            marks: Vec::new(),
        }
    }

    /// The ledger, without what is left out.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether anything was left out.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// The sum of bookings with its interval; `None` of none.
    pub fn estimate<'b>(
        &self,
        bookings: impl IntoIterator<Item = &'b Booking>,
    ) -> Option<Estimate> {
        let mut energies =
            bookings.into_iter().map(|booking| (booking.source, booking.joules)).peekable();
        energies.peek()?;
        Some(self.ledger.power.errors.estimate(energies, &self.totals))
    }

    /// The sum of all; `None` of none.
    pub fn total(&self) -> Option<Estimate> {
        self.estimate(&self.ledger.bookings)
    }

    /// Sums by key in order of keys. Bookings without a key are left out.
    pub fn grouped<K: Ord + Copy>(
        &self,
        key: impl Fn(&Booking) -> Option<K>,
    ) -> Vec<(K, Estimate)> {
        let mut keyed: Vec<(K, Booking)> =
            self.ledger.bookings.iter().filter_map(|b| Some((key(b)?, *b))).collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed
            .chunk_by(|a, b| a.0 == b.0)
            .filter_map(|chunk| {
                let estimate = self.estimate(chunk.iter().map(|(_, booking)| booking))?;
                chunk.first().map(|(key, _)| (*key, estimate))
            })
            .collect()
    }

    /// The sum of all bookings of each component, by index of the component.
    pub(crate) fn by_component(&self) -> Vec<Joules> {
        let mut sums =
            vec![wattle_units::CompensatedSum::default(); self.ledger.rows.components.len()];
        for booking in &self.ledger.bookings {
            if let Some(sum) = sums.get_mut(usize::from(booking.component.0)) {
                sum.add(booking.joules.value());
            }
        }
        sums.into_iter().map(|sum| Joules::new(sum.value())).collect()
    }
}
