//! The tools.

mod app_history;
mod budget_check;
mod compare_recordings;
mod device_list;
mod device_run;
mod explain_code;
mod explain_component;
mod explain_consumer;
mod explain_period;
mod explain_rule;
mod explanation;
mod finding_answer;
mod greatest_consumers;
mod kept_run_list;
mod model_state;
mod open_recording;
mod program_json;
mod recording_summary;
mod recording_words;
mod shared_parameters;
mod thread_choice;
mod tool_arguments;
mod tool_context;
mod tool_entry;
mod tool_parameter;
mod tool_table;

pub use self::device_run::{command_line as device_command, run_arguments, short_command_line};
pub use self::tool_arguments::ToolArguments;
pub use self::tool_context::ToolContext;
pub use self::tool_entry::ToolEntry;
pub use self::tool_parameter::{ParameterKind, ToolParameter, input_schema};
pub use self::tool_table::tools;
