//! The apps that were asked for and their processes. Field names are the keys of the JSON form.

use wattle_table::{Column, Row, describe};
use wattle_units::Nanos;

use super::ComponentRow;
use crate::{Figure, HumanFigure};

/// The apps that were asked for.
#[derive(Clone, Debug)]
pub struct AppReport {
    /// The packages asked for.
    pub packages: Vec<String>,
    /// Those of which the recording knows nothing.
    pub missing: Vec<String>,
    /// Names in the recording that may have been meant by those.
    pub similar: Vec<String>,
    /// The uids they are.
    pub uids: Vec<u32>,
    /// Energy attributed to them.
    pub energy: Figure,
    /// The same in human units; `None` without a figure.
    pub human: Option<HumanFigure>,
    /// Their part of the whole.
    pub share: Option<f64>,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// On-CPU time of their threads.
    pub cpu: Option<Nanos>,
    /// By component; the share is of the app's energy.
    pub components: Vec<ComponentRow>,
    /// Their processes, most energy first.
    pub processes: Vec<AppProcessRow>,
    /// Whether processes or threads were asked for by name, not only apps.
    pub(crate) is_selection: bool,
    /// Whether threads were asked for, not only processes.
    pub(crate) by_threads: bool,
    /// Energy attributed to all other processes and apps.
    pub other_processes: Figure,
}

describe!(
    AppReport,
    "app",
    "the apps selected with --app",
    [
        Column::texts("packages", "the packages asked for", |row: &AppReport| &row.packages),
        Column::texts(
            "missing",
            "packages of which the recording knows nothing",
            |row: &AppReport| &row.missing
        ),
        Column::texts(
            "similar",
            "names in the recording that may have been meant by the missing ones",
            |row: &AppReport| &row.similar
        ),
        Column::ids("uids", "the uids they are", |row: &AppReport| &row.uids),
        Column::energy("", "what they pay", |row: &AppReport| row.energy.0),
        Column::maybe_object::<HumanFigure>(
            "human",
            "the same in human units; null without a figure",
            |row: &AppReport| row.human.as_ref().map(|it| it as &dyn Row)
        ),
        Column::share("share", "part of the whole, 0 to 1", |row: &AppReport| row.share),
        Column::power(
            "mean_mw",
            "mean power over the covered time, milliwatts",
            |row: &AppReport| row.mean_mw
        ),
        Column::maybe_time("cpu_s", "on-CPU time", |row: &AppReport| row.cpu),
        Column::list::<ComponentRow>(
            "components",
            "shares are of the app's energy",
            |row: &AppReport| &row.components
        ),
        Column::list::<AppProcessRow>("processes", "most energy first", |row: &AppReport| &row
            .processes),
        Column::energy("other_processes", "all other processes and apps", |row: &AppReport| row
            .other_processes
            .0),
    ]
);

/// One process of an app.
#[derive(Clone, Debug)]
pub struct AppProcessRow {
    /// The kernel's number.
    pub pid: Option<u32>,
    /// Its name.
    pub name: String,
    /// Energy attributed to its threads.
    pub energy: Figure,
}

describe!(
    AppProcessRow,
    "app_process",
    "one process of an app",
    [
        Column::maybe_id("pid", "process", |row: &AppProcessRow| row.pid),
        Column::text("name", "process", |row: &AppProcessRow| &row.name),
        Column::energy("", "what its threads pay", |row: &AppProcessRow| row.energy.0),
    ]
);
