//! The list of tools.

use super::{
    ToolEntry, app_history, budget_check, compare_recordings, device_list, device_run, explanation,
    finding_answer, greatest_consumers, kept_run_list, model_state, open_recording,
    recording_summary,
};

/// All tools.
pub const fn tools() -> &'static [ToolEntry] {
    &[
        open_recording::TOOL,
        recording_summary::TOOL,
        greatest_consumers::TOOL,
        explanation::TOOL,
        finding_answer::TOOL,
        compare_recordings::TOOL,
        budget_check::TOOL,
        kept_run_list::TOOL,
        app_history::TOOL,
        model_state::TOOL,
        device_list::TOOL,
        device_run::TOOL,
    ]
}
