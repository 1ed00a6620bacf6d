//! Power rails: they scale what was modelled, and measure what no model estimates.

use super::Estimator;
use super::estimate_draft::Draft;
use super::scene::Scene;
use crate::rails;

/// Measured beats modelled: where a rail supplies modelled hardware, the tracks are scaled to its energy, interval by
/// interval. Otherwise the rail is a track of its own.
pub(crate) struct Rails;

impl Estimator for Rails {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        // An emulator has no power monitor: its rails are numbers that somebody made up.
        if scene.timeline.device.virtual_device().is_some() {
            return;
        }
        let request = rails::Request {
            timeline: scene.timeline,
            survey: &scene.rails,
            model: scene.of_cpu().map(|chosen| chosen.model()),
            window: scene.window,
            is_used: scene.uses_rails,
        };
        let booked = rails::book(&request, &mut draft.tracks, &mut draft.errors);
        draft.rails = booked.summaries;
        draft.rails_counted = booked.counted;
        draft.rail_periods = booked.periods;
        draft.notes(booked.notes);
        draft.add_measured(booked.tracks, booked.scaled);
    }
}
