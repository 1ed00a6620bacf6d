//! From calls with readings of the CPUs' clocks to bounds.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_power::ClockCosts;
use wattle_timeline::{
    ClockedCall, CpuId, NameId, Note, Pid, Severity, Tid, TimeInState, Timeline, Window,
};
use wattle_units::{BootNanos, Hertz, Nanos};

use super::bound_reach::Reach;
use super::clocked_cpu_time::CpuTimes;
use super::legacy;
use super::{BoundCall, BoundGroup, BoundTest, LegacyFigure, UpperBound, UpperBounds};

/// Which tree: test, process and thread.
type GroupKey = (u32, Option<Pid>, Option<Tid>);

/// A stretch of time in which calls ran, and what each clock counted at its ends.
type Stretch = (Window, BTreeMap<(CpuId, Hertz), (u64, u64)>);

/// The facts of one call.
#[derive(Clone, Copy)]
struct Cost {
    bound: UpperBound,
    legacy: LegacyFigure,
}

impl UpperBounds {
    /// Of all calls inside the window, and what is to be said of them. `None` where there are none.
    pub(crate) fn new(
        timeline: &Timeline,
        costs: &ClockCosts,
        window: Window,
        with_legacy: bool,
    ) -> Option<(Self, Vec<Note>)> {
        let calls = &timeline.code.clocked_calls;
        let first = calls.iter().find(|call| is_inside(call, window))?;
        let mut bounds = Self {
            model: costs.model.clone(),
            voltage: costs.voltage(first.window.start),
            provenance: costs.provenance(),
            tests: Vec::new(),
            groups: Vec::new(),
            calls: Vec::new(),
        };
        let mut reach = Reach::default();
        let cost = |call: &ClockedCall| {
            let formula = legacy::of_call(&call.clocks, costs, call.window.start);
            let figure = LegacyFigure {
                shown_mah: f64::from(legacy::rounded(formula)),
                formula_mah: f64::from(formula),
            };
            let bound = UpperBound::new(&call.clocks, call.window, costs, &mut reach);
            Cost { bound, legacy: figure }
        };
        let priced: Vec<Cost> = calls.iter().map(cost).collect();
        let mut inner = vec![UpperBound::default(); calls.len()];
        for (call, cost) in calls.iter().zip(&priced) {
            if let Some(inner) = call.caller.and_then(|caller| inner.get_mut(caller as usize)) {
                inner.add(cost.bound);
            }
        }
        let cpu_times = CpuTimes::new(timeline);
        let mut tests: FxHashMap<Option<NameId>, u32> = FxHashMap::default();
        let mut groups: FxHashMap<GroupKey, u32> = FxHashMap::default();
        let mut paths: FxHashMap<(u32, Option<u32>, NameId), u32> = FxHashMap::default();
        let mut path_of: Vec<Option<u32>> = vec![None; calls.len()];
        let legacy_of = |figure: LegacyFigure| with_legacy.then_some(figure);
        let mut shown: Vec<Vec<usize>> = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            let (Some(cost), Some(inner)) = (priced.get(index), inner.get(index)) else { continue };
            if !is_inside(call, window) {
                continue;
            }
            let test = *tests.entry(call.test).or_insert_with(|| {
                bounds.tests.push(BoundTest {
                    name: call.test.map(|name| timeline.names.get(name).to_owned()),
                    calls: 0,
                    stale_calls: 0,
                    bound: UpperBound::default(),
                    sum: UpperBound::default(),
                    sum_with_stale: UpperBound::default(),
                    legacy: legacy_of(LegacyFigure::default()),
                });
                shown.push(Vec::new());
                bounds.tests.len() as u32 - 1
            });
            let Some(of_test) = bounds.tests.get_mut(test as usize) else { continue };
            let is_outermost = call.caller.is_none();
            if is_outermost {
                of_test.sum_with_stale.add(cost.bound);
                if let Some(figure) = &mut of_test.legacy {
                    figure.add(cost.legacy);
                }
            }
            if call.is_stale {
                of_test.stale_calls += 1;
                continue;
            }
            of_test.calls += 1;
            let group = *groups.entry((test, call.process, call.thread)).or_insert_with(|| {
                bounds.groups.push(BoundGroup {
                    test,
                    pid: call.process.map(|pid| pid.0),
                    tid: call.thread.map(|tid| tid.0),
                    bound: UpperBound::default(),
                    legacy: legacy_of(LegacyFigure::default()),
                });
                bounds.groups.len() as u32 - 1
            });
            if is_outermost {
                of_test.sum.add(cost.bound);
                if let Some(of_test) = shown.get_mut(test as usize) {
                    of_test.push(index);
                }
                if let Some(group) = bounds.groups.get_mut(group as usize) {
                    group.bound.add(cost.bound);
                    if let Some(figure) = &mut group.legacy {
                        figure.add(cost.legacy);
                    }
                }
            }
            let caller = call.caller.and_then(|at| path_of.get(at as usize).copied().flatten());
            let path = *paths.entry((group, caller, call.name)).or_insert_with(|| {
                bounds.calls.push(BoundCall {
                    group,
                    caller,
                    name: timeline.names.get(call.name).to_owned(),
                    calls: 0,
                    open: 0,
                    wall: Nanos::ZERO,
                    bound: UpperBound::default(),
                    self_bound: UpperBound::default(),
                    cpu: None,
                    scaled: None,
                    legacy: legacy_of(LegacyFigure::default()),
                });
                bounds.calls.len() as u32 - 1
            });
            if let Some(place) = path_of.get_mut(index) {
                *place = Some(path);
            }
            let Some(row) = bounds.calls.get_mut(path as usize) else { continue };
            let is_first = row.calls == 0;
            row.calls += 1;
            row.open += u64::from(!call.has_end);
            row.wall += call.window.duration();
            row.bound.add(cost.bound);
            row.self_bound.add(cost.bound.without(*inner));
            if let Some(figure) = &mut row.legacy {
                figure.add(cost.legacy);
            }
            // Known of all calls of the path, or of none.
            let cpu = cpu_times.inside(call.thread, call.window);
            let scaled = cpu.map(|cpu| cost.bound.scaled(cpu, call.window.duration()));
            (row.cpu, row.scaled) = match (is_first, row.cpu.zip(row.scaled), cpu.zip(scaled)) {
                (true, _, Some((cpu, scaled))) => (Some(cpu), Some(scaled)),
                (false, Some(known), Some(more)) => {
                    (Some(known.0 + more.0), Some(known.1 + more.1))
                }
                _ => (None, None),
            };
        }
        for (test, outermost) in bounds.tests.iter_mut().zip(shown) {
            let calls = outermost.iter().filter_map(|index| calls.get(*index));
            test.bound = together(calls.collect(), test.sum, costs);
        }
        let notes = bounds.notes(&reach);
        Some((bounds, notes))
    }

    fn notes(&self, reach: &Reach) -> Vec<Note> {
        let text = "there is no scheduler trace, only what the CPUs' clocks counted around calls: figures of calls are upper bounds \
                    (all cores busy all the time), beside the ledger and not booked; bounds of calls that overlap must not be added";
        let mut notes = vec![Note::new(Severity::Warning, "upper-bounds-only", text)];
        notes.extend(reach.notes(&self.model.name));
        notes
    }
}

fn is_inside(call: &ClockedCall, window: Window) -> bool {
    call.is_stale || (call.window.start <= window.end && call.window.end >= window.start)
}

/// The bound of the time in which any of the calls ran. Where a counter began anew among them it is not known what it counted in between:
/// then their sum stands for it.
fn together(mut calls: Vec<&ClockedCall>, sum: UpperBound, costs: &ClockCosts) -> UpperBound {
    let was_reset = |call: &&ClockedCall| call.clocks.iter().any(|clock| clock.was_reset());
    if calls.iter().any(was_reset) {
        return sum;
    }
    calls.sort_by_key(|call| (call.window.start, call.window.end));
    let mut whole = UpperBound::default();
    let mut stretch: Option<Stretch> = None;
    let close = |stretch: Option<Stretch>| {
        let (window, clocks) = stretch?;
        let clocks: Vec<TimeInState> = clocks
            .into_iter()
            .map(|((cpu, frequency), (before, after))| TimeInState {
                cpu,
                frequency,
                before,
                after,
            })
            .collect();
        Some(UpperBound::new(&clocks, window, costs, &mut Reach::default()))
    };
    for call in calls {
        let overlaps = |end: BootNanos| call.window.start < end;
        if stretch.as_ref().is_none_or(|(window, _)| !overlaps(window.end)) {
            if let Some(bound) = close(stretch.take()) {
                whole.add(bound);
            }
            stretch = Some((call.window, BTreeMap::new()));
        }
        let Some((window, clocks)) = &mut stretch else { continue };
        window.end = window.end.max(call.window.end);
        for clock in &call.clocks {
            let ends =
                clocks.entry((clock.cpu, clock.frequency)).or_insert((clock.before, clock.after));
            *ends = (ends.0.min(clock.before), ends.1.max(clock.after));
        }
    }
    if let Some(bound) = close(stretch) {
        whole.add(bound);
    }
    // Readings of concurrent calls are not taken at one instant.
    if whole.core > sum.core { sum } else { whole }
}
