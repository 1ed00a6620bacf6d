//! GPU and TPU by curves of clock and power state.

use wattle_units::Provenance;

use super::Estimator;
use super::estimate_draft::{Contribution, Draft};
use super::scene::Scene;
use crate::power_coverage::EstimatedFrom;
use crate::{ErrorModel, gpu_curves};

/// Claims GPU and TPU by the model of the CPU: both are on one chip. A model that only stands in describes another chip.
pub(crate) struct Accelerators;

impl Estimator for Accelerators {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        let of_this_chip = scene.of_cpu().filter(|of| of.provenance() != Provenance::Assumed);
        let Some(chosen) = of_this_chip else { return };
        let mut errors = ErrorModel::default();
        let provenance = chosen.provenance();
        let tracks = gpu_curves::tracks(
            scene.timeline,
            chosen.model(),
            provenance,
            scene.reach,
            &mut errors,
        );
        let mut contribution = Contribution::new(errors);
        for track in tracks {
            contribution.track(track, EstimatedFrom::Curves, provenance);
        }
        draft.add(contribution);
    }
}
