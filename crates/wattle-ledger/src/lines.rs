//! All lines of a ledger, before its rows have numbers.

use wattle_power::{Component, PowerTrack, SourceId};
use wattle_units::{CompensatedSum, Joules, Provenance};

use crate::interrupts::Handlers;
use crate::payer::{LineKey, Payer};
use crate::rows::Rows;
use crate::{Account, AccountId, Booking, ComponentEntry, ComponentId, Ledger, LedgerError};

/// Lines of all tracks, and the integrals that they must add up to.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    components: Vec<Component>,
    /// By component.
    integrated: Vec<CompensatedSum>,
    booked: Vec<(LineKey, CompensatedSum)>,
}

impl Lines {
    /// No lines yet, for the components of these tracks.
    pub(crate) fn new(tracks: &[PowerTrack]) -> Self {
        let mut components: Vec<Component> =
            tracks.iter().map(|track| track.component.clone()).collect();
        components.sort_unstable();
        components.dedup();
        let integrated = vec![CompensatedSum::default(); components.len()];
        Self { components, integrated, booked: Vec::new() }
    }

    /// Adds the lines of a track and its integral; says which component that is.
    pub(crate) fn add(
        &mut self,
        component: &Component,
        lines: &[(LineKey, CompensatedSum)],
        integrated: Joules,
    ) -> ComponentId {
        let index = self.components.iter().position(|known| known == component);
        let index = index.unwrap_or_else(|| {
            self.components.push(component.clone());
            self.integrated.push(CompensatedSum::default());
            self.components.len() - 1
        });
        self.integrated[index].add(integrated.value());
        let id = ComponentId(index as u16);
        self.booked.extend(lines.iter().map(|(key, sum)| (key.of(id), *sum)));
        id
    }

    /// In order, one line for each payer, component, charge and source. Sums of equal lines are added
    /// in the order of the tracks.
    pub(crate) fn sort(&mut self) {
        // Stable, and made for runs: each track's lines are in order.
        self.booked.sort_by_key(|(key, _)| *key);
        self.booked.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1.merge(later.1);
            }
            same
        });
    }

    /// Who pays how much, one entry a line.
    pub(crate) fn sums(&self) -> impl Iterator<Item = (Payer, Joules)> + '_ {
        self.booked.iter().map(|(key, sum)| (key.payer(), Joules::new(sum.value())))
    }

    /// Who pays anything.
    pub(crate) fn payers(&self) -> impl Iterator<Item = Payer> + '_ {
        self.booked.iter().map(|(key, _)| key.payer())
    }

    /// Components and what their tracks integrate to.
    pub(crate) fn integrals(&self) -> impl Iterator<Item = (&Component, Joules)> + '_ {
        let sums = self.integrated.iter().map(|sum| Joules::new(sum.value()));
        self.components.iter().zip(sums)
    }

    /// Writes components, accounts and bookings. The lines are sorted.
    pub(crate) fn fill(
        &self,
        rows: &Rows,
        handlers: &Handlers,
        ledger: &mut Ledger,
    ) -> Result<(), LedgerError> {
        let limit = LineKey::COMPONENTS;
        if self.components.len() > limit {
            let (what, count) = ("components", self.components.len());
            return Err(LedgerError::TooMany { what, count, limit });
        }
        let mut last = None;
        ledger.bookings.reserve_exact(self.booked.len());
        for (key, sum) in &self.booked {
            if last != Some(key.payer()) {
                last = Some(key.payer());
                ledger.accounts.push(account(key.payer(), rows, handlers));
            }
            ledger.bookings.push(Booking {
                account: AccountId((ledger.accounts.len() - 1) as u32),
                component: key.component(),
                charge: key.charge(),
                source: key.source(),
                joules: Joules::new(sum.value()),
            });
        }
        let mut weakest = vec![(false, Provenance::Measured); self.components.len()];
        for booking in &ledger.bookings {
            let counts = booking.joules != Joules::ZERO;
            let Some(found) = weakest.get_mut(usize::from(booking.component.0)) else { continue };
            let provenance = provenance(ledger, booking.source);
            // A source without energy says nothing, unless there is no other.
            *found = match (found.0, counts) {
                (true, false) => *found,
                (false, true) => (true, provenance),
                _ => (counts, found.1.weakest(provenance)),
            };
        }
        ledger.components = self
            .components
            .iter()
            .zip(weakest)
            .map(|(name, (_, provenance))| ComponentEntry { name: name.clone(), provenance })
            .collect();
        Ok(())
    }
}

fn provenance(ledger: &Ledger, source: SourceId) -> Provenance {
    let source = ledger.errors.sources.get(usize::from(source.0));
    source.map_or(Provenance::Modelled, |source| source.provenance)
}

fn account(payer: Payer, rows: &Rows, handlers: &Handlers) -> Account {
    match payer {
        Payer::Path(path) => Account::Path { path: rows.path(path) },
        Payer::Recorder(path) => Account::Recorder { path: rows.path(path) },
        Payer::Probes(path) => Account::ProfilingOverhead { path: Some(rows.path(path)) },
        Payer::App(uid) => Account::App { uid },
        Payer::Interrupts(handler) => {
            Account::Interrupts { handler: handlers.name(handler).to_owned() }
        }
        Payer::IdleFloor => Account::IdleFloor,
        Payer::Unmetered => Account::Unmetered,
        Payer::Unattributed => Account::Unattributed,
    }
}
