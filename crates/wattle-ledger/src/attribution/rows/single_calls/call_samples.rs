//! Energy of each call, and its quantiles.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{CallSlice, NameId, SiteId, SiteKind, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Joules};

use super::call_visitor::{Visitor, visit};
use super::thread_meter::Meter;
use super::{ThreadPower, ThreadTracks};
use crate::attribution::call_paths::CallTrees;
use crate::{CallQuantiles, CallStats};

/// The key by which calls are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    /// Those of a method of the app.
    Method(SiteId),
    /// Those of a name.
    Name(NameId),
}

/// The calls of one key.
#[derive(Debug, Default)]
struct Samples {
    name: NameId,
    joules: Vec<f64>,
    api_joules: Vec<f64>,
    /// Whether any framework call in any of them has a known cost.
    has_costs: bool,
}

/// Energies of single calls.
#[derive(Debug, Default)]
pub(crate) struct CallSamples {
    by_key: BTreeMap<Key, Samples>,
    has_energy: bool,
}

/// The recording that single calls are taken from.
pub(crate) struct CallSource<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) calls: &'a CallTrees,
    /// The power of cores for each thread; `None` where nothing is known of it.
    pub(crate) powers: Option<&'a BTreeMap<ThreadId, ThreadPower>>,
    pub(crate) window: Window,
}

impl CallSamples {
    /// Of all calls of these threads that began and ended inside the window; `cost` is the cost of a framework call by tables.
    pub(crate) fn new(
        source: &CallSource<'_>,
        tracks: &[ThreadTracks<'_>],
        cost: &dyn Fn(SiteId) -> Option<Joules>,
    ) -> Self {
        let CallSource { timeline, calls, powers, window } = *source;
        let mut found = Self { has_energy: powers.is_some(), ..Self::default() };
        let idle = ThreadPower::default();
        for of_thread in tracks {
            let slices = of_thread.slices(timeline);
            let power = powers.and_then(|powers| powers.get(&of_thread.thread)).unwrap_or(&idle);
            let mut sampler = Sampler {
                timeline,
                cost,
                window,
                meter: Meter::new(power, calls.seek(of_thread.thread, BootNanos::MIN, 0)),
                api_joules: 0.0,
                priced: 0,
                open: Vec::new(),
                open_of: FxHashMap::default(),
                found: &mut found,
            };
            visit(&slices, &mut sampler);
        }
        found
    }

    /// The quantiles. `row` is the number that a method has in the ledger; methods without one are left out.
    pub(crate) fn into_stats(
        self,
        timeline: &Timeline,
        row: impl Fn(SiteId) -> Option<u32>,
    ) -> Vec<CallStats> {
        let has_energy = self.has_energy;
        let mut stats: Vec<CallStats> = self
            .by_key
            .into_iter()
            .filter_map(|(key, samples)| {
                let site = match key {
                    Key::Method(site) => Some(row(site)?),
                    Key::Name(_) => None,
                };
                let Samples { name, joules, api_joules, has_costs } = samples;
                Some(CallStats {
                    site,
                    name: timeline.names.get(name).to_owned(),
                    calls: joules.len() as u64,
                    joules: if has_energy { quantiles(joules) } else { None },
                    api_joules: if has_costs { quantiles(api_joules) } else { None },
                })
            })
            .collect();
        stats.sort_by(|one, other| (&one.name, one.site).cmp(&(&other.name, other.site)));
        stats
    }
}

/// By nearest rank.
fn quantiles(mut values: Vec<f64>) -> Option<CallQuantiles> {
    values.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| {
        let rank = (values.len() * percent).div_ceil(100).max(1);
        values.get(rank - 1).copied().map(Joules::new)
    };
    Some(CallQuantiles { p50: at(50)?, p95: at(95)?, max: at(100)? })
}

/// A call that is open.
struct Open {
    key: Key,
    name: NameId,
    start: BootNanos,
    joules: f64,
    api_joules: f64,
    priced: u64,
    /// Whether no other of its key is around it.
    is_outermost: bool,
}

struct Sampler<'a, 'c> {
    timeline: &'a Timeline,
    cost: &'c dyn Fn(SiteId) -> Option<Joules>,
    window: Window,
    meter: Meter<'a>,
    /// Cost of the thread's framework calls so far, and the number of those with a known cost.
    api_joules: f64,
    priced: u64,
    open: Vec<Open>,
    open_of: FxHashMap<Key, u32>,
    found: &'c mut CallSamples,
}

impl Visitor for Sampler<'_, '_> {
    fn begin(&mut self, time: BootNanos, slice: &CallSlice) {
        let kind =
            slice.site.and_then(|site| self.timeline.code.sites.get(site)).map(|site| site.kind);
        let key = match (slice.site, kind) {
            (Some(site), Some(SiteKind::Method)) => Key::Method(site),
            _ => Key::Name(slice.name),
        };
        let count = self.open_of.entry(key).or_default();
        *count += 1;
        let is_outermost = *count == 1;
        self.open.push(Open {
            key,
            name: slice.name,
            start: time,
            joules: self.meter.until(time),
            api_joules: self.api_joules,
            priced: self.priced,
            is_outermost,
        });
        if let (Some(site), Some(SiteKind::Call)) = (slice.site, kind)
            && self.window.contains(time)
            && let Some(cost) = (self.cost)(site)
        {
            self.api_joules += cost.value();
            self.priced += 1;
        }
    }

    fn end(&mut self, time: BootNanos, whole: bool) {
        let Some(open) = self.open.pop() else { return };
        if let Some(count) = self.open_of.get_mut(&open.key) {
            *count -= 1;
        }
        let is_inside = self.window.contains(open.start) && time <= self.window.end;
        if !whole || !is_inside || !open.is_outermost {
            return;
        }
        let joules = self.meter.until(time) - open.joules;
        let samples = self.found.by_key.entry(open.key).or_default();
        samples.name = open.name;
        samples.joules.push(joules.max(0.0));
        samples.api_joules.push((self.api_joules - open.api_joules).max(0.0));
        samples.has_costs |= self.priced > open.priced;
    }
}
