//! Energy by source: what an interval is computed from.

use wattle_power::SourceId;
use wattle_units::{CompensatedSum, Joules};

/// Energies added up by source, ascending, and what probes put in doubt of their sum.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Vec<(SourceId, CompensatedSum)>, Doubt);

/// By how much a sum may be off because probes did not always cost what was taken off for them. They were timed in one
/// place and stand in many, so their errors add up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Doubt {
    /// Greatest error downwards.
    pub less: Joules,
    /// Greatest error upwards.
    pub more: Joules,
}

impl Tally {
    /// The sum may be that much less or more.
    pub fn doubt(&mut self, doubt: Doubt) {
        self.1.less += doubt.less;
        self.1.more += doubt.more;
    }

    /// Forgets what probes put in doubt.
    pub fn settle(&mut self) {
        self.1 = Doubt::default();
    }

    /// By how much the sum may be off because of probes.
    pub fn doubts(&self) -> Doubt {
        self.1
    }

    /// Adds an energy of one source.
    pub fn add(&mut self, source: SourceId, joules: Joules) {
        self.slot(source).add(joules.value());
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        for (source, sum) in &other.0 {
            self.slot(*source).merge(*sum);
        }
        self.doubt(other.1);
    }

    /// Takes away what was added before.
    pub fn remove(&mut self, other: &Self) {
        for (source, sum) in &other.0 {
            self.slot(*source).add(-sum.value());
        }
        let Doubt { less, more } = other.1;
        self.1.less = (self.1.less - less).max(Joules::ZERO);
        self.1.more = (self.1.more - more).max(Joules::ZERO);
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
