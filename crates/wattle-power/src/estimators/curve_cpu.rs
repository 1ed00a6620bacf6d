//! The CPU by curves of clock and idle state, or by the currents of a power profile.

use wattle_timeline::{Timeline, Window};
use wattle_units::{Nanos, Provenance};

use super::Estimator;
use super::estimate_draft::{Contribution, Draft};
use super::scene::Scene;
use crate::choose::Applicable;
use crate::curves::{self, Curves};
use crate::note::{NoModel, PowerNote};
use crate::power_coverage::EstimatedFrom;
use crate::power_track::component_energy;
use crate::voltage::Voltage;
use crate::{
    Component, DeviceModel, ErrorModel, FigureUnit, ModelChoice, SourceTotals, linear_tracks,
};

/// Claims the CPU, where a model with its curves applies and something says when CPUs were busy.
pub(crate) struct CurveCpu;

impl Estimator for CurveCpu {
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft) {
        if scene.options.model == ModelChoice::Android {
            return;
        }
        let Some(chosen) = scene.of_cpu() else {
            draft.note(PowerNote::NoDeviceModel(no_model(scene)));
            return;
        };
        let model = chosen.model();
        draft.deep_idle_exit = deep_idle_exits(model);
        let as_wattson = scene.options.model == ModelChoice::Curves;
        let curves = cpu_curves(scene.timeline, chosen.of, as_wattson, &scene.voltage);
        let mut errors = ErrorModel::default();
        let mut cpu = curves::estimate(scene.timeline, curves, scene.reach, &mut errors);
        if model.unit == FigureUnit::Current {
            for track in &mut cpu.tracks {
                *track = scene.voltage.apply(track);
            }
            cpu.notes.extend(scene.voltage.note());
        }
        if !cpu.tracks.is_empty() {
            if chosen.provenance() == Provenance::Assumed {
                draft.note(PowerNote::ModelAssumed { model: model.name.clone() });
            }
            let energy = component_energy(&cpu.tracks, &Component::Cpu, &errors, scene.window);
            draft.cpu_energy = Some((chosen.index, energy));
            draft.model = Some(chosen.of.facts.clone());
        }
        draft.notes(cpu.notes);
        let mut contribution = Contribution::new(errors);
        for track in cpu.tracks {
            contribution.track(track, EstimatedFrom::Curves, curves.provenance);
        }
        draft.add(contribution);
    }
}

/// The energy of the CPU by one model and source; `None` where it makes no track.
pub(crate) fn cpu_energies(
    timeline: &Timeline,
    chosen: &Applicable,
    window: Window,
    voltage: &Voltage,
    errors: &mut ErrorModel,
) -> Option<SourceTotals> {
    if chosen.model.policies.is_empty() {
        let request = linear_tracks::Request {
            timeline,
            model: &chosen.model,
            provenance: chosen.facts.provenance,
            window,
            floor: false,
        };
        let cpu = |component: &Component| *component == Component::Cpu;
        let tracks = linear_tracks::estimate(&request, &cpu, errors).tracks;
        return (!tracks.is_empty())
            .then(|| tracks.iter().flat_map(|track| track.energies(window)).collect());
    }
    let curves = cpu_curves(timeline, chosen, false, voltage);
    let voltage = (chosen.model.unit == FigureUnit::Current).then_some(voltage);
    curves::energies(timeline, curves, window, voltage, errors)
}

fn cpu_curves<'a>(
    timeline: &Timeline,
    chosen: &'a Applicable,
    as_wattson: bool,
    voltage: &Voltage,
) -> Curves<'a> {
    let Applicable { model, facts } = chosen;
    // What is made of samples alone rests on assumptions about who ran, and how fast.
    let inferred = timeline.is_schedule_inferred();
    let guessed = inferred || (model.unit == FigureUnit::Current && voltage.assumed);
    let provenance = if guessed { Provenance::Assumed } else { facts.provenance };
    Curves { model, provenance, as_wattson }
}

/// By CPU number.
fn deep_idle_exits(model: &DeviceModel) -> Vec<Nanos> {
    let exits = || model.policies.iter().flat_map(|p| p.cpus.iter().zip(&p.deep_idle_exit));
    let count = exits().map(|(cpu, _)| cpu.index() + 1).max().unwrap_or(0);
    let mut by_cpu = vec![Nanos::ZERO; count];
    for (cpu, exit) in exits() {
        by_cpu[cpu.index()] = *exit;
    }
    by_cpu
}

fn no_model(scene: &Scene<'_>) -> NoModel {
    let choice = scene.options.model;
    let others = || scene.applicable.iter().map(|other| other.model.name.clone());
    if let Some(emulator) = scene.unmodelled {
        return NoModel::Emulator(emulator);
    }
    let cpus = scene.timeline.cpus.len();
    let architecture = scene.timeline.device.architecture.filter(|_| cpus > 0);
    match choice {
        ModelChoice::Curves | ModelChoice::Profile if !scene.applicable.is_empty() => {
            NoModel::OtherKind { models: others().collect() }
        }
        ModelChoice::Rails if scene.timeline.energy.rails.is_empty() => NoModel::NoRails,
        ModelChoice::Profile => NoModel::NoProfile,
        _ => architecture
            .map_or(NoModel::Nothing, |architecture| NoModel::Architecture { architecture, cpus }),
    }
}
