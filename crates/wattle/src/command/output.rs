//! Output of a ledger's views.

use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::Path;

use anyhow::Context as _;
use wattle_diagnose::Diagnosis;
use wattle_ledger::Ledger;
use wattle_report::{Report, ReportError, ReportOptions, diagnosis};

use super::whole_file;
use crate::cli::{Numbers, Output};
use crate::exit::{Failure, Outcome};

/// Only JSON goes to standard output.
pub fn check(output: &Output) -> Outcome {
    output.wrongly_on_stdout().map_or(Ok(()), |flag| {
        Err(Failure::Usage(anyhow::anyhow!("{flag} -: expected the name of a file")))
    })
}

/// Writes every view that was asked for; the terminal's tables unless `--quiet` or `--json -`.
pub fn write(ledger: &Ledger, apps: &[String], output: &Output) -> Outcome {
    write_as(ledger, &options(apps, output)?, output)
}

/// The same with options of a report's own.
pub fn write_as(ledger: &Ledger, options: &ReportOptions, output: &Output) -> Outcome {
    write_with(ledger, None, options, output)
}

/// The same with a diagnosis of the same recording.
pub fn write_with(
    ledger: &Ledger,
    found: Option<&Diagnosis>,
    options: &ReportOptions,
    output: &Output,
) -> Outcome {
    let is_shown = !output.quiet && !output.is_json_on_stdout();
    save(ledger, output)?;
    if !is_shown && output.html.is_none() && output.json.is_none() {
        return Ok(());
    }
    let grouped = shown(ledger, output.views.numbers);
    let ledger = grouped.as_ref().unwrap_or(ledger);
    // Every view shows the same report.
    let report = Report::new(ledger, options);
    write_views((ledger, &report), found, output)?;
    if !is_shown {
        return Ok(());
    }
    print(wattle_report::terminal(&report, options).as_bytes())?;
    match found {
        Some(found) => print(format!("\n{}", diagnosis::terminal(found, options)).as_bytes()),
        None => Ok(()),
    }
}

/// The options of a report's views.
pub fn options(apps: &[String], output: &Output) -> Result<ReportOptions, Failure> {
    let mut options = ReportOptions::default();
    options.apps = apps.to_vec();
    options.human = super::human::options(output)?;
    if let Some(top) = output.top {
        options.top = top;
    }
    options.by = output.views.by.map(Into::into);
    options.sort = output.views.sort.into();
    let on_terminal = std::io::stdout().is_terminal();
    options.color = on_terminal && std::env::var_os("NO_COLOR").is_none();
    Ok(options)
}

/// Writes the views that go into files, and JSON to standard output for `--json -`.
pub fn write_files(ledger: &Ledger, options: &ReportOptions, output: &Output) -> Outcome {
    save(ledger, output)?;
    if output.html.is_none() && output.json.is_none() {
        return Ok(());
    }
    let grouped = shown(ledger, output.views.numbers);
    let ledger = grouped.as_ref().unwrap_or(ledger);
    write_views((ledger, &Report::new(ledger, options)), None, output)
}

/// The ledger that views show, if it is another than the saved one: saved ledgers keep the numbers in names, so that `--numbers keep`
/// works on them.
pub fn shown(ledger: &Ledger, numbers: Numbers) -> Option<Ledger> {
    match numbers {
        Numbers::Group => ledger.with_numbers_grouped(),
        Numbers::Keep => None,
    }
}

fn save(ledger: &Ledger, output: &Output) -> Outcome {
    let Some(path) = &output.save else { return Ok(()) };
    let bytes = ledger.to_bytes().context("ledger").map_err(Failure::Internal)?;
    write_file(path, &bytes)
}

fn write_views(
    (ledger, report): (&Ledger, &Report),
    found: Option<&Diagnosis>,
    output: &Output,
) -> Outcome {
    if let Some(path) = &output.html {
        let page = match found {
            Some(found) => wattle_report::html_with_diagnosis(ledger, report, found),
            None => wattle_report::html(ledger, report),
        };
        let page = page.context("HTML report").map_err(Failure::Internal)?;
        write_file(path, page.as_bytes())?;
    }
    let Some(path) = &output.json else { return Ok(()) };
    if output.is_json_on_stdout() {
        return write_report(report, std::io::stdout().lock())
            .map_err(|error| failure(error, "standard output"));
    }
    let name = format!("writing {}", path.display());
    whole_file::write_with(path, |to| write_report(report, to))
        .map_err(|error| failure(error, &name))
}

/// Writes a report as JSON, piece by piece: a large one is never in memory as text.
fn write_report(report: &Report, to: impl Write) -> Result<(), ReportError> {
    let mut to = BufWriter::with_capacity(1 << 16, to);
    wattle_report::write_json(report, &mut to)?;
    to.flush().map_err(ReportError::Output)
}

fn failure(error: ReportError, name: &str) -> Failure {
    match error {
        ReportError::Output(error) => {
            Failure::Environment(anyhow::Error::new(error).context(name.to_owned()))
        }
        error => Failure::Internal(anyhow::Error::new(error).context("JSON report")),
    }
}

/// Whether a flag's value asks for standard output.
pub fn is_stdout(path: Option<&Path>) -> bool {
    path.is_some_and(|path| path.as_os_str() == "-")
}

/// Writes a value as JSON into a file, or to standard output for `-`.
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Outcome {
    let mut text =
        serde_json::to_vec_pretty(value).context("JSON output").map_err(Failure::Internal)?;
    text.push(b'\n');
    if is_stdout(Some(path)) { print(&text) } else { write_file(path, &text) }
}

/// Writes a whole file, or fails as the environment's fault.
pub fn write_file(path: &Path, content: &[u8]) -> Outcome {
    whole_file::write(path, content)
}

/// Prints to standard output; a closed pipe is not an error, see [`crate::exit`].
pub fn print(content: &[u8]) -> Outcome {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(content)
        .and_then(|()| stdout.flush())
        .context("standard output")
        .map_err(Failure::Environment)
}
