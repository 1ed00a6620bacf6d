//! CPU energy according to each of several models.

use wattle_units::{Estimate, Provenance};

use crate::estimators::{Scene, cpu_energies};
use crate::power_track::component_energy;
use crate::{Component, ErrorModel, ModelFacts, ModelSpread, PowerEstimate};

/// The CPU's energy under every model that applies; empty where fewer than two do. Where rails were booked
/// they are one of them. `used` is the candidate that was used, by index, and what it said before rails scaled it.
pub(crate) fn spread(
    scene: &Scene<'_>,
    estimate: &PowerEstimate,
    used: Option<(usize, Estimate)>,
) -> Vec<ModelSpread> {
    let Scene { timeline, applicable, window, voltage, .. } = scene;
    let measured: Vec<&str> = estimate
        .rails
        .iter()
        .filter(|rail| rail.booked && rail.component == Component::Cpu)
        .map(|rail| rail.name.as_str())
        .collect();
    if applicable.len() + usize::from(!measured.is_empty()) < 2 {
        return Vec::new();
    }
    let mut spread = Vec::new();
    if !measured.is_empty() {
        let model = ModelFacts {
            kind: "rails".to_owned(),
            name: measured.join(", "),
            chosen: "power rails of the recording".to_owned(),
            reason: None,
            source: "on-device power monitor".to_owned(),
            provenance: Provenance::Measured,
            version: 1,
        };
        let cpu = component_energy(&estimate.tracks, &Component::Cpu, &estimate.errors, *window);
        spread.push(ModelSpread { model, cpu });
    }
    for (index, candidate) in applicable.iter().enumerate() {
        if let Some((_, cpu)) = used.filter(|(used, _)| *used == index) {
            spread.push(ModelSpread { model: candidate.facts.clone(), cpu });
            continue;
        }
        let mut errors = ErrorModel::default();
        let cpu = cpu_energies(timeline, candidate, *window, voltage, &mut errors);
        if let Some(energies) = cpu {
            let cpu = errors.estimate(energies.iter(), &energies);
            spread.push(ModelSpread { model: candidate.facts.clone(), cpu });
        }
    }
    if spread.len() < 2 { Vec::new() } else { spread }
}
