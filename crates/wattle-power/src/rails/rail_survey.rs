//! The rails of a recording at a glance: what each supplies, and when it counted.

use wattle_timeline::{Rail, Timeline, Window};

use super::rail_counter::Counted;
use super::rail_names::{RailName, RailNames};
use super::supply_place::{self, PlacedRail, SupplyPlace};
use crate::Component;

/// One rail, without its intervals.
pub(crate) struct SurveyedRail<'a> {
    pub(super) of: &'a Rail,
    pub(super) name: &'a str,
    pub(super) entry: Option<&'a RailName>,
    pub(super) component: Component,
    /// Whether it counted between any two samples.
    pub(super) has_intervals: bool,
    /// The window, widened to the samples around it.
    around: Window,
    /// Whether it counted inside the window.
    is_inside: bool,
}

/// All rails of a recording.
///
/// An interval takes three times the bytes of a sample, so the intervals of all rails are never held at once.
pub(crate) struct RailSurvey<'a> {
    pub(super) rails: Vec<SurveyedRail<'a>>,
    names: &'a RailNames,
    reach: Window,
}

impl<'a> RailSurvey<'a> {
    pub(crate) fn new(timeline: &'a Timeline, names: &'a RailNames, window: Window) -> Self {
        let rails: Vec<SurveyedRail<'a>> = timeline
            .energy
            .rails
            .iter()
            .map(|rail| {
                let name = timeline.names.get(rail.name);
                let entry = names.find(name);
                let declared =
                    rail.subsystem.and_then(|word| names.declared(timeline.names.get(word)));
                let own = || declared.unwrap_or_else(|| Component::Other(name.to_owned()));
                let counted = Counted::from_rail(rail);
                SurveyedRail {
                    of: rail,
                    name,
                    entry,
                    component: entry.map_or_else(own, |known| known.component.clone()),
                    has_intervals: !counted.intervals.is_empty(),
                    around: counted.around(window),
                    is_inside: counted.touches(window),
                }
            })
            .collect();
        let widest = rails.iter().fold(window, |all, rail| {
            Window::new(all.start.min(rail.around.start), all.end.max(rail.around.end))
        });
        Self { rails, names, reach: widest.intersect(timeline.window) }
    }

    /// The window, widened to the samples around it, within the recording.
    pub(crate) fn reach(&self) -> Window {
        self.reach
    }

    /// The components of the rails that counted inside the window. A rail of an unknown name need not supply all of the component
    /// that it declares.
    pub(crate) fn components(&self) -> Vec<Component> {
        let inside = self.rails.iter().filter(|rail| rail.is_inside && rail.entry.is_some());
        inside.map(|rail| rail.component.clone()).collect()
    }

    /// The places of the rails in the tree of supplies, in their order.
    pub(super) fn places(&self, timeline: &Timeline) -> Vec<SupplyPlace> {
        let place = |rail: &SurveyedRail<'a>| PlacedRail {
            name: rail.name,
            entry: rail.entry,
            is_metered: rail.has_intervals,
        };
        let rails: Vec<PlacedRail<'_>> = self.rails.iter().map(place).collect();
        supply_place::places(timeline, self.names, &rails)
    }
}
