//! The list of tools.

use super::{
    ToolEntry, app_history, budget_check, compare_recordings, device_list, device_model,
    device_run, explanation, finding_list, kept_run_list, open_recording, recording_summary,
    top_consumers,
};

/// All tools.
pub const fn tools() -> &'static [ToolEntry] {
    &[
        open_recording::TOOL,
        recording_summary::TOOL,
        top_consumers::TOOL,
        explanation::TOOL,
        finding_list::TOOL,
        compare_recordings::TOOL,
        budget_check::TOOL,
        kept_run_list::TOOL,
        app_history::TOOL,
        device_model::TOOL,
        device_list::TOOL,
        device_run::TOOL,
    ]
}
