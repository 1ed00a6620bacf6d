//! `wattle history --html`: the history page, and comparisons beside it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use wattle_gate::{Policy, Subject};
use wattle_history::PageRequest;
use wattle_ledger::Ledger;
use wattle_report::{
    FlameOptions, HISTORY_PAGE_SCHEMA, HistoryBudget, HistoryComparison, HistoryPage, Per,
};
use wattle_store::{RunId, Store};

use super::run_list::filter;
use crate::cli::History;
use crate::command::kept_runs::failure;
use crate::command::output;
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Comparisons of changes at most: those of the newest.
const MOST_CHANGES: usize = 8;
/// Comparisons of a page at most.
const MOST_COMPARISONS: usize = 100;

/// Writes the page of an app, where one was asked for, and returns its file.
pub fn write(store: &mut Store, app: &str, flags: &History) -> Result<Option<PathBuf>, Failure> {
    let page = output::page_path(flags.page.html.as_deref(), flags.page.open)?;
    let Some(path) = &page else { return Ok(None) };
    let policy = Config::find(flags.place.config.as_deref())?.check_policy();
    let of_device = flags.total || app.is_empty();
    let request = PageRequest {
        app,
        is_total: flags.total,
        filter: filter(Some(app), &flags.conditions),
        budget: &|scenario| budget(&policy, of_device, scenario),
    };
    let mut history = wattle_history::history_page(store, &request).map_err(failure)?;
    let folder = comparison_folder(path);
    let pairs = pairs(&history, flags.page.with_comparisons.unwrap_or_default());
    history.comparisons = write_comparisons(store, app, &pairs, &folder)?;
    write_page(&history, path, flags)?;
    if !history.comparisons.is_empty() && !flags.place.quiet {
        let count = history.comparisons.len();
        let pages = if count == 1 { "comparison" } else { "comparisons" };
        // Where standard error is closed there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "wrote {count} {pages} into {}", folder.display());
    }
    Ok(page)
}

/// Writes the page of a history without runs, where one was asked for, and returns its file.
pub fn write_empty(flags: &History) -> Result<Option<PathBuf>, Failure> {
    let page = output::page_path(flags.page.html.as_deref(), flags.page.open)?;
    if let Some(path) = &page {
        let history = HistoryPage {
            schema: HISTORY_PAGE_SCHEMA,
            app: flags.app.clone().unwrap_or_default(),
            quantity: if flags.total { "total" } else { "app" },
            series: Vec::new(),
            omitted_series: 0,
            left_out: 0,
            comparisons: Vec::new(),
            comparison_address: None,
        };
        write_page(&history, path, flags)?;
    }
    Ok(page)
}

fn write_page(history: &HistoryPage, path: &Path, flags: &History) -> Outcome {
    let text = wattle_report::history_html(history).context("HTML page");
    output::write_file(path, text.map_err(Failure::Internal)?.as_bytes())?;
    output::say_written(path, flags.place.quiet);
    Ok(())
}

/// Refuses what cannot be a page's file.
pub fn check(flags: &History) -> Outcome {
    if output::is_stdout(flags.page.html.as_deref()) {
        return Err(Failure::Usage(anyhow!("--html -: expected the name of a file")));
    }
    if flags.page.with_comparisons.is_some() && flags.page.html.is_none() && !flags.page.open {
        let text = "--with-comparisons: expected --html FILE or --open, beside whose page they are written";
        return Err(Failure::Usage(anyhow!(text)));
    }
    Ok(())
}

/// The least budget of a scenario that `wattle.toml` sets for the app, or for the device.
fn budget(policy: &Policy, of_device: bool, scenario: Option<&str>) -> Option<HistoryBudget> {
    let subject = if of_device { Subject::Total } else { Subject::App };
    let least = policy.least_limit(&subject, scenario)?.0.value();
    Some(HistoryBudget { joules: least, rule: subject.to_string() })
}

/// `history-comparisons` beside `history.html`.
fn comparison_folder(page: &Path) -> PathBuf {
    let stem = page.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    page.with_file_name(format!("{}-comparisons", stem.unwrap_or_default()))
}

/// Runs to be compared: those on both sides of the newest changes, then those of neighbouring versions, as many of each series
/// as were asked for.
fn pairs(history: &HistoryPage, neighbours: usize) -> Vec<[RunId; 2]> {
    let suspected =
        history.series.iter().filter_map(|series| Some(&series.suspected.as_ref()?.change));
    let changes = history.series.iter().flat_map(|series| series.changes.iter().rev());
    let of_changes = suspected.chain(changes).map(|change| change.runs.clone()).take(MOST_CHANGES);
    let of_neighbours = history.series.iter().flat_map(|series| {
        let pair = |pair: &[wattle_report::HistoryCommit]| match pair {
            [before, after] => [before.run.clone(), after.run.clone()],
            _ => [String::new(), String::new()],
        };
        series.commits.windows(2).rev().take(neighbours).map(pair)
    });
    let mut seen = BTreeSet::new();
    of_changes
        .chain(of_neighbours)
        .filter_map(|[before, after]| Some([before.parse().ok()?, after.parse().ok()?]))
        .filter(|pair: &[RunId; 2]| seen.insert(*pair))
        .take(MOST_COMPARISONS)
        .collect()
}

fn write_comparisons(
    store: &mut Store,
    app: &str,
    pairs: &[[RunId; 2]],
    folder: &Path,
) -> Result<Vec<HistoryComparison>, Failure> {
    let mut written = Vec::new();
    if pairs.is_empty() {
        return Ok(written);
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("creating {}", folder.display()))
        .map_err(Failure::Environment)?;
    let folder_name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder_name = in_address(&folder_name.unwrap_or_default());
    for [before, after] in pairs {
        let name = format!("run-{}-run-{}.html", before.0, after.0);
        let names = [before.to_string(), after.to_string()];
        let ledgers = match [ledger(store, *before), ledger(store, *after)] {
            [Ok(before), Ok(after)] => [before, after],
            // The history is there without it.
            [Err(failure), _] | [_, Err(failure)] => {
                say_left_out(&names, &failure.into_error());
                continue;
            }
        };
        let runs = [(names[0].as_str(), &ledgers[0]), (names[1].as_str(), &ledgers[1])];
        let mut options = FlameOptions::default();
        options.apps =
            Some(app).filter(|app| !app.is_empty()).map(str::to_owned).into_iter().collect();
        let page = wattle_report::diff_html(runs, &Per::Run, &options);
        let page = page.context("HTML page of a comparison").map_err(Failure::Internal)?;
        output::write_file(&folder.join(&name), page.as_bytes())?;
        let [before, after] = names;
        written.push(HistoryComparison { before, after, href: format!("{folder_name}/{name}") });
    }
    Ok(written)
}

fn say_left_out(names: &[String; 2], why: &anyhow::Error) {
    let text = format!("warning: no comparison of {} and {}: {why}", names[0], names[1]);
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{}", wattle_report::clean(&text));
}

fn ledger(store: &mut Store, run: RunId) -> Result<Ledger, Failure> {
    let file = store.ledger(run).map_err(failure)?;
    Ledger::from_bytes(&file.ledger)
        .map_err(|error| Failure::Input(anyhow!(error).context(format!("ledger of {run}"))))
}

/// A file's name as a part of an address.
fn in_address(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_lie_beside_the_page() {
        let folder = comparison_folder(Path::new("out/energy history.html"));
        assert_eq!(folder, Path::new("out/energy history-comparisons"));
        assert_eq!(in_address("energy history#1-é"), "energy%20history%231-%C3%A9");
    }

    #[test]
    fn the_least_budget_of_a_scenario_counts() {
        let text = "[[rule]]\nsubject = \"app\"\nat-most = \"3 J\"\n\
            [[rule]]\nsubject = \"app\"\nscenario = \"feed*\"\nat-most = \"2 J\"\n\
            [[rule]]\nsubject = \"total\"\nat-most = \"9 J\"\n\
            [[rule]]\nsubject = \"app\"\ngrow-at-most = \"5%\"\n";
        let policy: Policy = toml::from_str(text).expect("a policy");
        let joules = |of_device, scenario| budget(&policy, of_device, scenario).map(|it| it.joules);
        assert_eq!(joules(false, Some("feed scroll")), Some(2.0));
        assert_eq!(joules(false, Some("start")), Some(3.0));
        assert_eq!(joules(false, None), Some(3.0));
        assert_eq!(joules(true, Some("feed scroll")), Some(9.0));
    }
}
