//! Energy of call paths, self and total, by component: the base of call trees, flame graphs and exports.

use wattle_units::{CompensatedSum, Joules};

use crate::{ComponentId, Ledger, PathId};

/// Energies by path and component. What interrupts, apps as a whole, the idle floor and other accounts without a path drew is
/// in [`Self::others`], so that both together are the ledger.
#[derive(Clone, Debug)]
pub struct PathEnergies {
    components: usize,
    own: Vec<f64>,
    total: Vec<f64>,
    others: Vec<(&'static str, ComponentId, Joules)>,
}

impl PathEnergies {
    /// Of all bookings. What probes took from a path, and what the recorder's own threads drew, belongs to the path here.
    pub fn new(ledger: &Ledger) -> Self {
        let components = ledger.rows.components.len();
        let mut own = vec![CompensatedSum::default(); ledger.rows.paths.len() * components];
        let mut others: Vec<(&'static str, ComponentId, CompensatedSum)> = Vec::new();
        for booking in &ledger.bookings {
            let Some(account) = ledger.rows.accounts.get(booking.account.0 as usize) else {
                continue;
            };
            let component = usize::from(booking.component.0);
            let slot = account.path().filter(|_| component < components);
            let slot = slot.and_then(|path| own.get_mut(path.0 as usize * components + component));
            if let Some(slot) = slot {
                slot.add(booking.joules.value());
                continue;
            }
            let key = (account.class(), booking.component);
            let known = others.iter().position(|(class, component, _)| (*class, *component) == key);
            let index = known.unwrap_or_else(|| {
                others.push((key.0, key.1, CompensatedSum::default()));
                others.len() - 1
            });
            others[index].2.add(booking.joules.value());
        }
        let mut total = own.clone();
        // Callers come before their callees: backwards, each hands its sum on.
        for (index, path) in ledger.rows.paths.iter().enumerate().rev() {
            let Some(caller) = path.caller.map(|caller| caller.0 as usize) else { continue };
            if caller >= index {
                continue;
            }
            for component in 0..components {
                let sum = total[index * components + component];
                total[caller * components + component].merge(sum);
            }
        }
        let values = |sums: Vec<CompensatedSum>| -> Vec<f64> {
            sums.iter().map(|sum| sum.value()).collect()
        };
        let others = others
            .into_iter()
            .map(|(class, component, sum)| (class, component, Joules::new(sum.value())));
        Self { components, others: others.collect(), own: values(own), total: values(total) }
    }

    fn row<'a>(&self, of: &'a [f64], path: PathId) -> &'a [f64] {
        let first = path.0 as usize * self.components;
        of.get(first..first + self.components).unwrap_or_default()
    }

    /// Self energy of the path through a component.
    pub fn own_of(&self, path: PathId, component: ComponentId) -> Joules {
        let row = self.row(&self.own, path);
        Joules::new(row.get(usize::from(component.0)).copied().unwrap_or_default())
    }

    /// Total energy of the path and all that it called, through a component.
    pub fn total_of(&self, path: PathId, component: ComponentId) -> Joules {
        let row = self.row(&self.total, path);
        Joules::new(row.get(usize::from(component.0)).copied().unwrap_or_default())
    }

    /// Self energy of the path.
    pub fn own(&self, path: PathId) -> Joules {
        Joules::new(self.row(&self.own, path).iter().sum())
    }

    /// Total energy of the path and all that it called.
    pub fn total(&self, path: PathId) -> Joules {
        Joules::new(self.row(&self.total, path).iter().sum())
    }

    /// Energy of accounts without a path, by their class ([`crate::Account::class`]) and component.
    pub fn others(&self) -> &[(&'static str, ComponentId, Joules)] {
        &self.others
    }
}
