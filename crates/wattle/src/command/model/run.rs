//! From the verb to its table.

use serde::Serialize;

use super::{check, diff, list, lookup, show, table};
use crate::cli::{ModelCommand, ModelVerb, TableOutput};
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Does it.
pub fn run(model: &ModelCommand) -> Outcome {
    match &model.verb {
        ModelVerb::List { output } => {
            let rows = list::rows();
            write(output, &rows, || list::text(&rows))
        }
        ModelVerb::Show { model, toml, output } => match lookup::table(model)? {
            Some(found) => table::show(&found, toml.as_deref(), output),
            None => show::run(model, toml.as_deref(), output),
        },
        ModelVerb::Check { files, output } => {
            let checked = check::all(files)?;
            write(output, &checked, || check::text(&checked))?;
            let wrong: usize = checked.iter().map(check::Checked::warnings).sum();
            if wrong > 0 {
                return Err(Failure::Refused(anyhow::anyhow!("{wrong} warnings")));
            }
            Ok(())
        }
        ModelVerb::Diff { a, b, output } => {
            let compared = diff::compare(a, b)?;
            write(output, &compared, || diff::text(&compared))
        }
    }
}

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

/// Names come from files: none may move the cursor or begin another line.
pub fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
