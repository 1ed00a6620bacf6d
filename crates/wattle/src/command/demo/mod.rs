//! `wattle demo`: a simulated phone whose energy is known, profiled like any other, truth beside estimate.

mod comparison;
mod effects;
mod idle;
mod polling;
mod profiled;
mod story;
mod true_value;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_diagnose::Diagnosis;
use wattle_ledger::Ledger;
use wattle_power::ModelChoice;
use wattle_report::{Report, ReportOptions};
use wattle_sim::scenario;
use wattle_store::RunFacts;

use self::profiled::Profiled;
use super::history::Keeping;
use super::{open_page, output};
use crate::cli::{Demo, Output};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// One of the four things that `wattle demo` does, with its own arguments.
#[derive(Debug)]
enum Mode<'a> {
    /// A phone is simulated and profiled.
    Profile(&'a Demo),
    /// `--polling`: polling periods are compared.
    Polling(polling::Request<'a>),
    /// `--idle`: the traces of an idle machine are written.
    Idle(idle::Request<'a>),
    /// `--effects`: many phones are simulated, and errors and coverage measured.
    Effects(effects::Request<'a>),
}

impl<'a> Mode<'a> {
    fn new(flags: &'a Demo) -> Self {
        let (seed, output) = (flags.seed, &flags.output);
        if let Some(folder) = &flags.idle {
            return Self::Idle(idle::Request { seed, folder, quiet: output.quiet });
        }
        if flags.polling {
            let prints = !output.quiet && !output.is_json_on_stdout();
            return Self::Polling(polling::Request { seed, json: output.json.as_deref(), prints });
        }
        let sweep = &flags.effects;
        if let Some(list) = &sweep.effects {
            let prints = !output.quiet && !output.is_json_on_stdout();
            let seeds = (0..sweep.seeds).map(|nth| seed.wrapping_add(nth)).collect();
            return Self::Effects(effects::Request {
                list,
                seeds,
                seconds: f64::from(sweep.seconds),
                modes: &sweep.modes,
                json: output.json.as_deref(),
                kept: effects::Kept {
                    trace: flags.trace.as_deref(),
                    device_model: flags.device_model.as_deref(),
                },
                prints,
            });
        }
        Self::Profile(flags)
    }
}

/// Runs `wattle demo`.
pub fn run(flags: &Demo) -> Outcome {
    output::check(&flags.output)?;
    let options = output::options(&[], &flags.output)?;
    match Mode::new(flags) {
        Mode::Profile(flags) => profile(flags, &options),
        Mode::Polling(request) => polling::run(&request),
        Mode::Idle(request) => idle::run(&request),
        Mode::Effects(request) => effects::run(&request),
    }
}

/// The app of the simulated phone.
const APP: &str = "com.example.news";
/// The page that is written where no name is given.
const PAGE: &str = "wattle-demo.html";

fn profile(demo: &Demo, options: &ReportOptions) -> Outcome {
    let simulation = if demo.fixed { scenario::thrifty_app } else { scenario::wasteful_app };
    let simulated = simulation(demo.seed)
        .and_then(|simulation| simulation.run())
        .context("the simulated phone")
        .map_err(Failure::Internal)?;
    if let Some(path) = &demo.trace {
        output::write_file(path, &simulated.trace)?;
    }
    if let Some(path) = &demo.device_model {
        output::write_file(path, simulated.device_model.as_bytes())?;
    }
    let profiled = Profiled {
        trace: &simulated.trace,
        device_model: &simulated.device_model,
        model: if demo.no_rails { ModelChoice::Curves } else { ModelChoice::default() },
        threads: 0,
        over_time: true,
    };
    let (ledger, found) =
        profiled.diagnosed().context("profiling the simulated phone").map_err(Failure::Internal)?;
    let is_shown = !demo.output.quiet && !demo.output.is_json_on_stdout();
    let page = page_name(demo, is_shown);
    if let Some(page) = &page {
        write_page(page, (&ledger, &found), options, &demo.output)?;
    }
    if is_shown {
        let mut text = story::text(&simulated, &found, demo.fixed);
        text.push_str(&comparison::table(&simulated, &ledger));
        text.push_str(&story::next(page.as_deref()));
        output::print(text.as_bytes())?;
    }
    // The page is written already, with the findings.
    let others = Output { html: None, open: false, ..demo.output.clone() };
    if others.views.by.is_some() {
        output::write_as(&ledger, options, &others)?;
    } else {
        output::write_files(&ledger, options, &others)?;
    }
    // By the flag alone: nobody's configuration is about a simulated phone.
    if demo.output.keeping.keep
        && let Some(keeping) =
            Keeping::new(&demo.output.keeping, &Config::default(), demo.output.quiet)?
    {
        keeping.keep(&ledger, kept_facts(demo))?;
    }
    show(demo, page.as_deref())
}

/// The facts of the simulated phone's run.
fn kept_facts(demo: &Demo) -> RunFacts {
    let mut facts = RunFacts::default();
    APP.clone_into(&mut facts.app.package);
    facts.app.version_name = Some(if demo.fixed { "fixed" } else { "wasteful" }.to_owned());
    facts.device.title = Some("simulated phone".to_owned());
    facts.circumstances.scenario = Some("wattle demo".to_owned());
    facts
}

/// The page that was asked for; without a name the usual one, unless standard output is for a program.
fn page_name(demo: &Demo, is_shown: bool) -> Option<PathBuf> {
    let is_usual = demo.output.open || (is_shown && demo.output.views.by.is_none());
    demo.output.html.clone().or_else(|| is_usual.then(|| PathBuf::from(PAGE)))
}

fn write_page(
    path: &Path,
    (ledger, found): (&Ledger, &Diagnosis),
    options: &ReportOptions,
    output: &Output,
) -> Outcome {
    let grouped = output::shown(ledger, output.views.numbers);
    let ledger = grouped.as_ref().unwrap_or(ledger);
    let report = Report::new(ledger, options);
    let page = wattle_report::html_with_diagnosis(ledger, &report, found)
        .context("HTML report")
        .map_err(Failure::Internal)?;
    output::write_file(path, page.as_bytes())
}

/// Opens the page where that was asked for, or is usual and was not forbidden.
fn show(demo: &Demo, page: Option<&Path>) -> Outcome {
    let Some(page) = page else { return Ok(()) };
    let is_usual = !demo.no_open && !demo.output.quiet && open_page::is_usual();
    if !demo.output.open && !is_usual {
        return Ok(());
    }
    match open_page::open(page) {
        Ok(()) => Ok(()),
        // Nobody asked for it: the page is named above.
        Err(_) if !demo.output.open => Ok(()),
        Err(error) => Err(Failure::Environment(anyhow::anyhow!(
            "the page could not be opened ({error}); open {} in a browser",
            page.display()
        ))),
    }
}
