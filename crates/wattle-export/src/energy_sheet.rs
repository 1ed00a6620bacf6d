//! Energies in whole numbers by who pays: what formats that count are written from.

use wattle_ledger::{Account, ComponentId, Ledger};
use wattle_units::CompensatedSum;

use crate::rounding::{apportion, nearest};
use crate::{EnergyUnit, Extract};

/// Who pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Payer {
    /// A call path, itself: an index into [`wattle_ledger::LedgerRows::paths`].
    Path(u32),
    /// The probes in a call path.
    Probes(u32),
    /// An account without a path: an index into [`wattle_ledger::LedgerRows::accounts`].
    Account(u32),
}

impl Payer {
    /// Of an account; `None` where the ledger has none of that number.
    pub fn new(ledger: &Ledger, account: u32) -> Option<Self> {
        Some(match ledger.rows.accounts.get(account as usize)? {
            Account::Path { path } | Account::Recorder { path } => Self::Path(path.0),
            Account::ProfilingOverhead { path: Some(path) } => Self::Probes(path.0),
            _ => Self::Account(account),
        })
    }

    /// The path that it is of.
    pub fn path(self) -> Option<u32> {
        match self {
            Self::Path(path) | Self::Probes(path) => Some(path),
            Self::Account(_) => None,
        }
    }

    /// The thread that it is of, an index into [`wattle_ledger::LedgerRows::threads`].
    pub fn thread(self, ledger: &Ledger) -> Option<u32> {
        ledger.rows.paths.get(self.path()? as usize).map(|path| path.thread)
    }
}

/// Energy of one consumer through one component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Who.
    pub payer: Payer,
    /// Through which hardware.
    pub component: ComponentId,
    /// Energy in joules.
    pub joules: f64,
}

/// One line of a [`Sheet`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Who pays.
    pub payer: Payer,
    /// Energy by component, in the sheet's unit, in order of components.
    pub amounts: &'a [(ComponentId, i64)],
}

impl Row<'_> {
    /// All components together.
    pub fn sum(&self) -> i64 {
        self.amounts.iter().map(|(_, amount)| amount).sum()
    }
}

/// Energies in whole numbers of a unit. Their sum is the nearest to the ledger's total, and no single one is off by 1 or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// The unit of the amounts.
    pub unit: EnergyUnit,
    rows: Vec<(Payer, usize, usize)>,
    amounts: Vec<(ComponentId, i64)>,
}

impl Sheet {
    /// Of all bookings, in order of payers.
    pub fn new(extract: &Extract<'_>, unit: EnergyUnit) -> Self {
        let shares = shares(extract);
        let whole = whole_numbers(extract, unit, &shares);
        let mut sheet = Self { unit, rows: Vec::new(), amounts: Vec::with_capacity(shares.len()) };
        for (share, amount) in shares.iter().zip(whole) {
            let at = sheet.amounts.len();
            sheet.amounts.push((share.component, amount));
            match sheet.rows.last_mut() {
                Some((payer, _, end)) if *payer == share.payer => *end = at + 1,
                _ => sheet.rows.push((share.payer, at, at + 1)),
            }
        }
        sheet
    }

    /// Its lines.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(payer, start, end)| Row {
            payer: *payer,
            amounts: self.amounts.get(*start..*end).unwrap_or_default(),
        })
    }

    /// The sum of all.
    pub fn total(&self) -> i64 {
        self.amounts.iter().map(|(_, amount)| amount).sum()
    }

    /// The sum of all by component.
    pub fn by_component(&self, components: usize) -> Vec<i64> {
        let mut sums = vec![0; components];
        for (component, amount) in &self.amounts {
            if let Some(sum) = sums.get_mut(usize::from(component.0)) {
                *sum += amount;
            }
        }
        sums
    }
}

/// Bookings summed by payer and component, in that order.
pub fn shares(extract: &Extract<'_>) -> Vec<Share> {
    let ledger = extract.ledger();
    let components = ledger.rows.components.len();
    let mut keyed: Vec<(Payer, ComponentId, f64)> = ledger
        .bookings
        .iter()
        .filter(|booking| usize::from(booking.component.0) < components)
        .filter_map(|booking| {
            let payer = Payer::new(ledger, booking.account.0)?;
            Some((payer, booking.component, booking.joules.value()))
        })
        .collect();
    keyed.sort_by_key(|(payer, component, _)| (*payer, *component));
    keyed
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|chunk| {
            let mut sum = CompensatedSum::default();
            for (.., joules) in chunk {
                sum.add(*joules);
            }
            let (payer, component, _) = *chunk.first()?;
            Some(Share { payer, component, joules: sum.value() })
        })
        .collect()
}

/// Shares as whole numbers of a unit: each component's sum is what it has of the whole, and the sum of all is nearest to the
/// ledger's total. Shares must be all that there is.
pub fn whole_numbers(extract: &Extract<'_>, unit: EnergyUnit, shares: &[Share]) -> Vec<i64> {
    let sums: Vec<f64> =
        extract.by_component().iter().map(|sum| sum.value() * unit.in_a_joule()).collect();
    let mut total = CompensatedSum::default();
    for sum in &sums {
        total.add(*sum);
    }
    let targets = apportion(&sums, nearest(total.value()));
    let mut of_component: Vec<Vec<usize>> = vec![Vec::new(); sums.len()];
    for (index, share) in shares.iter().enumerate() {
        if let Some(of) = of_component.get_mut(usize::from(share.component.0)) {
            of.push(index);
        }
    }
    let mut whole = vec![0; shares.len()];
    for (indices, target) in of_component.iter().zip(targets) {
        let values: Vec<f64> =
            indices.iter().map(|index| shares[*index].joules * unit.in_a_joule()).collect();
        for (index, amount) in indices.iter().zip(apportion(&values, target)) {
            whole[*index] = amount;
        }
    }
    whole
}
