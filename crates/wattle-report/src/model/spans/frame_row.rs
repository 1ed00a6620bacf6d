//! Frames: one, and all of an app with one kind of jank.

use wattle_ledger::FrameJank;
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use crate::Figure;

/// Words of [`FrameJank`], the last for frames without a frame timeline.
const JANKS: [&str; 8] =
    ["unspecified", "on-time", "unseen", "stuffing", "system", "app", "dropped", "not-recorded"];

fn word(jank: Option<FrameJank>) -> &'static str {
    jank.map_or("not-recorded", FrameJank::name)
}

/// The frames of an app with one kind of jank.
#[derive(Clone, Debug)]
pub struct FrameGroupRow {
    /// The app's process.
    pub app: String,
    /// Why they came late; `None` where no frame timeline was recorded.
    pub jank: Option<FrameJank>,
    /// Number of frames.
    pub frames: u64,
    /// Those of which slices with their number say which energy is theirs.
    pub known: u64,
    /// Energy of those.
    pub energy: Figure,
    /// Its part of the total.
    pub share: Option<f64>,
    /// Energy per frame, of those.
    pub mean: Figure,
    /// Median of single frames, joules; `None` where frames are not told apart.
    pub p50: Option<f64>,
    /// Their 95th percentile by nearest rank, joules.
    pub p95: Option<f64>,
}

describe!(
    FrameGroupRow,
    "frame_group",
    "the frames of an app with one kind of jank",
    [
        Column::text(
            "app",
            "the app's process; empty where it is not known",
            |row: &FrameGroupRow| { &row.app }
        )
        .label("app")
        .elastic(),
        Column::text(
            "jank",
            "why they came late; `not-recorded` without Android's frame timeline",
            |row: &FrameGroupRow| word(row.jank)
        )
        .words(&JANKS)
        .label("jank")
        .with_spaces(),
        Column::count("frames", "number of frames", |row: &FrameGroupRow| row.frames)
            .label("frames"),
        Column::count(
            "known",
            "those of which slices with their number say which energy is theirs",
            |row: &FrameGroupRow| row.known
        )
        .label("with slices"),
        Column::energy("", "energy of those, on the app's threads", |row: &FrameGroupRow| {
            row.energy.0
        })
        .label("energy")
        .strong(),
        Column::interval(|row: &FrameGroupRow| row.energy.0).label("90 % interval").only_in_page(),
        Column::share("share", "part of the total, 0 to 1", |row: &FrameGroupRow| row.share)
            .label("share")
            .only_in_page(),
        Column::energy("mean", "energy per frame", |row: &FrameGroupRow| row.mean.0)
            .label("per frame")
            .strong(),
        Column::maybe_joules(
            "p50_joules",
            "median of single frames; null where frames are not told apart",
            |row: &FrameGroupRow| row.p50
        )
        .label("p50"),
        Column::maybe_joules(
            "p95_joules",
            "95th percentile of single frames by nearest rank",
            |row: &FrameGroupRow| row.p95
        )
        .label("p95"),
    ]
);

/// One frame of an app.
#[derive(Clone, Debug)]
pub struct AppFrameRow {
    /// Its number: the vsync id that the app was woken for.
    pub token: i64,
    /// The app's process.
    pub app: String,
    /// Why it came late; `None` where no frame timeline was recorded.
    pub jank: Option<FrameJank>,
    /// Its beginning, from the start of the window.
    pub start: Nanos,
    /// Its length.
    pub duration: Nanos,
    /// Energy of the slices with its number on the app's threads; no data where there are none.
    pub energy: Figure,
}

describe!(
    AppFrameRow,
    "frame",
    "one frame of an app",
    [
        Column::integer(
            "token",
            "its number: the vsync id that the app was woken for",
            |row: &AppFrameRow| { row.token }
        )
        .label("frame")
        .ungrouped(),
        Column::text(
            "app",
            "the app's process; empty where it is not known",
            |row: &AppFrameRow| { &row.app }
        )
        .label("app")
        .elastic(),
        Column::text(
            "jank",
            "why it came late; `not-recorded` without Android's frame timeline",
            |row: &AppFrameRow| word(row.jank)
        )
        .words(&JANKS)
        .label("jank")
        .with_spaces(),
        Column::time(
            "start_s",
            "its beginning, from the start of the window",
            |row: &AppFrameRow| { row.start }
        )
        .label("start")
        .instant(),
        Column::time("duration_s", "its length", |row: &AppFrameRow| row.duration)
            .label("duration"),
        Column::energy(
            "",
            "energy of the slices with its number on the app's threads; null where there are none",
            |row: &AppFrameRow| row.energy.0
        )
        .label("energy")
        .strong(),
        Column::interval(|row: &AppFrameRow| row.energy.0).label("90 % interval"),
    ]
);
