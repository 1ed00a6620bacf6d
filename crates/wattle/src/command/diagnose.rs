//! `wattle diagnose`: recording → timeline → power → ledger → wasted energy.

use std::io::IsTerminal as _;

use anyhow::{Context as _, anyhow};
use wattle_diagnose::{
    DiagnoseError, DiagnoseOptions, Diagnosis, FindingSeverity, IdleChoice, Input, KnownFindings,
    ProcessChoice, RuleOptions, StackOptions,
};
use wattle_report::{ReportOptions, diagnosis, diagnosis_html};
use wattle_timeline::{Timeline, Window};

use super::accepted_findings::AcceptedFindings;
use super::analysis::{self, AnalysisPlan};
use super::nearest::suggestion;
use super::{inputs, judgement, output, rule_names, when, whole_file};
use crate::cli::Diagnose;
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Runs `wattle diagnose`.
pub fn run(flags: &Diagnose) -> Outcome {
    check(flags)?;
    let config = Config::find(flags.modelling.config.as_deref())?;
    let plan = AnalysisPlan {
        stretches: wattle_ledger::StretchDetail::Bounded,
        ..AnalysisPlan::new(&config, flags.modelling.clone(), flags.symbols.clone())
    };
    let rules = rules(flags).map_err(Failure::Usage)?;
    check_rules(&rules)?;
    let reading = flags.reading.options();
    let mut timeline = analysis::read_as(&flags.inputs, &reading, flags.quiet)?;
    analysis::symbolise(&mut timeline, &plan.symbols, &reading.unpacking)?;
    let mut options = DiagnoseOptions::default();
    options.processes = flags.process.iter().map(|word| ProcessChoice::from_word(word)).collect();
    let (from, to) = (flags.from.as_deref(), flags.to.as_deref());
    options.window = when::window(None, from, to, &timeline).map_err(Failure::Usage)?;
    options.idle = idle(&flags.idle, &timeline).map_err(Failure::Usage)?;
    options.regions = flags.regions.options();
    options.stacks = StackOptions { majority: flags.regions.majority };
    options.rules = rules;
    let (power, ledger) = analysis::energy(&timeline, &flags.inputs, &plan, options.window)?;
    let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
    let diagnosis = wattle_diagnose::diagnose(input, &options);
    let mut diagnosis = diagnosis.map_err(|error| failure(error, &timeline))?;
    AcceptedFindings::new(&config, flags.gate.baseline.as_deref()).accept(&mut diagnosis)?;
    if let Some(path) = &flags.gate.write_baseline {
        output::write_json(path, &KnownFindings::from_diagnosis(&diagnosis))?;
        output::say_written(path, flags.quiet);
    }
    write(flags, config.top(flags.top), &diagnosis)?;
    judge(flags, &diagnosis)?;
    judgement::judge(flags.strictness, &ledger.quality.errors())
}

/// Reports errors of the command line before anything is read.
fn check(flags: &Diagnose) -> Outcome {
    let usage = |text: String| Err(Failure::Usage(anyhow!(text)));
    for (flag, path) in [
        ("--html", &flags.html),
        ("--out", &flags.out),
        ("--write-baseline", &flags.gate.write_baseline),
    ] {
        if output::is_stdout(path.as_deref()) {
            return usage(format!("{flag} -: expected a name"));
        }
    }
    if output::is_stdout(flags.json.as_deref()) && output::is_stdout(flags.sarif.as_deref()) {
        return usage("--json - and --sarif -: standard output can be only one of both".to_owned());
    }
    if let Some(file) = flags.out.as_ref().filter(|out| out.exists() && !out.is_dir()) {
        return usage(format!("--out {}: expected a folder, found a file", file.display()));
    }
    if !inputs::saved_ledgers(&flags.inputs)?.is_empty() {
        return usage(
            "a saved ledger does not say what happened when: expected the recording".to_owned(),
        );
    }
    Ok(())
}

/// The rules that are asked for, and their numbers.
fn rules(flags: &Diagnose) -> anyhow::Result<RuleOptions> {
    let mut rules = RuleOptions::default();
    rules.only.clone_from(&flags.only);
    rules.skip.clone_from(&flags.skip);
    for word in &flags.threshold {
        let expected = || anyhow!("--threshold {word}: expected RULE.NAME=NUMBER");
        let (name, number) = word.split_once('=').ok_or_else(expected)?;
        let number: f64 = number.trim().parse().map_err(|_| expected())?;
        rules.thresholds.push((name.trim().to_owned(), number));
    }
    Ok(rules)
}

/// Reports misspelt rules before anything is read.
fn check_rules(rules: &RuleOptions) -> Outcome {
    rules.only.iter().chain(&rules.skip).try_for_each(|id| rule_names::find(id).map(drop))?;
    if let Some(both) = rules.only.iter().find(|id| rules.skip.contains(id)) {
        let text = format!("--only {both} and --skip {both}: expected one of both");
        return Err(Failure::Usage(anyhow!(text)));
    }
    rules.thresholds.iter().try_for_each(|(name, _)| rule_names::check_threshold(name))
}

/// When the app should do nothing.
fn idle(words: &[String], timeline: &Timeline) -> anyhow::Result<IdleChoice> {
    match words {
        [] => return Ok(IdleChoice::Find),
        [word] if word == "find" => return Ok(IdleChoice::Find),
        [word] if word == "whole" => return Ok(IdleChoice::Whole),
        _ => {}
    }
    if let Some(word) = words.iter().find(|word| ["find", "whole"].contains(&word.as_str())) {
        anyhow::bail!("--idle {word}: expected it alone, found other times beside it");
    }
    let window = |word: &String| {
        let expected = || format!("--idle {word}: expected find, whole, or START..END");
        let (start, end) = word.split_once("..").with_context(expected)?;
        let instant = |text: &str| when::parse_instant(text, timeline.window.start);
        let start = instant(start.trim()).with_context(expected)?;
        let end = instant(end.trim()).with_context(expected)?;
        if start >= end {
            anyhow::bail!("--idle {word}: expected the earlier time first");
        }
        let window = Window::new(start, end);
        let inside = window.intersect(timeline.window);
        if inside.is_empty() {
            anyhow::bail!(
                "--idle {word}: nothing of it is in the recording, which lasts {:.3} s",
                timeline.window.duration().seconds()
            );
        }
        Ok(inside)
    };
    words.iter().map(window).collect::<anyhow::Result<_>>().map(IdleChoice::Given)
}

fn failure(error: DiagnoseError, timeline: &Timeline) -> Failure {
    let DiagnoseError::NoSuchProcess { asked, .. } = &error else {
        return Failure::Usage(error.into());
    };
    let processes = timeline.tasks.processes.iter();
    let names = processes.filter_map(|process| Some(timeline.names.get(process.name?)));
    // A process also goes by the last part of its path.
    let names = names.flat_map(|name| [name, name.rsplit(['/', '\\']).next().unwrap_or(name)]);
    match suggestion(asked, names) {
        near if near.is_empty() => Failure::Usage(error.into()),
        near => Failure::Usage(anyhow!("no process {asked:?} in the recording{near}")),
    }
}

fn write(flags: &Diagnose, top: Option<usize>, found: &Diagnosis) -> Outcome {
    if let Some(folder) = &flags.out {
        whole_file::create_folder(folder)?;
        let files = diagnosis::csv_files(found).context("tables").map_err(Failure::Internal)?;
        for (name, text) in files {
            output::write_file(&folder.join(name), text.as_bytes())?;
        }
    }
    if let Some(path) = &flags.html {
        let page =
            diagnosis_html(found).context("page of the diagnosis").map_err(Failure::Internal)?;
        output::write_file(path, page.as_bytes())?;
        output::say_written(path, flags.quiet);
    }
    if let Some(path) = &flags.json {
        output::write_json(path, found)?;
        output::say_written(path, flags.quiet);
    }
    if let Some(path) = &flags.sarif {
        let sarif = diagnosis::sarif(found).context("SARIF").map_err(Failure::Internal)?;
        output::write_json(path, &sarif)?;
        output::say_written(path, flags.quiet);
    }
    let is_stdout = |path: &Option<std::path::PathBuf>| output::is_stdout(path.as_deref());
    if flags.quiet || is_stdout(&flags.json) || is_stdout(&flags.sarif) {
        return Ok(());
    }
    let mut options = ReportOptions::default();
    if let Some(top) = top {
        options.top = top;
    }
    let on_terminal = std::io::stdout().is_terminal();
    options.color = on_terminal && std::env::var_os("NO_COLOR").is_none();
    output::print(diagnosis::terminal(found, &options).as_bytes())
}

/// Applies `--fail-on`.
fn judge(flags: &Diagnose, found: &Diagnosis) -> Outcome {
    let Some(least) = flags.gate.fail_on.map(crate::cli::FailOn::severity) else { return Ok(()) };
    let grave = found.findings.iter().filter(|finding| finding.severity >= least);
    match grave.clone().count() {
        0 => Ok(()),
        count => {
            let first = grave.clone().next().map_or("", |finding| &finding.title);
            let word = if least == FindingSeverity::Note { "" } else { " severe enough" };
            let noun = if count == 1 { "finding" } else { "findings" };
            Err(Failure::Refused(anyhow!("{count} {noun}{word}: {first}")))
        }
    }
}
