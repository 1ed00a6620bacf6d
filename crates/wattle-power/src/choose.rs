//! Which device model is for the device of a recording.

use wattle_timeline::{OperatingSystem, Timeline};
use wattle_units::Provenance;

use crate::curves;
use crate::device_model::{Entry, MadeFor, entries};
use crate::parameters::Topology;
use crate::{DeviceModel, FigureUnit, ModelFacts, PowerOptions, library};

/// A model that applies, and why.
#[derive(Clone, Debug)]
pub(crate) struct Applicable {
    pub(crate) model: DeviceModel,
    pub(crate) facts: ModelFacts,
}

impl Applicable {
    fn new(model: DeviceModel, chosen: String, provenance: Provenance) -> Self {
        let kind = match model.unit {
            _ if model.policies.is_empty() && model.linear.is_some() => "linear",
            FigureUnit::Power => "curves",
            FigureUnit::Current => "profile",
        };
        let source = match (model.source.as_str(), model.licence.as_str()) {
            ("", _) => "the user's file".to_owned(),
            (source, "") => source.to_owned(),
            (source, licence) => format!("{source} ({licence})"),
        };
        let facts = ModelFacts {
            kind: kind.to_owned(),
            name: model.name.clone(),
            chosen,
            source,
            provenance,
            version: model.version,
        };
        Self { model, facts }
    }
}

/// Every model that is for this device, best first: the user's device models, the user's profiles, the
/// library's curves, the recorded device's own profile, the library's profiles; where there is none, the nearest of the library.
pub(crate) fn applicable(timeline: &Timeline, options: &PowerOptions) -> Vec<Applicable> {
    let mut found = Vec::new();
    let own = &options.device_models;
    let fits = |model: &&DeviceModel| {
        let for_what =
            MadeFor { socs: &model.socs, devices: &model.devices, boards: &model.boards };
        for_what.why(timeline).is_some()
    };
    // Presets go with any other model, see `FigureSet`.
    let whole = || own.iter().find(|model| !model.is_preset());
    if let Some(model) = own.iter().find(fits).or_else(whole).or(own.first()) {
        let chosen = "--device-model".to_owned();
        found.push(Applicable::new(model.clone(), chosen, Provenance::Modelled));
    }
    if let Some(profile) = options.profiles.iter().find(|profile| profile.placeholder.is_none())
        && let Some(model) = profile.device_model(timeline)
    {
        let chosen = "--device-model".to_owned();
        found.push(Applicable::new(model, chosen, Provenance::Modelled));
    }
    for unit in [FigureUnit::Power, FigureUnit::Current] {
        let recorded = options.recorded_profile.as_ref().filter(|_| unit == FigureUnit::Current);
        if let Some(profile) = recorded.filter(|profile| profile.placeholder.is_none())
            && let Some(mut model) = profile.device_model(timeline)
        {
            "power_profile.xml of the recorded device".clone_into(&mut model.source);
            let chosen = "the recorded device's own".to_owned();
            found.push(Applicable::new(model, chosen, Provenance::Modelled));
        }
        let of_library = entries().iter().filter(|entry| entry.unit() == unit);
        let named =
            of_library.filter_map(|entry| Some((entry, MadeFor::from_entry(entry).why(timeline)?)));
        // The SoC's name is surer than the device's: one device name was sold with two SoCs.
        if let Some((entry, (_, chosen))) = named.min_by_key(|(_, (rank, _))| *rank)
            && let Some(model) = entry.model()
        {
            found.push(Applicable::new(model.clone(), chosen, Provenance::Modelled));
        }
    }
    // Figures and presets say nothing of the CPU; a linear model may be of the whole device, and a stranger's curves
    // are not added to it.
    let says =
        |known: &Applicable| !known.model.policies.is_empty() || known.model.linear.is_some();
    if !found.iter().any(says)
        && let Some((model, chosen)) = stand_in(timeline)
    {
        found.push(Applicable::new(model, chosen, Provenance::Assumed));
    }
    if timeline.has_virtual_cpus() {
        let is_clocked = timeline.cpus.iter().all(|cpu| !cpu.frequency.is_empty());
        for known in &mut found {
            known.model = curves::any_core(&known.model, timeline.cpus.len(), is_clocked);
        }
    }
    found
}

/// A model of other devices for one that none is known of, and why that one: a phone's curves for what may be a phone, the model of
/// any computer for other systems and for what has more CPUs than any phone.
fn stand_in(timeline: &Timeline) -> Option<(DeviceModel, String)> {
    let system = timeline.device.system;
    let by_topology = || {
        let model = nearest(timeline)?.clone();
        let why = if timeline.has_virtual_cpus() {
            "the usual number of cores of a phone: the recording names no device"
        } else {
            "its CPU clusters, the most similar in the library"
        };
        Some((model, why.to_owned()))
    };
    let of_any_computer = || {
        let cpus = timeline.cpus.len();
        let is_one = |entry: &&Entry| entry.head.is_generic();
        let model = entries().iter().find(is_one).filter(|_| cpus > 0)?.model()?;
        let why = match system {
            Some(system) if system != OperatingSystem::Android => {
                format!("system {} of the recording", system.title())
            }
            _ => format!("{cpus} CPUs, more than any phone of the library has"),
        };
        Some((model.spread_over(cpus), why))
    };
    match system {
        Some(OperatingSystem::Windows | OperatingSystem::Linux) => of_any_computer(),
        // Android also runs on servers: emulators with many CPUs.
        Some(OperatingSystem::Android) | None => by_topology().or_else(of_any_computer),
    }
}

/// The library model whose clusters are most like those of the recording. Only models with at least as
/// many CPUs: a CPU without a model would be left out. `None` where the recording has no CPUs.
fn nearest(timeline: &Timeline) -> Option<&'static DeviceModel> {
    let cpus = timeline.cpus.len();
    if cpus == 0 {
        return None;
    }
    // Virtual CPUs are none of the device's, whose number is not known.
    let is_virtual = timeline.has_virtual_cpus() && timeline.device.cpus.is_empty();
    let recording = if is_virtual { Topology::usual() } else { Topology::of_recording(timeline) };
    let cpus = if timeline.has_virtual_cpus() { timeline.device.cpus.len() } else { cpus };
    library()
        .iter()
        .filter(|model| model.unit == FigureUnit::Power && model.systems.is_empty())
        .filter(|model| {
            let last = model.policies.iter().flat_map(|policy| &policy.cpus).max();
            last.is_some_and(|last| last.index() + 1 >= cpus)
        })
        .min_by(|a, b| {
            let far = |model| recording.distance(&Topology::of_model(model));
            far(a).total_cmp(&far(b))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On what runs, and on how many CPUs; the model and why.
    #[track_caller]
    fn check_stand_in(system: Option<OperatingSystem>, cpus: usize, model: &str, why: &str) {
        let mut timeline = Timeline::default();
        timeline.device.system = system;
        timeline.cpus.resize_with(cpus, wattle_timeline::CpuTimeline::default);
        let found = applicable(&timeline, &PowerOptions::default());
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|found| (found.model.name.as_str(), found.facts.chosen.as_str()))
            .collect();
        assert_eq!(found, [(model, why)]);
        let found = applicable(&timeline, &PowerOptions::default()).remove(0);
        assert_eq!(found.facts.provenance, Provenance::Assumed);
        let policed = found.model.policies.iter().map(|policy| policy.cpus.len()).sum::<usize>();
        assert!(policed >= cpus, "{policed} of {cpus} CPUs have a policy");
    }

    #[test]
    fn what_no_model_is_known_of_has_one_that_stands_in() {
        let pc = "any x86 computer";
        check_stand_in(Some(OperatingSystem::Windows), 4, pc, "system Windows of the recording");
        check_stand_in(Some(OperatingSystem::Linux), 40, pc, "system Linux of the recording");
        let many = "24 CPUs, more than any phone of the library has";
        check_stand_in(None, 24, pc, many);
        check_stand_in(Some(OperatingSystem::Android), 24, pc, many);
        let phone = nearest(&Timeline {
            cpus: vec![wattle_timeline::CpuTimeline::default(); 8],
            ..Timeline::default()
        });
        let (phone, topology) =
            (&phone.unwrap().name, "its CPU clusters, the most similar in the library");
        check_stand_in(None, 8, phone, topology);
        check_stand_in(Some(OperatingSystem::Android), 8, phone, topology);
    }
}
