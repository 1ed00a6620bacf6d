//! From a timeline to power tracks.

use wattle_timeline::{Note, Severity, Timeline, Window};
use wattle_units::{Nanos, Provenance};

use crate::choose::{self, Applicable};
use crate::components::{Elsewhere, FigureSet};
use crate::curves::{self, CpuTracks, Curves};
use crate::rails::{self, RailNames};
use crate::voltage::Voltage;
use crate::{
    BatteryFacts, ClockCosts, Component, DeviceModel, ErrorModel, FigureUnit, ModelChoice,
    PowerError, PowerEstimate, PowerOptions, PowerTrack, SourceTotals,
};
use crate::{battery, components, gpu, linear, meter, spread};

/// Turns a timeline into power tracks, by the device's own meters and the best model that applies.
///
/// What is missing from a recording is said in the notes of the result; it is never an error.
pub fn estimate(timeline: &Timeline, options: &PowerOptions) -> Result<PowerEstimate, PowerError> {
    let window = options.window.map_or(timeline.window, |w| w.intersect(timeline.window));
    let applicable = choose::applicable(timeline, options);
    let measured = !timeline.rails.is_empty();
    let booking = measured && matches!(options.model, ModelChoice::Auto | ModelChoice::Rails);
    let wanted = |candidate: &&Applicable| match options.model {
        ModelChoice::Auto => true,
        ModelChoice::Rails => measured,
        ModelChoice::Curves => candidate.model.unit == FigureUnit::Power,
        ModelChoice::Profile => candidate.model.unit == FigureUnit::Current,
    };
    let voltage = Voltage::of(timeline, options.voltage);
    let reach = if booking { rails::reach(timeline, window) } else { window };
    let mut estimate = PowerEstimate::default();
    for profile in options.profiles.iter().chain(&options.recorded_profile) {
        if let Some(why) = &profile.placeholder {
            let text = format!("{}: placeholder figures ({why}); it is not used", profile.name);
            estimate.notes.push(Note::new(Severity::Warning, "profile-placeholder", text));
        } else if profile.cpu.is_none() {
            let text = format!("{}: no CPU currents; its other figures are used", profile.name);
            estimate.notes.push(Note::new(Severity::Warning, "profile-without-cpu", text));
        } else if let Some(of) = profile.copied_from(timeline) {
            let text = format!(
                "{}: its CPU currents and nearly all its other figures are those of {:?}, another device: it says \
                 little of this one",
                profile.name, of.name
            );
            estimate.notes.push(Note::new(Severity::Warning, "profile-copied", text));
        }
    }
    let linear_too = matches!(options.model, ModelChoice::Auto | ModelChoice::Rails);
    let first = applicable.iter().find(wanted);
    // A model without anything of the CPU leaves it to the next one. Where rails measure the CPU, only states split them.
    let metered_cpu = booking && rails::components(timeline, window).contains(&Component::Cpu);
    let has_cpu = |candidate: &&Applicable| {
        let by_terms =
            linear_too && !metered_cpu && linear::covers(&candidate.model, &Component::Cpu);
        by_terms || !candidate.model.policies.is_empty()
    };
    let chosen = applicable.iter().filter(wanted).find(has_cpu).or(first);
    let mut used = None;
    match chosen {
        Some(chosen) => {
            let cpu = {
                let as_wattson = options.model == ModelChoice::Curves;
                let errors = &mut estimate.errors;
                cpu_tracks(timeline, chosen, as_wattson, reach, &voltage, errors)
            };
            if !cpu.tracks.is_empty() {
                estimate.notes.extend(choice_note(chosen));
            }
            estimate.notes.extend(cpu.notes);
            estimate.deep_idle_exit = deep_idle_exits(&chosen.model);
            if !cpu.tracks.is_empty() {
                let index = applicable.iter().position(|other| std::ptr::eq(other, chosen));
                let energy = spread::cpu_energy(&cpu.tracks, &estimate.errors, window);
                used = index.map(|index| (index, energy));
                estimate.model = Some(chosen.facts.clone());
            }
            estimate.tracks = cpu.tracks;
            let provenance = chosen.facts.provenance;
            if provenance != Provenance::Assumed {
                let errors = &mut estimate.errors;
                let model = &chosen.model;
                estimate.tracks.extend(gpu::tracks(timeline, model, provenance, reach, errors));
            }
        }
        None => estimate.notes.push(no_model(options.model, measured, &applicable)),
    }
    let mut linear_terms: Vec<Component> = Vec::new();
    if let Some(of) = first.filter(|of| linear_too && of.model.linear.is_some()) {
        let metered = if booking { rails::components(timeline, window) } else { Vec::new() };
        let known: Vec<Component> = estimate
            .tracks
            .iter()
            .map(|track| track.component.clone())
            .chain(metered.clone())
            .collect();
        let errors = &mut estimate.errors;
        let wanted = |component: &Component| !known.contains(component);
        let provenance = of.facts.provenance;
        let linear = linear::estimate(
            timeline,
            &of.model,
            provenance,
            window,
            &wanted,
            metered.is_empty(),
            errors,
        );
        if !linear.tracks.is_empty() && estimate.model.is_none() {
            estimate.model = Some(of.facts.clone());
        }
        let of_cpu = linear.tracks.iter().filter(|track| track.component == Component::Cpu);
        let of_cpu: Vec<PowerTrack> = of_cpu.cloned().collect();
        if !of_cpu.is_empty() {
            let index = applicable.iter().position(|other| std::ptr::eq(other, of));
            let energy = spread::cpu_energy(&of_cpu, &estimate.errors, window);
            used = index.map(|index| (index, energy));
        }
        estimate.notes.extend(linear.notes);
        linear_terms = linear.tracks.iter().map(|track| track.component.clone()).collect();
        estimate.tracks.extend(linear.tracks);
    }
    if matches!(options.model, ModelChoice::Auto | ModelChoice::Profile) {
        let set = FigureSet::of(options, &applicable);
        let has = |component| estimate.tracks.iter().any(|track| track.component == component);
        let real = chosen.filter(|of| of.facts.provenance != Provenance::Assumed);
        let elsewhere = Elsewhere {
            cpu: measured || has(Component::Cpu),
            gpu: has(Component::Gpu),
            gpu_curve: real.and_then(|of| of.model.gpu.as_ref()),
        };
        let errors = &mut estimate.errors;
        let found = components::estimate(timeline, &set, &voltage, reach, elsewhere, errors);
        if found.cpu {
            estimate.model = chosen.map(|chosen| chosen.facts.clone());
            // The system counted what no event says.
            let settled = ["no-device-model", "cpu-activity-unknown"];
            estimate.notes.retain(|note| !settled.contains(&note.code.as_str()));
        }
        let currents = !found.tracks.is_empty()
            && !estimate.notes.iter().any(|note| note.code == "voltage-assumed");
        estimate.notes.extend(voltage.note().filter(|_| currents));
        estimate.notes.extend(found.notes);
        // A model of the whole device's power by a constant and terms leaves nothing over for others to add.
        let whole = linear_terms.iter().any(linear::is_baseline);
        let given = |track: &PowerTrack| whole || linear_terms.contains(&track.component);
        let (known, new): (Vec<_>, Vec<_>) = found.tracks.into_iter().partition(given);
        if !known.is_empty() {
            let text = "figures of components are not added to what the linear model says of them, or of the whole device";
            estimate.notes.push(Note::new(Severity::Info, "linear-instead-of-figures", text));
        }
        estimate.tracks.extend(new);
    }
    let booked = rails::book(
        timeline,
        RailNames::built_in(),
        chosen.map(|chosen| &chosen.model),
        window,
        std::mem::take(&mut estimate.tracks),
        &mut estimate.errors,
        booking,
    );
    estimate.tracks = booked.tracks;
    estimate.rails = booked.summaries;
    estimate.notes.extend(booked.notes);
    estimate.clocks = ClockCosts::of(timeline, chosen, &voltage);
    if let Some(clocks) = &estimate.clocks {
        estimate.notes.extend(clocks.notes());
    }
    estimate.battery = meter::summary(timeline, window, &estimate.tracks, &estimate.errors)
        .or_else(|| {
            battery::summary(timeline, window, &voltage, &estimate.tracks, &estimate.errors)
        });
    estimate.battery_facts = BatteryFacts::of(timeline, window, &voltage, options, &applicable);
    estimate.spread = spread::spread(timeline, &applicable, window, &voltage, &estimate, used);
    Ok(estimate)
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

fn no_model(choice: ModelChoice, measured: bool, applicable: &[Applicable]) -> Note {
    let others: Vec<&str> = applicable.iter().map(|other| other.model.name.as_str()).collect();
    if !others.is_empty() && matches!(choice, ModelChoice::Curves | ModelChoice::Profile) {
        let text = format!(
            "no device model of the kind asked for applies to this device, so no CPU energy is \
             modelled; of the other kind there is {}: try --model auto",
            others.join(", ")
        );
        return Note::new(Severity::Warning, "no-device-model", text);
    }
    let text = match choice {
        ModelChoice::Rails if !measured => {
            "the recording holds no power rails, so nothing was measured; try --model auto"
        }
        ModelChoice::Profile => {
            "no power profile applies to this device, so no CPU energy is estimated; give one with \
             --device-model"
        }
        _ => {
            "no device model applies to this device, so no CPU energy is modelled; give one with \
             --device-model"
        }
    };
    Note::new(Severity::Warning, "no-device-model", text)
}

fn choice_note(chosen: &Applicable) -> Option<Note> {
    (chosen.facts.provenance == Provenance::Assumed).then(|| {
        let text = format!(
            "no model is known for this device: figures of {:?} stand in, and can be far off",
            chosen.model.name
        );
        Note::new(Severity::Warning, "model-assumed", text)
    })
}

/// The CPU's tracks by one model, with its currents turned into power.
fn cpu_tracks(
    timeline: &Timeline,
    chosen: &Applicable,
    as_wattson: bool,
    window: Window,
    voltage: &Voltage,
    errors: &mut ErrorModel,
) -> CpuTracks {
    let curves = cpu_curves(timeline, chosen, as_wattson, voltage);
    let mut cpu = curves::estimate(timeline, curves, window, errors);
    if chosen.model.unit == FigureUnit::Current {
        cpu.tracks = cpu.tracks.iter().map(|track| voltage.apply(track)).collect();
        cpu.notes.extend(voltage.note());
    }
    cpu
}

/// The energy of [`cpu_tracks`] by source; `None` where there is no track.
pub(crate) fn cpu_energies(
    timeline: &Timeline,
    chosen: &Applicable,
    window: Window,
    voltage: &Voltage,
    errors: &mut ErrorModel,
) -> Option<SourceTotals> {
    if chosen.model.policies.is_empty() {
        let provenance = chosen.facts.provenance;
        let cpu = |component: &Component| *component == Component::Cpu;
        let linear =
            linear::estimate(timeline, &chosen.model, provenance, window, &cpu, false, errors);
        let tracks = &linear.tracks;
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
