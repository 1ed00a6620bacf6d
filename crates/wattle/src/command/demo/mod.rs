//! `wattle demo`: a simulated phone whose energy is known, profiled like any other, truth beside estimate.

mod comparison;
mod effects;
mod idle;
mod polling;
mod profiled;
mod true_value;

use anyhow::Context as _;
use wattle_power::ModelChoice;
use wattle_report::ReportOptions;

use self::profiled::Profiled;
use super::output;
use crate::cli::Demo;
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

fn profile(demo: &Demo, options: &ReportOptions) -> Outcome {
    let simulated = wattle_sim::scenario::demo(demo.seed)
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
        over_time: demo.output.html.is_some() || demo.output.save.is_some(),
    };
    let ledger =
        profiled.ledger().context("profiling the simulated phone").map_err(Failure::Internal)?;
    if !demo.output.quiet && !demo.output.is_json_on_stdout() {
        output::print(comparison::page(&simulated, &ledger).as_bytes())?;
    }
    if demo.output.views.by.is_some() {
        return output::write_as(&ledger, options, &demo.output);
    }
    output::write_files(&ledger, options, &demo.output)
}
