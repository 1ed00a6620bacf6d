//! `wattle check`.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use wattle_gate::format::{self, SourcePlaces};
use wattle_gate::{BaselineChoice, GateError, GateReport, GateRun};

use super::{baseline_file, checked_runs, found_energies, latest_runs};
use crate::cli::{Against, Check, CheckForms};
use crate::command::kept_runs::{nothing_kept, open_existing};
use crate::command::{output, whole_file};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// The baseline that is taken where it is there.
const USUAL_BASELINE: &str = "wattle-baseline.json";

/// Runs `wattle check`.
pub fn check(flags: &Check) -> Outcome {
    let config = Config::find(flags.place.config.as_deref())?;
    let policy = config.check_policy();
    policy.validate().map_err(|error| refused_policy(&error))?;
    let app = flags.app.as_deref().or(policy.app.as_deref());
    let (own_baseline, mut current) = if flags.runs.is_empty() {
        let mut store = open_existing(&flags.place)?.ok_or_else(nothing_kept)?;
        (Vec::new(), latest_runs::latest(&mut store, app)?)
    } else {
        checked_runs::of(&flags.runs, app, &flags.place)?
    };
    if current.is_empty() {
        let whose = app.map_or_else(String::new, |app| format!(" of {app}"));
        return Err(Failure::Usage(anyhow!(
            "no run{whose} that passed has been kept: keep one with --keep"
        )));
    }
    if let Some(path) = &flags.findings {
        let found = found_energies::read(path)?;
        for run in &mut current {
            run.findings = Some(found.clone());
        }
    }
    let choice = choice(&flags.against, &policy.baseline);
    let (baseline, described) = if own_baseline.is_empty() {
        baseline(flags, &current, &choice, app)?
    } else {
        let label = own_baseline[0].facts.labels.build.clone();
        let label = label.map_or_else(|| "the first build".to_owned(), |it| format!("build {it}"));
        (own_baseline, label)
    };
    let report = wattle_gate::check(&policy, &current, &baseline, &described);
    let report = report.map_err(|error| refused_policy(&error))?;
    write(&report, flags)?;
    if report.passes(flags.strict) {
        Ok(())
    } else {
        Err(Failure::Refused(anyhow!("{}", report.headline())))
    }
}

fn refused_policy(error: &GateError) -> Failure {
    let advice = match error {
        GateError::NoRules => {
            "; for example\n\n  [[check.rule]]\n  subject = \"app\"\n  grow-at-most = \"5%\"\n"
        }
        _ => "",
    };
    Failure::Usage(anyhow!("{error}{advice}"))
}

fn choice(flags: &Against, usual: &BaselineChoice) -> BaselineChoice {
    BaselineChoice {
        branch: flags.baseline_branch.clone().or_else(|| usual.branch.clone()),
        last: flags.last.unwrap_or(usual.last),
    }
}

/// The baseline and its name: a file, or the latest runs of a branch.
fn baseline(
    flags: &Check,
    current: &[GateRun],
    choice: &BaselineChoice,
    app: Option<&str>,
) -> Result<(Vec<GateRun>, String), Failure> {
    let named = flags.against.baseline.as_deref();
    let is_chosen = flags.against.baseline_branch.is_some() || flags.against.last.is_some();
    let usual = Path::new(USUAL_BASELINE);
    if let Some(path) = named.or_else(|| Some(usual).filter(|it| !is_chosen && it.is_file())) {
        return Ok((baseline_file::read(path)?, format!("the baseline {}", path.display())));
    }
    let branch = choice.branch.as_deref();
    let of_branch = branch.map_or_else(String::new, |branch| format!(" of {branch}"));
    let Some(mut store) = open_existing(&flags.place)? else {
        return Ok((Vec::new(), format!("the history{of_branch}")));
    };
    let runs = latest_runs::before(&mut store, current, choice, app)?;
    let described = match runs.len() {
        0 => format!("the history{of_branch}"),
        1 => format!("the last run{of_branch}"),
        count => format!("the last {count} runs{of_branch}"),
    };
    Ok((runs, described))
}

/// Writes every form that was asked for, and the terminal's unless one of them takes its place.
fn write(report: &GateReport, flags: &Check) -> Outcome {
    let CheckForms { json, markdown, junit, sarif, gitlab, badge, github } = &flags.forms;
    let in_actions = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let needs_places = *github || in_actions || sarif.is_some() || gitlab.is_some();
    let places =
        if needs_places { SourcePlaces::below(Path::new(".")) } else { SourcePlaces::default() };
    let version = env!("CARGO_PKG_VERSION");
    let xml =
        || format::junit(report, flags.strict).context("JUnit XML").map_err(Failure::Internal);
    let junit_text = junit.as_ref().map(|_| xml()).transpose()?.unwrap_or_default();
    let forms: [(&Option<std::path::PathBuf>, String); 6] = [
        (json, format::json(report, flags.strict)),
        (markdown, format::markdown(report)),
        (junit, junit_text),
        (sarif, format::sarif(report, &places, version)),
        (gitlab, format::code_quality(report, &places)),
        (badge, format::badge(report)),
    ];
    let on_stdout = forms.iter().filter(|(path, _)| output::is_stdout(path.as_deref())).count();
    if on_stdout > 1 {
        return Err(Failure::Usage(anyhow!("two forms cannot both go to standard output")));
    }
    for (path, text) in &forms {
        let Some(path) = path else { continue };
        if output::is_stdout(Some(path)) {
            output::print(text.as_bytes())?;
        } else {
            whole_file::write(path, text.as_bytes())?;
            output::say_written(path, flags.place.quiet);
        }
    }
    if on_stdout == 0 && !flags.place.quiet {
        let text: String = format::terminal(report)
            .lines()
            .map(|line| wattle_report::clean(line) + "\n")
            .collect();
        output::print(text.as_bytes())?;
        if *github || in_actions {
            output::print(format::annotations(report, &places).as_bytes())?;
        }
    }
    Ok(())
}
