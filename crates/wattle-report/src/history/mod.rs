//! The data of the history page: energy over versions, judged, with what is needed to look further.
//!
//! Everything here is plain data that is written as JSON: into a page by [`history_html`](crate::history_html), or as the answer of a
//! server to the same page. `wattle-history` makes it of kept runs.

mod history_change;
mod history_commit;
mod history_page;
mod history_standing;

pub use history_change::{
    HistoryBlame, HistoryChange, HistoryConfirmation, HistoryRange, HistorySuspicion,
};
pub use history_commit::{HistoryCommit, HistoryPart};
pub use history_page::{
    HISTORY_PAGE_SCHEMA, HistoryComparison, HistoryPage, HistoryPlace, HistorySeries,
};
pub use history_standing::{HistoryBudget, HistoryLevel, HistoryRelease, HistoryStanding};
