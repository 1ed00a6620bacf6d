//! CPU power where nobody recorded when CPUs were busy: by their mean activity.
//!
//! The kernel's totals of busy time, polled now and then (`/proc/stat`), give the part of the time between two polls for which a
//! CPU was busy; its power is that part of active power and the rest of idle power, at the clock that holds. With clocks alone the
//! part can be anything from none to all: a tenth is taken, which is as far, in ratio, from all of it as from a hundredth, and the
//! interval reaches from the one to the other.
//!
//! The interconnect and the L3 cache are left out: they follow from states that totals do not show.

use wattle_timeline::{CpuId, Steps, Timeline, Window};
use wattle_units::{BootNanos, Hertz, Watts};

use super::Curves;
use super::curve_error_sources::{Sources, err_together, widened};
use super::warmth::Warmth;
use crate::device_model::TableMatch;
use crate::note::PowerNote;
use crate::parameters::polled_busy;
use crate::{Component, DeviceModel, ErrorModel, PowerTrack, Scope, SourceId, StatePower, student};

/// The part of the time for which a CPU is taken to be busy where nothing says it.
const UNKNOWN_SHARE: f64 = 0.1;

/// The largest part over that, and that over the smallest: a hundredth is about what idle cores draw of active power where a
/// model knows it.
const UNKNOWN_FACTOR: f64 = 10.0;

/// The tracks of the CPU, and what they rest on.
#[derive(Clone, Debug)]
pub(crate) struct MeanActivity {
    pub(crate) tracks: Vec<PowerTrack>,
    pub(crate) note: PowerNote,
}

/// The CPU's tracks by mean activity; `None` where neither busy times nor clocks are known.
pub(crate) fn mean_activity(
    timeline: &Timeline,
    curves: Curves<'_>,
    window: Window,
    errors: &mut ErrorModel,
) -> Option<MeanActivity> {
    let cores = Core::all(timeline, curves.model);
    let is_counted = cores.first()?.busy.is_some();
    let wider;
    let model = if is_counted {
        curves.model
    } else {
        wider = widened(
            curves.model,
            UNKNOWN_FACTOR.ln() / student::NORMAL,
            "a CPU that is idle and one that is busy",
        );
        &wider
    };
    let mut own = ErrorModel::default();
    let warmth = Warmth::new(timeline, model);
    let sources = Sources::new(model, &warmth, curves.provenance, &mut own);
    if !is_counted {
        err_together("activity of CPUs", 0.0, &mut own);
    }
    *errors = own;
    let mean = Mean { timeline, model, warmth, sources, cores, window };
    let cpus = mean.cores.len() as u64;
    let note = if is_counted {
        PowerNote::CpuByBusyTime { cpus }
    } else {
        PowerNote::CpuByClockAlone { cpus }
    };
    let tracks = mean.tracks();
    (!tracks.is_empty()).then_some(MeanActivity { tracks, note })
}

/// Facts known about one core.
struct Core<'a> {
    cpu: CpuId,
    policy: usize,
    clock: Option<&'a Steps<Hertz>>,
    /// The part of the time for which it was busy; `None` where no CPU's is known.
    busy: Option<Steps<Option<f64>>>,
    online: Option<&'a Steps<bool>>,
}

impl<'a> Core<'a> {
    /// The cores of the model of which something is known: busy times, or where no core has any, clocks.
    fn all(timeline: &'a Timeline, model: &DeviceModel) -> Vec<Self> {
        let mut cores = Vec::new();
        for (index, policy) in model.policies.iter().enumerate() {
            let of = |cpu: &CpuId| timeline.cpus.get(cpu.index());
            let mut siblings = policy.cpus.iter().filter_map(of).map(|it| &it.frequency);
            let sibling = siblings.find(|clock| !clock.is_empty());
            for cpu in &policy.cpus {
                let own = of(cpu).map(|it| &it.frequency).filter(|clock| !clock.is_empty());
                let busy = polled_busy(timeline, *cpu);
                cores.push(Core {
                    cpu: *cpu,
                    policy: index,
                    clock: own.or(sibling.filter(|_| of(cpu).is_some())),
                    busy: Some(busy).filter(|busy| !busy.is_empty()),
                    online: of(cpu).map(|it| &it.online).filter(|online| !online.is_empty()),
                });
            }
        }
        let is_counted = cores.iter().any(|core| core.busy.is_some());
        cores.retain(|core| if is_counted { core.busy.is_some() } else { core.clock.is_some() });
        cores
    }

    fn changes(&self) -> impl Iterator<Item = BootNanos> + '_ {
        let clock = self.clock.map(Steps::times).unwrap_or_default();
        let busy = self.busy.as_ref().map(Steps::times).unwrap_or_default();
        let online = self.online.map(Steps::times).unwrap_or_default();
        clock.iter().chain(busy).chain(online).copied()
    }

    /// The part of the time for which it is busy at the instant; `None` where that is not known.
    fn share(&self, time: BootNanos) -> Option<f64> {
        if self.online.and_then(|online| online.at(time)) == Some(false) {
            return Some(0.0);
        }
        match &self.busy {
            Some(busy) => busy.at(time).flatten().map(|share| share.clamp(0.0, 1.0)),
            None => Some(UNKNOWN_SHARE),
        }
    }
}

/// Everything that tracks are made of.
struct Mean<'a> {
    timeline: &'a Timeline,
    model: &'a DeviceModel,
    warmth: Warmth,
    sources: Sources,
    cores: Vec<Core<'a>>,
    window: Window,
}

impl Mean<'_> {
    fn tracks(&self) -> Vec<PowerTrack> {
        let mut tracks = Vec::new();
        for core in &self.cores {
            let of = std::slice::from_ref(core);
            self.track(&Scope::Core(core.cpu), of, &mut tracks, &|time| self.core(core, time));
        }
        for (index, policy) in self.model.policies.iter().enumerate() {
            let of = |core: &&Core<'_>| core.policy == index;
            let known: Vec<&Core<'_>> = self.cores.iter().filter(of).collect();
            let has_shared = |row: &crate::device_model::Row| {
                row.cells.iter().any(|cell| cell.power.shared > Watts::ZERO)
            };
            let Some(first) = known.first().filter(|_| policy.rows.iter().any(has_shared)) else {
                continue;
            };
            let scope = Scope::Cores(known.iter().map(|core| core.cpu).collect());
            let source = self.sources.policies.get(index).map(|of| of.shared);
            let Some(source) = source else { continue };
            let power = |time| {
                let awake = any_busy(known.iter().copied(), time)?;
                let leakage = self.warmth.of(index).at(time);
                Some((self.state(first, time).0.shared * awake * leakage, source))
            };
            self.track(&scope, self.cores.as_slice(), &mut tracks, &power);
        }
        if let Some(base) = self.model.base {
            let scope = Scope::Cores(self.cores.iter().map(|core| core.cpu).collect());
            let power = |time| {
                let busy = any_busy(self.cores.iter(), time)?;
                Some((base.suspend + base.awake + base.active * busy, self.sources.base))
            };
            self.track(&scope, self.cores.as_slice(), &mut tracks, &power);
            let floor = |_| (base.floor > Watts::ZERO).then_some((base.floor, self.sources.floor));
            self.track(&Scope::Floor, self.cores.as_slice(), &mut tracks, &floor);
        }
        tracks
    }

    /// Appends the power of a scope over time: a track for each stretch in which it is known. It changes where one of the cores does.
    fn track(
        &self,
        scope: &Scope,
        cores: &[Core<'_>],
        tracks: &mut Vec<PowerTrack>,
        power: &dyn Fn(BootNanos) -> Option<(Watts, SourceId)>,
    ) {
        let suspended = &self.timeline.suspend.suspended;
        let Window { start, end } = self.window;
        let mut times: Vec<BootNanos> = cores.iter().flat_map(Core::changes).collect();
        times.extend(suspended.times());
        for policy in 0..self.model.policies.len() {
            times.extend(&self.warmth.of(policy).times);
        }
        times.retain(|time| *time > start && *time < end);
        times.push(start);
        times.sort_unstable();
        times.dedup();
        let ends = times.iter().skip(1).copied().chain([end]);
        let mut track: Option<PowerTrack> = None;
        for (time, until) in times.iter().copied().zip(ends) {
            let Some((power, source)) = power(time) else {
                tracks.extend(track.take());
                continue;
            };
            let power = if suspended.at(time) == Some(true) { Watts::ZERO } else { power };
            track
                .get_or_insert_with(|| PowerTrack::new(Component::Cpu, scope.clone(), time))
                .push_until(until, power, source);
        }
        tracks.extend(track.filter(|track| !track.is_empty()));
    }

    fn core(&self, core: &Core<'_>, time: BootNanos) -> Option<(Watts, SourceId)> {
        let share = core.share(time)?;
        let (state, source) = self.state(core, time);
        let deepest = usize::from(1 + self.model.deepest_idle()).min(2);
        let [active, ..] = state.core;
        let idle = state.core.get(deepest).copied().unwrap_or_default();
        Some((active * share + idle * (1.0 - share), source))
    }

    /// Power by state at the clock that holds, and whose error it carries.
    fn state(&self, core: &Core<'_>, time: BootNanos) -> (StatePower, SourceId) {
        let policy = &self.model.policies[core.policy];
        let sources = &self.sources.policies[core.policy];
        let clock = core.clock.and_then(|it| it.at(time).or_else(|| it.first().map(|it| it.1)));
        let on = policy.lowest_dependency();
        let Some(clock) = clock else {
            let middle = policy.rows[policy.rows.len() / 2].frequency;
            return (policy.power(middle, on), sources.guessed);
        };
        match policy.find(clock, on) {
            (state, TableMatch::Row(row)) => (state, sources.rows[row]),
            (state, TableMatch::Between) => (state, sources.between),
        }
    }
}

/// The part of the time for which any of the cores is busy, if they are so independently of each other.
fn any_busy<'c, 'a: 'c>(cores: impl Iterator<Item = &'c Core<'a>>, time: BootNanos) -> Option<f64> {
    let mut idle = 1.0;
    for core in cores {
        idle *= 1.0 - core.share(time)?;
    }
    Some(1.0 - idle)
}
