//! Totals that the system counted over one stretch of time, by quantity and app.

use std::collections::BTreeMap;

use wattle_timeline::{
    CounterScope, NameId, Quantity, StateKind, StateTrack, Timeline, Uid, Window,
};
use wattle_units::BootNanos;

use crate::work;

/// Numbers by whose they are and under which tag.
type ByOwner = BTreeMap<(Option<Uid>, Option<NameId>), f64>;

/// All numbers of one window.
pub(super) struct Totals<'a> {
    pub(super) window: Window,
    timeline: &'a Timeline,
    values: BTreeMap<Quantity, ByOwner>,
}

/// The windows of a recording's numbers.
pub(super) struct Stretches<'a> {
    /// Those that are used; they do not overlap.
    pub(super) totals: Vec<Totals<'a>>,
    /// Number of windows that were left out, because a longer one holds their time.
    pub(super) overlapping: u64,
    /// Numbers below zero or not finite.
    pub(super) unusable: u64,
}

impl<'a> Stretches<'a> {
    /// Longest first: of numbers of the same time only one is used.
    pub(super) fn from_timeline(timeline: &'a Timeline) -> Self {
        let mut by_window: BTreeMap<_, Totals<'a>> = BTreeMap::new();
        let mut unusable = 0;
        for usage in &timeline.system.usage {
            if !(usage.value.is_finite() && usage.value >= 0.0) || usage.window.is_empty() {
                unusable += 1;
                continue;
            }
            let key = (usage.window.start, usage.window.end);
            let totals = by_window.entry(key).or_insert_with(|| Totals {
                window: usage.window,
                timeline,
                values: BTreeMap::new(),
            });
            let of_quantity = totals.values.entry(usage.quantity).or_default();
            *of_quantity.entry((usage.uid, usage.tag)).or_default() += usage.value;
        }
        let mut all: Vec<_> = by_window.into_values().collect();
        all.sort_by_key(|totals| std::cmp::Reverse(totals.window.duration()));
        // Those that are used do not overlap, so that only the last one that begins earlier can overlap another.
        let mut used: BTreeMap<BootNanos, Totals<'a>> = BTreeMap::new();
        let mut overlapping = 0;
        for totals in all {
            work::count();
            let Window { start, end } = totals.window;
            let before = used.range(..end).next_back();
            if before.is_some_and(|(_, before)| before.window.end > start) {
                overlapping += 1;
            } else {
                used.insert(start, totals);
            }
        }
        Self { totals: used.into_values().collect(), overlapping, unusable }
    }
}

impl Totals<'_> {
    /// The device's own number.
    pub(super) fn device(&self, quantity: Quantity) -> Option<f64> {
        self.values.get(&quantity)?.get(&(None, None)).copied()
    }

    /// Seconds of the stretch in which a state of the device held by its history: for what some forms of a dump count only there.
    /// `None` if the history does not tell of it.
    pub(super) fn seconds_in(&self, kind: StateKind) -> Option<f64> {
        let is_of_device = |track: &&StateTrack| {
            track.kind == kind && track.scope == CounterScope::Global && !track.level.is_empty()
        };
        let mut tracks = self.timeline.system.states.iter().filter(is_of_device).peekable();
        tracks.peek()?;
        let held = tracks
            .flat_map(|track| track.level.segments(self.window))
            .filter(|segment| segment.value > 0)
            .map(|segment| segment.window.duration().seconds());
        Some(held.sum())
    }

    /// The device's own number under a tag (of one display, of one technology).
    pub(super) fn device_tagged(&self, quantity: Quantity, tag: &str) -> Option<f64> {
        let of_quantity = self.values.get(&quantity)?;
        let mut tagged = of_quantity.iter().filter_map(|((uid, name), value)| {
            let is_it = uid.is_none() && name.is_some_and(|n| self.timeline.names.get(n) == tag);
            is_it.then_some(*value)
        });
        tagged.next()
    }

    /// The device's numbers with their tags.
    pub(super) fn device_tags(&self, quantity: Quantity) -> impl Iterator<Item = (&str, f64)> {
        self.values.get(&quantity).into_iter().flatten().filter_map(|((uid, tag), value)| {
            let tag = tag.map(|tag| self.timeline.names.get(tag)).unwrap_or_default();
            uid.is_none().then_some((tag, *value))
        })
    }

    /// The tags under which apps have numbers.
    pub(super) fn app_tags(&self, quantity: Quantity) -> impl Iterator<Item = &str> {
        self.values
            .get(&quantity)
            .into_iter()
            .flatten()
            .filter_map(|((uid, tag), _)| uid.and(*tag).map(|tag| self.timeline.names.get(tag)))
    }

    /// Makes the numbers of these quantities smaller, all by the same factor, where those of all apps add up to more than `most`.
    /// Gives how many times too many there were.
    pub(super) fn limit(&mut self, quantities: &[Quantity], most: f64) -> Option<f64> {
        let sum: f64 = quantities.iter().flat_map(|of| self.apps(*of).into_values()).sum();
        let times = Some(sum / most).filter(|times| most > 0.0 && *times > 1.0)?;
        for quantity in quantities {
            for value in self.values.get_mut(quantity).into_iter().flat_map(BTreeMap::values_mut) {
                *value /= times;
            }
        }
        Some(times)
    }

    /// Every app's number. Without one under no tag, an app's is the sum of its tags.
    pub(super) fn apps(&self, quantity: Quantity) -> BTreeMap<Uid, f64> {
        let mut whole = BTreeMap::new();
        let mut tagged: BTreeMap<Uid, f64> = BTreeMap::new();
        for ((uid, tag), value) in self.values.get(&quantity).into_iter().flatten() {
            match (uid, tag) {
                (Some(uid), None) => {
                    whole.insert(*uid, *value);
                }
                (Some(uid), Some(_)) => *tagged.entry(*uid).or_default() += value,
                (None, _) => {}
            }
        }
        for (uid, value) in tagged {
            whole.entry(uid).or_insert(value);
        }
        whole
    }

    /// Every app's number under one tag.
    pub(super) fn apps_tagged(&self, quantity: Quantity, tag: &str) -> BTreeMap<Uid, f64> {
        let of_quantity = self.values.get(&quantity).into_iter().flatten();
        let named =
            |name: &Option<NameId>| name.is_some_and(|name| self.timeline.names.get(name) == tag);
        of_quantity
            .filter_map(|((uid, name), value)| uid.filter(|_| named(name)).map(|uid| (uid, *value)))
            .collect()
    }

    /// The quantities that were counted, by anybody.
    pub(super) fn quantities(&self) -> impl Iterator<Item = Quantity> {
        self.values.keys().copied()
    }

    /// Whether any of them was counted, by anybody.
    pub(super) fn has(&self, quantities: &[Quantity]) -> bool {
        quantities.iter().any(|quantity| self.values.contains_key(quantity))
    }
}
