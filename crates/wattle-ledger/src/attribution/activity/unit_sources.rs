//! The error sources of energy of which it is not sure how much is whose: what a curve says of a clock, and what the code does at it;
//! how components that many use are divided.
//!
//! A curve's number errs for all code alike; at one clock, one method draws more than another besides. So the energy of a core that
//! executes is booked under a source of its own for each unit of code: in the group of the curve's numbers, metered where those
//! are, with an own error that holds both.

use rustc_hash::FxHashMap;
use wattle_power::{ErrorGroupId, ErrorModel, ErrorSource, MeterId, PowerTrack, SourceId};
use wattle_units::Provenance;

use super::code_units::{CodeUnits, UnitId};
use crate::attribution::consumer::Consumer;
use crate::attribution::device_users::SplitError;

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
    /// By source: the sources of its class, where it has a class.
    classes: Vec<Option<ClassSources>>,
}

/// The sources of one class.
#[derive(Clone, Copy, Debug)]
struct ClassSources {
    first: u16,
    /// Whether there is one for each program, not for each unit.
    by_program: bool,
}

/// The relative standard deviation of what a unit draws at a clock, by the meter that fixes the sum, if any.
pub(crate) type Deviation<'a> = &'a dyn Fn(Option<MeterId>, UnitId) -> f64;

/// The part of a track that is not sure: how much of it is whose.
#[derive(Clone, Copy)]
pub(crate) enum Unsure<'a> {
    /// The activity of code at a clock.
    Code(Deviation<'a>),
    /// The division of a component among its users.
    Split(SplitError),
}

impl Unsure<'_> {
    fn deviation(self, meter: Option<MeterId>, unit: UnitId) -> f64 {
        match self {
            Self::Code(deviation) => deviation(meter, unit),
            Self::Split(error) => error.deviation,
        }
    }

    fn provenance(self, of_source: Provenance) -> Provenance {
        match self {
            Self::Code(_) => of_source,
            Self::Split(error) => of_source.weakest(error.provenance),
        }
    }
}

impl UnitSources {
    /// Adds the sources of all units for each class of sources of tracks of which it is not sure how much is whose.
    pub(crate) fn new<'u>(
        tracks: &[PowerTrack],
        units: &CodeUnits,
        unsure: impl Fn(&PowerTrack) -> Option<Unsure<'u>>,
        errors: &mut ErrorModel,
    ) -> Self {
        let mut of_source = vec![None; errors.sources.len()];
        let divided = tracks.iter().filter(|track| unsure(track).is_some());
        let energies = source_energies(divided, errors.sources.len());
        let mut classes: FxHashMap<SourceClass, Option<ClassSources>> = FxHashMap::default();
        for (source, unsure) in unsure_sources(tracks, errors.sources.len(), unsure) {
            let Some(of) = errors.sources.get(usize::from(source.0)) else { continue };
            let class = SourceClass { group: of.group, meter: of.meter, provenance: of.provenance };
            let of_class = *classes.entry(class).or_insert_with(|| {
                let own = own_error(errors, class, &energies);
                add_class((class, own), units, unsure, errors)
            });
            if let Some(slot) = of_source.get_mut(usize::from(source.0)) {
                *slot = of_class;
            }
        }
        Self { classes: of_source }
    }

    /// The source of a power that a consumer drew by executing.
    #[inline]
    pub(crate) fn get(&self, source: SourceId, units: &CodeUnits, consumer: Consumer) -> SourceId {
        let class = self.classes.get(usize::from(source.0)).copied().flatten();
        match (class, units.of(consumer)) {
            (Some(class), Some(unit)) => {
                let part = if class.by_program { units.program(unit) } else { unit };
                SourceId(class.first + part as u16)
            }
            _ => source,
        }
    }
}

/// The sources of all tracks that are not sure, in order; of one that several kinds of tracks have, the first counts.
fn unsure_sources<'u>(
    tracks: &[PowerTrack],
    count: usize,
    unsure: impl Fn(&PowerTrack) -> Option<Unsure<'u>>,
) -> Vec<(SourceId, Unsure<'u>)> {
    let mut found: Vec<Option<Unsure<'u>>> = vec![None; count];
    for track in tracks {
        let Some(unsure) = unsure(track) else { continue };
        for segment in track.segments() {
            if let Some(slot) = found.get_mut(usize::from(segment.source.0)) {
                slot.get_or_insert(unsure);
            }
        }
    }
    let numbered = (0..=u16::MAX).map(SourceId).zip(found);
    numbered.filter_map(|(id, unsure)| Some((id, unsure?))).collect()
}

/// The energy of each source in some tracks, in joules.
fn source_energies<'t>(tracks: impl Iterator<Item = &'t PowerTrack>, count: usize) -> Vec<f64> {
    let mut energies = vec![0.0; count];
    for segment in tracks.flat_map(PowerTrack::segments) {
        if let Some(sum) = energies.get_mut(usize::from(segment.source.0)) {
            *sum += (segment.power * segment.window.duration()).value();
        }
    }
    energies
}

/// The own error of a class: the mean of those of its sources by their energy, which is that of executing cores for the most part.
fn own_error(errors: &ErrorModel, class: SourceClass, energies: &[f64]) -> f64 {
    let (mut weighed, mut sum) = (0.0, 0.0);
    for (source, energy) in errors.sources.iter().zip(energies) {
        let is_of = source.group == class.group
            && source.meter == class.meter
            && source.provenance == class.provenance;
        if is_of {
            weighed += energy * source.own;
            sum += energy;
        }
    }
    if sum > 0.0 { weighed / sum } else { 0.0 }
}

/// Adds one source for each unit, or for each program: methods of one program use hardware alike more than those of others.
fn add_class(
    (class, own): (SourceClass, f64),
    units: &CodeUnits,
    unsure: Unsure<'_>,
    errors: &mut ErrorModel,
) -> Option<ClassSources> {
    if units.len() == 0 || errors.sources.len() + units.len() > MOST_SOURCES {
        return None;
    }
    let group = errors.groups.get(usize::from(class.group.0));
    let group = group.map_or_else(String::new, |group| group.name.clone());
    let first = errors.sources.len() as u16;
    let by_program = matches!(unsure, Unsure::Split(_));
    let names = if by_program { units.programs() } else { units.names() };
    for (unit, name) in (0..).zip(names) {
        errors.add_source(ErrorSource {
            name: format!("{group}, {name}"),
            group: class.group,
            own: own.hypot(unsure.deviation(class.meter, unit)),
            meter: class.meter,
            provenance: unsure.provenance(class.provenance),
        });
    }
    Some(ClassSources { first, by_program })
}
