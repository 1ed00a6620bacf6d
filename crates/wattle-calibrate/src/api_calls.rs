//! Calls into the framework beside measured power.

use std::collections::BTreeMap;

use wattle_power::{ApiSignature, Component, MeasuredBy, measured};
use wattle_timeline::{CallSlice, CodeSite, SiteId, SiteKind, Timeline, Window};
use wattle_units::{Provenance, Watts};

use crate::{CalibrateError, ObserveRequest, observe};

/// Calls by method, with their number, in stretches of measured power.
#[derive(Clone, Debug, Default)]
pub struct ApiCalls {
    /// Called methods, by signature as tables write it.
    pub(crate) apis: BTreeMap<String, ApiColumn>,
    /// Mean power over each stretch.
    pub(crate) power: Vec<Watts>,
    /// Length of each stretch, in seconds.
    pub(crate) seconds: Vec<f64>,
    /// The recording that each is of.
    pub(crate) groups: Vec<String>,
    /// Source of the measured power, in words.
    pub(crate) what: String,
    /// The component whose power it is; `None`: the whole device's.
    pub(crate) component: Option<Component>,
    /// Assumed, where a voltage behind the power is.
    pub(crate) provenance: Option<Provenance>,
    /// Omitted items by kind, with their number.
    pub(crate) left_out: BTreeMap<&'static str, u64>,
}

/// One method of the framework over all stretches.
#[derive(Clone, Debug)]
pub(crate) struct ApiColumn {
    pub(crate) signature: ApiSignature,
    /// Calls that ran inside any stretch.
    pub(crate) calls: u64,
    /// By stretch: what calls that begin or end in it add.
    ends: BTreeMap<usize, f64>,
    /// By stretch: by how much the calls a second grow that go on through it and the next ones.
    through: BTreeMap<usize, f64>,
}

impl ApiCalls {
    /// Cuts a recording into stretches between readings of its instrument, and counts calls in each by the share of their wall time
    /// inside. All are of one group, as they are of one run.
    ///
    /// # Errors
    ///
    /// [`CalibrateError::NoMeasurement`] and [`CalibrateError::NoCalls`] where the recording has none.
    pub fn new(
        timeline: &Timeline,
        group: &str,
        request: &ObserveRequest<'_>,
    ) -> Result<Self, CalibrateError> {
        let by = MeasuredBy::from(request.target);
        let Some(power) = measured(timeline, &by, request.voltage) else {
            return Err(observe::no_measurement(timeline, group, request.target));
        };
        let mut calls = Self {
            what: power.what.clone(),
            component: power.component.clone(),
            provenance: Some(power.provenance),
            ..Self::default()
        };
        let mut stretches = Vec::new();
        for window in power.stretches(request.least) {
            match power.mean(window) {
                Some(watts) => {
                    stretches.push(window);
                    calls.power.push(watts);
                    calls.seconds.push(window.duration().seconds());
                }
                None => calls.leave_out("stretches whose power is not known", 1),
            }
        }
        calls.groups = vec![group.to_owned(); stretches.len()];
        if !calls.count(timeline, &stretches) {
            return Err(CalibrateError::NoCalls { group: group.to_owned() });
        }
        Ok(calls)
    }

    /// Adds those of another recording.
    pub fn extend(&mut self, other: Self) {
        let before = self.power.len();
        for (name, column) in other.apis {
            let shifted =
                |of: BTreeMap<usize, f64>| of.into_iter().map(|(at, by)| (at + before, by));
            if let Some(mine) = self.apis.get_mut(&name) {
                mine.calls += column.calls;
                mine.ends.extend(shifted(column.ends));
                for (at, by) in shifted(column.through) {
                    *mine.through.entry(at).or_default() += by;
                }
            } else {
                let ends = shifted(column.ends).collect();
                let through = shifted(column.through).collect();
                self.apis.insert(name, ApiColumn { ends, through, ..column });
            }
        }
        self.power.extend(other.power);
        self.seconds.extend(other.seconds);
        self.groups.extend(other.groups);
        if self.what.is_empty() {
            self.what = other.what;
            self.component = other.component;
        }
        self.provenance = match (self.provenance, other.provenance) {
            (Some(mine), Some(theirs)) => Some(mine.weakest(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        for (why, count) in other.left_out {
            self.leave_out(why, count);
        }
    }

    /// Returns the number of stretches.
    pub fn len(&self) -> usize {
        self.power.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.power.is_empty()
    }

    fn leave_out(&mut self, why: &'static str, count: u64) {
        *self.left_out.entry(why).or_default() += count;
    }

    /// Whether there are calls into the framework at all.
    fn count(&mut self, timeline: &Timeline, stretches: &[Window]) -> bool {
        // Many calls are of few places.
        let mut names: BTreeMap<SiteId, Option<String>> = BTreeMap::new();
        for index in 0..timeline.code.slices.len() {
            let Some(site) = timeline.code.slices.site_of(index) else { continue };
            let Some(place) = timeline.code.sites.get(site) else { continue };
            if place.kind != SiteKind::Call {
                continue;
            }
            let Some(slice) = timeline.code.slices.get(index) else { continue };
            let name = names.entry(site).or_insert_with(|| {
                let signature = signature(timeline, place)?;
                let name = signature.to_string();
                self.apis.entry(name.clone()).or_insert_with(|| ApiColumn::new(signature));
                Some(name)
            });
            let column = name.as_ref().and_then(|name| self.apis.get_mut(name));
            match column {
                _ if slice.is_unfinished() => self.leave_out("calls whose end was not recorded", 1),
                Some(column) => column.add(&slice, stretches),
                None => self.leave_out("calls whose parameters are not known", 1),
            }
        }
        !names.is_empty()
    }
}

fn signature(timeline: &Timeline, place: &CodeSite) -> Option<ApiSignature> {
    let text = |name| timeline.names.get(name);
    ApiSignature::of_bytecode(text(place.class), text(place.method), text(place.descriptor?))
}

impl ApiColumn {
    fn new(signature: ApiSignature) -> Self {
        Self { signature, calls: 0, ends: BTreeMap::new(), through: BTreeMap::new() }
    }

    /// One call. What runs through whole stretches is noted at its ends only: a call may be open all the time.
    fn add(&mut self, call: &CallSlice, stretches: &[Window]) {
        let first = stretches.partition_point(|stretch| stretch.end <= call.start);
        let seconds = (call.end - call.start).seconds();
        if seconds <= 0.0 {
            if stretches.get(first).is_some_and(|stretch| stretch.start <= call.start) {
                *self.ends.entry(first).or_default() += 1.0;
                self.calls += 1;
            }
            return;
        }
        let beyond = stretches.partition_point(|stretch| stretch.start < call.end);
        let Some(last) = beyond.checked_sub(1).filter(|last| *last >= first) else { return };
        self.calls += 1;
        let window = Window::new(call.start, call.end);
        let share = |at: usize| {
            let inside = stretches.get(at).map(|stretch| stretch.intersect(window).duration());
            inside.map_or(0.0, |inside| inside.seconds() / seconds)
        };
        for at in [first, last].into_iter().take(1 + usize::from(last > first)) {
            *self.ends.entry(at).or_default() += share(at);
        }
        if last > first + 1 {
            *self.through.entry(first + 1).or_default() += 1.0 / seconds;
            *self.through.entry(last).or_default() -= 1.0 / seconds;
        }
    }

    /// Calls a second in each stretch.
    pub(crate) fn rates(&self, seconds: &[f64]) -> Vec<f64> {
        let mut rates = Vec::with_capacity(seconds.len());
        let mut through = 0.0;
        for (at, seconds) in seconds.iter().enumerate() {
            through += self.through.get(&at).copied().unwrap_or_default();
            let ends = self.ends.get(&at).copied().unwrap_or_default();
            let rate = through + if *seconds > 0.0 { ends / seconds } else { 0.0 };
            // What rounding leaves of calls that came and went is none.
            rates.push(if rate > 1e-9 { rate } else { 0.0 });
        }
        rates
    }
}
