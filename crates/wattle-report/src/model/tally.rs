//! Energy by source: what an interval is computed from.

use wattle_power::SourceId;
use wattle_units::{CompensatedSum, Joules};

/// Energies added up by source, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Vec<(SourceId, CompensatedSum)>);

impl Tally {
    /// Adds an energy of one source.
    pub fn add(&mut self, source: SourceId, joules: Joules) {
        self.slot(source).add(joules.value());
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        for (source, sum) in &other.0 {
            self.slot(*source).merge(*sum);
        }
    }

    /// Takes over all of another, copying the smaller of the two.
    pub fn absorb(&mut self, mut other: Self) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        self.merge(&other);
    }

    /// Whether nothing was ever added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sums.
    pub fn by_source(&self) -> impl Iterator<Item = (SourceId, Joules)> {
        self.0.iter().map(|(source, sum)| (*source, Joules::new(sum.value())))
    }

    fn slot(&mut self, source: SourceId) -> &mut CompensatedSum {
        let at = match self.0.binary_search_by_key(&source, |(source, _)| *source) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (source, CompensatedSum::default()));
                at
            }
        };
        &mut self.0[at].1
    }
}
