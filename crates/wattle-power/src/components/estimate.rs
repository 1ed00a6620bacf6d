//! Components into tracks: totals first, then states.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{Note, Severity, Timeline, Window};
use wattle_units::Provenance;

use super::sources::Sources;
use super::states::{self, States};
use super::usage;
use super::{Elsewhere, FigureSet};
use crate::voltage::Voltage;
use crate::{Component, ErrorModel, PowerTrack};

/// What became of the components.
pub(crate) struct Components {
    pub(crate) tracks: Vec<PowerTrack>,
    pub(crate) notes: Vec<Note>,
    /// Whether the CPU is among them.
    pub(crate) cpu: bool,
}

/// Every component that something is known of and that has figures. What is modelled elsewhere is left out
/// here.
pub(crate) fn estimate(
    timeline: &Timeline,
    set: &FigureSet,
    voltage: &Voltage,
    window: Window,
    elsewhere: Elsewhere<'_>,
    errors: &mut ErrorModel,
) -> Components {
    let mut sources = Sources::new(errors, Provenance::Modelled, voltage.assumed);
    let totals = usage::model(timeline, &set.figures, voltage, elsewhere.cpu, &mut sources);
    let usage::Modelled { mut tracks, covered, mut missing, mut notes } = totals;
    let by_totals: BTreeSet<Component> = covered.keys().cloned().collect();
    let states = States { timeline, figures: &set.figures, voltage, window, elsewhere };
    let over_time = states::model(&states, &mut sources);
    let mut by_states: BTreeSet<Component> = BTreeSet::new();
    for track in over_time.tracks {
        let free = match covered.get(&track.component) {
            Some(covered) => track.without(covered),
            None => Some(track),
        };
        if let Some(track) = free {
            by_states.insert(track.component.clone());
            tracks.push(track);
        }
    }
    notes.extend(over_time.notes);
    for (rule, figures) in over_time.missing {
        missing.entry(rule).or_default().extend(figures);
    }
    let list = |components: &BTreeSet<Component>| {
        components.iter().map(Component::name).collect::<Vec<_>>().join(", ")
    };
    let of = set.names.join(", ");
    if !by_totals.is_empty() {
        let text = format!(
            "{} by Android's rules on the totals that the system counted, figures of {}",
            list(&by_totals),
            if of.is_empty() { "what the device measured" } else { &of }
        );
        notes.push(Note::new(Severity::Info, "components-by-totals", text));
    }
    if !by_states.is_empty() {
        let text = format!("{} by their states over time, figures of {of}", list(&by_states));
        notes.push(Note::new(Severity::Info, "components-by-states", text));
    }
    notes.extend(missing_note(&missing));
    let cpu = !elsewhere.cpu
        && (by_totals.contains(&Component::Cpu) || by_states.contains(&Component::Cpu));
    Components { tracks, notes, cpu }
}

/// What was counted or seen, but has no figures.
fn missing_note(missing: &BTreeMap<&'static str, BTreeSet<&'static str>>) -> Option<Note> {
    if missing.is_empty() {
        return None;
    }
    let lacks = |(rule, figures): (&&str, &BTreeSet<&str>)| {
        format!("{rule} ({})", figures.iter().copied().collect::<Vec<_>>().join(", "))
    };
    let text = format!(
        "no data of components whose figures no device model or power profile at hand has: {}; give one with \
         --device-model",
        missing.iter().map(lacks).collect::<Vec<_>>().join("; ")
    );
    Some(Note::new(Severity::Info, "components-without-figures", text))
}
