//! Terms of a linear model.

use super::Estimator;
use super::estimate_draft::{Contribution, Draft};
use super::scene::Scene;
use crate::power_coverage::EstimatedFrom;
use crate::power_track::component_energy;
use crate::{Component, ErrorModel, linear_tracks};

/// Claims the components of the best model's linear terms; with the model's constant, the whole device.
pub(crate) struct LinearTerms;

impl Estimator for LinearTerms {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        let with_terms = scene.best().filter(|best| best.model().linear.is_some());
        let Some(best) = with_terms.filter(|_| scene.options.model.uses_linear_terms()) else {
            return;
        };
        let mut errors = ErrorModel::default();
        let request = linear_tracks::Request {
            timeline: scene.timeline,
            model: best.model(),
            provenance: best.provenance(),
            window: scene.window,
            floor: scene.metered.is_empty(),
        };
        let is_free = |component: &Component| {
            draft.claim_on(component).is_none() && !scene.metered.contains(component)
        };
        let found = linear_tracks::estimate(&request, &is_free, &mut errors);
        if !found.tracks.is_empty() && draft.model.is_none() {
            draft.model = Some(best.of.facts.clone());
        }
        if found.tracks.iter().any(|track| track.component == Component::Cpu) {
            let energy = component_energy(&found.tracks, &Component::Cpu, &errors, scene.window);
            draft.cpu_energy = Some((best.index, energy));
            draft.settle_cpu();
        }
        draft.notes(found.notes);
        let mut contribution = Contribution::new(errors);
        for track in found.tracks {
            contribution.track_of_source(track, EstimatedFrom::LinearTerms);
        }
        if found.is_whole_device {
            contribution.claim_device();
        }
        draft.add(contribution);
    }
}
