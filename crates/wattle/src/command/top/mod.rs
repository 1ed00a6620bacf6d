//! `wattle top`: the call tree of a ledger by energy, on a terminal to walk through, elsewhere as text.

mod column;
mod help;
mod screen;
mod search;
mod searching;
mod state;
#[cfg(test)]
mod tests;
mod view;

use std::io::IsTerminal as _;

use wattle_ledger::Ledger;
use wattle_report::{
    EnergyCoverageReport, EnergyPaths, ForestColumn, NoEnergy, ReportOptions, TopOptions, TopReport,
};

use self::screen::Screen;
use self::state::TopState;
use super::analysis::{self, AnalysisPlan};
use super::piped_inputs::PipedInputs;
use super::{asked_names, judgement, output, run_limits};
use crate::cli::Top;
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Columns of a line where no terminal cuts it.
const WIDEST: usize = 100_000;

/// Runs `wattle top`.
pub fn run(top: &Top) -> Outcome {
    if !(0.0..=100.0).contains(&top.min_share) {
        let text = format!("--min-share {}: expected percent, 0 to 100", top.min_share);
        return Err(Failure::Usage(anyhow::anyhow!(text)));
    }
    let config = Config::find(top.modelling.config.as_deref())?;
    let plan = AnalysisPlan {
        reading: top.reading,
        ..AnalysisPlan::new(&config, top.modelling.clone(), top.symbols.clone())
    };
    let is_printed = !top.quiet && !output::is_stdout(top.json.as_deref());
    let is_walked = is_printed && !top.plain && std::io::stdout().is_terminal();
    if !is_walked {
        run_limits::abandon_when_interrupted();
    }
    let mut screen = is_walked.then(Screen::open).transpose()?;
    // A bar of progress would be written over the screen.
    let read = || {
        let mut inputs = top.inputs.clone();
        let _piped = PipedInputs::keep(&mut inputs)?;
        analysis::ledger_of(&inputs, &plan, top.quiet || is_walked)
    };
    let ledger = match &mut screen {
        Some(screen) => screen.load(&names(top), read)??,
        None => read()?,
    };
    asked_names::check_apps(&top.app, &ledger)?;
    let grouped = output::shown(&ledger, top.numbers);
    show(top, grouped.as_ref().unwrap_or(&ledger), screen)?;
    judgement::judge(top.strictness, &ledger.quality.errors())
}

/// The inputs, for a title.
fn names(top: &Top) -> String {
    top.inputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

fn show(top: &Top, ledger: &Ledger, screen: Option<Screen>) -> Outcome {
    let sort = top.sort.as_deref().map(|name| sort(name, ledger)).transpose()?;
    let apps = if top.app.is_empty() { &ledger.recording.apps } else { &top.app };
    let paths = EnergyPaths::new(ledger, apps);
    if top.app_only && !paths.knows_app() {
        let text = if apps.is_empty() {
            "--app-only: the recording does not say which app it was made of; --app says it"
                .to_owned()
        } else {
            format!("--app-only: no process of {} in this recording", apps.join(", "))
        };
        return Err(Failure::Usage(anyhow::anyhow!(text)));
    }
    if let Some(path) = &top.json {
        output::write_json(path, &listed(&paths, top, sort))?;
    }
    let is_printed = !top.quiet && !output::is_stdout(top.json.as_deref());
    if !is_printed {
        return Ok(());
    }
    let Some(screen) = screen else {
        let mut options = ReportOptions::default();
        // Whoever reads a pipe wants whole names.
        options.width = (!std::io::stdout().is_terminal()).then_some(WIDEST);
        options.color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = wattle_report::top_terminal(&listed(&paths, top, sort), &options);
        return output::print(text.as_bytes());
    };
    let covers = EnergyCoverageReport::of_ledger(ledger).map(|of| of.text);
    let covers = covers.unwrap_or_else(|| NoEnergy::new(ledger).to_string());
    let title = format!("{} · {covers}", names(top));
    let mut state = TopState::new(&paths, top.by.into(), top.app_only, title);
    if let Some(column) = sort {
        state.sort_by(column);
    }
    screen.run(&mut state)
}

fn listed(paths: &EnergyPaths<'_>, top: &Top, sort: Option<ForestColumn>) -> TopReport {
    let mut options = TopOptions::default();
    options.view = top.by.into();
    options.depth = top.depth;
    options.least_share = top.min_share / 100.0;
    options.sort = sort;
    options.ascending = sort == Some(ForestColumn::Name);
    options.app_only = top.app_only;
    TopReport::new(paths, &options)
}

fn sort(name: &str, ledger: &Ledger) -> Result<ForestColumn, Failure> {
    let named = column::FIXED.into_iter().find(|(word, ..)| *word == name);
    let component = column::components(ledger).find(|(word, _)| *word == name);
    named.map(|(_, column, _)| column).or(component.map(|(_, column)| column)).ok_or_else(|| {
        let fixed = column::FIXED.into_iter().map(|(word, ..)| word);
        let words: Vec<_> = fixed.chain(column::components(ledger).map(|(word, _)| word)).collect();
        Failure::Usage(anyhow::anyhow!("--sort {name}: expected one of {}", words.join(", ")))
    })
}
