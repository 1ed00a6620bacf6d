//! The CPU by its mean activity, where nothing says when CPUs were busy.

use wattle_units::Provenance;

use super::Estimator;
use super::estimate_draft::{Contribution, Draft};
use super::scene::Scene;
use crate::curves::{self, Curves};
use crate::note::PowerNote;
use crate::power_coverage::EstimatedFrom;
use crate::power_track::component_energy;
use crate::{Component, ErrorModel, FigureUnit, ModelChoice};

/// Claims the CPU where nobody did, and rails do not measure it: by busy times that the kernel counted, else by clocks alone. All of
/// it is *assumed*.
pub(crate) struct MeanCpu;

impl Estimator for MeanCpu {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        let is_free = draft.claim_on(&Component::Cpu).is_none()
            && !scene.metered.contains(&Component::Cpu)
            // Wattson has no energy there either.
            && scene.options.model != ModelChoice::Curves;
        let Some(chosen) = scene.of_cpu().filter(|_| is_free) else { return };
        let model = chosen.model();
        let curves = Curves { model, provenance: Provenance::Assumed, as_wattson: false };
        let mut errors = ErrorModel::default();
        let found = curves::mean_activity(scene.timeline, curves, scene.reach, &mut errors);
        let Some(mut found) = found else { return };
        draft.settle_cpu();
        if model.unit == FigureUnit::Current {
            for track in &mut found.tracks {
                *track = scene.voltage.apply(track);
            }
            draft.notes(scene.voltage.note());
        }
        draft.note(found.note);
        if chosen.provenance() == Provenance::Assumed {
            draft.note(PowerNote::ModelAssumed { model: model.name.clone() });
        }
        let energy = component_energy(&found.tracks, &Component::Cpu, &errors, scene.window);
        draft.cpu_energy = Some((chosen.index, energy));
        if draft.model.is_none() {
            draft.model = Some(chosen.of.facts.clone());
        }
        let mut contribution = Contribution::new(errors);
        for track in found.tracks {
            contribution.track(track, EstimatedFrom::Curves, Provenance::Assumed);
        }
        draft.add(contribution);
    }
}
