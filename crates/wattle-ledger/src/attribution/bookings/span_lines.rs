//! Energies in the time of stretches that have names.

use std::collections::BTreeMap;
use std::ops::Range;

use wattle_power::SourceId;
use wattle_units::CompensatedSum;

use super::span_owner::SpanOwner;
use super::span_sums::SpanKey;
use crate::ComponentId;

/// Energies by component and source.
pub(crate) type PartSums = BTreeMap<(ComponentId, SourceId), CompensatedSum>;

/// Energies by owner and stretch, before they have rows.
#[derive(Debug, Default)]
pub(crate) struct SpanLines {
    owners: BTreeMap<SpanOwner, BTreeMap<u32, PartSums>>,
}

impl SpanLines {
    /// Adds what a track of the component gave.
    pub(crate) fn add(&mut self, component: ComponentId, sums: &[(SpanKey, CompensatedSum)]) {
        for ((owner, span, source), sum) in sums {
            let of_owner = self.owners.entry(*owner).or_default();
            let of_span = of_owner.entry(*span).or_default();
            of_span.entry((component, *source)).or_default().merge(*sum);
        }
    }

    /// All owners of any energy.
    pub(crate) fn owners(&self) -> impl Iterator<Item = SpanOwner> + '_ {
        self.owners.keys().copied()
    }

    /// Adds an owner's energy in some stretches to sums.
    pub(crate) fn add_over(&self, owner: SpanOwner, spans: Range<u32>, sums: &mut PartSums) {
        let Some(of_owner) = self.owners.get(&owner) else { return };
        for (_, of_span) in of_owner.range(spans) {
            for (key, part) in of_span {
                sums.entry(*key).or_default().merge(*part);
            }
        }
    }
}
