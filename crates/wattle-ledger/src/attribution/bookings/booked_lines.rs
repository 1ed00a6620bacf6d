//! All lines of a ledger, before its rows have numbers.

use wattle_power::{Component, PowerTrack};
use wattle_units::{CompensatedSum, Joules, sum_by_key};

use crate::ComponentId;
use crate::attribution::consumer::{Consumer, LineKey};

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

    /// Adds the lines of a track and its integral; returns the number of its component.
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

    /// In order, one line for each consumer, component, charge and source. Sums of equal lines are added
    /// in the order of the tracks.
    pub(crate) fn sort(&mut self) {
        // Stable, and made for runs: each track's lines are in order.
        sum_by_key(&mut self.booked);
    }

    /// The energy of each consumer, one entry a line.
    pub(crate) fn sums(&self) -> impl Iterator<Item = (Consumer, Joules)> + '_ {
        self.booked.iter().map(|(key, sum)| (key.consumer(), Joules::new(sum.value())))
    }

    /// The consumers of all lines.
    pub(crate) fn consumers(&self) -> impl Iterator<Item = Consumer> + '_ {
        self.booked.iter().map(|(key, _)| key.consumer())
    }

    /// The components, in the order of their numbers.
    pub(crate) fn components(&self) -> &[Component] {
        &self.components
    }

    /// The lines and their sums; after [`Self::sort`] in order.
    pub(crate) fn entries(&self) -> &[(LineKey, CompensatedSum)] {
        &self.booked
    }

    /// Components and the integrals of their tracks.
    pub(crate) fn integrals(&self) -> impl Iterator<Item = (&Component, Joules)> + '_ {
        let sums = self.integrated.iter().map(|sum| Joules::new(sum.value()));
        self.components.iter().zip(sums)
    }
}
