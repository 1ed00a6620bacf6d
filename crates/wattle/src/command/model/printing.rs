//! Output of tables.

use serde::Serialize;

use crate::cli::TableOutput;
use crate::command::output;
use crate::exit::Outcome;

/// JSON into a file or to standard output, else a table.
pub fn write(
    output: &TableOutput,
    value: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Outcome {
    if let Some(path) = &output.json {
        output::write_json(path, value)?;
    }
    if output::is_stdout(output.json.as_deref()) {
        Ok(())
    } else {
        output::print(text().as_bytes())
    }
}
