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
    /// Of each owner in the order of stretches, once they are sorted: there are many, and each is looked at for every name.
    owners: BTreeMap<SpanOwner, Vec<SpanLine>>,
}

/// The energy of an owner in a stretch.
#[derive(Clone, Copy, Debug)]
struct SpanLine {
    span: u32,
    part: (ComponentId, SourceId),
    sum: CompensatedSum,
}

impl SpanLines {
    /// Adds what a track of the component gave, in order. [`Self::sort`] must be called after the last one.
    pub(crate) fn add(&mut self, component: ComponentId, sums: &[(SpanKey, CompensatedSum)]) {
        for of_owner in sums.chunk_by(|((one, ..), _), ((next, ..), _)| one == next) {
            let Some(((owner, ..), _)) = of_owner.first() else { continue };
            let lines = of_owner.iter().map(|((_, span, source), sum)| SpanLine {
                span: *span,
                part: (component, *source),
                sum: *sum,
            });
            self.owners.entry(*owner).or_default().extend(lines);
        }
    }

    /// Sorts them by stretch.
    pub(crate) fn sort(&mut self) {
        for lines in self.owners.values_mut() {
            lines.sort_by_key(|line| line.span);
        }
    }

    /// All owners of any energy.
    pub(crate) fn owners(&self) -> impl Iterator<Item = SpanOwner> + '_ {
        self.owners.keys().copied()
    }

    /// Adds an owner's energy in some stretches to sums.
    pub(crate) fn add_over(&self, owner: SpanOwner, spans: Range<u32>, sums: &mut PartSums) {
        let Some(lines) = self.owners.get(&owner) else { return };
        let first = lines.partition_point(|line| line.span < spans.start);
        let lines = lines.iter().skip(first).take_while(|line| line.span < spans.end);
        for line in lines {
            sums.entry(line.part).or_default().merge(line.sum);
        }
    }
}
