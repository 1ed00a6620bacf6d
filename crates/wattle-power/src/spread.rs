//! What each of several models says of the CPU.

use wattle_timeline::{Timeline, Window};
use wattle_units::{Estimate, Provenance};

use crate::choose::Applicable;
use crate::voltage::Voltage;
use crate::{Component, ErrorModel, ModelFacts, ModelSpread, PowerEstimate, PowerTrack, run};

/// The CPU's energy under every model that applies; empty where fewer than two do. Where rails were booked
/// they are one of them. `used` is the candidate that was used, by index, and what it said before rails scaled it.
pub(crate) fn spread(
    timeline: &Timeline,
    applicable: &[Applicable],
    window: Window,
    voltage: &Voltage,
    estimate: &PowerEstimate,
    used: Option<(usize, Estimate)>,
) -> Vec<ModelSpread> {
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
            source: "on-device power monitor".to_owned(),
            provenance: Provenance::Measured,
            version: 1,
        };
        let cpu = cpu_energy(&estimate.tracks, &estimate.errors, window);
        spread.push(ModelSpread { model, cpu });
    }
    for (index, candidate) in applicable.iter().enumerate() {
        if let Some((_, cpu)) = used.filter(|(used, _)| *used == index) {
            spread.push(ModelSpread { model: candidate.facts.clone(), cpu });
            continue;
        }
        let mut errors = ErrorModel::default();
        let cpu = run::cpu_energies(timeline, candidate, window, voltage, &mut errors);
        if let Some(energies) = cpu {
            let cpu = errors.estimate(energies.iter(), &energies);
            spread.push(ModelSpread { model: candidate.facts.clone(), cpu });
        }
    }
    if spread.len() < 2 { Vec::new() } else { spread }
}

/// Energy of the CPU's tracks in the window.
pub(crate) fn cpu_energy(tracks: &[PowerTrack], errors: &ErrorModel, window: Window) -> Estimate {
    let cpu = tracks.iter().filter(|track| track.component == Component::Cpu);
    errors.whole(cpu.flat_map(|track| track.energies(window)))
}
