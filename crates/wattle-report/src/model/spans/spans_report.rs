//! Named stretches of time of apps, in rows.

use wattle_ledger::{SpanKind, SpanSubject};
use wattle_table::{Column, Rows, describe};

use super::span_tallies::{SpanTallies, named};
use super::{AppFrameRow, AppStateRow, FrameGroupRow, PeriodRow, SpanSumRow};
use super::{frame_rows, period_rows};
use crate::model::basis::Basis;

/// Energy of frames, app starts, user journeys, foreground and background.
#[derive(Clone, Debug, Default)]
pub struct SpansReport {
    /// Frames by app and jank, most energy first.
    pub frame_groups: Vec<FrameGroupRow>,
    /// Single frames, most energy first.
    pub frames: Vec<AppFrameRow>,
    /// App starts, in order of time.
    pub startups: Vec<PeriodRow>,
    /// User journeys, in order of time.
    pub journeys: Vec<PeriodRow>,
    /// Apps by state, most energy first.
    pub app_states: Vec<AppStateRow>,
    /// The sums of each kind, which are the total.
    pub sums: Vec<SpanSumRow>,
}

describe!(
    SpansReport,
    "spans",
    "energy of frames, app starts, user journeys, foreground and background",
    [
        Column::maybe_list::<FrameGroupRow>(
            "frame_groups",
            "frames by app and jank, most energy first; absent where no frames are known",
            |row: &SpansReport| row.frame_groups.some()
        ),
        Column::maybe_list::<AppFrameRow>(
            "frames",
            "single frames, most energy first; absent where no frames are known by number",
            |row: &SpansReport| row.frames.some()
        ),
        Column::maybe_list::<PeriodRow>(
            "startups",
            "app starts in order of time; absent where none was recorded",
            |row: &SpansReport| row.startups.some()
        ),
        Column::maybe_list::<PeriodRow>(
            "journeys",
            "user journeys (CUJs) in order of time; absent where none was recorded",
            |row: &SpansReport| row.journeys.some()
        ),
        Column::maybe_list::<AppStateRow>(
            "app_states",
            "foreground and background by app, most energy first; absent where no state was recorded",
            |row: &SpansReport| row.app_states.some()
        ),
        Column::maybe_list::<SpanSumRow>(
            "span_sums",
            "the sums of each kind: named + outside − repeated = total; absent where there are none",
            |row: &SpansReport| row.sums.some()
        ),
    ]
);

impl SpansReport {
    /// All rows of a ledger.
    pub(in crate::model) fn new(basis: Basis<'_>) -> Self {
        let Basis { ledger, .. } = basis;
        if ledger.spans.entries.is_empty() {
            return Self::default();
        }
        let tallies = SpanTallies::new(ledger);
        let mut report = Self {
            frame_groups: frame_rows::groups(basis, &tallies),
            frames: frame_rows::singles(basis, &tallies),
            sums: SpanKind::ALL
                .into_iter()
                .filter_map(|kind| SpanSumRow::new(basis, &tallies, kind))
                .collect(),
            ..Self::default()
        };
        for (at, entry) in named(ledger) {
            match &entry.subject {
                SpanSubject::Frame { .. } => {}
                SpanSubject::Startup { .. } => {
                    report.startups.push(period_rows::row(basis, &tallies, (at, entry)));
                }
                SpanSubject::Journey { .. } => {
                    report.journeys.push(period_rows::row(basis, &tallies, (at, entry)));
                }
                SpanSubject::State { state } => {
                    let row = AppStateRow::new(basis, &tallies, (at, entry), *state);
                    report.app_states.extend(row);
                }
            }
        }
        report.app_states.sort_by(|one, other| {
            let energy = other.energy.rank().total_cmp(&one.energy.rank());
            energy.then_with(|| (&one.app, one.state).cmp(&(&other.app, other.state)))
        });
        report
    }
}
