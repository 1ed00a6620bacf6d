//! The sweep: changes in, tracks out.

use rustc_hash::FxHashMap;
use wattle_timeline::{CpuId, Steps, Timeline, Window};
use wattle_units::{BootNanos, Hertz, Nanos, Provenance, Watts};

use super::change_merge::Merge;
use super::cpu_activity::{self, Activity, EXECUTING, Known};
use super::curve_error_sources::{Sources, err_together};
use super::live::{Live, Output};
use super::prepared::Prepared;
use super::scope_energy::ScopeEnergy;
use crate::device_model::TableMatch;
use crate::note::PowerNote;
use crate::voltage::Voltage;
use crate::{
    Component, DependsOn, DeviceModel, ErrorModel, PolicyId, PowerTrack, Scope, SourceTotals,
    StatePower, VoteBy,
};

/// A device model to use, and how sure it is the right one.
#[derive(Clone, Copy)]
pub(crate) struct Curves<'a> {
    pub(crate) model: &'a DeviceModel,
    pub(crate) provenance: Provenance,
    /// Whether to count what Wattson counts, see the module's text.
    pub(crate) as_wattson: bool,
}

/// Tracks and notes of a CPU model for a timeline.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuTracks {
    pub(crate) tracks: Vec<PowerTrack>,
    pub(crate) notes: Vec<PowerNote>,
}

/// The CPU's tracks by the model; none, with the reason in the notes, when it is not known what the CPUs
/// did.
pub(crate) fn estimate(
    timeline: &Timeline,
    curves: Curves<'_>,
    window: Window,
    errors: &mut ErrorModel,
) -> CpuTracks {
    let track = |scope, start| PowerTrack::new(Component::Cpu, scope, start);
    match sweep(timeline, curves, window, errors, track) {
        Some((tracks, notes)) => CpuTracks { tracks, notes },
        None => CpuTracks { tracks: Vec::new(), notes: vec![PowerNote::CpuActivityUnknown] },
    }
}

/// The CPU's energy by the model, as [`estimate`]'s tracks have it, with powers at one volt turned into powers
/// by the voltage; `None` where there would be no track.
pub(crate) fn energies(
    timeline: &Timeline,
    curves: Curves<'_>,
    window: Window,
    voltage: Option<&Voltage>,
    errors: &mut ErrorModel,
) -> Option<SourceTotals> {
    let spent = |scope, start| ScopeEnergy::new(&scope, start, voltage);
    let (spent, _) = sweep(timeline, curves, window, errors, spent)?;
    let energies = spent.iter().flat_map(ScopeEnergy::energies).collect();
    (!spent.is_empty()).then_some(energies)
}

/// The outputs of all scopes and what was guessed; `None` where it is not known when CPUs were busy.
fn sweep<O: Output>(
    timeline: &Timeline,
    curves: Curves<'_>,
    window: Window,
    errors: &mut ErrorModel,
    output: impl Fn(Scope, BootNanos) -> O,
) -> Option<(Vec<O>, Vec<PowerNote>)> {
    let model = curves.model;
    let prepared = Prepared::new(timeline, curves, window);
    if prepared.cores.iter().all(|core| core.activity.known == Known::Not) {
        return None;
    }
    let mut notes = prepared.notes(timeline, model, window);
    let sources = Sources::new(model, &prepared.warmth, curves.provenance, errors);
    if let Some(guess) = prepared.guess {
        let reach = if curves.as_wattson { 2.0 } else { 1.0 };
        err_together("clock of the shared unit", guess.deviation * reach, errors);
    }
    let mut sweep = Sweep::new(model, &prepared, &sources, window, output);
    sweep.run(&prepared, window);
    let states = sweep.interpolated();
    if states > 0 {
        notes.push(PowerNote::FrequencyInterpolated { states });
    }
    Some((sweep.finish(window.end), notes))
}

/// The state of one core.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts")]
struct Core<O> {
    policy: usize,
    frequency: Hertz,
    /// Whether the clock is known, not guessed.
    known: bool,
    /// Whether it is known when it executed: a clock alone, which may be a sibling's, does not tell.
    watched: bool,
    /// Whether it is counted yet: not while the recorder starts.
    counted: bool,
    activity: Activity,
    online: bool,
    /// Index into [`Sweep::found`].
    cell: u32,
    /// Whether its clock changed since it was looked up.
    reclocked: bool,
    /// Whether another policy's power can depend on it.
    votes: bool,
    live: Live<O>,
}

impl<O> Core<O> {
    fn executes(&self) -> bool {
        self.online && self.activity == EXECUTING
    }

    /// Whether its cluster cannot sleep.
    fn is_awake(&self, deepest: Activity) -> bool {
        self.online && self.activity != deepest
    }
}

/// The state of one policy.
struct Cluster<O> {
    /// Its cores, as indices.
    cores: Vec<usize>,
    /// Cores whose clock it may depend on, as indices, in order.
    voters: Vec<usize>,
    vote: DependsOn,
    /// Number of its cores that are awake.
    awake: usize,
    /// Its leakage, relative to that of its curve.
    leakage: f64,
    live: Live<O>,
}

/// The vote where every active voter's clock is untold while the recorder starts: no power, as in Wattson.
const UNTOLD: DependsOn = DependsOn { policy: PolicyId(u32::MAX), frequency: Hertz::ZERO };

/// Key of a lookup: policy, clock, clock depended on.
type Key = (u32, Hertz, DependsOn);

struct Sweep<'a, O> {
    model: &'a DeviceModel,
    sources: &'a Sources,
    cores: Vec<Core<O>>,
    clusters: Vec<Cluster<O>>,
    /// Number of cores that execute.
    executing: usize,
    /// Distinct lookups.
    found: Vec<(StatePower, TableMatch)>,
    index: FxHashMap<Key, u32>,
    dsu: Option<Hertz>,
    suspended: bool,
    rates: [f64; 2],
    interconnect: Live<O>,
    l3: Live<O>,
    base: Live<O>,
    floor: Live<O>,
    suspend: Live<O>,
    deepest: Activity,
    touched: Vec<usize>,
}

/// Input that a stream of changes applies to.
#[derive(Clone, Copy)]
enum Change {
    Frequency(usize),
    Activity(usize),
    Online(usize),
    Dsu,
    Hits,
    Misses,
    Suspended,
    /// The temperature of a policy's cores.
    Leakage(usize),
}

impl<'a, O: Output> Sweep<'a, O> {
    fn new(
        model: &'a DeviceModel,
        prepared: &Prepared<'_>,
        sources: &'a Sources,
        window: Window,
        output: impl Fn(Scope, BootNanos) -> O,
    ) -> Self {
        let live = |scope, start, source| Live::new(output(scope, start), source);
        let start = window.start;
        let deepest = cpu_activity::deepest(model);
        let cores: Vec<Core<O>> = prepared
            .cores
            .iter()
            .map(|core| {
                let frequency = core.frequency.and_then(|f| f.at(start));
                let first = || core.frequency.and_then(Steps::first).map(|(_, value)| value);
                let policy = &model.policies[core.policy];
                let middle = || policy.rows[policy.rows.len() / 2].frequency;
                let at = core.activity.times.partition_point(|time| *time <= start);
                let activity = at.checked_sub(1).map_or(deepest, |i| core.activity.values[i]);
                Core {
                    policy: core.policy,
                    frequency: frequency.or_else(first).unwrap_or_else(middle),
                    known: frequency.is_some(),
                    watched: core.activity.known != Known::Not || core.online.is_some(),
                    counted: core.start == start,
                    activity,
                    online: core.online.and_then(|online| online.at(start)).unwrap_or(true),
                    cell: 0,
                    reclocked: true,
                    votes: false,
                    live: live(
                        Scope::Core(core.cpu),
                        core.start,
                        sources.policies[core.policy].idle,
                    ),
                }
            })
            .collect();
        let named: std::collections::BTreeSet<PolicyId> = model
            .policies
            .iter()
            .flat_map(|policy| policy.rows.iter().flat_map(|row| &row.cells))
            .map(|cell| cell.on.policy)
            .filter(|policy| *policy != DependsOn::DSU)
            .collect();
        let started = |policy: usize| {
            let first = prepared.cores.iter().find(|core| core.policy == policy);
            first.map_or(start, |core| core.start)
        };
        let clusters = model.policies.iter().enumerate().map(|(index, policy)| {
            let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..cores.len()).filter(|core| wanted(cores[*core].policy)).collect()
            };
            let votes = policy.depends() && !policy.depends_on_dsu();
            Cluster {
                cores: of(&|other| other == index),
                voters: of(&|other| {
                    votes && other != index && named.contains(&model.policies[other].id)
                }),
                vote: policy.default_vote,
                awake: cores
                    .iter()
                    .filter(|core| core.policy == index && core.is_awake(deepest))
                    .count(),
                leakage: prepared.warmth.of(index).at(start),
                live: live(
                    Scope::Cores(policy.cpus.clone().into()),
                    started(index),
                    sources.policies[index].shared,
                ),
            }
        });
        let clusters: Vec<Cluster<O>> = clusters.collect();
        let (mut cores, mut clusters) = (cores, clusters);
        for (core, prepared) in cores.iter_mut().zip(&prepared.cores) {
            let changes = prepared.activity.times.len() + prepared.frequency.map_or(0, Steps::len);
            core.live.reserve(changes);
            clusters[core.policy].live.reserve(changes);
        }
        for voter in clusters.iter().flat_map(|cluster| &cluster.voters) {
            cores[*voter].votes = true;
        }
        let mut all: Vec<CpuId> = prepared.cores.iter().map(|core| core.cpu).collect();
        all.sort();
        let all = || Scope::Cores(all.clone().into());
        Self {
            model,
            sources,
            executing: cores.iter().filter(|core| core.executes()).count(),
            cores,
            clusters,
            found: Vec::new(),
            index: FxHashMap::default(),
            dsu: prepared
                .dsu
                .as_ref()
                .and_then(|dsu| dsu.at(start).or_else(|| dsu.first().map(|(_, value)| value))),
            suspended: prepared.suspended.at(start).unwrap_or(false),
            rates: [&prepared.hits, &prepared.misses].map(|rates| {
                let at = rates.times.partition_point(|time| *time <= start);
                at.checked_sub(1).map_or(0.0, |i| rates.values[i])
            }),
            interconnect: live(all(), started(0), sources.interconnect),
            l3: live(all(), started(0), sources.l3),
            base: live(all(), start, sources.base),
            floor: live(Scope::Floor, start, sources.floor),
            suspend: live(Scope::Suspended, start, sources.base),
            deepest,
            touched: Vec::new(),
        }
    }

    fn run<'p>(&mut self, prepared: &'p Prepared<'_>, window: Window) {
        let mut changes = Vec::new();
        let mut streams: Vec<&'p [BootNanos]> = Vec::new();
        let mut add = |change: Change, times: &'p [BootNanos]| {
            if !times.is_empty() {
                changes.push(change);
                streams.push(times);
            }
        };
        for (index, core) in prepared.cores.iter().enumerate() {
            if let Some(frequency) = core.frequency {
                add(Change::Frequency(index), frequency.times());
            }
            add(Change::Activity(index), &core.activity.times);
            if let Some(online) = core.online {
                add(Change::Online(index), online.times());
            }
        }
        if let Some(dsu) = &prepared.dsu {
            add(Change::Dsu, dsu.times());
        }
        add(Change::Hits, &prepared.hits.times);
        add(Change::Misses, &prepared.misses.times);
        add(Change::Suspended, prepared.suspended.times());
        for policy in 0..self.clusters.len() {
            add(Change::Leakage(policy), &prepared.warmth.of(policy).times);
        }

        let mut now = window.start;
        let mut everything = true;
        for (time, stream, index) in Merge::after(window.start, streams) {
            if time >= window.end {
                break;
            }
            if time > now {
                self.settle(now, everything);
                self.book_l3(now, time);
                everything = false;
                now = time;
            }
            match changes[stream] {
                Change::Frequency(core) => {
                    let values = prepared.cores[core].frequency.map_or(&[][..], Steps::values);
                    self.cores[core].frequency = values[index];
                    self.cores[core].known = true;
                    self.cores[core].counted = true;
                    self.cores[core].reclocked = true;
                    self.touched.push(core);
                }
                Change::Activity(core) => {
                    let activity = prepared.cores[core].activity.values[index];
                    self.restate(core, |core| core.activity = activity);
                    self.touched.push(core);
                }
                Change::Online(core) => {
                    let values = prepared.cores[core].online.map_or(&[][..], Steps::values);
                    self.restate(core, |core| core.online = values[index]);
                    self.touched.push(core);
                }
                Change::Dsu => {
                    self.dsu = prepared.dsu.as_ref().map(|dsu| dsu.values()[index]);
                    everything = true;
                }
                Change::Hits => self.rates[0] = prepared.hits.values[index],
                Change::Misses => self.rates[1] = prepared.misses.values[index],
                Change::Leakage(policy) => {
                    let leakage = prepared.warmth.of(policy).factors[index];
                    let cluster = &mut self.clusters[policy];
                    if cluster.leakage != leakage {
                        cluster.leakage = leakage;
                        self.touched.extend(&cluster.cores);
                    }
                }
                Change::Suspended => {
                    self.suspended = prepared.suspended.values()[index];
                    everything = true;
                }
            }
        }
        self.settle(now, everything);
        self.book_l3(now, window.end);
    }

    /// Changes what a core does.
    fn restate(&mut self, core: usize, change: impl FnOnce(&mut Core<O>)) {
        let core = &mut self.cores[core];
        let awake = &mut self.clusters[core.policy].awake;
        *awake -= usize::from(core.is_awake(self.deepest));
        self.executing -= usize::from(core.executes());
        change(core);
        *awake += usize::from(core.is_awake(self.deepest));
        self.executing += usize::from(core.executes());
    }

    /// Brings powers up to date with the changes at the instant.
    fn settle(&mut self, now: BootNanos, everything: bool) {
        if !everything && self.touched.is_empty() {
            return;
        }
        let mut touched = std::mem::take(&mut self.touched);
        if everything {
            touched.clear();
            touched.extend(0..self.cores.len());
        }
        // Clocks first: votes are by the power that a core draws at its new clock.
        let mut votes = everything;
        for core in &touched {
            if self.cores[*core].reclocked {
                self.look_up(*core);
            }
            votes |= self.cores[*core].votes;
        }
        if votes {
            for policy in 0..self.clusters.len() {
                let vote = self.vote(policy);
                if self.clusters[policy].vote != vote || everything {
                    self.clusters[policy].vote = vote;
                    for i in 0..self.clusters[policy].cores.len() {
                        let core = self.clusters[policy].cores[i];
                        self.look_up(core);
                        touched.push(core);
                    }
                }
            }
        }
        for core in touched.iter().copied() {
            self.core_power(core, now);
            self.cluster_power(self.cores[core].policy, now);
        }
        touched.clear();
        self.touched = touched;
        self.base_power(now);
    }

    fn base_power(&mut self, now: BootNanos) {
        let Some(base) = self.model.base else { return };
        let active = if self.executing > 0 { base.active } else { Watts::ZERO };
        let awake = base.suspend + base.awake + active;
        let (awake, asleep) =
            if self.suspended { (Watts::ZERO, base.suspend) } else { (awake, Watts::ZERO) };
        let floor = if self.suspended { Watts::ZERO } else { base.floor };
        self.floor.set(now, floor, self.sources.floor);
        self.base.set(now, awake, self.sources.base);
        self.suspend.set(now, asleep, self.sources.base);
    }

    /// The clock on which the policy's power depends now.
    fn vote(&self, policy: usize) -> DependsOn {
        let cluster = &self.clusters[policy];
        let default = self.model.policies[policy].default_vote;
        if default.policy == DependsOn::DSU {
            return DependsOn {
                policy: default.policy,
                frequency: self.dsu.unwrap_or(default.frequency),
            };
        }
        let by = self.model.policies[policy].vote_by;
        let mut best: Option<(f64, usize)> = None;
        let mut untold = false;
        for voter in &cluster.voters {
            let core = &self.cores[*voter];
            if !core.executes() {
                continue;
            }
            if !core.counted {
                untold = true;
                continue;
            }
            let score = match by {
                VoteBy::Frequency => core.frequency.value() as f64,
                VoteBy::Power => self.state(core).core[usize::from(EXECUTING)].value(),
            };
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, *voter));
            }
        }
        let without = if untold { UNTOLD } else { default };
        best.map_or(without, |(_, voter)| DependsOn {
            policy: self.model.policies[self.cores[voter].policy].id,
            frequency: self.cores[voter].frequency,
        })
    }

    fn state(&self, core: &Core<O>) -> &StatePower {
        &self.found[core.cell as usize].0
    }

    fn look_up(&mut self, core: usize) {
        let (policy, frequency) = (self.cores[core].policy, self.cores[core].frequency);
        let on = self.clusters[policy].vote;
        let model = &self.model.policies[policy];
        let found = &mut self.found;
        let cell = *self.index.entry((policy as u32, frequency, on)).or_insert_with(|| {
            found.push(match on {
                UNTOLD => (StatePower::default(), TableMatch::Row(0)),
                _ => model.find(frequency, on),
            });
            (found.len() - 1) as u32
        });
        self.cores[core].cell = cell;
        self.cores[core].reclocked = false;
    }

    fn core_power(&mut self, core: usize, now: BootNanos) {
        let Core { policy, activity, cell, known, online, .. } = self.cores[core];
        let sources = &self.sources.policies[policy];
        let (state, found) = &self.found[cell as usize];
        let power = if self.suspended || !online {
            Watts::ZERO
        } else {
            let leakage = self.clusters[policy].leakage;
            match activity {
                // An executing core leaks at least what an idle one draws.
                EXECUTING => state.core[0] + state.core[1] * (leakage - 1.0),
                _ => state.core[usize::from(activity).min(2)] * leakage,
            }
        };
        let source = match *found {
            _ if activity != EXECUTING => sources.idle,
            _ if !known => sources.guessed,
            TableMatch::Row(row) => sources.rows[row],
            TableMatch::Between => sources.between,
        };
        self.cores[core].live.set(now, power, source);
    }

    fn cluster_power(&mut self, policy: usize, now: BootNanos) {
        let cluster = &self.clusters[policy];
        let on = !self.suspended && cluster.awake > 0;
        let Some(first) = cluster.cores.first() else { return };
        let state = self.state(&self.cores[*first]);
        let (shared, interconnect) = (state.shared, state.interconnect);
        let shared = if on { shared * cluster.leakage } else { Watts::ZERO };
        self.clusters[policy].live.set(now, shared, self.sources.policies[policy].shared);
        if policy == 0 {
            let fabric = if self.suspended { Watts::ZERO } else { interconnect };
            self.interconnect.set(now, fabric, self.sources.interconnect);
        }
    }

    /// L3 energy of one stretch of constant state.
    fn book_l3(&mut self, start: BootNanos, end: BootNanos) {
        let duration: Nanos = end - start;
        if self.rates == [0.0; 2] || self.suspended {
            self.l3.set(start, Watts::ZERO, self.sources.l3);
            return;
        }
        let nanos = duration.value() as f64;
        let first = self.clusters.first().and_then(|cluster| cluster.cores.first());
        let state = first.map(|core| *self.state(&self.cores[*core])).unwrap_or_default();
        let milliwatts = self.rates.iter().zip(state.l3).map(|(rate, energy)| {
            // Whole accesses, as Wattson counts them.
            (rate * nanos).trunc() * energy.value()
        });
        let power = Watts::from_milliwatts(milliwatts.sum::<f64>() * 1000.0 / nanos);
        self.l3.set(start, power, self.sources.l3);
    }

    /// Returns the number of states that are not in the table.
    fn interpolated(&self) -> u64 {
        self.found.iter().filter(|(_, found)| *found == TableMatch::Between).count() as u64
    }

    fn finish(self, end: BootNanos) -> Vec<O> {
        // Of a CPU that nothing watched it is not even known that it drew nothing.
        let cores = self.cores.into_iter().filter(|core| core.watched).map(|core| core.live);
        let clusters = self.clusters.into_iter().map(|cluster| cluster.live);
        cores
            .chain(clusters)
            .chain([self.l3, self.interconnect, self.base, self.floor, self.suspend])
            .map(|live| live.finish(end))
            .filter(Output::counts)
            .collect()
    }
}
