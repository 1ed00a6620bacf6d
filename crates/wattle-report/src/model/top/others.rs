//! Energy without a call path.

use wattle_ledger::{ComponentId, Ledger};
use wattle_power::SourceId;
use wattle_units::Joules;

/// Energy of an account class without call path: interrupts, apps as a whole, the idle floor.
pub(super) struct Other {
    /// [`wattle_ledger::Account::class`].
    pub class: &'static str,
    by_component: Vec<f64>,
    /// By source.
    pub entries: Vec<(SourceId, Joules)>,
}

impl Other {
    /// By class, in the order in which they occur.
    pub fn all(ledger: &Ledger) -> Vec<Self> {
        let components = ledger.rows.components.len();
        let mut others: Vec<Self> = Vec::new();
        for booking in &ledger.bookings {
            let Some(account) = ledger.rows.accounts.get(booking.account.0 as usize) else {
                continue;
            };
            let component = usize::from(booking.component.0);
            let path = account.path().filter(|path| (path.0 as usize) < ledger.rows.paths.len());
            if path.is_some() || component >= components {
                continue;
            }
            let class = account.class();
            let at = others.iter().position(|other| other.class == class).unwrap_or_else(|| {
                let by_component = vec![0.0; components];
                others.push(Self { class, by_component, entries: Vec::new() });
                others.len() - 1
            });
            let other = &mut others[at];
            other.by_component[component] += booking.joules.value();
            match other.entries.iter_mut().find(|(source, _)| *source == booking.source) {
                Some((_, sum)) => *sum += booking.joules,
                None => other.entries.push((booking.source, booking.joules)),
            }
        }
        others
    }

    /// Through one component or all.
    pub fn joules(&self, component: Option<ComponentId>) -> f64 {
        match component {
            Some(at) => self.by_component.get(usize::from(at.0)).copied().unwrap_or_default(),
            None => self.by_component.iter().sum(),
        }
    }
}
