//! Energies of a node by component and source.

use wattle_power::SourceId;
use wattle_units::Joules;

use crate::model::{Doubt, Tally};

/// Energies by component, each by source.
#[derive(Clone, Debug, Default)]
pub(super) struct ComponentTally(Vec<(usize, Tally)>);

impl ComponentTally {
    pub fn add(&mut self, component: usize, source: SourceId, joules: Joules) {
        self.slot(component).add(source, joules);
    }

    /// Adds the uncertainty that probes cause.
    pub fn doubt(&mut self, component: usize, doubt: Doubt) {
        self.slot(component).doubt(doubt);
    }

    /// Forgets what probes put in doubt: what one node may have too much, another has too little.
    pub fn settle(&mut self) {
        for (_, tally) in &mut self.0 {
            tally.settle();
        }
    }

    pub fn merge(&mut self, other: &Self) {
        for (component, tally) in &other.0 {
            self.slot(*component).merge(tally);
        }
    }

    /// Takes over all of another, copying the smaller of both.
    pub fn absorb(&mut self, mut other: Self) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (component, tally) in other.0 {
            self.slot(component).absorb(tally);
        }
    }

    /// Of one component.
    pub fn of(&self, component: usize) -> Option<&Tally> {
        self.0.iter().find(|(at, _)| *at == component).map(|(_, tally)| tally)
    }

    /// Components that something was added to.
    pub fn components(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter(|(_, tally)| !tally.is_empty()).map(|(component, _)| *component)
    }

    /// All components together.
    pub fn all(&self) -> Tally {
        let mut all = Tally::default();
        for (_, tally) in &self.0 {
            all.merge(tally);
        }
        all
    }

    /// The sum.
    pub fn joules(&self) -> f64 {
        self.0
            .iter()
            .flat_map(|(_, tally)| tally.by_source())
            .map(|(_, joules)| joules.value())
            .sum()
    }

    /// The sum of the sizes.
    pub fn size(&self) -> f64 {
        let each = self.0.iter().flat_map(|(_, tally)| tally.by_source());
        each.map(|(_, joules)| joules.value().abs()).sum()
    }

    fn slot(&mut self, component: usize) -> &mut Tally {
        let at = match self.0.binary_search_by_key(&component, |(at, _)| *at) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (component, Tally::default()));
                at
            }
        };
        &mut self.0[at].1
    }
}
