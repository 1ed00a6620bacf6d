//! Which device model is for the device of a recording.

use wattle_timeline::{CpuId, Timeline};
use wattle_units::{Hertz, Provenance};

use crate::device_model::entries;
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
    let fits = |model: &&DeviceModel| why(&model.socs, &model.devices, timeline).is_some();
    if let Some(model) = own.iter().find(fits).or(own.first()) {
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
        let named = of_library.filter_map(|entry| {
            Some((entry, why(entry.head.socs(), entry.head.devices(), timeline)?))
        });
        // The SoC's name is surer than the device's: one device name was sold with two SoCs.
        if let Some((entry, (_, chosen))) = named.min_by_key(|(_, (rank, _))| *rank)
            && let Some(model) = entry.model()
        {
            found.push(Applicable::new(model.clone(), chosen, Provenance::Modelled));
        }
    }
    if found.is_empty()
        && let Some(model) = nearest(timeline)
    {
        let chosen = "nearest of the library by topology".to_owned();
        found.push(Applicable::new(model.clone(), chosen, Provenance::Assumed));
    }
    found
}

/// Why a model is for the device of a recording, and how sure that is (0 best).
fn why(socs: &[String], devices: &[String], timeline: &Timeline) -> Option<(u8, String)> {
    let soc = timeline.device.soc_name();
    if let Some(soc) = soc.filter(|soc| socs.iter().any(|s| s == soc)) {
        return Some((0, format!("SoC {soc:?} of the recording")));
    }
    let device = timeline.device.device_name()?;
    let known = devices.iter().any(|d| d == device);
    known.then(|| (1, format!("device {device:?} of the recording")))
}

/// What is compared of two CPUs: number of cores and highest clock of each cluster, slowest first.
struct Topology {
    clusters: Vec<(usize, Hertz)>,
}

impl Topology {
    fn of_model(model: &DeviceModel) -> Self {
        let cluster = |policy: &crate::Policy| {
            (policy.cpus.len(), policy.frequencies().last().unwrap_or_default())
        };
        let mut clusters: Vec<_> = model.policies.iter().map(cluster).collect();
        clusters.sort_by_key(|(_, clock)| *clock);
        Self { clusters }
    }

    /// CPUs of one cluster share the frequencies that were seen or that the device names.
    fn of_recording(timeline: &Timeline) -> Self {
        let mut clusters: Vec<(usize, Hertz)> = Vec::new();
        let mut last: Option<(Vec<Hertz>, u32)> = None;
        let facts = &timeline.device.cpus;
        for index in 0..timeline.cpus.len().max(facts.len()) {
            let cpu = CpuId(index as u32);
            let named = facts.get(index).map(|f| f.frequencies.clone()).unwrap_or_default();
            let clocks = if named.is_empty() {
                let seen = timeline.cpus.get(cpu.index()).map(|c| c.frequency.values());
                let mut seen = seen.unwrap_or_default().to_vec();
                seen.sort_unstable();
                seen.dedup();
                seen
            } else {
                named
            };
            let capacity = facts.get(index).and_then(|f| f.capacity).unwrap_or_default();
            let highest = clocks.last().copied().unwrap_or_default();
            let key = (clocks, capacity);
            match clusters.last_mut() {
                Some(cluster) if last.as_ref() == Some(&key) => cluster.0 += 1,
                _ => clusters.push((1, highest)),
            }
            last = Some(key);
        }
        clusters.sort_by_key(|(_, clock)| *clock);
        Self { clusters }
    }

    /// How unlike two are; 0 for the same.
    fn distance(&self, other: &Self) -> f64 {
        let cores = |t: &Self| t.clusters.iter().map(|(cores, _)| cores).sum::<usize>() as f64;
        let pairs = self.clusters.iter().rev().zip(other.clusters.iter().rev());
        let clocks: f64 = pairs
            .filter(|((_, a), (_, b))| *a > Hertz::ZERO && *b > Hertz::ZERO)
            .map(|((_, a), (_, b))| (a.value() as f64 / b.value() as f64).ln().abs())
            .sum();
        let counts = self.clusters.len().abs_diff(other.clusters.len()) as f64;
        clocks + 0.2 * counts + (cores(self) / cores(other)).ln().abs() * 2.0
    }
}

/// The library model whose clusters are most like those of the recording. Only models with at least as
/// many CPUs: a CPU without a model would be left out. `None` where the recording has no CPUs.
fn nearest(timeline: &Timeline) -> Option<&'static DeviceModel> {
    let cpus = timeline.cpus.len();
    if cpus == 0 {
        return None;
    }
    let recording = Topology::of_recording(timeline);
    library()
        .iter()
        .filter(|model| model.unit == FigureUnit::Power)
        .filter(|model| {
            let last = model.policies.iter().flat_map(|policy| &policy.cpus).max();
            last.is_some_and(|last| last.index() + 1 >= cpus)
        })
        .min_by(|a, b| {
            let far = |model| recording.distance(&Topology::of_model(model));
            far(a).total_cmp(&far(b))
        })
}
