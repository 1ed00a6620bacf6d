//! `wattle serve project` and `wattle serve tidy`: what a server holds, and for how long.

use std::fmt::Write as _;

use anyhow::anyhow;
use wattle_serve::{ListedProject, ServerOptions, Tidied};

use super::server_failure::failure;
use super::user_command::new_data;
use crate::cli::ProjectVerb;
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle serve project`.
pub fn run(verb: &ProjectVerb, options: &ServerOptions) -> Outcome {
    match verb {
        ProjectVerb::Add { name, title } => {
            let is_new = !wattle_serve::exists(options);
            let project = wattle_serve::add_project(options, name, title).map_err(failure)?;
            let mut text = format!("added the project {}\n", project.name);
            if is_new {
                text.push_str(&new_data(options));
            }
            output::print(text.as_bytes())
        }
        ProjectVerb::List => {
            let mut text = String::new();
            for listed in wattle_serve::projects(options).map_err(failure)? {
                let _ = writeln!(text, "{}  {}", listed.project.name, described(&listed));
            }
            output::print(text.as_bytes())
        }
        ProjectVerb::Remove { name, yes: false } => {
            let listed = wattle_serve::project(options, name).map_err(failure)?;
            let text = format!(
                "{} has {}; to remove all of it, repeat the command with --yes",
                listed.project.name,
                described(&listed)
            );
            Err(Failure::Usage(anyhow!(text)))
        }
        ProjectVerb::Remove { name, yes: true } => {
            wattle_serve::remove_project(options, name).map_err(failure)?;
            output::print(format!("removed the project {name}\n").as_bytes())
        }
        ProjectVerb::Keep { name, runs, last, uploads } => {
            let mut rules = wattle_serve::project(options, name).map_err(failure)?.retention;
            rules.run_days = runs.map_or(rules.run_days, |it| it.0);
            rules.series_runs = last.map_or(rules.series_runs, |it| it.0);
            rules.file_days = uploads.map_or(rules.file_days, |it| it.0);
            wattle_serve::set_retention(options, name, rules).map_err(failure)?;
            output::print(format!("{name} keeps {rules}\n").as_bytes())
        }
    }
}

fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn described(listed: &ListedProject) -> String {
    format!(
        "{}, {}, {:.1} MB; keeps {}",
        counted(listed.runs, "run"),
        counted(listed.members as u64, "member"),
        listed.bytes as f64 / 1e6,
        listed.retention
    )
}

/// Runs `wattle serve tidy`.
pub fn tidy(options: &ServerOptions, is_dry: bool) -> Outcome {
    let tidied = wattle_serve::tidy(options, is_dry).map_err(failure)?;
    let mut text = String::new();
    for Tidied { project, runs, files } in &tidied {
        let verb = if is_dry { "would delete" } else { "deleted" };
        let numbers: Vec<String> = runs.iter().map(|run| run.0.to_string()).collect();
        let (runs, files) = (counted(runs.len() as u64, "run"), counted(*files as u64, "upload"));
        let _ = write!(text, "{project}: {verb} {runs} and {files}");
        if !numbers.is_empty() {
            let _ = write!(text, ": {}", numbers.join(", "));
        }
        text.push('\n');
    }
    if tidied.is_empty() {
        text.push_str("nothing to delete\n");
    }
    output::print(text.as_bytes())
}
