//! Components by a device's figures: what Android's statistics and states make of them.

use wattle_units::Provenance;

use super::Estimator;
use super::estimate_draft::{Contribution, Draft};
use super::scene::Scene;
use crate::components::{self, FigureSet, Uncovered};
use crate::note::PowerNote;
use crate::power_coverage::EstimatedFrom;
use crate::{Component, ErrorModel};

/// Claims every component that has figures and that the system counted or saw.
pub(crate) struct FigureComponents;

impl Estimator for FigureComponents {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        if !scene.options.model.uses_figures() || scene.unmodelled.is_some() {
            return;
        }
        let chosen = scene.of_cpu();
        let real = chosen.filter(|of| of.provenance() != Provenance::Assumed);
        let request = components::Request {
            timeline: scene.timeline,
            set: FigureSet::new(scene.options, &scene.applicable),
            voltage: &scene.voltage,
            window: scene.reach,
            uncovered: Uncovered {
                cpu: scene.timeline.energy.rails.is_empty() && !draft.has(&Component::Cpu),
                gpu: !draft.has(&Component::Gpu),
                gpu_curve: real.and_then(|of| of.model().gpu.as_ref()),
            },
        };
        let mut errors = ErrorModel::default();
        let found = components::estimate(&request, &mut errors);
        if found.has_cpu {
            draft.model = chosen.map(|chosen| chosen.of.facts.clone());
            // The system counted what no event says.
            draft.settle_cpu();
        }
        if !found.is_empty() && !draft.has_note(&PowerNote::VoltageAssumed) {
            draft.notes(scene.voltage.note());
        }
        draft.notes(found.notes);
        let mut contribution = Contribution::new(errors);
        let mut has_terms = false;
        let totals = found.by_totals.into_iter().map(|track| (EstimatedFrom::Totals, track));
        let states = found.by_states.into_iter().map(|track| (EstimatedFrom::States, track));
        for (from, track) in totals.chain(states) {
            match draft.claim_on(&track.component) {
                Some(claim) => has_terms |= claim.from == EstimatedFrom::LinearTerms,
                None => contribution.track_of_source(track, from),
            }
        }
        for (component, windows) in found.covered {
            if draft.claim_on(&component).is_none() {
                contribution.cover(&component, EstimatedFrom::Totals, windows);
            }
        }
        if has_terms {
            draft.note(PowerNote::LinearInsteadOfFigures);
        }
        draft.add(contribution);
    }
}
