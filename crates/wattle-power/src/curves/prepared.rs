//! Facts known about each CPU, ready to be merged.

use std::borrow::Cow;

use wattle_timeline::{CpuId, CpuTimeline, Steps, Timeline, Window};
use wattle_units::{BootNanos, Hertz, Nanos};

use super::Curves;
use super::cpu_activity::{self, Activities, Known};
use super::dsu_guess::DsuGuess;
use super::l3::{self, Rates};
use super::warmth::Warmth;
use crate::note::PowerNote;
use crate::{DeviceModel, clock_unit};

/// While data sources are being switched on one after the other, what came first is not the whole.
const START_UP: Nanos = Nanos::new(10_000_000);

/// Facts known about one core, ready to be merged.
pub(super) struct PreparedCore<'a> {
    pub(super) cpu: CpuId,
    pub(super) policy: usize,
    pub(super) frequency: Option<&'a Steps<Hertz>>,
    pub(super) activity: Activities,
    pub(super) online: Option<&'a Steps<bool>>,
    /// From when on its power is estimated.
    pub(super) start: BootNanos,
}

pub(super) struct Prepared<'a> {
    pub(super) cores: Vec<PreparedCore<'a>>,
    pub(super) dsu: Option<Cow<'a, Steps<Hertz>>>,
    /// Stands in where nothing says that clock.
    pub(super) guess: Option<DsuGuess>,
    pub(super) hits: Rates,
    pub(super) misses: Rates,
    pub(super) suspended: &'a Steps<bool>,
    pub(super) warmth: Warmth,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(timeline: &'a Timeline, curves: Curves<'a>, window: Window) -> Self {
        let model = curves.model;
        let mut cores = Vec::new();
        for (index, policy) in model.policies.iter().enumerate() {
            let of = |cpu: &CpuId| timeline.cpus.get(cpu.index());
            // A policy has one clock: a CPU that logged none takes that of a sibling.
            let sibling =
                policy.cpus.iter().filter_map(of).map(|cpu| &cpu.frequency).find(|f| !f.is_empty());
            for (cpu, exit) in policy.cpus.iter().zip(&policy.deep_idle_exit) {
                let found = of(cpu);
                let own = found.map(|cpu: &CpuTimeline| &cpu.frequency).filter(|f| !f.is_empty());
                let frequency = own.or(sibling);
                let told = frequency.and_then(Steps::first).map(|(time, _)| time);
                let told = told.filter(|time| {
                    curves.as_wattson && *time > window.start && *time - window.start <= START_UP
                });
                cores.push(PreparedCore {
                    cpu: *cpu,
                    policy: index,
                    frequency,
                    start: told.unwrap_or(window.start),
                    activity: cpu_activity::activities(found, curves, *exit),
                    online: found.map(|cpu| &cpu.online).filter(|online| !online.is_empty()),
                });
            }
        }
        cores.sort_by_key(|core| core.cpu);
        let dsu = dsu_clock(timeline, model);
        let guess = DsuGuess::new(model).filter(|_| dsu.is_none());
        // Wattson takes the lowest.
        let stands_in = guess.filter(|_| !curves.as_wattson).map(|guess| {
            let always = [(BootNanos::MIN, guess.clock)];
            Cow::Owned(always.into_iter().collect())
        });
        Self {
            cores,
            dsu: dsu.or(stands_in),
            guess,
            hits: l3::rates(timeline, "l3d_cache"),
            misses: l3::rates(timeline, "bus_access"),
            suspended: &timeline.suspend.suspended,
            // Wattson knows no temperature.
            warmth: if curves.as_wattson {
                Warmth::unknown(model)
            } else {
                Warmth::new(timeline, model)
            },
        }
    }

    /// Returns the notes on guesses.
    pub(super) fn notes(
        &self,
        timeline: &Timeline,
        model: &DeviceModel,
        window: Window,
    ) -> Vec<PowerNote> {
        if timeline.has_virtual_cpus() {
            return vec![PowerNote::CpuIsAnyCore { cpus: timeline.cpus.len() as u64 }];
        }
        let count = |is_it: &dyn Fn(&PreparedCore<'_>) -> bool| {
            self.cores.iter().filter(|core| is_it(core)).count() as u64
        };
        let is_watched = |core: &PreparedCore<'_>| core.activity.known != Known::Not;
        let exists = |core: &PreparedCore<'_>| timeline.cpus.get(core.cpu.index()).is_some();
        let is_late = |core: &PreparedCore<'_>| {
            core.frequency.and_then(Steps::first).is_some_and(|(time, _)| time > core.start)
        };
        let modelled = |cpu: usize| model.policy_of(CpuId(cpu as u32)).is_some();
        let unmodelled = timeline
            .cpus
            .iter()
            .enumerate()
            .filter(|(index, cpu)| !modelled(*index) && !cpu.sched.is_empty())
            .count() as u64;
        let all = [
            (
                count(&|core| core.activity.known == Known::Scheduler),
                (|cpus| PowerNote::IdleInferred { cpus }) as fn(u64) -> PowerNote,
            ),
            (count(&|core| !is_watched(core) && core.online.is_none() && exists(core)), |cpus| {
                PowerNote::CpuUnwatched { cpus }
            }),
            (count(&|core| is_watched(core) && is_late(core)), |cpus| {
                PowerNote::FrequencyCarriedBack { cpus }
            }),
            (count(&|core| core.start > window.start), |cpus| PowerNote::FrequencyUntold { cpus }),
            (count(&|core| is_watched(core) && core.frequency.is_none()), |cpus| {
                PowerNote::FrequencyAssumed { cpus }
            }),
        ];
        let counted = all.into_iter().filter(|(cpus, _)| *cpus > 0);
        let mut notes: Vec<PowerNote> = counted.map(|(cpus, note)| note(cpus)).collect();
        if unmodelled > 0 {
            let model = model.name.clone();
            notes.push(PowerNote::CpuWithoutModel { model, cpus: unmodelled });
        }
        notes.extend(
            self.guess.map(|_| PowerNote::DsuClockAssumed { is_lowest: self.dsu.is_none() }),
        );
        notes
    }
}

/// The DSU's clock, in the unit of the model's tables.
fn dsu_clock<'a>(timeline: &'a Timeline, model: &DeviceModel) -> Option<Cow<'a, Steps<Hertz>>> {
    let dsu = model.dsu.as_ref()?;
    let track = timeline.hardware.devfreq.iter().find(|track| {
        let name = timeline.names.get(track.name);
        !track.frequency.is_empty() && dsu.devfreq.iter().any(|end| name.ends_with(end))
    });
    let Some(track) = track else {
        let guest = timeline.device.guest_soc.as_ref().and(dsu.guest)?;
        let always = [(BootNanos::MIN, guest)];
        return Some(Cow::Owned(always.into_iter().collect()));
    };
    let seen = track.frequency.values().iter().copied();
    let policies = model.policies.iter().filter(|policy| policy.depends_on_dsu());
    let cells = policies.flat_map(|policy| policy.rows.iter().flat_map(|row| &row.cells));
    let factor = clock_unit::factor(seen, cells.map(|cell| cell.on.frequency));
    if factor == 1.0 {
        return Some(Cow::Borrowed(&track.frequency));
    }
    let steps =
        track.frequency.iter().map(|(time, hertz)| (time, clock_unit::scaled(hertz, factor)));
    Some(Cow::Owned(steps.collect()))
}
