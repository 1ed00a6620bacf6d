//! The error sources of energy that cores drew while they executed: what a curve says of a clock, and what the code does at it.
//!
//! A curve's number errs for all code alike; at one clock, one method draws more than another besides. So the energy of a core that
//! executes is booked under a source of its own for each unit of code: in the group of the curve's numbers, metered where those
//! are, with an own error that holds both.

use rustc_hash::FxHashMap;
use wattle_power::{
    Component, ErrorGroupId, ErrorModel, ErrorSource, MeterId, PowerTrack, Scope, SourceId,
};
use wattle_units::Provenance;

use super::code_units::{CodeUnits, UnitId};
use crate::attribution::consumer::Consumer;

/// More sources than this are not made: numbers of sources have 16 bits, and other parts need some.
const MOST_SOURCES: usize = 48_000;

/// Sources of a model that are alike but for the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SourceClass {
    group: ErrorGroupId,
    meter: Option<MeterId>,
    provenance: Provenance,
}

/// By source of the power model and unit of code the source of the ledger.
#[derive(Debug, Default)]
pub(crate) struct UnitSources {
    /// By source: the first of its class, where it has a class.
    first: Vec<Option<u16>>,
}

/// The relative standard deviation of what a unit draws at a clock, by the meter that fixes the sum, if any.
pub(crate) type Deviation<'a> = &'a dyn Fn(Option<MeterId>, UnitId) -> f64;

impl UnitSources {
    /// Adds the sources of all units for each class of sources that cores have.
    pub(crate) fn new(
        tracks: &[PowerTrack],
        units: &CodeUnits,
        deviation: Deviation<'_>,
        errors: &mut ErrorModel,
    ) -> Self {
        let mut first = vec![None; errors.sources.len()];
        let mut classes: FxHashMap<SourceClass, Option<u16>> = FxHashMap::default();
        for source in sources_of_cores(tracks, errors.sources.len()) {
            let Some(of) = errors.sources.get(usize::from(source.0)) else { continue };
            let class = SourceClass { group: of.group, meter: of.meter, provenance: of.provenance };
            let own = own_error(errors, class);
            let first_of = *classes
                .entry(class)
                .or_insert_with(|| add_class(class, own, units, deviation, errors));
            if let Some(slot) = first.get_mut(usize::from(source.0)) {
                *slot = first_of;
            }
        }
        Self { first }
    }

    /// The source of a power that a consumer drew by executing.
    #[inline]
    pub(crate) fn get(&self, source: SourceId, units: &CodeUnits, consumer: Consumer) -> SourceId {
        let first = self.first.get(usize::from(source.0)).copied().flatten();
        match (first, units.of(consumer)) {
            (Some(first), Some(unit)) => SourceId(first + unit as u16),
            _ => source,
        }
    }
}

/// The sources of all tracks of single cores, in order.
fn sources_of_cores(tracks: &[PowerTrack], count: usize) -> Vec<SourceId> {
    let mut is_used = vec![false; count];
    for track in tracks {
        if track.component == Component::Cpu && matches!(track.scope, Scope::Core(_)) {
            for segment in track.segments() {
                if let Some(used) = is_used.get_mut(usize::from(segment.source.0)) {
                    *used = true;
                }
            }
        }
    }
    (0..=u16::MAX).zip(is_used).filter(|(_, used)| *used).map(|(id, _)| SourceId(id)).collect()
}

/// The largest own error of a class.
fn own_error(errors: &ErrorModel, class: SourceClass) -> f64 {
    let of_class = errors.sources.iter().filter(|source| {
        source.group == class.group
            && source.meter == class.meter
            && source.provenance == class.provenance
    });
    of_class.map(|source| source.own).fold(0.0, f64::max)
}

/// Adds one source for each unit; returns the first.
fn add_class(
    class: SourceClass,
    own: f64,
    units: &CodeUnits,
    deviation: Deviation<'_>,
    errors: &mut ErrorModel,
) -> Option<u16> {
    if units.len() == 0 || errors.sources.len() + units.len() > MOST_SOURCES {
        return None;
    }
    let group = errors.groups.get(usize::from(class.group.0));
    let group = group.map_or_else(String::new, |group| group.name.clone());
    let first = errors.sources.len() as u16;
    for (unit, name) in (0..).zip(units.names()) {
        errors.add_source(ErrorSource {
            name: format!("{group}, {name}"),
            group: class.group,
            own: own.hypot(deviation(class.meter, unit)),
            meter: class.meter,
            provenance: class.provenance,
        });
    }
    Some(first)
}
