//! The scenarios that run while a recording is made, and their outcomes.

mod host_program;
mod instrument;
mod instrument_output;
mod kind;
mod launch;
mod manual;
mod monkey;
mod output_file;
mod run;
mod run_end;
mod shell_script;
mod status_line;
mod test_filter;
mod test_package;

pub use host_program::HostProgram;
pub use instrument::InstrumentScenario;
pub use instrument_output::InstrumentOutput;
pub use kind::Scenario;
pub use launch::Launch;
pub use manual::Manual;
pub use monkey::Monkey;
pub(crate) use output_file::FILE_NAME as OUTPUT_FILE;
pub use output_file::OutputFile;
pub use run::{ScenarioEnd, ScenarioRun};
pub use run_end::RunEnd;
pub use shell_script::ShellScript;
pub use test_filter::{TestFilter, TestName};
pub use test_package::TestPackage;
