//! Tests that ran while it was recorded.

use std::collections::BTreeMap;
use wattle_table::{Column, Row, describe};

use wattle_ledger::{ComponentId, Ledger};
use wattle_units::Nanos;

use super::order::by_energy;
use super::watched::Watched;
use super::{ComponentRow, Estimator, Tally};
use crate::{Figure, HumanFigure};

/// One run of one test.
#[derive(Clone, Debug)]
pub struct TestRow {
    /// `com.example.FooTest#bar`.
    pub name: String,
    /// The name with its repetition where there are several, only in views.
    pub title: String,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// `passed`, `failed`, `crashed`, `skipped`, `not executed`, `interrupted`, `unknown`.
    pub outcome: String,
    /// Its beginning, from the start of the window.
    pub start: Nanos,
    /// Its length inside the window.
    pub duration: Nanos,
    /// Uncertainty of beginning and end.
    pub uncertainty: Nanos,
    /// A part of it lies outside of the window.
    pub cut: bool,
    /// Energy of all processes in its time, *unmetered* left aside.
    pub energy: Figure,
    /// The same in human units; `None` without a figure.
    pub human: Option<HumanFigure>,
    /// Mean power in its time.
    pub mean_mw: Option<f64>,
    /// Energy of the app itself in its time, of all processes if no app is named.
    pub app: Figure,
    /// By component, most energy first; shares are of the test.
    pub components: Vec<TestComponentRow>,
}

describe!(
    TestRow,
    "test",
    "one run of one test",
    [
        Column::text("name", "com.example.FooTest#bar", |row: &TestRow| &row.name),
        Column::text("title", "test", |row: &TestRow| &row.title).hidden().label("test").elastic(),
        Column::id("iteration", "which repetition, from 0", |row: &TestRow| row.iteration),
        Column::text(
            "outcome",
            "`passed`, `failed`, `crashed`, `skipped`, `not executed`, `interrupted`, `unknown`",
            |row: &TestRow| &row.outcome
        )
        .words(&[
            "passed",
            "failed",
            "crashed",
            "skipped",
            "not executed",
            "interrupted",
            "unknown"
        ]),
        Column::made("outcome", "outcome", |row: &TestRow| {
            if row.cut { format!("{}, cut", row.outcome) } else { row.outcome.clone() }
        })
        .label("outcome"),
        Column::time("start_s", "its beginning, from the start of the window", |row: &TestRow| row
            .start)
        .label("start")
        .instant()
        .only_in_page(),
        Column::time("duration_s", "its length inside the window", |row: &TestRow| row.duration)
            .label("duration"),
        Column::time("uncertainty_s", "how far beginning and end may be off", |row: &TestRow| row
            .uncertainty),
        Column::flag("cut", "a part of it lies outside of the window", |row: &TestRow| row.cut),
        Column::energy(
            "",
            "what everybody drew in its time, *unmetered* left aside",
            |row: &TestRow| row.energy.0
        )
        .label("energy")
        .strong(),
        Column::interval(|row: &TestRow| row.energy.0).label("90 % interval"),
        Column::maybe_object::<HumanFigure>(
            "human",
            "the same in human units; null without a figure",
            |row: &TestRow| row.human.as_ref().map(|it| it as &dyn Row)
        ),
        Column::power("mean_mw", "mean power in its time", |row: &TestRow| row.mean_mw)
            .label("mean"),
        Column::energy(
            "app",
            "what the app itself drew in its time, of all processes where no app is named",
            |row: &TestRow| row.app.0
        )
        .label("app")
        .strong(),
        Column::list::<TestComponentRow>(
            "components",
            "by component, most energy first; shares are of the test",
            |row: &TestRow| &row.components
        ),
    ]
);

/// One component in the time of a test.
#[derive(Clone, Debug)]
pub struct TestComponentRow {
    /// Energy of all processes.
    pub all: ComponentRow,
    /// Energy of the app itself.
    pub app: Figure,
}

describe!(
    TestComponentRow,
    "test_component",
    "one component in the time of a test",
    [
        Column::flat::<ComponentRow>(|row: &TestComponentRow| &row.all),
        Column::energy("app", "what the app itself drew", |row: &TestComponentRow| row.app.0),
    ]
);

/// Everybody's part and the app's.
#[derive(Clone, Default)]
struct Parts {
    all: Tally,
    app: Tally,
}

/// The tests in order of the ledger, which is that of time.
pub(super) fn rows(ledger: &Ledger, estimator: &Estimator<'_>, watched: Watched) -> Vec<TestRow> {
    let mut sums: Vec<BTreeMap<ComponentId, Parts>> =
        vec![BTreeMap::new(); ledger.test_runs.tests.len()];
    for booking in &ledger.test_runs.bookings {
        let Some(of_test) = sums.get_mut(booking.test as usize) else { continue };
        let parts = of_test.entry(booking.component).or_default();
        parts.all.add(booking.source, booking.joules);
        if booking.own.value() != 0.0 {
            parts.app.add(booking.source, booking.own);
        }
    }
    let is_repeated = ledger.test_runs.tests.iter().any(|test| test.iteration > 0);
    let title = |test: &wattle_ledger::TestEntry| {
        let name = if test.name.is_empty() { "(no name)" } else { &test.name };
        if is_repeated { format!("{name} ({})", test.iteration + 1) } else { name.to_owned() }
    };
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
            let entry = ledger.rows.components.get(usize::from(id.0))?;
            let all = estimator.figure(&parts.all, None);
            let name = entry.name.to_string();
            let all =
                ComponentRow { name, energy: all, share: all.share_of(energy), mean_mw: None };
            Some(TestComponentRow { all, app: estimator.figure(&parts.app, None) })
        };
        let mut components: Vec<_> = sums.into_iter().filter_map(component).collect();
        components.sort_by(|a, b| {
            by_energy(a.all.energy, b.all.energy).then_with(|| a.all.name.cmp(&b.all.name))
        });
        TestRow {
            name: test.name.clone(),
            title: title(test),
            iteration: test.iteration,
            outcome: test.outcome.clone(),
            start: test.window.start - ledger.recording.window.start,
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
    ledger.test_runs.tests.iter().zip(sums).map(row).collect()
}
