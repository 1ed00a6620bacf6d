//! From verb to calls.

mod accepted_findings;
mod accuracy;
mod analysis;
mod asked_names;
mod bisect;
mod calibrate;
mod category;
mod demo;
mod device;
mod diagnose;
mod diff;
mod doctor;
mod explain;
mod export;
mod file_identity;
mod finding_marks;
mod gate;
mod history;
mod human;
mod input_names;
mod inputs;
mod instrument;
mod judgement;
mod kept_runs;
mod line;
mod lsp;
mod manual;
mod mcp;
mod model;
mod model_file;
mod named_files;
mod nearest;
mod open_page;
mod other_file;
mod output;
mod pager;
mod piped_inputs;
mod program_path;
mod push;
mod report;
mod rule_names;
mod run_ledger;
mod run_limits;
mod series_row;
mod serve;
mod server_client;
mod several_runs;
mod slice_pattern;
mod standard_output;
mod start;
mod suspects;
mod tool_results;
mod top;
mod usual_findings;
mod verify;
mod when;
mod whole_file;

use std::ffi::OsString;

use clap::Parser as _;

use self::piped_inputs::PipedInputs;
use self::run_limits::RunLimits;
use self::start::Start;
use crate::cli::{Cli, Verb};
use crate::exit::Outcome;

/// Runs a command line, the program's name first.
pub fn run(words: Vec<OsString>) -> Outcome {
    match Start::new(words) {
        Start::Command(words) => run_verb(Cli::parse_from(words)),
        start => start::run(&start),
    }
}

/// Runs the command that was asked for.
fn run_verb(mut cli: Cli) -> Outcome {
    named_files::check(&cli.verb)?;
    let _piped = PipedInputs::of_verb(&mut cli.verb)?;
    other_file::refuse(&cli.verb)?;
    if let Some(limits) = RunLimits::from_verb(&cli.verb) {
        limits.watch()?;
    }
    match cli.verb {
        Verb::Demo(demo) => demo::run(&demo),
        Verb::Report(report) => report::run(*report),
        Verb::Diff(diff) => diff::run(&diff),
        Verb::Diagnose(diagnose) => diagnose::run(&diagnose),
        Verb::Explain(explain) => explain::run(&explain),
        Verb::Export(export) => export::run(&export),
        Verb::Top(top) => top::run(&top),
        Verb::Bisect(search) => bisect::bisect(&search),
        Verb::Check(check) => gate::check(&check),
        Verb::Baseline(baseline) => gate::baseline(&baseline),
        Verb::Runs(runs) => history::runs(&runs),
        Verb::History(flags) => history::history(&flags),
        Verb::Import(import) => tool_results::run(&import),
        Verb::Serve(serve) => serve::serve(&serve),
        Verb::Lsp(flags) => lsp::run(&flags),
        Verb::Mcp(flags) => mcp::run(&flags),
        Verb::Push(push) => push::push(&push),
        Verb::Accuracy(accuracy) => accuracy::run(&accuracy),
        Verb::Calibrate(calibrate) => calibrate::run(&calibrate),
        Verb::Model(model) => model::run(&model),
        Verb::Verify(verify) => verify::run(&verify),
        Verb::Instrument(instrument) => instrument::run(&instrument),
        Verb::Doctor(doctor) => doctor::run(&doctor),
        Verb::Devices(devices) => device::devices(&devices),
        Verb::Record(record) => device::record(&record),
        Verb::Run(run) => device::run(&run),
        #[cfg(feature = "phone")]
        Verb::PhoneTool { words } => std::process::exit(wattle_phone::tool_main(words).into()),
        Verb::Completions { shell } => manual::completions(shell),
        Verb::Man { folder } => manual::pages(&folder),
    }
}
