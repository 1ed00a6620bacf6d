//! Energy of frames, app starts, user journeys, foreground and background.

mod frame_row;
mod frame_rows;
mod period_row;
mod period_rows;
mod span_sum_row;
mod span_tallies;
mod spans_report;
mod state_row;

pub use frame_row::{AppFrameRow, FrameGroupRow};
pub use period_row::PeriodRow;
pub use span_sum_row::SpanSumRow;
pub use spans_report::SpansReport;
pub use state_row::AppStateRow;
