//! Recordings that were opened: analysed once, kept in memory.

mod energy_groups;
mod opened_recording;
mod program_run;
mod recording_shelf;
mod tool_job;

pub use self::energy_groups::{
    EnergyGroup, EnergyQuery, GroupKind, energy_groups, process_title, thread_title,
};
pub use self::opened_recording::{OpenedRecording, TimeRange};
pub use self::program_run::{ENDS_WITH, ProgramOutput, ProgramRun};
pub use self::recording_shelf::{
    ANALYSED_FINDINGS, ANALYSED_LEDGER, ANALYSIS_FOLDER, OpenRequest, RecordingShelf, is_run,
    private_folder,
};
pub use self::tool_job::{JobStep, ToolJob};
