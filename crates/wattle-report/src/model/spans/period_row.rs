//! An app start or a user journey.

use wattle_table::{Column, describe};
use wattle_units::Nanos;

use crate::Figure;
use crate::model::ComponentRow;

/// An app start or a user journey.
#[derive(Clone, Debug)]
pub struct PeriodRow {
    /// The journey's name; of starts the package.
    pub name: String,
    /// `cold`, `warm`, `hot`; `jank`, `latency`; empty where it is not known.
    pub kind: String,
    /// The app; empty where it is not known.
    pub app: String,
    /// Its beginning, from the start of the window.
    pub start: Nanos,
    /// Its length inside the window.
    pub duration: Nanos,
    /// A part of it lies outside of the window, or its end was not recorded.
    pub cut: bool,
    /// Energy of the whole device in its time, *unmetered* left aside.
    pub energy: Figure,
    /// Mean power in its time.
    pub mean_mw: Option<f64>,
    /// Energy of the app's processes, and of hardware that worked for it.
    pub own: Figure,
    /// Energy of `system_server`.
    pub system_server: Figure,
    /// Energy of `surfaceflinger`.
    pub surface_flinger: Figure,
    /// Energy of all other processes.
    pub others: Figure,
    /// Energy without a process: idle floor, display, interrupts, profiling overhead, unattributed.
    pub no_process: Figure,
    /// By component, most energy first; shares are of the period.
    pub components: Vec<ComponentRow>,
}

describe!(
    PeriodRow,
    "period",
    "an app start or a user journey",
    [
        Column::text("name", "the journey's name; of starts the package", |row: &PeriodRow| {
            &row.name
        })
        .label("name")
        .elastic(),
        Column::text(
            "kind",
            "`cold`, `warm`, `hot` of starts, `jank`, `latency` of journeys; empty where it is not known",
            |row: &PeriodRow| &row.kind
        )
        .label("kind"),
        Column::text("app", "the app; empty where it is not known", |row: &PeriodRow| &row.app)
            .only_in_page()
            .page_label("app"),
        Column::time("start_s", "its beginning, from the start of the window", |row: &PeriodRow| {
            row.start
        })
        .label("start")
        .instant()
        .only_in_page(),
        Column::time("duration_s", "its length inside the window", |row: &PeriodRow| row.duration)
            .label("duration"),
        Column::flag(
            "cut",
            "a part of it lies outside of the window, or its end was not recorded",
            |row: &PeriodRow| row.cut
        ),
        Column::energy(
            "",
            "energy of the whole device in its time, *unmetered* left aside",
            |row: &PeriodRow| row.energy.0
        )
        .label("energy")
        .strong(),
        Column::interval(|row: &PeriodRow| row.energy.0).label("90 % interval").only_in_page(),
        Column::power("mean_mw", "mean power in its time", |row: &PeriodRow| row.mean_mw)
            .label("mean"),
        Column::energy(
            "app",
            "energy of the app's processes, and of hardware that worked for it",
            |row: &PeriodRow| row.own.0
        )
        .label("app")
        .page_label("of the app")
        .strong(),
        Column::energy("system_server", "energy of system_server", |row: &PeriodRow| row
            .system_server
            .0)
        .label("system")
        .page_label("system_server"),
        Column::energy("surfaceflinger", "energy of surfaceflinger", |row: &PeriodRow| row
            .surface_flinger
            .0)
        .label("SF")
        .page_label("SurfaceFlinger"),
        Column::energy("others", "energy of all other processes", |row: &PeriodRow| row.others.0)
            .label("others"),
        Column::energy(
            "no_process",
            "energy without a process: idle floor, display, interrupts, profiling overhead, unattributed",
            |row: &PeriodRow| row.no_process.0
        )
        .label("rest")
        .page_label("no process"),
        Column::list::<ComponentRow>(
            "components",
            "by component, most energy first; shares are of the period",
            |row: &PeriodRow| &row.components
        ),
    ]
);
