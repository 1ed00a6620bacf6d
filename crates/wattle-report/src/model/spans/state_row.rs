//! An app in one state.

use wattle_ledger::{AppState, SpanEntry};
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use super::span_tallies::SpanTallies;
use crate::Figure;
use crate::model::basis::Basis;

/// An app in one state: foreground, background ….
#[derive(Clone, Debug)]
pub struct AppStateRow {
    /// The app.
    pub app: String,
    /// The state.
    pub state: AppState,
    /// Time in it.
    pub time: Nanos,
    /// Energy of the app's processes in that time, and of hardware that worked for it.
    pub energy: Figure,
    /// Its part of the total.
    pub share: Option<f64>,
    /// Mean power in that time.
    pub mean_mw: Option<f64>,
}

describe!(
    AppStateRow,
    "app_state",
    "an app in one state",
    [
        Column::text("app", "the app", |row: &AppStateRow| &row.app).label("app").elastic(),
        Column::text("state", "how important the system holds it", |row: &AppStateRow| row
            .state
            .name())
        .words(&[
            "persistent",
            "foreground",
            "visible",
            "perceptible",
            "background",
            "cached",
            "unknown"
        ])
        .label("state"),
        Column::time("time_s", "time in it", |row: &AppStateRow| row.time).label("time"),
        Column::energy(
            "",
            "energy of the app's processes in that time, and of hardware that worked for it",
            |row: &AppStateRow| row.energy.0
        )
        .label("energy")
        .strong(),
        Column::interval(|row: &AppStateRow| row.energy.0).label("90 % interval"),
        Column::share("share", "part of the total, 0 to 1", |row: &AppStateRow| row.share)
            .label("share"),
        Column::power("mean_mw", "mean power in that time", |row: &AppStateRow| row.mean_mw)
            .label("mean"),
    ]
);

impl AppStateRow {
    /// The row of a stretch and its number; `None` for sums.
    pub(super) fn new(
        basis: Basis<'_>,
        tallies: &SpanTallies,
        (at, entry): (usize, &SpanEntry),
        state: Option<AppState>,
    ) -> Option<Self> {
        let watched = basis.watched.threads.filter(|_| basis.total.0.is_some());
        let energy = basis.estimator.figure(&tallies.tally(at, |_| true), watched);
        Some(Self {
            app: entry.app.clone().unwrap_or_default(),
            state: state?,
            time: entry.duration,
            share: energy.share_of(basis.total),
            mean_mw: energy.mean_milliwatts(entry.duration),
            energy,
        })
    }
}
