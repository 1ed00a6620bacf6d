//! The components and the time that an estimate covers, and what each part of it rests on.
//!
//! A sum of tracks is a *total* only of what is covered. [`Coverage`] names it, so that whoever adds tracks up can say
//! which components and which stretches of time the sum leaves out:
//!
//! ```text
//!  window    ├──────────────────────────────┤
//!  cpu       ░░░░████████████████████░░░░░░░░   rails (█) between their samples, the model (░) around them
//!  display          ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒   states, from the first one that is known on
//!  wifi                                         not covered: absent, which is not 0 J
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos, Provenance};

use crate::Component;

/// Disjoint stretches of time in ascending order. Stretches that touch are one; none is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowSet(Vec<Window>);

impl WindowSet {
    /// The stretches, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Window> + Clone + '_ {
        self.0.iter().copied()
    }

    /// Whether it contains no instant.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sum of the lengths of all stretches.
    pub fn duration(&self) -> Nanos {
        self.0.iter().map(|window| window.duration()).sum()
    }

    /// Whether the instant lies in one of the stretches.
    pub fn contains(&self, time: BootNanos) -> bool {
        let after = self.0.partition_point(|window| window.start <= time);
        after.checked_sub(1).is_some_and(|index| self.0[index].contains(time))
    }

    /// The part inside a window.
    #[must_use]
    pub fn within(&self, window: Window) -> Self {
        let first = self.0.partition_point(|of| of.end <= window.start);
        let end = self.0.partition_point(|of| of.start < window.end).max(first);
        self.0[first..end].iter().map(|of| of.intersect(window)).collect()
    }

    /// The instants that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = Vec::new();
        let (mut ours, mut theirs) = (self.iter().peekable(), other.iter().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            common.push(a.intersect(*b));
            if a.end < b.end {
                ours.next();
            } else {
                theirs.next();
            }
        }
        common.into_iter().collect()
    }

    /// The instants of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = Vec::new();
        let mut taken = other.iter().peekable();
        for window in self.iter() {
            let mut now = window.start;
            while let Some(cut) = taken.peek().filter(|cut| cut.start < window.end) {
                rest.push(Window::new(now, cut.start));
                now = now.max(cut.end);
                if cut.end > window.end {
                    break;
                }
                taken.next();
            }
            rest.push(Window::new(now, window.end));
        }
        rest.into_iter().collect()
    }
}

/// In any order; stretches may overlap.
impl FromIterator<Window> for WindowSet {
    fn from_iter<I: IntoIterator<Item = Window>>(windows: I) -> Self {
        let mut windows: Vec<Window> =
            windows.into_iter().filter(|window| !window.is_empty()).collect();
        if !windows.is_sorted_by_key(|window| window.start) {
            windows.sort_unstable_by_key(|window| window.start);
        }
        windows.dedup_by(|later, earlier| {
            let touches = later.start <= earlier.end;
            if touches {
                earlier.end = earlier.end.max(later.end);
            }
            touches
        });
        Self(windows)
    }
}

/// The data that the power of a component was estimated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EstimatedFrom {
    /// A device model's power by clock and state: CPU, GPU, TPU.
    Curves,
    /// Terms of a linear model, over parameters of the recording.
    LinearTerms,
    /// Totals that the system counted of a stretch of time.
    Totals,
    /// States of the device over time.
    States,
    /// Android's own estimate (*Estimated power use*), by its power profile.
    AndroidEstimate,
    /// Power rails. Their energy is measured; where a model splits it, only the split is modelled.
    Rails,
}

impl EstimatedFrom {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curves => "curves",
            Self::LinearTerms => "linear-terms",
            Self::Totals => "totals",
            Self::States => "states",
            Self::AndroidEstimate => "android-estimate",
            Self::Rails => "rails",
        }
    }

    /// The data in words, as after *known from*.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Curves => "a model's power by clock and state",
            Self::LinearTerms => "terms of a linear model",
            Self::Totals => "totals that the system counted",
            Self::States => "states over time",
            Self::AndroidEstimate => "Android's own estimate",
            Self::Rails => "power rails",
        }
    }
}

/// One part of a component's coverage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredPart {
    /// The data that the power was estimated from.
    pub from: EstimatedFrom,
    /// Whether the energy as a whole is measured, modelled or assumed.
    pub provenance: Provenance,
    /// The covered time.
    pub windows: WindowSet,
}

/// The coverage of one component.
///
/// Parts can overlap in time: one cluster's rail may be metered while the model estimates the other cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentCoverage {
    /// The component.
    pub component: Component,
    /// One part for each kind of data and provenance, never empty.
    pub parts: Vec<CoveredPart>,
}

impl ComponentCoverage {
    /// The time in which at least a part of the component's power is estimated.
    pub fn windows(&self) -> WindowSet {
        self.parts.iter().flat_map(|part| part.windows.iter()).collect()
    }

    /// The weakest provenance of its parts.
    pub fn provenance(&self) -> Provenance {
        let parts = self.parts.iter().map(|part| part.provenance);
        parts.reduce(Provenance::weakest).unwrap_or(Provenance::Assumed)
    }
}

/// The components and the time that an estimate covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The time that was asked for. No part reaches beyond it.
    pub window: Window,
    /// The covered components, ascending. A component that is missing was not estimated, which is not 0 J.
    pub components: Vec<ComponentCoverage>,
    /// Whether a linear model of the whole device's power, its constant included, was applied. It has no components left
    /// out, even those that are not listed.
    pub is_whole_device: bool,
}

impl Coverage {
    /// The coverage of one component; `None` where it was not estimated.
    pub fn get(&self, component: &Component) -> Option<&ComponentCoverage> {
        let at = self.components.binary_search_by(|known| known.component.cmp(component));
        at.ok().and_then(|index| self.components.get(index))
    }
}

/// Collects the parts of a [`Coverage`].
#[derive(Debug, Default)]
pub(crate) struct CoverageParts(BTreeMap<(Component, EstimatedFrom, Provenance), Vec<Window>>);

impl CoverageParts {
    pub(crate) fn add(
        &mut self,
        component: &Component,
        from: EstimatedFrom,
        provenance: Provenance,
        windows: impl IntoIterator<Item = Window>,
    ) {
        let key = (component.clone(), from, provenance);
        self.0.entry(key).or_default().extend(windows);
    }

    pub(crate) fn finish(self, window: Window, is_whole_device: bool) -> Coverage {
        let mut components: Vec<ComponentCoverage> = Vec::new();
        for ((component, from, provenance), windows) in self.0 {
            let inside = windows.into_iter().map(|part| part.intersect(window));
            let windows: WindowSet = inside.collect();
            if windows.is_empty() {
                continue;
            }
            let part = CoveredPart { from, provenance, windows };
            match components.last_mut().filter(|last| last.component == component) {
                Some(last) => last.parts.push(part),
                None => components.push(ComponentCoverage { component, parts: vec![part] }),
            }
        }
        Coverage { window, components, is_whole_device }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window((from, until): (i64, i64)) -> Window {
        Window::new(BootNanos::new(from), BootNanos::new(until))
    }

    fn set(windows: &[(i64, i64)]) -> WindowSet {
        windows.iter().copied().map(window).collect()
    }

    #[test]
    fn windows_that_touch_are_one() {
        assert_eq!(set(&[(5, 9), (0, 2), (2, 3), (8, 12), (4, 4)]), set(&[(0, 3), (5, 12)]));
        assert_eq!(set(&[(0, 3), (5, 12)]).duration(), Nanos::new(10));
        assert!(set(&[(7, 7)]).is_empty());
        let all = set(&[(0, 3), (5, 12)]);
        let inside = [0, 2, 3, 4, 5, 11, 12].map(|time| all.contains(BootNanos::new(time)));
        assert_eq!(inside, [true, true, false, false, true, true, false]);
    }

    #[track_caller]
    fn check(a: &[(i64, i64)], b: &[(i64, i64)], both: &[(i64, i64)], first: &[(i64, i64)]) {
        let (a, b) = (set(a), set(b));
        assert_eq!(a.intersection(&b), set(both));
        assert_eq!(b.intersection(&a), set(both));
        assert_eq!(a.difference(&b), set(first));
        for whole in b.iter() {
            assert_eq!(a.within(whole), a.intersection(&[whole].into_iter().collect()));
        }
    }

    #[test]
    fn sets_are_intersected_and_subtracted() {
        check(&[(0, 10)], &[(2, 4), (6, 20)], &[(2, 4), (6, 10)], &[(0, 2), (4, 6)]);
        check(&[(0, 3), (5, 8)], &[(2, 6)], &[(2, 3), (5, 6)], &[(0, 2), (6, 8)]);
        check(&[(0, 3), (5, 8)], &[(0, 9)], &[(0, 3), (5, 8)], &[]);
        check(&[(0, 3)], &[(3, 5)], &[], &[(0, 3)]);
        check(&[], &[(3, 5)], &[], &[]);
        check(&[(3, 5)], &[], &[], &[(3, 5)]);
    }

    #[test]
    fn parts_are_clipped_and_listed_by_component() {
        let mut parts = CoverageParts::default();
        let cpu = Component::Cpu;
        let modelled = (EstimatedFrom::Curves, Provenance::Modelled);
        parts.add(&Component::Wifi, modelled.0, modelled.1, [window((90, 100))]);
        parts.add(&cpu, EstimatedFrom::Rails, Provenance::Measured, [window((10, 60))]);
        parts.add(&cpu, modelled.0, modelled.1, [window((-5, 10)), window((60, 99))]);
        let coverage = parts.finish(window((0, 80)), false);
        assert_eq!(coverage.get(&Component::Wifi), None);
        let cpu = coverage.get(&cpu).unwrap();
        assert_eq!(cpu.windows(), set(&[(0, 80)]));
        assert_eq!(cpu.provenance(), Provenance::Modelled);
        let parts: Vec<_> = cpu.parts.iter().map(|part| (part.from, &part.windows)).collect();
        let (model, rails) = (set(&[(0, 10), (60, 80)]), set(&[(10, 60)]));
        assert_eq!(parts, [(EstimatedFrom::Curves, &model), (EstimatedFrom::Rails, &rails)]);
    }
}
