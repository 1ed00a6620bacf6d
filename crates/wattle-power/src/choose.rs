//! Which device model is for the device of a recording.
//!
//! The library's models are chosen by a ladder, see [`ModelRung`](crate::ModelRung): the device's code name, the names of its SoC, the clocks of its CPUs,
//! and last their number and architecture. A model that the recording contains stands above all of them. Nothing chooses a model of another architecture, and nothing but the user one of an
//! emulator.

use wattle_timeline::{Architecture, Emulator, OperatingSystem, Timeline};
use wattle_units::Provenance;

use crate::clock_match::{ClockMatch, RecordedClocks};
use crate::curves;
use crate::device_model::{Closeness, Entry, entries, soc_of_device};
use crate::parameters::Topology;
use crate::recorded_model::recorded_model;
use crate::{DeviceModel, FigureUnit, ModelChoice, ModelFacts, ModelReason, PowerOptions};

/// Nearly every phone since 2016 has so many CPUs. Where a recording shows fewer, the others were idle or not sampled.
const USUAL_CPUS: usize = 8;

/// A model that applies, and why.
#[derive(Clone, Debug)]
pub(crate) struct Applicable {
    pub(crate) model: DeviceModel,
    pub(crate) facts: ModelFacts,
}

impl Applicable {
    fn new(model: &DeviceModel, reason: ModelReason, provenance: Provenance) -> Self {
        let model = model.corrected_by_rails();
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
        let source = if model.rails.is_empty() {
            source
        } else {
            format!("{source}, corrected by power rails of {}", model.rail_recordings())
        };
        let facts = ModelFacts {
            kind: kind.to_owned(),
            name: model.name.clone(),
            chosen: reason.to_string(),
            reason: Some(reason),
            source,
            provenance,
            version: model.version,
        };
        Self { model, facts }
    }
}

/// The emulator that a recording was made of, unless the user gave a model: then its energy is not estimated.
pub(crate) fn unmodelled_emulator(timeline: &Timeline, options: &PowerOptions) -> Option<Emulator> {
    let is_given = !options.device_models.is_empty() || !options.profiles.is_empty();
    timeline.device.virtual_device().filter(|_| !is_given)
}

/// Every model that is for this device, best first: the user's device models, the user's profiles, the recording's own model, the
/// library's curves, the recorded device's own profile, the library's profiles; where there is none, the nearest of the library.
/// Of an emulator only the user's.
pub(crate) fn applicable(timeline: &Timeline, options: &PowerOptions) -> Vec<Applicable> {
    let mut found = Vec::new();
    let own = &options.device_models;
    let fits = |model: &&DeviceModel| model.matching.reason(timeline).is_some();
    // Presets go with any other model, see `FigureSet`.
    let whole = || own.iter().find(|model| !model.is_preset());
    if let Some(model) = own.iter().find(fits).or_else(whole).or(own.first()) {
        // Rails of this recording say more than those of earlier ones, and count what curves lack themselves.
        let has_rails = !timeline.energy.rails.is_empty()
            && options.model != ModelChoice::Curves
            && timeline.device.virtual_device().is_none();
        let rails = if has_rails { Vec::new() } else { model.rails.clone() };
        let model = DeviceModel { rails, ..model.clone() };
        // No two chips are alike: corrections of one device are a guess on another.
        let is_other =
            timeline.device.device_name().is_some_and(|name| model.learnt_elsewhere(name));
        let provenance = if is_other { Provenance::Assumed } else { Provenance::Modelled };
        found.push(Applicable::new(&model, ModelReason::User, provenance));
    }
    if let Some(profile) = options.profiles.iter().find(|profile| profile.placeholder.is_none())
        && let Some(model) = profile.device_model(timeline)
    {
        found.push(Applicable::new(&model, ModelReason::User, Provenance::Modelled));
    }
    if timeline.device.virtual_device().is_some() {
        return found;
    }
    if let Some(Ok(model)) = recorded_model(timeline) {
        found.push(Applicable::new(&model, ModelReason::RecordedModel, Provenance::Modelled));
    }
    for unit in [FigureUnit::Power, FigureUnit::Current] {
        let recorded = options.recorded_profile.as_ref().filter(|_| unit == FigureUnit::Current);
        if let Some(profile) = recorded.filter(|profile| profile.placeholder.is_none())
            && let Some(mut model) = profile.device_model(timeline)
        {
            "power_profile.xml of the recorded device".clone_into(&mut model.source);
            found.push(Applicable::new(&model, ModelReason::OwnProfile, Provenance::Modelled));
        }
        found.extend(named(timeline, unit));
    }
    // Figures and presets say nothing of the CPU; a linear model may be of the whole device, and a stranger's curves
    // are not added to it.
    let says =
        |known: &Applicable| !known.model.policies.is_empty() || known.model.linear.is_some();
    if !found.iter().any(says) {
        found.extend(by_clocks(timeline).or_else(|| stand_in(timeline)));
    }
    if timeline.has_virtual_cpus() {
        let is_clocked = timeline.cpus.iter().all(|cpu| !cpu.frequency.is_empty());
        for known in &mut found {
            known.model = curves::any_core(&known.model, timeline.cpus.len(), is_clocked);
        }
    }
    found
}

/// The library's model of a kind that names the device or its SoC: rungs a and b. One device name was sold with two SoCs, so that
/// the SoC's full name is surer.
fn named(timeline: &Timeline, unit: FigureUnit) -> Option<Applicable> {
    let of_library = entries().iter().filter(|entry| entry.unit() == unit);
    let named = of_library.filter_map(|entry| Some((entry, entry.matching().reason(timeline)?)));
    let (entry, (_, reason)): (&Entry, (Closeness, ModelReason)) =
        named.min_by_key(|(_, (closeness, _))| *closeness)?;
    Some(Applicable::new(entry.model()?, reason, Provenance::Modelled))
}

/// Curves of the library that may be of the device: they are for its architecture, and have its CPUs. Their curves are not read.
fn candidates(timeline: &Timeline) -> impl Iterator<Item = &'static Entry> {
    let architecture = timeline.device.architecture;
    let cpus = known_cpus(timeline);
    let may_be = move |entry: &&Entry| {
        entry.unit() == FigureUnit::Power
            && !entry.head.is_generic()
            && entry.matching().allows(architecture)
    };
    let has_any = !timeline.cpus.is_empty();
    let has_cpus = move |entry: &&Entry| {
        let last = entry.clusters().iter().flat_map(|cluster| &cluster.cpus).max();
        has_any && last.is_some_and(|last| last.index() + 1 >= cpus)
    };
    entries().iter().filter(may_be).filter(has_cpus)
}

/// The model whose tables have the clocks of the recording: rung c. *Assumed* unless many clocks are the same, no other model is as
/// close, and nothing names another SoC.
fn by_clocks(timeline: &Timeline) -> Option<Applicable> {
    let clocks = RecordedClocks::new(timeline);
    let compare = |entry: &'static Entry| Some((clocks.compare(entry.clusters())?, entry));
    let mut matches: Vec<(ClockMatch, &Entry)> = candidates(timeline).filter_map(compare).collect();
    matches.sort_by_key(|(found, _)| found.difference());
    let (best, entry) = *matches.first()?;
    let is_only = matches.get(1).is_none_or(|(next, _)| next.difference() > best.difference());
    let device = &timeline.device;
    let is_other = device.soc_name().is_some()
        || device.guest_soc.is_some()
        || device.device_name().is_some_and(|name| soc_of_device(name).is_some());
    let is_sure = best.is_sure() && is_only && !is_other;
    let reason =
        ModelReason::Clocks { matched: best.matched as u32, recorded: best.recorded as u32 };
    let provenance = if is_sure { Provenance::Modelled } else { Provenance::Assumed };
    Some(Applicable::new(entry.model()?, reason, provenance))
}

/// A model of other devices for one that none is known of, and why that one: a phone's curves for what may be a phone, the model of
/// any computer for other systems and for what has more CPUs than any phone. Rung d.
fn stand_in(timeline: &Timeline) -> Option<Applicable> {
    let device = &timeline.device;
    let cpus = timeline.cpus.len();
    let by_topology = || {
        let model = nearest(timeline)?.clone();
        let reason = ModelReason::Cores {
            cpus: cpus as u32,
            or_more: is_lower_bound(timeline),
            architecture: device.architecture,
        };
        Some((model, reason))
    };
    let of_any_computer = || {
        let is_one = |entry: &&Entry| {
            entry.head.is_generic() && entry.matching().allows(device.architecture)
        };
        let model = entries().iter().find(is_one).filter(|_| cpus > 0)?.model()?;
        let reason = match device.system {
            Some(system) => ModelReason::System { system },
            None => match device.architecture {
                Some(architecture) if !architecture.is_arm() => ModelReason::Cores {
                    cpus: cpus as u32,
                    or_more: is_lower_bound(timeline),
                    architecture: Some(architecture),
                },
                _ => ModelReason::ManyCpus { cpus: cpus as u32 },
            },
        };
        Some((model.spread_over(cpus), reason))
    };
    let (model, reason) = match device.system {
        Some(OperatingSystem::Windows | OperatingSystem::Linux)
            if !device.architecture.is_some_and(Architecture::is_arm) =>
        {
            of_any_computer()
        }
        // Phones with x86 are not like servers, and the library knows none.
        Some(OperatingSystem::Android) => by_topology(),
        _ => by_topology().or_else(of_any_computer),
    }?;
    Some(Applicable::new(&model, reason, Provenance::Assumed))
}

/// Number of CPUs that the device has at least: virtual ones are none of its own.
fn known_cpus(timeline: &Timeline) -> usize {
    if timeline.has_virtual_cpus() { timeline.device.cpus.len() } else { timeline.cpus.len() }
}

/// Whether the device may have more CPUs than the recording shows: events only show those that did something.
fn is_lower_bound(timeline: &Timeline) -> bool {
    timeline.device.cpus.is_empty()
}

/// The library model whose clusters are most like those of the recording. Only models with at least as
/// many CPUs: a CPU without a model would be left out. `None` where the recording has no CPUs.
fn nearest(timeline: &Timeline) -> Option<&'static DeviceModel> {
    // Virtual CPUs are none of the device's, whose number is not known.
    let is_virtual = timeline.has_virtual_cpus() && timeline.device.cpus.is_empty();
    let recording = if is_virtual { Topology::usual() } else { Topology::of_recording(timeline) };
    // What is seen of a phone with eight CPUs is not the whole of a watch with four.
    let least = if is_lower_bound(timeline) { USUAL_CPUS } else { 0 };
    let has_least = |entry: &&Entry| {
        entry.clusters().iter().map(|cluster| cluster.cpus.len()).sum::<usize>() >= least
    };
    let far = |entry: &Entry| recording.distance(&Topology::of_model(entry.clusters()));
    let alike = candidates(timeline).filter(has_least);
    alike.min_by(|a, b| far(a).total_cmp(&far(b)))?.model()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On what runs, of what architecture, and on how many CPUs; the model and why.
    #[track_caller]
    fn check_stand_in(
        system: Option<OperatingSystem>,
        architecture: Option<Architecture>,
        cpus: usize,
        expected: Option<(&str, &str)>,
    ) {
        let mut timeline = Timeline::default();
        timeline.device.system = system;
        timeline.device.architecture = architecture;
        timeline.cpus.resize_with(cpus, wattle_timeline::CpuTimeline::default);
        let found = applicable(&timeline, &PowerOptions::default());
        let names: Vec<(&str, &str)> = found
            .iter()
            .map(|found| (found.model.name.as_str(), found.facts.chosen.as_str()))
            .collect();
        assert_eq!(names, expected.into_iter().collect::<Vec<_>>());
        for found in found {
            assert_eq!(found.facts.provenance, Provenance::Assumed);
            let policies = &found.model.policies;
            let policed = policies.iter().map(|policy| policy.cpus.len()).sum::<usize>();
            assert!(policed >= cpus, "{policed} of {cpus} CPUs have a policy");
        }
    }

    #[test]
    fn what_no_model_is_known_of_has_one_that_stands_in() {
        let pc = "any x86 computer";
        let (windows, linux) = (Some(OperatingSystem::Windows), Some(OperatingSystem::Linux));
        let android = Some(OperatingSystem::Android);
        let arm = Some(Architecture::Arm64);
        check_stand_in(windows, None, 4, Some((pc, "system Windows of the recording")));
        check_stand_in(linux, None, 40, Some((pc, "system Linux of the recording")));
        check_stand_in(linux, arm, 40, None);
        check_stand_in(
            None,
            None,
            24,
            Some((pc, "24 CPUs, more than any phone of the library has")),
        );
        check_stand_in(None, arm, 24, None);
        let x86 = Some(Architecture::X86_64);
        check_stand_in(
            None,
            x86,
            4,
            Some((pc, "its CPUs (at least 4, x86_64), the most similar in the library")),
        );
        check_stand_in(android, x86, 4, None);
        check_stand_in(android, None, 0, None);
        let phone = nearest(&Timeline {
            cpus: vec![wattle_timeline::CpuTimeline::default(); 8],
            ..Timeline::default()
        });
        let phone = &phone.unwrap().name;
        let eight = "its CPUs (at least 8), the most similar in the library";
        check_stand_in(None, None, 8, Some((phone, eight)));
        check_stand_in(android, None, 8, Some((phone, eight)));
        let of_arm = "its CPUs (at least 8, aarch64), the most similar in the library";
        check_stand_in(android, arm, 8, Some((phone, of_arm)));
        check_stand_in(linux, arm, 8, Some((phone, of_arm)));
    }
}
