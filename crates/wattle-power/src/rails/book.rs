//! Rails into tracks.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use wattle_timeline::{CpuId, Rail, Timeline, Window};
use wattle_units::{BootNanos, CompensatedSum, Joules, Provenance, Watts};

use super::RailNames;
use super::lag;
use super::rail_counter::{Counted, Interval};
use super::rail_names::Role;
use super::rail_survey::{RailSurvey, SurveyedRail};
use super::scale::{self, Scaled};
use super::supply_place::{self, SupplyPlace};
use super::supply_tree;
use crate::note::PowerNote;
use crate::power_coverage::WindowSet;
use crate::stated_energies::{COMMON_PART, METER_ERROR, RailsCounted};
use crate::track_columns::CounterView;
use crate::{
    Component, DeviceModel, EVEN_POWER_ERROR, ErrorGroup, ErrorGroupId, ErrorModel, ErrorSource,
    Meter, MeterId, PowerTrack, RailPeriod, RailPeriods, RailSummary, Scope, SourceId,
};

/// Power between samples of each rail that is wanted, by its name and component, and is not behind another metered one.
pub(crate) fn powers(
    timeline: &Timeline,
    wanted: impl Fn(&str, &Component) -> bool,
) -> Vec<Vec<(Window, Watts)>> {
    let names = RailNames::built_in();
    let survey = RailSurvey::new(timeline, names, timeline.window);
    let mut powers = Vec::new();
    for (rail, place) in survey.rails.iter().zip(survey.places(timeline)) {
        if wanted(rail.name, &rail.component) && !place.is_listed_only() {
            let counted = Counted::from_rail(rail.of);
            let intervals = counted.intervals.iter().filter(|interval| !interval.window.is_empty());
            powers.push(intervals.map(|i| (i.window, i.joules() / i.window.duration())).collect());
        }
    }
    powers
}

/// The rails of a recording, and what they are booked against.
pub(crate) struct Request<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) survey: &'a RailSurvey<'a>,
    /// The model of the CPU.
    pub(crate) model: Option<&'a DeviceModel>,
    pub(crate) window: Window,
    /// Whether rails scale tracks and become tracks; else they are only compared with the model.
    pub(crate) is_used: bool,
}

/// The effect of rails.
#[derive(Default)]
pub(crate) struct Booked {
    /// Tracks of what no model estimates.
    pub(crate) tracks: Vec<PowerTrack>,
    /// The modelled tracks that were scaled.
    pub(crate) scaled: Vec<ScaledTrack>,
    /// The periods of each rail that scaled tracks.
    pub(crate) periods: Vec<RailPeriods>,
    pub(crate) summaries: Vec<RailSummary>,
    /// Sum of what all rails counted, whether they are used or not; `None` where none counted inside the window.
    pub(crate) counted: Option<RailsCounted>,
    pub(crate) notes: Vec<PowerNote>,
}

/// A modelled track that a rail scaled.
pub(crate) struct ScaledTrack {
    /// The track's index.
    pub(crate) track: usize,
    /// The time in which its energy, summed with that of the rail's other tracks, is the rail's.
    pub(crate) measured: Rc<WindowSet>,
}

/// Use of a rail for the tracks.
enum Use {
    /// It scales these modelled tracks, by index.
    Scales(Vec<usize>),
    /// It is a track of its own.
    Own(Component, Scope),
    /// It is listed only.
    Listed,
}

/// Lets every rail scale the modelled tracks that it supplies, or become a track of its own. Modelled tracks cover the
/// survey's reach.
///
/// Rails are read one after the other: the intervals of one are dropped before those of the next are made.
pub(crate) fn book(
    request: &Request<'_>,
    tracks: &mut [PowerTrack],
    errors: &mut ErrorModel,
) -> Booked {
    let Request { timeline, survey, model, window, is_used } = *request;
    let rails = &survey.rails;
    let clusters = Clusters::new(rails, model);
    let reach = survey.reach();
    let mut booked = Booked::default();
    let mut is_scaled = vec![false; tracks.len()];
    let mut unnamed = 0;
    let places = survey.places(timeline);
    let mut doubtful = Doubtful::default();
    let mut common = None;
    for (index, (rail, place)) in rails.iter().zip(&places).enumerate() {
        let counted = Counted::from_rail(rail.of);
        let intervals = counted.within(window);
        let usage = if place.is_listed_only() {
            Use::Listed
        } else {
            usage_of(timeline, rail, &clusters, tracks, &is_scaled)
        };
        unnamed += u64::from(rail.entry.is_none() && !intervals.is_empty());
        let mut summary = summary(rail, &counted, &intervals);
        if let Use::Own(component, _) = &usage {
            summary.component = component.clone();
        }
        doubtful.add(rail, *place, summary.joules);
        if !place.is_listed_only() {
            add_counted(&mut booked.counted, summary.joules, &intervals);
        }
        let is_booked = is_used && !intervals.is_empty();
        match usage {
            Use::Scales(covered) => {
                let windows: Vec<Window> =
                    intervals.iter().map(|interval| interval.window).collect();
                let modelled =
                    covered.iter().flat_map(|track| tracks[*track].energies_in(&windows));
                summary.modelled = Some(errors.whole(modelled));
                if is_booked {
                    summary.booked = true;
                    let mut meter = RailMeter::new(rail.name, window, &mut common, errors);
                    let around = counted.within(reach);
                    let delay = lag::delay(tracks, &covered, &around);
                    let around = lag::earlier(&around, delay, reach);
                    if delay != wattle_units::Nanos::ZERO {
                        let rail = rail.name.to_owned();
                        booked.notes.push(PowerNote::RailLate { rail, delay });
                    }
                    let scaled = meter.scale(tracks, &covered, &around, &summary.component);
                    booked.tracks.extend(scaled.unexplained);
                    booked.periods.push(scaled.periods);
                    let measured = Rc::new(scaled.measured);
                    for track in covered {
                        is_scaled[track] = true;
                        let measured = Rc::clone(&measured);
                        booked.scaled.push(ScaledTrack { track, measured });
                    }
                }
            }
            Use::Own(component, scope) if is_booked => {
                summary.booked = true;
                let mut meter = RailMeter::new(rail.name, window, &mut common, errors);
                let behind: Vec<&SurveyedRail<'_>> = rails
                    .iter()
                    .zip(&places)
                    .filter(|(rail, place)| {
                        **place == SupplyPlace::Split(index) && is_own_part(rail, tracks)
                    })
                    .map(|(rail, _)| rail)
                    .collect();
                match meter.view(rail.of, &intervals) {
                    Some(view) if behind.is_empty() => {
                        booked.tracks.push(PowerTrack::of_counter(component, scope, view));
                    }
                    _ => {
                        let counted: Vec<Counted> =
                            behind.iter().map(|rail| Counted::from_rail(rail.of)).collect();
                        let counted: Vec<&[Interval]> =
                            counted.iter().map(|counted| counted.intervals.as_slice()).collect();
                        let parts = supply_place::divide(&intervals, &counted);
                        let owners = behind.iter().filter_map(|rail| {
                            match usage_of(timeline, rail, &clusters, tracks, &is_scaled) {
                                Use::Own(component, scope) => Some((component, scope)),
                                Use::Scales(_) | Use::Listed => None,
                            }
                        });
                        for (part, (component, scope)) in
                            parts.iter().zip(owners.chain([(component, scope)]))
                        {
                            booked.tracks.extend(meter.own_tracks(part, &component, &scope));
                        }
                    }
                }
            }
            Use::Own(..) | Use::Listed => {}
        }
        booked.summaries.push(summary);
    }
    let corrected: u64 = booked.summaries.iter().map(|summary| summary.mended).sum();
    if corrected > 0 {
        booked.notes.push(PowerNote::RailsCorrected { samples: corrected });
    }
    if unnamed > 0 {
        booked.notes.push(PowerNote::RailUnknown { rails: unnamed });
    }
    booked.notes.extend(doubtful.note());
    booked
}

/// Whether a rail behind another can have a part of that one's energy under its own component: a model of the component already
/// has it otherwise.
fn is_own_part(rail: &SurveyedRail<'_>, tracks: &[PowerTrack]) -> bool {
    let is_memory = rail.entry.and_then(|known| known.role) == Some(Role::Memory);
    is_memory || tracks.iter().all(|track| track.component != rail.component)
}

/// Rails that may be counted twice, and those that may feed them.
#[derive(Default)]
struct Doubtful {
    rails: Vec<String>,
    joules: Joules,
    feeders: Joules,
}

impl Doubtful {
    fn add(&mut self, rail: &SurveyedRail<'_>, place: SupplyPlace, joules: Joules) {
        if place == SupplyPlace::Doubtful && joules > Joules::ZERO {
            self.rails.push(rail.name.to_owned());
            self.joules += joules;
        } else if supply_tree::feeds_linear(rail.name) && !place.is_listed_only() {
            self.feeders += joules;
        }
    }

    fn note(self) -> Option<PowerNote> {
        let joules = Joules::new(self.joules.value().min(self.feeders.value()));
        let rails = self.rails;
        (joules > Joules::ZERO).then_some(PowerNote::RailsDoubtful { rails, joules })
    }
}

/// Adds what one rail counted to the sum of all.
fn add_counted(all: &mut Option<RailsCounted>, joules: Joules, intervals: &[Interval]) {
    let (Some(first), Some(last)) = (intervals.first(), intervals.last()) else { return };
    // Parts of one interval between samples are a guess at when in it the energy was spent.
    if intervals.iter().all(|interval| interval.cut) {
        return;
    }
    let window = Window::new(first.window.start, last.window.end);
    let sum = all.get_or_insert(RailsCounted { joules: Joules::ZERO, window, squares: 0.0 });
    sum.joules += joules;
    sum.squares += joules.value().powi(2);
    sum.window = Window::new(sum.window.start.min(window.start), sum.window.end.max(window.end));
}

fn summary(rail: &SurveyedRail<'_>, counted: &Counted, intervals: &[Interval]) -> RailSummary {
    // Whole microwatt-seconds are added as such: last minus first, exactly.
    let energy: u64 = intervals.iter().map(|interval| interval.energy).sum();
    let covered: wattle_units::Nanos =
        intervals.iter().map(|interval| interval.window.duration()).sum();
    RailSummary {
        name: rail.name.to_owned(),
        label: rail.entry.map(|known| known.label.clone()),
        component: rail.component.clone(),
        joules: Joules::from_microjoules(energy as f64),
        modelled: None,
        covered_s: covered.seconds(),
        samples: rail.of.time.len().min(rail.of.energy.len()) as u64,
        mended: counted.mended,
        booked: false,
    }
}

/// Which CPUs each rail's cluster number means.
struct Clusters {
    cpus: Vec<Vec<CpuId>>,
}

impl Clusters {
    /// As many policies as rails: one each. More policies than rails: the first and the last rail have one each,
    /// those between share the rest (Tensor G5 has two policies of middle cores on one rail).
    fn new(rails: &[SurveyedRail<'_>], model: Option<&DeviceModel>) -> Self {
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

fn usage_of(
    timeline: &Timeline,
    rail: &SurveyedRail<'_>,
    clusters: &Clusters,
    tracks: &[PowerTrack],
    is_scaled: &[bool],
) -> Use {
    let component = rail.component.clone();
    if rail.entry.is_none() {
        // The model may have the component of which it declares to be.
        let is_modelled = tracks.iter().any(|track| track.component == component);
        let own_name = || Component::Other(rail.name.to_owned());
        return Use::Own(if is_modelled { own_name() } else { component }, Scope::Device);
    }
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
            track.component == component && !is_scaled[*index] && supplies(track)
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
            let used = timeline.hardware.gpus.iter().find(|gpu| !gpu.work.is_empty());
            used.map_or(Scope::Device, |gpu| Scope::Gpu(gpu.id))
        }
        _ => Scope::Device,
    };
    Use::Own(component, scope)
}

fn model_energies(tracks: &[PowerTrack], covered: &[usize], intervals: &[Interval]) -> Vec<Joules> {
    let mut sums = vec![CompensatedSum::default(); intervals.len()];
    for track in covered {
        let (first, energies) = scale::energies(&tracks[*track], intervals);
        for (sum, energy) in sums.iter_mut().skip(first).zip(energies) {
            sum.add(energy.value());
        }
    }
    sums.into_iter().map(|sum| Joules::new(sum.value())).collect()
}

/// The effect of one rail on the tracks that it supplies.
struct ScaledByRail {
    /// Energy that the rail counted where the model says 0.
    unexplained: Option<PowerTrack>,
    /// The intervals in which the tracks were scaled.
    measured: WindowSet,
    /// The same intervals with both energies, of those whose sum is what was measured.
    periods: RailPeriods,
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
    /// The meter of a rail. `common`: the group of what the errors of all rails have in common, once there is one.
    fn new(
        name: &str,
        window: Window,
        common: &mut Option<ErrorGroupId>,
        errors: &'a mut ErrorModel,
    ) -> Self {
        let common = *common.get_or_insert_with(|| {
            let (name, shared) = ("power rails".to_owned(), METER_ERROR * COMMON_PART.sqrt());
            errors.add_group(ErrorGroup { name, shared, freedom: None })
        });
        let meter = errors.add_meter(Meter {
            name: name.to_owned(),
            error: METER_ERROR * (1.0 - COMMON_PART).sqrt(),
            group: Some(common),
        });
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
    ) -> ScaledByRail {
        let modelled = model_energies(tracks, covered, intervals);
        let scaled: Vec<Scaled> = intervals
            .iter()
            .zip(&modelled)
            .map(|(interval, modelled)| {
                let modelled = *modelled;
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
        let whole = intervals.iter().zip(&scaled).zip(&modelled).filter_map(|both| {
            let ((interval, scaled), modelled) = both;
            let (window, measured) = (interval.window, interval.joules());
            let period = RailPeriod { window, measured, modelled: *modelled };
            (scaled.whole && scaled.factor.is_some()).then_some(period)
        });
        let (meter, source) = (self.meter, self.source);
        let periods = RailPeriods { meter, source, periods: whole.collect() };
        let without: Vec<Interval> = intervals
            .iter()
            .zip(&scaled)
            .filter(|(interval, scaled)| scaled.factor.is_none() && interval.energy > 0)
            .map(|(interval, _)| *interval)
            .collect();
        let usable = scaled.iter().filter(|interval| interval.factor.is_some());
        let measured = usable.map(|interval| interval.window).collect();
        let Some(start) = without.first().map(|interval| interval.window.start) else {
            return ScaledByRail { unexplained: None, measured, periods };
        };
        let mut track = PowerTrack::new(component.clone(), Scope::Unexplained, start);
        for interval in without {
            let source = self.source(&interval);
            track.push_until(interval.window.start, Watts::ZERO, source);
            let power = interval.joules() / interval.window.duration();
            track.push_until(interval.window.end, power, source);
        }
        ScaledByRail { unexplained: Some(track), measured, periods }
    }

    /// The rail as one track that is a view of its counter, where its intervals are exactly those between its samples.
    fn view(&self, rail: &Rail, intervals: &[Interval]) -> Option<CounterView> {
        let first = intervals.first()?;
        let start = rail.time.partition_point(|time| *time < first.window.start);
        let samples = start..start + intervals.len() + 1;
        let (times, energies) =
            (rail.time.get(samples.clone())?, rail.energy.get(samples.clone())?);
        let between = times.array_windows().zip(energies.array_windows());
        let are_those =
            intervals.iter().zip(between).all(|(interval, ([from, to], [low, high]))| {
                self.is_whole(interval)
                    && interval.window == Window { start: *from, end: *to }
                    && high.checked_sub(*low) == Some(interval.energy)
            });
        if !are_those {
            return None;
        }
        CounterView::new(&rail.time, &rail.energy, samples, self.source)
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
                timeline.energy.rails.push(Rail {
                    name,
                    subsystem: None,
                    sampling_rate: 0,
                    time: vec![window.start, end].into(),
                    energy: vec![10, 110].into(),
                });
            }
            let mut errors = ErrorModel::default();
            let survey = RailSurvey::new(&timeline, &names, window);
            let request = Request {
                timeline: &timeline,
                survey: &survey,
                model: None,
                window,
                is_used: true,
            };
            let found = book(&request, &mut [], &mut errors);
            let summaries: Vec<bool> = found.summaries.iter().map(|rail| rail.booked).collect();
            assert_eq!(summaries, booked);
            let total: Joules = found.tracks.iter().map(|track| track.energy(window)).sum();
            assert!((total.value() * 1e6 - microjoules).abs() < 1e-6);
        };
        check(&["S1_BUCK", "L1_LDO"], &[true, false], 100.0);
        check(&["L1_LDO"], &[true], 100.0);
    }
}
