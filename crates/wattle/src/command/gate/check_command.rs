//! `wattle check`.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use wattle_gate::format::{self, SourcePlaces};
use wattle_gate::{
    Baseline, BaselineChoice, BaselineOrigin, EarlierRuns, GateError, GateReport, GateRun,
    JudgedRuns, LatestRuns, Policy, Subject,
};

use super::run_source::RunSource;
use super::{baseline_file, checked_runs, found_energies, ledger_run};
use crate::cli::{Against, Check, CheckForms, StoreChoice};
use crate::command::nearest::suggestion;
use crate::command::{history, kept_runs, output, whole_file};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// The baseline that is taken where it is there.
const USUAL_BASELINE: &str = "wattle-baseline.json";

/// Runs `wattle check`.
pub fn check(flags: &Check) -> Outcome {
    let config = Config::find(flags.place.config.as_deref())?;
    let mut policy = config.check_policy();
    policy.baseline = choice(&flags.against, &policy.baseline);
    policy.validate().map_err(|error| refused_policy(&error))?;
    refuse_unknown_findings(&policy)?;
    let app = flags.app.as_deref().or(policy.app.as_deref());
    let mut source = RunSource::open(flags.server.as_deref(), &flags.access, &flags.place)?;
    let mut groups = if flags.runs.is_empty() {
        let methods = policy.method_patterns();
        let app = app.map(str::to_owned);
        let latest = source.latest(&LatestRuns { app, commit: flags.commit.clone(), methods })?;
        say_other_commit(&latest);
        latest
    } else {
        let (before, current) = checked_runs::of(&flags.runs, app, &mut source)?;
        refuse_two_commits(&current)?;
        by_scenario(before, current)
    };
    if groups.is_empty() {
        let whose = app.map_or_else(String::new, |app| format!(" of {app}"));
        return Err(Failure::Usage(anyhow!(
            "no run{whose} that passed has been kept: keep one with --keep"
        )));
    }
    let mut judged: Vec<&mut GateRun> =
        groups.iter_mut().flat_map(|group| &mut group.current).collect();
    if !flags.findings.is_empty() && flags.server.is_none() {
        for run in &mut judged {
            name_files(run, &flags.place.store)?;
        }
    }
    for path in &flags.findings {
        found_energies::give(path, &mut judged)?;
    }
    let mut reports = Vec::new();
    for group in &groups {
        let (runs, origin) = baseline(&flags.against, group, (&policy, &mut source))?;
        let baseline = Baseline::new(&runs, origin, &policy.baseline);
        let report = wattle_gate::check(&policy, &group.current, &baseline);
        reports.push(report.map_err(|error| refused_policy(&error))?);
    }
    let Some(report) = GateReport::joined(reports) else { return Ok(()) };
    write(&report, flags)?;
    if report.passes(flags.strict) {
        Ok(())
    } else {
        // What standard output says already is not said again.
        let was_printed = on_stdout(&flags.forms) == 0 && !flags.place.quiet;
        let why = if was_printed { report.failed_in_words() } else { report.headline() };
        Err(Failure::Refused(anyhow!(why)))
    }
}

/// Names the files of a kept run.
fn name_files(run: &mut GateRun, store: &StoreChoice) -> Outcome {
    let name = Path::new(&run.name);
    if run.files.is_empty() && kept_runs::is_run_name(name) {
        run.files = ledger_run::files(&kept_runs::load(name, store)?);
    }
    Ok(())
}

/// Refuses rules about findings that no rule of `diagnose` makes: misspelt, they would pass for ever.
fn refuse_unknown_findings(policy: &Policy) -> Outcome {
    for rule in &policy.rule {
        let Subject::Finding(pattern) = &rule.subject else { continue };
        if wattle_diagnose::rules().iter().any(|known| pattern.accepts(known.id)) {
            continue;
        }
        let asked = pattern.to_string();
        let names = wattle_diagnose::rules().iter().map(|rule| rule.id);
        let near = suggestion(asked.trim_end_matches('*').trim_end_matches('-'), names);
        return Err(Failure::Usage(anyhow!(
            "finding:{asked}: no rule of `wattle diagnose` has such a name{near}"
        )));
    }
    Ok(())
}

/// Runs that are judged together are of one state of the code: the mean of two says nothing of either.
fn refuse_two_commits(runs: &[GateRun]) -> Outcome {
    let commit = |run: &GateRun| run.facts.code.commit.clone();
    let mut known = runs.iter().filter_map(|run| Some((run, commit(run)?)));
    let Some((first, of_first)) = known.next() else { return Ok(()) };
    match known.find(|(_, other)| *other != of_first) {
        None => Ok(()),
        Some((other, of_other)) => Err(Failure::Usage(anyhow!(
            "{} is of commit {of_first}, and {} of {of_other}: check runs of one commit at a time",
            first.name,
            other.name
        ))),
    }
}

/// Says that the working folder is at a commit without runs: what is judged is an earlier one.
fn say_other_commit(groups: &[JudgedRuns]) {
    let commits = groups.iter().flat_map(|group| &group.current);
    let commits = commits.filter_map(|run| run.facts.code.commit.as_deref());
    if let Some((head, judged)) = history::commit_without_runs(commits) {
        let text = format!(
            "warning: no run of {head}, the commit of the working folder, was kept; the latest runs are of {judged}"
        );
        // Nobody is there to be told where standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", wattle_report::clean(&text));
    }
}

/// Runs by their scenarios, in the order in which these were named.
fn by_scenario(before: Vec<GateRun>, current: Vec<GateRun>) -> Vec<JudgedRuns> {
    let scenario = |run: &GateRun| run.facts.circumstances.scenario.clone();
    let mut groups: Vec<(Option<String>, JudgedRuns)> = Vec::new();
    for run in current {
        let of_run = scenario(&run);
        match groups.iter_mut().find(|(name, _)| *name == of_run) {
            Some((_, group)) => group.current.push(run),
            None => groups.push((of_run, JudgedRuns { before: Vec::new(), current: vec![run] })),
        }
    }
    for run in before {
        let of_run = scenario(&run);
        if let Some((_, group)) = groups.iter_mut().find(|(name, _)| *name == of_run) {
            group.before.push(run);
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
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

/// The baseline and its origin: the other build of a series, a file, or the runs of a branch.
fn baseline(
    against: &Against,
    group: &JudgedRuns,
    (policy, source): (&Policy, &mut RunSource),
) -> Result<(Vec<GateRun>, BaselineOrigin), Failure> {
    if let Some(other) = group.other_build() {
        return Ok(other);
    }
    let named = against.baseline.as_deref();
    let is_chosen = against.baseline_branch.is_some() || against.last.is_some();
    let usual = Path::new(USUAL_BASELINE);
    if let Some(path) = named.or_else(|| Some(usual).filter(|it| !is_chosen && it.is_file())) {
        let mut runs = baseline_file::read(path)?;
        let scenario = |run: &GateRun| run.facts.circumstances.scenario.clone();
        let of_group = group.current.first().and_then(scenario);
        // A run that does not say its scenario may be of this one.
        runs.retain(|run| {
            scenario(run).is_none() || of_group.is_none() || scenario(run) == of_group
        });
        let name = format!("the baseline {}", path.display());
        return Ok((runs, BaselineOrigin::Named(name)));
    }
    let origin = BaselineOrigin::History(policy.baseline.branch.clone());
    let wanted = EarlierRuns::of_runs(&group.current, policy);
    let runs = wanted.map_or_else(|| Ok(Vec::new()), |wanted| source.earlier(&wanted))?;
    Ok((runs, origin))
}

/// Number of forms that go to standard output.
fn on_stdout(forms: &CheckForms) -> usize {
    let CheckForms { json, markdown, junit, sarif, gitlab, badge, github: _ } = forms;
    let paths = [json, markdown, junit, sarif, gitlab, badge];
    paths.into_iter().filter(|path| output::is_stdout(path.as_deref())).count()
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
    let on_stdout = on_stdout(&flags.forms);
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
