//! Judging runs by a policy.

use wattle_compare::{
    Build, Change, CommonError, Dependence, MeanEnergy, Run, RunComparison, Threshold, adjusted,
};
use wattle_units::{Interval, Joules};

use crate::baseline::Baseline;
use crate::check_report::runs_in_words;
use crate::commit_series::{CommitSeries, code_name};
use crate::compared_runs::Against;
use crate::growth_verdict::Growth;
use crate::history_judgement::{HistoryFinding, SeriesJudgement};
use crate::judged_run::{Energy, RunFigure};
use crate::one_line::{one_line, si};
use crate::{
    CheckRow, CheckRule, CheckVerdict, ComparedTo, GateError, GateReport, GateRun, Measured,
    Policy, ScatterCause, Subject,
};

/// Standard deviations in half of a 90 % interval.
const HALF_OF_90: f64 = 1.644_853_626_951_472_2;
/// Scatter between runs of one build, as a part of their mean, from which on a rule that is open is called flaky.
const FLAKY: f64 = 0.1;
/// Runs below which scatter is not judged.
const LEAST_RUNS: usize = 3;

/// Judges runs by a policy. Growth is measured against the baseline.
///
/// # Errors
/// If the policy says nothing that could be checked, or there are no runs.
pub fn check(
    policy: &Policy,
    current: &[GateRun],
    baseline: &Baseline<'_>,
) -> Result<GateReport, GateError> {
    policy.validate()?;
    let Some(first) = current.first() else { return Err(GateError::NoRuns) };
    let (_, others) = comparable(first, current);
    if let Some((run, reason)) = others.into_iter().next() {
        return Err(GateError::Mixed { run: one_line(&run), reason: one_line(&reason) });
    }
    let (mut comparable, mut refused) = comparable(first, baseline.runs);
    // The same recording under another name would make any growth smaller.
    comparable.retain(|run| {
        let is_judged = run.ledger.is_some() && current.iter().any(|it| it.ledger == run.ledger);
        if is_judged {
            refused.push((run.name.clone(), "it is one of the runs that are checked".to_owned()));
        }
        !is_judged
    });
    let one_lines = |(run, reason): (String, String)| (one_line(&run), one_line(&reason));
    let latest = comparable.len().saturating_sub(baseline.last);
    // Of runs that are too old to be compared with nobody needs to know.
    let refused_from = baseline.runs.len().saturating_sub(baseline.last);
    let recent =
        |name: &String| baseline.runs.iter().skip(refused_from).any(|run| run.name == *name);
    let refused = refused.into_iter().filter(|(name, _)| recent(name)).map(one_lines).collect();
    let branch = |run: &GateRun| run.facts.code.branch.clone();
    let against = Against {
        is_same_branch: comparable.last().is_none_or(|run| branch(run) == branch(first)),
        runs: comparable,
        last: baseline.last,
        origin: &baseline.origin,
        figures: policy.rule.iter().filter(|rule| rule.grow_at_most.is_some()).count(),
    };
    let mut rows: Vec<CheckRow> =
        policy.rule.iter().map(|rule| judge(rule, current, &against)).collect();
    correct_for_number(&mut rows);
    for row in &mut rows {
        conclude(row, current, &against);
    }
    let compared = against.runs.iter().skip(latest);
    let runs: Vec<String> = compared.map(|run| one_line(&run.name)).collect();
    let described = one_line(&against.origin.describe(runs.len()));
    let mut commits: Vec<String> = Vec::new();
    for run in current.iter().filter(|run| run.facts.code.commit.is_some()) {
        let name = one_line(&code_name(run));
        if !commits.contains(&name) {
            commits.push(name);
        }
    }
    Ok(GateReport {
        app: one_line(&first.facts.app.package),
        commits,
        runs: current.iter().map(|run| one_line(&run.name)).collect(),
        baseline: ComparedTo { runs, refused, described },
        rows,
    })
}

/// A run that is not comparable, with the reason.
type Refused = (String, String);

/// The runs that can be compared with one, and why the others cannot.
fn comparable<'r>(first: &GateRun, baseline: &'r [GateRun]) -> (Vec<&'r GateRun>, Vec<Refused>) {
    let mut refused = Vec::new();
    let accepted = baseline.iter().filter(|run| {
        let (one, other) = (&first.facts, &run.facts);
        let differs = |what: &str, one: Option<String>, other: Option<String>| {
            let (one, other) = (one?, other?);
            (one != other).then(|| format!("its {what} is {other}, not {one}"))
        };
        let version = |facts: &wattle_store::RunFacts| {
            facts.device.model_version.map(|version| version.to_string())
        };
        let package = |facts: &wattle_store::RunFacts| {
            Some(facts.app.package.clone()).filter(|package| !package.is_empty())
        };
        let reason = differs("app", package(one), package(other))
            .or_else(|| differs("device", one.device.title.clone(), other.device.title.clone()))
            .or_else(|| {
                differs(
                    "device model",
                    one.device.model_name.clone(),
                    other.device.model_name.clone(),
                )
            })
            .or_else(|| differs("version of the device model", version(one), version(other)));
        let is_comparable = reason.is_none();
        refused.extend(reason.map(|reason| (run.name.clone(), reason)));
        is_comparable
    });
    (accepted.collect(), refused)
}

/// The figures of a rule, without a verdict.
fn judge(rule: &CheckRule, current: &[GateRun], against: &Against<'_>) -> CheckRow {
    let holds = |run: &&GateRun| holds_for(rule, run);
    let runs: Vec<&GateRun> = current.iter().filter(holds).collect();
    let earlier: Vec<&GateRun> = against.runs.iter().copied().filter(holds).collect();
    // What no run has is more likely a name that was misspelt than something that costs nothing.
    let occurs = runs.iter().chain(&earlier).any(|run| occurs(rule, run));
    let series = rule
        .grow_at_most
        .filter(|_| against.origin.has_commits())
        .map(|_| CommitSeries::new(&earlier, &runs));
    let judgement = series.as_ref().and_then(|series| {
        let energy = |run: &GateRun| figures(rule, &[run], occurs).first().map(|it| it.energy);
        SeriesJudgement::new(series, energy, against.figures)
    });
    // What was before the present level began is no measure for a growth, nor is what may be a change already.
    let compared: Vec<&GateRun> = match series.as_ref().zip(judgement.as_ref()) {
        Some((series, judged)) => {
            let until = judged.open_from.unwrap_or(series.commits.len() - 1);
            let level = series.commits.get(judged.level_from..until).unwrap_or_default();
            level.iter().flat_map(|commit| commit.runs.iter().copied()).collect()
        }
        None => earlier,
    };
    let compared = &compared[compared.len().saturating_sub(against.last)..];
    let (now, before) = (figures(rule, &runs, occurs), figures(rule, compared, occurs));
    let change = rule.grow_at_most.and_then(|allowed| change(&now, &before, &allowed));
    let wants_baseline = rule.grow_at_most.is_some();
    let scenario = runs.first().and_then(|run| run.facts.circumstances.scenario.as_deref());
    let (is_far, history) = match judgement {
        Some(judged) => (judged.at_once, Some(judged.judgement)),
        None => (None, None),
    };
    CheckRow {
        rule: rule.clone(),
        scenario: scenario.map(one_line),
        measured: measured(&now),
        baseline: measured(&before).filter(|_| wants_baseline),
        change,
        history,
        beyond: is_far,
        verdict: CheckVerdict::NotMeasured,
        cause: None,
        gist: String::new(),
        text: String::new(),
    }
}

/// Whether a run has the figure of a rule. Of findings it is enough that somebody looked for them.
fn occurs(rule: &CheckRule, run: &GateRun) -> bool {
    let figure = run.figure(&rule.subject);
    let is_finding = matches!(rule.subject, Subject::Finding(_));
    matches!(figure, RunFigure::Known(_)) || (is_finding && figure == RunFigure::Absent)
}

fn holds_for(rule: &CheckRule, run: &GateRun) -> bool {
    rule.scenario.as_ref().is_none_or(|wanted| {
        run.facts.circumstances.scenario.as_ref().is_some_and(|name| wanted.accepts(name))
    })
}

/// A figure of a run, with the run's place in its series where builds took turns.
#[derive(Clone, Copy)]
struct Figure<'r> {
    run: &'r GateRun,
    energy: Energy,
}

/// The figures of runs. `occurs`: some run has it, so that it costs nothing where it is absent.
fn figures<'r>(rule: &CheckRule, runs: &[&'r GateRun], occurs: bool) -> Vec<Figure<'r>> {
    let figure = |run: &&'r GateRun| match run.figure(&rule.subject) {
        RunFigure::Known(energy) => Some(Figure { run, energy }),
        RunFigure::Absent if occurs => Some(Figure { run, energy: Energy::default() }),
        RunFigure::Absent | RunFigure::Unknown => None,
    };
    runs.iter().filter_map(figure).collect()
}

/// Mean and interval: the model's error, which all runs share, and that of the mean by the scatter between runs.
fn measured(figures: &[Figure<'_>]) -> Option<Measured> {
    let joules: Vec<Joules> = figures.iter().map(|figure| figure.energy.value()).collect();
    if let [only] = figures {
        return Some(Measured { energy: only.energy, runs: 1 });
    }
    let mean = MeanEnergy::new(&joules)?;
    let joules = mean.joules.value();
    let Interval { low, high } =
        mean.interval_with(Joules::new(half_share(figures) * joules.abs()));
    let energy = Energy { joules, low: low.value(), high: high.value() };
    Some(Measured { energy, runs: mean.runs })
}

/// Half of the model's 90 % interval as a part of the energy, on average.
fn half_share(figures: &[Figure<'_>]) -> f64 {
    let sum: f64 = figures.iter().map(|figure| figure.energy.half_share()).sum();
    sum / figures.len().max(1) as f64
}

fn change(now: &[Figure<'_>], before: &[Figure<'_>], allowed: &Threshold) -> Option<Change> {
    let all: Vec<Figure<'_>> = before.iter().chain(now).copied().collect();
    let common = CommonError::Proportional(half_share(&all) / HALF_OF_90);
    let series = shared_series(&all);
    let place = |at: usize, figure: &Figure<'_>| {
        let iteration = figure.run.facts.labels.iteration.filter(|_| series);
        iteration.unwrap_or_else(|| u32::try_from(at).unwrap_or(u32::MAX))
    };
    let runs: Vec<Run> = all
        .iter()
        .enumerate()
        .map(|(at, figure)| Run {
            build: if at < before.len() { Build::Before } else { Build::After },
            number: place(at, figure),
            joules: figure.energy.value(),
            own_error: Joules::ZERO,
        })
        .collect();
    RunComparison::new(&runs, common, allowed).map(|comparison| comparison.change)
}

/// Whether all runs are of one series, whose numbers say who came when.
fn shared_series(all: &[Figure<'_>]) -> bool {
    let labels = all.iter().map(|figure| &figure.run.facts.labels);
    let mut series = labels.map(|it| it.series.as_ref().filter(|_| it.iteration.is_some()));
    let first = series.next().flatten();
    first.is_some() && series.all(|other| other == first)
}

/// Many rules find something by chance: their p-values are corrected (Benjamini and Hochberg).
fn correct_for_number(rows: &mut [CheckRow]) {
    let changes = rows.iter_mut().filter_map(|row| row.change.as_mut());
    let mut changes: Vec<&mut Change> = changes.collect();
    let p_values: Vec<f64> = changes.iter().map(|change| change.p_value).collect();
    for (change, p_value) in changes.iter_mut().zip(adjusted(&p_values, Dependence::Positive)) {
        **change = change.with_p_value(p_value);
    }
}

/// The verdict and its sentence.
fn conclude(row: &mut CheckRow, current: &[GateRun], against: &Against<'_>) {
    let Some(now) = row.measured else {
        let why = missing(&row.rule, current);
        row.gist = one_line(&format!("{}: {why}", short_subject(&row.rule)));
        row.text = one_line(&format!("{}: {why}", row.rule.subject));
        return;
    };
    let energy = now.energy;
    let mut parts = vec![format!("{} {}", row.rule.subject, shown(&energy))];
    let mut verdict = CheckVerdict::Passed;
    let mut gist = si(energy.joules);
    if let Some(limit) = row.rule.at_most {
        let most = limit.0.value();
        verdict = if energy.low > most {
            CheckVerdict::Failed
        } else if energy.high <= most {
            CheckVerdict::Passed
        } else {
            CheckVerdict::Inconclusive
        };
        parts.push(format!("at most {} allowed", si(most)));
        gist = format!("{gist} (at most {})", si(most));
    }
    if let Some(allowed) = row.rule.grow_at_most {
        let Growth { verdict: grown, gist: growth, text, cause } =
            Growth::new(row, &allowed, against);
        if grown > verdict || row.rule.at_most.is_none() {
            gist = growth;
        }
        verdict = verdict.max(grown);
        parts.push(text);
        row.cause = cause.filter(|_| verdict == CheckVerdict::Flaky);
    }
    row.text = parts.join(", ");
    row.gist = one_line(&format!("{} {gist}", short_subject(&row.rule)));
    // Of these it is known what would settle them.
    let is_open = row.history.as_ref().is_some_and(|it| {
        matches!(it.finding, HistoryFinding::Suspected { .. } | HistoryFinding::Outside)
    });
    if verdict == CheckVerdict::Inconclusive && !is_open {
        let runs: Vec<&GateRun> = current.iter().filter(|run| holds_for(&row.rule, run)).collect();
        let figures = figures(&row.rule, &runs, true);
        if let Some(scatter) = scatter(&figures).filter(|scatter| *scatter >= FLAKY) {
            let pairs: Vec<(&GateRun, f64)> =
                figures.iter().map(|figure| (figure.run, figure.energy.joules)).collect();
            verdict = CheckVerdict::Flaky;
            row.cause = ScatterCause::find(&pairs);
            let cause = row.cause.map_or_else(
                || "no condition of the runs explains it".to_owned(),
                ScatterCause::describe,
            );
            row.text = format!(
                "{}; {} scatter by {:.0} %: {cause}",
                row.text,
                runs_in_words(figures.len()),
                scatter * 100.0
            );
        }
    }
    row.verdict = verdict;
    row.text = one_line(&row.text);
}

/// The subject of a rule for a first line: the beginning of a long name.
fn short_subject(rule: &CheckRule) -> String {
    const MOST: usize = 60;
    let subject = rule.subject.to_string();
    match subject.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &subject[..end]),
        None => subject,
    }
}

/// Why no run has the figure of a rule.
fn missing(rule: &CheckRule, current: &[GateRun]) -> String {
    if !current.iter().any(|run| holds_for(rule, run)) {
        let wanted = rule.scenario.as_ref().map_or_else(String::new, ToString::to_string);
        return format!("no run is of the scenario {wanted}");
    }
    let components =
        || current.first().map(|run| run.components.keys().cloned().collect::<Vec<_>>());
    match &rule.subject {
        Subject::Finding(_) => "findings are not part of a run: give those of `wattle diagnose --json` with --findings FILE".to_owned(),
        Subject::App => "the runs have no such app: --app names one".to_owned(),
        Subject::Component(_) => match components().filter(|names| !names.is_empty()) {
            Some(names) => format!("the runs do not have it, but {}", names.join(", ")),
            None => "the runs do not have it".to_owned(),
        },
        Subject::Total | Subject::Method(_) => "the runs do not have it".to_owned(),
    }
}

/// Standard deviation between runs as a part of their mean; `None` with too few.
fn scatter(figures: &[Figure<'_>]) -> Option<f64> {
    let joules: Vec<Joules> = figures.iter().map(|figure| figure.energy.value()).collect();
    let mean = MeanEnergy::new(&joules).filter(|mean| mean.runs >= LEAST_RUNS)?;
    let (deviation, mean) = (mean.deviation?.value(), mean.joules.value());
    (mean > 0.0).then(|| deviation / mean)
}

/// `312 mJ [290 mJ – 330 mJ]`.
fn shown(energy: &Energy) -> String {
    format!("{} [{} – {}]", si(energy.joules), si(energy.low), si(energy.high))
}
