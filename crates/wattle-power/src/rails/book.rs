//! Rails into tracks.

use rustc_hash::FxHashMap;
use wattle_timeline::{CpuId, Note, Severity, Timeline, Window};
use wattle_units::{BootNanos, CompensatedSum, Joules, Provenance, Watts};

use super::RailNames;
use super::counter::{Counted, Interval};
use super::names::{RailName, Role};
use super::scale::{self, Scaled};
use crate::{
    Component, DeviceModel, ErrorGroup, ErrorModel, ErrorSource, Meter, MeterId, PowerTrack,
    RailSummary, Scope, SourceId,
};

/// Relative standard deviation of an on-device power monitor. No maker publishes one; converters of this kind
/// are specified to within 2 %.
const METER_ERROR: f64 = 0.02;

/// Relative standard deviation of a rail's energy in a part of an interval, its power taken as even. An
/// assumption on the wide side: rails do not say what happens between two samples.
const EVEN_POWER_ERROR: f64 = 0.3;

/// The window, widened to the rails' samples around it, within the recording.
pub(crate) fn reach(timeline: &Timeline, window: Window) -> Window {
    let rails = timeline.rails.iter();
    rails
        .fold(window, |all, rail| {
            let around = Counted::of(rail).around(window);
            Window::new(all.start.min(around.start), all.end.max(around.end))
        })
        .intersect(timeline.window)
}

/// What the rails measure inside the window.
pub(crate) fn components(timeline: &Timeline, window: Window) -> Vec<Component> {
    let names = RailNames::built_in();
    let counted = timeline.rails.iter().filter(|rail| !Counted::of(rail).within(window).is_empty());
    let component = |rail: &wattle_timeline::Rail| {
        let name = timeline.names.get(rail.name);
        let known = names.find(name).map(|known| known.component.clone());
        known.unwrap_or_else(|| Component::Other(name.to_owned()))
    };
    counted.map(component).collect()
}

/// Power between samples of each rail that is wanted, by its name and component, and is not behind another metered one.
pub(crate) fn powers(
    timeline: &Timeline,
    wanted: impl Fn(&str, &Component) -> bool,
) -> Vec<Vec<(Window, Watts)>> {
    let names = RailNames::built_in();
    let name_of = |rail: &wattle_timeline::Rail| timeline.names.get(rail.name);
    let metered: Vec<&str> = timeline
        .rails
        .iter()
        .filter_map(|rail| Some(names.find(name_of(rail))?.label.as_str()))
        .collect();
    let mut powers = Vec::new();
    for rail in &timeline.rails {
        let name = name_of(rail);
        let known = names.find(name);
        let component = known
            .map_or_else(|| Component::Other(name.to_owned()), |known| known.component.clone());
        let split =
            known.and_then(|known| known.behind.as_deref()).is_some_and(|up| metered.contains(&up));
        if wanted(name, &component) && !split {
            let counted = Counted::of(rail);
            let intervals = counted.intervals.iter().filter(|interval| !interval.window.is_empty());
            powers.push(intervals.map(|i| (i.window, i.joules() / i.window.duration())).collect());
        }
    }
    powers
}

/// Tracks after the rails have had their say.
pub(crate) struct Booked {
    pub(crate) tracks: Vec<PowerTrack>,
    pub(crate) summaries: Vec<RailSummary>,
    pub(crate) notes: Vec<Note>,
}

/// What a rail is to the tracks.
enum Use {
    /// It scales these modelled tracks, by index.
    Scales(Vec<usize>),
    /// It is a track of its own.
    Own(Component, Scope),
    /// It is listed only.
    Listed,
}

struct Known<'a> {
    name: &'a str,
    entry: Option<&'a RailName>,
    counted: Counted,
    samples: u64,
}

/// Lets every rail scale the modelled tracks that it supplies, or become a track of its own. With
/// `booking` off, rails are only compared with the model. Modelled tracks cover [`reach`]; what comes back covers
/// the window.
pub(crate) fn book(
    timeline: &Timeline,
    names: &RailNames,
    model: Option<&DeviceModel>,
    window: Window,
    mut tracks: Vec<PowerTrack>,
    errors: &mut ErrorModel,
    booking: bool,
) -> Booked {
    let rails: Vec<Known<'_>> = timeline
        .rails
        .iter()
        .map(|rail| {
            let name = timeline.names.get(rail.name);
            Known {
                name,
                entry: names.find(name),
                counted: Counted::of(rail),
                samples: rail.time.len().min(rail.energy.len()) as u64,
            }
        })
        .collect();
    let clusters = Clusters::of(&rails, model);
    let reach = reach(timeline, window);
    let modelled = tracks.len();
    let mut booked = Booked { tracks: Vec::new(), summaries: Vec::new(), notes: Vec::new() };
    let mut scaled_by: Vec<Option<usize>> = vec![None; modelled];
    let mut unnamed = 0;
    for (index, rail) in rails.iter().enumerate() {
        let intervals = rail.counted.within(window);
        let metered_parent = rail.entry.and_then(|known| known.behind.as_ref()).is_some_and(|up| {
            let is_up = |other: &Known<'_>| other.entry.is_some_and(|known| known.label == *up);
            rails.iter().any(|other| is_up(other) && !other.counted.intervals.is_empty())
        });
        let usage = if metered_parent {
            Use::Listed
        } else {
            usage(timeline, rail, &clusters, &tracks[..modelled], &scaled_by)
        };
        unnamed += u64::from(rail.entry.is_none() && !intervals.is_empty());
        let mut summary = rail.summary(&intervals);
        match usage {
            Use::Scales(covered) => {
                let modelled = covered.iter().flat_map(|track| {
                    let track = &tracks[*track];
                    intervals.iter().flat_map(|interval| track.energies(interval.window))
                });
                summary.modelled = Some(errors.whole(modelled));
                if booking && !intervals.is_empty() {
                    summary.booked = true;
                    let mut meter = RailMeter::new(rail.name, window, errors);
                    let around = rail.counted.within(reach);
                    let unexplained =
                        meter.scale(&mut tracks, &covered, &around, &summary.component);
                    booked.tracks.extend(unexplained);
                    for track in covered {
                        scaled_by[track] = Some(index);
                    }
                }
            }
            Use::Own(component, scope) => {
                if booking && !intervals.is_empty() {
                    summary.booked = true;
                    let mut meter = RailMeter::new(rail.name, window, errors);
                    booked.tracks.extend(meter.own_tracks(&intervals, &component, &scope));
                }
            }
            Use::Listed => {}
        }
        booked.summaries.push(summary);
    }
    let mended: u64 = booked.summaries.iter().map(|summary| summary.mended).sum();
    if mended > 0 {
        let text = "energy counters of rails wrapped, started again or had bad samples; such \
                    intervals were mended or left out";
        booked.notes.push(Note::new(Severity::Info, "rails-mended", text).times(mended));
    }
    if unnamed > 0 {
        let text = "rails whose names are not known are kept under their own name";
        booked.notes.push(Note::new(Severity::Info, "rail-unknown", text).times(unnamed));
    }
    tracks.append(&mut booked.tracks);
    let inside = tracks.into_iter().map(|track| track.clipped(window));
    booked.tracks = inside.filter(|track| !track.is_empty()).collect();
    booked
}

impl Known<'_> {
    fn component(&self) -> Component {
        let own = || Component::Other(self.name.to_owned());
        self.entry.map_or_else(own, |known| known.component.clone())
    }

    fn summary(&self, intervals: &[Interval]) -> RailSummary {
        // Whole microwatt-seconds are added as such: last minus first, exactly.
        let energy: u64 = intervals.iter().map(|interval| interval.energy).sum();
        let covered: wattle_units::Nanos =
            intervals.iter().map(|interval| interval.window.duration()).sum();
        RailSummary {
            name: self.name.to_owned(),
            label: self.entry.map(|known| known.label.clone()),
            component: self.component(),
            joules: Joules::from_microjoules(energy as f64),
            modelled: None,
            covered_s: covered.seconds(),
            samples: self.samples,
            mended: self.counted.mended,
            booked: false,
        }
    }
}

/// Which CPUs each rail's cluster number means.
struct Clusters {
    cpus: Vec<Vec<CpuId>>,
}

impl Clusters {
    /// As many policies as rails: one each. More policies than rails: the first and the last rail have one each,
    /// those between share the rest (Tensor G5 has two policies of middle cores on one rail).
    fn of(rails: &[Known<'_>], model: Option<&DeviceModel>) -> Self {
        let numbers = rails.iter().filter_map(|rail| rail.entry?.cluster);
        let count = numbers.max().map_or(0, |last| last + 1);
        let policies = model.map(|model| model.policies.as_slice()).unwrap_or_default();
        let mut cpus = vec![Vec::new(); count];
        for (index, policy) in policies.iter().enumerate() {
            let cluster = if index + 1 == policies.len() && policies.len() > count {
                count.checked_sub(1)
            } else if policies.len() > count {
                Some(index.min(count.saturating_sub(2)))
            } else {
                Some(index)
            };
            if let Some(of) = cluster.and_then(|cluster| cpus.get_mut(cluster)) {
                of.extend(&policy.cpus);
            }
        }
        Self { cpus }
    }

    fn get(&self, cluster: usize) -> &[CpuId] {
        self.cpus.get(cluster).map_or(&[], Vec::as_slice)
    }
}

fn usage(
    timeline: &Timeline,
    rail: &Known<'_>,
    clusters: &Clusters,
    tracks: &[PowerTrack],
    scaled_by: &[Option<usize>],
) -> Use {
    let component = rail.component();
    let cpus = rail.entry.and_then(|known| known.cluster).map(|cluster| {
        // What serves all clusters (DSU, L3, interconnect) hangs on the first one's rail.
        (clusters.get(cluster), cluster == 0)
    });
    let supplies = |track: &PowerTrack| match (&track.scope, cpus) {
        (Scope::Core(cpu), Some((cpus, _))) => cpus.contains(cpu),
        (Scope::Cores(of), Some((cpus, first))) => {
            let all = of.iter().all(|cpu| cpus.contains(cpu));
            all || (first && of.iter().any(|cpu| cpus.contains(cpu)))
        }
        (Scope::Suspended, Some((_, first))) => first,
        (Scope::Gpu(_) | Scope::Device | Scope::App(_) | Scope::Tail(_) | Scope::Floor, None) => {
            true
        }
        _ => false,
    };
    let covered: Vec<usize> = tracks
        .iter()
        .enumerate()
        .filter(|(index, track)| {
            track.component == component && scaled_by[*index].is_none() && supplies(track)
        })
        .map(|(index, _)| index)
        .collect();
    let memory = rail.entry.and_then(|known| known.role) == Some(Role::Memory);
    if !covered.is_empty() && !memory {
        return Use::Scales(covered);
    }
    let scope = match (&component, cpus) {
        (Component::Cpu, Some((cpus, _))) if !cpus.is_empty() && !tracks.is_empty() => {
            Scope::Cores(cpus.into())
        }
        (Component::Gpu, _) => {
            let used = timeline.gpus.iter().find(|gpu| !gpu.work.is_empty());
            used.map_or(Scope::Device, |gpu| Scope::Gpu(gpu.id))
        }
        _ => Scope::Device,
    };
    Use::Own(component, scope)
}

fn model_energies(tracks: &[PowerTrack], covered: &[usize], intervals: &[Interval]) -> Vec<Joules> {
    let mut sums = vec![CompensatedSum::default(); intervals.len()];
    for track in covered {
        for (sum, energy) in sums.iter_mut().zip(scale::energies(&tracks[*track], intervals)) {
            sum.add(energy.value());
        }
    }
    sums.into_iter().map(|sum| Joules::new(sum.value())).collect()
}

/// A rail as an instrument, with its own error source and metered twins of the model's.
struct RailMeter<'a> {
    meter: MeterId,
    source: SourceId,
    /// For the part of an interval, once there is one.
    even: Option<SourceId>,
    window: Window,
    twins: FxHashMap<SourceId, SourceId>,
    errors: &'a mut ErrorModel,
}

impl<'a> RailMeter<'a> {
    fn new(name: &str, window: Window, errors: &'a mut ErrorModel) -> Self {
        let meter = errors.add_meter(Meter { name: name.to_owned(), error: METER_ERROR });
        let group =
            errors.add_group(ErrorGroup { name: name.to_owned(), shared: 0.0, freedom: None });
        let source = errors.add_source(ErrorSource {
            name: format!("rail {name}"),
            group,
            own: 0.0,
            meter: Some(meter),
            provenance: Provenance::Measured,
        });
        Self { meter, source, even: None, window, twins: FxHashMap::default(), errors }
    }

    /// Whether the window holds all that lies between two samples.
    fn is_whole(&self, interval: &Interval) -> bool {
        !interval.cut && interval.window.intersect(self.window) == interval.window
    }

    /// The source of the rail's own power in an interval.
    fn source(&mut self, interval: &Interval) -> SourceId {
        if self.is_whole(interval) {
            return self.source;
        }
        *self.even.get_or_insert_with(|| {
            let name = "rail, part of an interval".to_owned();
            let group = ErrorGroup { name: name.clone(), shared: EVEN_POWER_ERROR, freedom: None };
            let group = self.errors.add_group(group);
            let provenance = Provenance::Modelled;
            self.errors.add_source(ErrorSource { name, group, own: 0.0, meter: None, provenance })
        })
    }

    /// The source of the model with its sum fixed by this meter.
    fn twin(&mut self, source: SourceId) -> SourceId {
        if let Some(twin) = self.twins.get(&source) {
            return *twin;
        }
        let of = self.errors.sources.get(usize::from(source.0)).cloned();
        let twin = of.map_or(self.source, |of| {
            self.errors.add_source(ErrorSource { meter: Some(self.meter), ..of })
        });
        self.twins.insert(source, twin);
        twin
    }

    /// Scales the tracks; gives what the rail counted where the model says 0.
    fn scale(
        &mut self,
        tracks: &mut [PowerTrack],
        covered: &[usize],
        intervals: &[Interval],
        component: &Component,
    ) -> Option<PowerTrack> {
        let modelled = model_energies(tracks, covered, intervals);
        let scaled: Vec<Scaled> = intervals
            .iter()
            .zip(modelled)
            .map(|(interval, modelled)| {
                let factor = interval.joules() / modelled;
                let usable = modelled > Joules::ZERO && factor.is_finite();
                let whole = self.is_whole(interval);
                Scaled { window: interval.window, factor: usable.then_some(factor), whole }
            })
            .collect();
        for track in covered {
            // Neighbours often have one source.
            let mut last = None;
            tracks[*track] = scale::rescale(&tracks[*track], &scaled, |source| match last {
                Some((of, twin)) if of == source => twin,
                _ => last.insert((source, self.twin(source))).1,
            });
        }
        let without: Vec<Interval> = intervals
            .iter()
            .zip(&scaled)
            .filter(|(interval, scaled)| scaled.factor.is_none() && interval.energy > 0)
            .map(|(interval, _)| *interval)
            .collect();
        let start = without.first()?.window.start;
        let mut track = PowerTrack::new(component.clone(), Scope::Unexplained, start);
        for interval in without {
            let source = self.source(&interval);
            track.push_until(interval.window.start, Watts::ZERO, source);
            let power = interval.joules() / interval.window.duration();
            track.push_until(interval.window.end, power, source);
        }
        Some(track)
    }

    /// The rail as tracks, one for each stretch without a gap.
    fn own_tracks(
        &mut self,
        intervals: &[Interval],
        component: &Component,
        scope: &Scope,
    ) -> Vec<PowerTrack> {
        let mut tracks: Vec<PowerTrack> = Vec::new();
        for interval in intervals {
            let from: BootNanos = interval.window.start;
            if tracks.last().is_none_or(|track| track.end() != from) {
                tracks.push(PowerTrack::new(component.clone(), scope.clone(), from));
            }
            let source = self.source(interval);
            if let Some(track) = tracks.last_mut() {
                let power = interval.joules() / interval.window.duration();
                track.push_until(interval.window.end, power, source);
            }
        }
        tracks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_timeline::Rail;

    /// A regulator behind a metered one is a split of it: only where its feeder is not metered is it booked.
    #[test]
    fn a_rail_behind_another_is_listed_and_not_added() {
        let names = RailNames::parse(
            "test",
            "[[rail]]\nnames = [\"BUCK\"]\nlabel = \"buck\"\ncomponent = \"memory\"\n\
             [[rail]]\nnames = [\"LDO\"]\nlabel = \"ldo\"\ncomponent = \"memory\"\nbehind = \"buck\"\n",
        )
        .unwrap();
        let check = |rails: &[&str], booked: &[bool], microjoules: f64| {
            let mut timeline = Timeline::default();
            let end = BootNanos::new(1_000_000_000);
            let window = Window::new(BootNanos::new(0), end);
            for name in rails {
                let name = timeline.names.intern(name);
                timeline.rails.push(Rail {
                    name,
                    subsystem: None,
                    sampling_rate: 0,
                    time: vec![window.start, end],
                    energy: vec![10, 110],
                });
            }
            let mut errors = ErrorModel::default();
            let found = book(&timeline, &names, None, window, Vec::new(), &mut errors, true);
            let summaries: Vec<bool> = found.summaries.iter().map(|rail| rail.booked).collect();
            assert_eq!(summaries, booked);
            let total: Joules = found.tracks.iter().map(|track| track.energy(window)).sum();
            assert!((total.value() * 1e6 - microjoules).abs() < 1e-6);
        };
        check(&["S1_BUCK", "L1_LDO"], &[true, false], 100.0);
        check(&["L1_LDO"], &[true], 100.0);
    }
}
