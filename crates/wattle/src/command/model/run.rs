//! From the verb to its table.

use super::printing::write;
use super::{check, diff, list, lookup, predict, show, table};
use crate::cli::{ModelCommand, ModelVerb};
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle model`.
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
                return Err(Failure::Refused(anyhow::anyhow!(
                    "{wrong} {}",
                    if wrong == 1 { "warning" } else { "warnings" }
                )));
            }
            Ok(())
        }
        ModelVerb::Predict { model, table, group, voltage, csv, output: to } => {
            let found = predict::run(model, table, group.as_deref(), *voltage)?;
            if let Some(path) = csv {
                let text = predict::csv(&found);
                if output::is_stdout(Some(path)) {
                    return output::print(text.as_bytes());
                }
                output::write_file(path, text.as_bytes())?;
            }
            write(to, &found, || predict::text(&found))
        }
        ModelVerb::Diff { a, b, output } => {
            let compared = diff::compare(a, b)?;
            write(output, &compared, || diff::text(&compared))
        }
    }
}
