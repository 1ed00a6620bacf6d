//! Energy of a scope, without its power over time.

use wattle_units::{BootNanos, CompensatedSum, Joules, Watts};

use super::live::Output;
use crate::voltage::Voltage;
use crate::{Scope, SourceId};

/// The energy of one scope by source: what is left of a track when nobody asks when the power was drawn.
pub(super) struct ScopeEnergy<'a> {
    is_core: bool,
    drew: bool,
    end: BootNanos,
    by_source: Vec<CompensatedSum>,
    /// Voltage that turns powers at one volt into powers, and its next step.
    voltage: Option<(&'a Voltage, usize)>,
}

impl<'a> ScopeEnergy<'a> {
    pub(super) fn new(scope: &Scope, start: BootNanos, voltage: Option<&'a Voltage>) -> Self {
        Self {
            is_core: matches!(scope, Scope::Core(_)),
            drew: false,
            end: start,
            by_source: Vec::new(),
            voltage: voltage.map(|voltage| (voltage, voltage.next_step(start))),
        }
    }

    /// The energies.
    pub(super) fn energies(&self) -> impl Iterator<Item = (SourceId, Joules)> + '_ {
        let sums = self.by_source.iter().map(|sum| Joules::new(sum.value()));
        (0..=u16::MAX).map(SourceId).zip(sums)
    }
}

impl Output for ScopeEnergy<'_> {
    #[inline]
    fn push_until(&mut self, end: BootNanos, power: Watts, source: SourceId) {
        if end <= self.end {
            return;
        }
        let weight = match &mut self.voltage {
            None => (end - self.end).seconds(),
            Some((voltage, next)) => voltage.volt_seconds(next, self.end, end),
        };
        let index = usize::from(source.0);
        if self.by_source.len() <= index {
            self.by_source.resize(index + 1, CompensatedSum::default());
        }
        self.by_source[index].add(power.value() * weight);
        self.drew |= power != Watts::ZERO;
        self.end = end;
    }

    fn reserve(&mut self, _stretches: usize) {}

    fn counts(&self) -> bool {
        self.is_core || self.drew
    }
}
