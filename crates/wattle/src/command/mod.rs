//! From verb to calls.

mod accuracy;
mod analysis;
mod asked_names;
mod calibrate;
mod category;
mod demo;
mod device;
mod diagnose;
mod diff;
mod explain;
mod export;
mod file_identity;
mod findings;
mod human;
mod inputs;
mod instrument;
mod judgement;
mod line;
mod manual;
mod model;
mod model_file;
mod named_files;
mod nearest;
mod open_page;
mod output;
mod pager;
mod report;
mod rule_names;
mod slice_pattern;
mod suspects;
mod top;
mod verify;
mod when;
mod whole_file;

use crate::cli::{Cli, Verb};
use crate::exit::Outcome;

/// Runs the command that was asked for.
pub fn run(cli: Cli) -> Outcome {
    named_files::check(&cli.verb)?;
    match cli.verb {
        Verb::Demo(demo) => demo::run(&demo),
        Verb::Report(report) => report::run(*report),
        Verb::Diff(diff) => diff::run(&diff),
        Verb::Diagnose(diagnose) => diagnose::run(&diagnose),
        Verb::Explain(explain) => explain::run(&explain),
        Verb::Export(export) => export::run(&export),
        Verb::Top(top) => top::run(&top),
        Verb::Accuracy(accuracy) => accuracy::run(&accuracy),
        Verb::Calibrate(calibrate) => calibrate::run(&calibrate),
        Verb::Model(model) => model::run(&model),
        Verb::Verify(verify) => verify::run(&verify),
        Verb::Instrument(instrument) => instrument::run(&instrument),
        Verb::Devices(devices) => device::devices(&devices),
        Verb::Record(record) => device::record(&record),
        Verb::Run(run) => device::run(&run),
        #[cfg(feature = "phone")]
        Verb::PhoneTool { words } => std::process::exit(wattle_phone::tool_main(words).into()),
        Verb::Completions { shell } => manual::completions(shell),
        Verb::Man { folder } => manual::pages(&folder),
    }
}
