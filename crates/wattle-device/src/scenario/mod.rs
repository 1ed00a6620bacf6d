//! The scenarios that run while a recording is made, and their outcomes.

mod host_program;
mod instrument;
mod instrument_output;
mod launch;
mod launcher_activity;
mod manual;
mod monkey;
mod output_file;
mod run_end;
mod scenario_kind;
mod scenario_run;
mod shell_script;
mod start_mode;
mod start_report;
mod status_line;
mod test_filter;
mod test_package;

pub use host_program::HostProgram;
pub use instrument::InstrumentScenario;
pub use instrument_output::InstrumentOutput;
pub use launch::Launch;
pub use manual::Manual;
pub use monkey::Monkey;
pub(crate) use output_file::FILE_NAME as OUTPUT_FILE;
pub use output_file::OutputFile;
pub use run_end::RunEnd;
pub use scenario_kind::Scenario;
pub use scenario_run::{ScenarioEnd, ScenarioRun};
pub use shell_script::ShellScript;
pub use start_mode::StartMode;
pub use test_filter::{TestFilter, TestName};
pub use test_package::TestPackage;
