//! Components by Android's own estimate, where nothing better is known.

use std::collections::BTreeSet;

use super::Estimator;
use super::estimate_draft::{Contribution, Draft};
use super::scene::Scene;
use crate::components;
use crate::note::{NoModel, PowerNote};
use crate::power_coverage::EstimatedFrom;
use crate::{Component, ErrorModel, ModelChoice};

/// Components whose consumption is in Android's estimate of an app.
const OF_APPS: [Component; 9] = [
    Component::Cpu,
    Component::Wifi,
    Component::Cellular,
    Component::Bluetooth,
    Component::Gnss,
    Component::Camera,
    Component::Audio,
    Component::Video,
    Component::Sensors,
];

/// Claims every component that Android estimated and that nobody before estimated.
pub(crate) struct AndroidEstimate;

impl Estimator for AndroidEstimate {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        if !scene.options.model.uses_android_estimate() {
            return;
        }
        let mut errors = ErrorModel::default();
        let found = {
            let is_free = |component: &Component| draft.claim_on(component).is_none();
            let is_wanted = |component: &Component| {
                is_free(component)
                    && (!components::is_undivided(component) || OF_APPS.iter().all(is_free))
            };
            components::android_estimate(scene.timeline, &scene.voltage, &is_wanted, &mut errors)
        };
        if found.is_placeholder {
            draft.note(PowerNote::AndroidEstimatePlaceholder);
        }
        if found.tracks.is_empty() {
            if scene.options.model == ModelChoice::Android {
                let reason = if found.is_placeholder {
                    NoModel::AndroidPlaceholder
                } else {
                    NoModel::NoAndroidEstimate
                };
                draft.note(PowerNote::NoDeviceModel(reason));
            }
            return;
        }
        if !draft.has_note(&PowerNote::VoltageAssumed) {
            draft.notes(scene.voltage.note());
        }
        let components: BTreeSet<Component> =
            found.tracks.iter().map(|track| track.component.clone()).collect();
        if components.contains(&Component::Cpu) {
            draft.settle_cpu();
        }
        draft.note(PowerNote::ComponentsByAndroid { components });
        let mut contribution = Contribution::new(errors);
        for track in found.tracks {
            contribution.track_of_source(track, EstimatedFrom::AndroidEstimate);
        }
        for (component, windows) in found.covered {
            contribution.cover(&component, EstimatedFrom::AndroidEstimate, windows);
        }
        draft.add(contribution);
    }
}
