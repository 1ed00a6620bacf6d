//! Tests that ran while it was recorded.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{ComponentId, Ledger};
use wattle_units::Nanos;

use super::figure::{named, seconds};
use super::report::by_energy;
use super::watched::Watched;
use super::{ComponentRow, Estimator, Figure, Tally};
use crate::HumanFigure;

/// One run of one test.
#[derive(Clone, Debug, Serialize)]
pub struct TestRow {
    /// `com.example.FooTest#bar`.
    pub name: String,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// `passed`, `failed`, `crashed`, `skipped`, `interrupted`, `unknown`.
    pub outcome: String,
    /// Its beginning, from the start of the window.
    #[serde(rename = "start_s", serialize_with = "seconds::of")]
    pub start: Nanos,
    /// Its length inside the window.
    #[serde(rename = "duration_s", serialize_with = "seconds::of")]
    pub duration: Nanos,
    /// How far beginning and end may be off.
    #[serde(rename = "uncertainty_s", serialize_with = "seconds::of")]
    pub uncertainty: Nanos,
    /// A part of it lies outside of the window.
    pub cut: bool,
    /// What everybody drew in its time, *unmetered* left aside.
    #[serde(flatten)]
    pub energy: Figure,
    /// The same in human units; `None` without a figure.
    pub human: Option<HumanFigure>,
    /// Mean power in its time.
    pub mean_mw: Option<f64>,
    /// What the app itself drew in its time, of all processes where no app is named.
    #[serde(flatten, serialize_with = "named::app")]
    pub app: Figure,
    /// By component, most energy first; shares are of the test.
    pub components: Vec<TestComponentRow>,
}

/// One component in the time of a test.
#[derive(Clone, Debug, Serialize)]
pub struct TestComponentRow {
    /// What everybody drew.
    #[serde(flatten)]
    pub all: ComponentRow,
    /// What the app itself drew.
    #[serde(flatten, serialize_with = "named::app")]
    pub app: Figure,
}

/// Everybody's part and the app's.
#[derive(Clone, Default)]
struct Parts {
    all: Tally,
    app: Tally,
}

/// The tests in order of the ledger, which is that of time.
pub(super) fn rows(ledger: &Ledger, estimator: &Estimator<'_>, watched: Watched) -> Vec<TestRow> {
    let mut sums: Vec<BTreeMap<ComponentId, Parts>> = vec![BTreeMap::new(); ledger.tests.len()];
    for booking in &ledger.test_bookings {
        let Some(of_test) = sums.get_mut(booking.test as usize) else { continue };
        let parts = of_test.entry(booking.component).or_default();
        parts.all.add(booking.source, booking.joules);
        if booking.own.value() != 0.0 {
            parts.app.add(booking.source, booking.own);
        }
    }
    let row = |(test, sums): (&wattle_ledger::TestEntry, BTreeMap<ComponentId, Parts>)| {
        let mut whole = Parts::default();
        for parts in sums.values() {
            whole.all.merge(&parts.all);
            whole.app.merge(&parts.app);
        }
        let energy = estimator.figure(&whole.all, None);
        let was_watched = watched.threads.filter(|_| energy.0.is_some());
        let duration = test.window.duration();
        let component = |(id, parts): (ComponentId, Parts)| {
            let entry = ledger.components.get(usize::from(id.0))?;
            let all = estimator.figure(&parts.all, None);
            let name = entry.name.to_string();
            let all = ComponentRow { name, energy: all, share: all.share_of(energy) };
            Some(TestComponentRow { all, app: estimator.figure(&parts.app, None) })
        };
        let mut components: Vec<_> = sums.into_iter().filter_map(component).collect();
        components.sort_by(|a, b| {
            by_energy(a.all.energy, b.all.energy).then_with(|| a.all.name.cmp(&b.all.name))
        });
        TestRow {
            name: test.name.clone(),
            iteration: test.iteration,
            outcome: test.outcome.clone(),
            start: test.window.start - ledger.window.start,
            duration,
            uncertainty: test.uncertainty,
            cut: test.cut,
            energy,
            human: None,
            mean_mw: energy.mean_milliwatts(duration),
            app: estimator.figure(&whole.app, was_watched),
            components,
        }
    };
    ledger.tests.iter().zip(sums).map(row).collect()
}
