//! Output of a ledger's views.

use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_diagnose::Diagnosis;
use wattle_ledger::{Ledger, LedgerError};
use wattle_report::{
    CodeDetail, EnergyUnit, Report, ReportError, ReportOptions, SummaryParts, diagnosis,
    summary_terminal,
};
use wattle_units::Si;

pub use super::standard_output::print;
use super::{open_page, pager, whole_file};
use crate::cli::{Numbers, Output, Unit, View, Views};
use crate::exit::{Failure, Outcome};

/// Only JSON goes to standard output.
pub fn check(output: &Output) -> Outcome {
    output.wrongly_on_stdout().map_or(Ok(()), |flag| {
        Err(Failure::Usage(anyhow::anyhow!("{flag} -: expected the name of a file")))
    })
}

/// The input of a report's views besides the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// Findings of the same recording.
    pub found: Option<&'a Diagnosis>,
    /// Whether all of them are shown, not only the gravest.
    pub all_findings: bool,
    /// Commands that go on from here.
    pub next: &'a [String],
}

/// Writes every view that was asked for; the summary or tables for the terminal unless `--quiet` or `--json -`.
pub fn write_as(ledger: &Ledger, options: &ReportOptions, output: &Output) -> Outcome {
    write_with(ledger, Beside::default(), options, output)
}

/// The same with findings of the same recording.
pub fn write_with(
    ledger: &Ledger,
    beside: Beside<'_>,
    options: &ReportOptions,
    output: &Output,
) -> Outcome {
    // Packing a large ledger takes as long as a page.
    std::thread::scope(|scope| {
        let pack = || ledger.to_bytes();
        let packing = |_| std::thread::Builder::new().spawn_scoped(scope, pack).ok();
        let packed = output.save.as_deref().map(|path| (path, Some(path).and_then(packing)));
        let shown = write_and_show(ledger, beside, options, output);
        if let Some((path, packed)) = packed {
            let bytes = packed.map_or_else(
                || ledger.to_bytes(),
                |packed| packed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
            write_saved(path, bytes, output)?;
        }
        shown
    })
}

/// Every view but the saved ledger.
fn write_and_show(
    ledger: &Ledger,
    beside: Beside<'_>,
    options: &ReportOptions,
    output: &Output,
) -> Outcome {
    let is_shown = is_shown(output);
    if !is_shown && !has_data_view(output) {
        return Ok(());
    }
    let grouped = shown(ledger, output.views.numbers);
    let ledger = grouped.as_ref().unwrap_or(ledger);
    // Every view shows the same report.
    let mut options = in_unit(options, ledger, output.views.unit)?;
    if !has_data_view(output) && is_summary(output) {
        options.code = CodeDetail::Sums;
    }
    let options = &options;
    let report = Report::new(ledger, options);
    let page = write_views((ledger, &report), beside.found, output)?;
    if is_shown {
        let text = text((ledger, &report), beside, options, output);
        pager::print(&text, !is_summary(output) && !output.views.no_pager)?;
    }
    // Last: the text is there even where no browser is.
    page.filter(|_| output.open).map_or(Ok(()), |page| open(&page))
}

/// Opens a page in the browser.
pub fn open(page: &Path) -> Outcome {
    open_page::open(page).map_err(|error| {
        Failure::Environment(anyhow::anyhow!(
            "no browser could be started ({error}); open {}",
            page.display()
        ))
    })
}

/// Whether a view is asked for that has everything.
fn has_data_view(output: &Output) -> bool {
    output.html.is_some() || output.json.is_some() || output.page_data.is_some() || output.open
}

/// Whether the terminal gets text.
pub fn is_shown(output: &Output) -> bool {
    !output.quiet && !output.is_json_on_stdout()
}

/// Whether that text is the summary.
pub fn is_summary(output: &Output) -> bool {
    let Views { full, view, by, .. } = output.views;
    !full && view.is_none() && by.is_none()
}

/// Whether a view shows findings.
pub fn has_findings(output: &Output) -> bool {
    has_page(output)
        || is_shown(output) && (is_summary(output) || output.views.view == Some(View::Findings))
}

/// Whether a page is made.
pub fn has_page(output: &Output) -> bool {
    output.html.is_some() || output.page_data.is_some() || output.open
}

/// The text for the terminal.
fn text(
    (ledger, report): (&Ledger, &Report),
    beside: Beside<'_>,
    options: &ReportOptions,
    output: &Output,
) -> String {
    let findings =
        || beside.found.map_or_else(String::new, |found| diagnosis::terminal(found, options));
    if is_summary(output) {
        let mut parts = SummaryParts::default();
        parts.over_time = Some(&ledger.over_time);
        parts.diagnosis = beside.found;
        parts.next = beside.next;
        let mut text = summary_terminal(report, parts, options);
        if beside.all_findings {
            text.push('\n');
            text.push_str(&findings());
        }
        return text;
    }
    if output.views.view == Some(View::Findings) {
        return findings();
    }
    let mut text = wattle_report::terminal(report, options);
    if beside.all_findings {
        text.push('\n');
        text.push_str(&findings());
    }
    text
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
    options.view = output.views.view.and_then(View::of_report).unwrap_or_default();
    for_terminal(&mut options);
    Ok(options)
}

/// Colour and width as the terminal has them.
pub fn for_terminal(options: &mut ReportOptions) {
    let on_terminal = std::io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    options.color = on_terminal && !no_color && !is_dumb;
    if on_terminal {
        options.width =
            ratatui::crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
    }
}

/// The options with the unit that was asked for, which may need the battery's voltage.
fn in_unit(options: &ReportOptions, ledger: &Ledger, unit: Unit) -> Result<ReportOptions, Failure> {
    let mut options = options.clone();
    options.unit = match unit {
        Unit::Joules => EnergyUnit::Joules,
        Unit::MilliwattHours => EnergyUnit::MilliwattHours,
        Unit::MilliampHours => {
            let voltage = ledger.power.battery_facts.voltage.as_ref();
            let volts = voltage.map(|voltage| voltage.volts.value()).filter(|volts| *volts > 0.0);
            let text = "--unit mAh: the battery's voltage is not in this recording; give it with --voltage";
            EnergyUnit::MilliampHours(volts.ok_or_else(|| Failure::Usage(anyhow::anyhow!(text)))?)
        }
    };
    Ok(options)
}

/// Writes the views that go into files, and JSON to standard output for `--json -`.
pub fn write_files(ledger: &Ledger, options: &ReportOptions, output: &Output) -> Outcome {
    save(ledger, output)?;
    if output.html.is_none() && output.json.is_none() && !output.open {
        return Ok(());
    }
    let grouped = shown(ledger, output.views.numbers);
    let ledger = grouped.as_ref().unwrap_or(ledger);
    write_views((ledger, &Report::new(ledger, options)), None, output).map(|_| ())
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
    match &output.save {
        Some(path) => write_saved(path, ledger.to_bytes(), output),
        None => Ok(()),
    }
}

/// Writes the packed ledger.
fn write_saved(path: &Path, packed: Result<Vec<u8>, LedgerError>, output: &Output) -> Outcome {
    write_file(path, &packed.context("ledger").map_err(Failure::Internal)?)?;
    say_written(path, output.quiet);
    Ok(())
}

fn write_views(
    (ledger, report): (&Ledger, &Report),
    found: Option<&Diagnosis>,
    output: &Output,
) -> Result<Option<PathBuf>, Failure> {
    let page = page_path(output.html.as_deref(), output.open)?;
    if let Some(path) = &page {
        let page = match found {
            Some(found) => wattle_report::html_with_diagnosis(ledger, report, found),
            None => wattle_report::html(ledger, report),
        };
        let page = page.context("HTML report").map_err(Failure::Internal)?;
        write_file(path, page.as_bytes())?;
        say_written(path, output.quiet);
    }
    if let Some(path) = &output.page_data {
        let data = wattle_report::report_data(ledger, report, found);
        let data = data.context("page data").map_err(Failure::Internal)?;
        let script = wattle_report::PageAssets::get().report_script();
        write_file(path, format!("{script}\n{data}").as_bytes())?;
    }
    let Some(path) = &output.json else { return Ok(page) };
    if output.is_json_on_stdout() {
        return write_report(report, std::io::stdout().lock())
            .map_err(|error| failure(error, "standard output"))
            .map(|()| page);
    }
    let name = format!("writing {}", path.display());
    whole_file::write_with(path, |to| write_report(report, to))
        .map_err(|error| failure(error, &name))?;
    say_written(path, output.quiet);
    Ok(page)
}

/// The file of the page: the one that was named, or one for the browser alone.
pub fn page_path(html: Option<&Path>, open: bool) -> Result<Option<PathBuf>, Failure> {
    match (html, open) {
        (Some(path), _) => Ok(Some(path.to_owned())),
        (None, true) => temporary_page().map(Some),
        (None, false) => Ok(None),
    }
}

/// A page of its own in the folder for temporary files, which stays: a browser reads it later.
fn temporary_page() -> Result<PathBuf, Failure> {
    let file = tempfile::Builder::new().prefix("wattle-").suffix(".html").tempfile();
    let kept = file.and_then(|file| file.keep().map_err(|error| error.error));
    let (_, path) = kept.context("a page for the browser").map_err(Failure::Environment)?;
    Ok(path)
}

/// Names a file that was written and its size, on standard error. Standard output and pipes have neither.
pub fn say_written(path: &Path, quiet: bool) {
    let known = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    let Some(known) = known.filter(|_| !quiet && !is_stdout(Some(path))) else { return };
    let size = Si { value: known.len() as f64, unit: "B" };
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "wrote {}, {size}", path.display());
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
