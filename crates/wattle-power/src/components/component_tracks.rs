//! Components into tracks: totals first, then states.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{Timeline, Window};
use wattle_units::Provenance;

use super::component_charges;
use super::figure_errors::Sources;
use super::states::{self, States};
use super::{FigureSet, Uncovered};
use crate::note::PowerNote;
use crate::voltage::Voltage;
use crate::{Component, ErrorModel, PowerTrack};

/// A recording, the figures that apply to it, and what they are wanted for.
pub(crate) struct Request<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) set: FigureSet,
    pub(crate) voltage: &'a Voltage,
    pub(crate) window: Window,
    pub(crate) uncovered: Uncovered<'a>,
}

/// The estimates of components.
pub(crate) struct Components {
    /// Tracks by what the system counted.
    pub(crate) by_totals: Vec<PowerTrack>,
    /// When each component is known by totals, whether it drew anything or not.
    pub(crate) covered: BTreeMap<Component, Vec<Window>>,
    /// Tracks by states, outside that time.
    pub(crate) by_states: Vec<PowerTrack>,
    pub(crate) notes: Vec<PowerNote>,
    /// Whether the CPU is among them.
    pub(crate) has_cpu: bool,
}

impl Components {
    /// Whether nothing drew anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_totals.is_empty() && self.by_states.is_empty()
    }
}

/// Every uncovered component that something is known of and that has figures.
pub(crate) fn estimate(request: &Request<'_>, errors: &mut ErrorModel) -> Components {
    let Request { timeline, set, voltage, window, uncovered } = request;
    let mut sources = Sources::new(errors, Provenance::Modelled, voltage.assumed);
    let counted = component_charges::Request {
        timeline,
        figures: &set.figures,
        voltage,
        skip_cpu: !uncovered.cpu,
    };
    let component_charges::Modelled { tracks, covered, mut missing, mut notes } =
        component_charges::model(&counted, &mut sources);
    let totals: BTreeSet<Component> = covered.keys().cloned().collect();
    let states =
        States { timeline, figures: &set.figures, voltage, window: *window, uncovered: *uncovered };
    let over_time = states::model(&states, &mut sources);
    let mut with_states: BTreeSet<Component> = BTreeSet::new();
    let mut by_states = Vec::new();
    for track in over_time.tracks {
        let free = match covered.get(&track.component) {
            Some(covered) => track.without(covered),
            None => Some(track),
        };
        if let Some(track) = free {
            with_states.insert(track.component.clone());
            by_states.push(track);
        }
    }
    notes.extend(over_time.notes);
    for (rule, figures) in over_time.missing {
        missing.entry(rule).or_default().extend(figures);
    }
    let has_cpu = uncovered.cpu
        && (totals.contains(&Component::Cpu) || with_states.contains(&Component::Cpu));
    let models = &set.names;
    if !totals.is_empty() {
        notes.push(PowerNote::ComponentsByTotals { components: totals, models: models.clone() });
    }
    if !with_states.is_empty() {
        let models = models.clone();
        notes.push(PowerNote::ComponentsByStates { components: with_states, models });
    }
    if !missing.is_empty() {
        notes.push(PowerNote::ComponentsWithoutFigures(missing));
    }
    Components { by_totals: tracks, covered, by_states, notes, has_cpu }
}
