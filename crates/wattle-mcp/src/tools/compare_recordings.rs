//! `compare`: two recordings or kept runs.

use wattle_report::{
    ChangedMethodRow, Compared, DiffReport, FlameOptions, MergedNodes, Per, Verdict,
};
use wattle_units::Joules;

use super::recording_words::{component_title, provenance_shares};
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, clip_sentences};
use crate::opened::OpenedRecording;

/// Rows of methods.
const MOST_ROWS: usize = 8;

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "compare",
    title: "Compare two recordings",
    description: "Whether a change costs or saves energy: verdict (higher, lower, equal, inconclusive), difference with its 90 % interval, the methods and components that changed most. \
        before and after are handles, paths, or kept runs (run:N) of the same scenario on the same device.",
    parameters: &[
        ToolParameter::new("before", ParameterKind::Text, "Handle (r1), path or run:N").required(),
        ToolParameter::new("after", ParameterKind::Text, "Handle (r2), path or run:N").required(),
        ToolParameter::new(
            "app",
            ParameterKind::Text,
            "Package name of the app that is compared [default: that of the recordings]",
        ),
        ToolParameter::new(
            "per",
            ParameterKind::Choice(&["run", "second"]),
            "Compare the energy of the whole run, or of a second of it (mean power) [default: run]",
        ),
        ToolParameter::new(
            "anyway",
            ParameterKind::Flag,
            "Show differences of recordings that are not comparable, too",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let [before, after] = [arguments.text("before"), arguments.text("after")];
    let before = context.shelf.get(before, context.job)?;
    let after = context.shelf.get(after, context.job)?;
    if before.handle == after.handle {
        return Err(ToolError::new(format!(
            "before and after are the same recording ({}); expected two",
            before.handle
        )));
    }
    let mut options = FlameOptions::default();
    options.apps = apps(&before, &after, arguments.text("app"));
    let per = if arguments.text("per") == Some("second") { Per::Second } else { Per::Run };
    let names = [&before, &after].map(|it| format!("{} ({})", it.handle, clip(&it.name, 80)));
    let runs = [(names[0].as_str(), &before.ledger), (names[1].as_str(), &after.ledger)];
    let report = DiffReport::new(runs, &per, &options, MergedNodes::default())
        .map_err(|error| ToolError::new(format!("compare: {error}")))?;
    let reasons: Vec<&str> = report.refusals().map(|objection| objection.text.as_str()).collect();
    if !reasons.is_empty() && !arguments.flag("anyway") {
        return Err(ToolError::new(format!(
            "{} and {} are not comparable: {}. anyway: true shows the difference nevertheless",
            names[0],
            names[1],
            reasons.join("; ")
        )));
    }
    if !report.has_energy() {
        return Err(ToolError::new(
            "no component has a known energy in both recordings. Open them with device_model to estimate it; `wattle diff` compares their CPU time",
        ));
    }
    let missing =
        report.before.missing_apps.iter().find(|app| report.after.missing_apps.contains(app));
    if let Some(app) = missing {
        return Err(ToolError::new(format!(
            "app {}: not found in either recording",
            clip(app, 100)
        )));
    }
    Ok(answer(&report, [&before, &after], &reasons))
}

/// The apps that are compared: the one that is asked for, else those that both recordings are of.
fn apps(before: &OpenedRecording, after: &OpenedRecording, asked: Option<&str>) -> Vec<String> {
    match asked {
        Some(app) => vec![app.to_owned()],
        None => before.apps.iter().filter(|app| after.apps.contains(app)).cloned().collect(),
    }
}

fn answer(report: &DiffReport, sides: [&OpenedRecording; 2], reasons: &[&str]) -> ToolAnswer {
    let headlines = report.headlines();
    let per = if report.per.unit == "second" { " per second" } else { "" };
    let line = |name: &str, energy: &Compared| {
        let verdict = energy.verdict().map_or("NOT KNOWN IN BOTH", |verdict| verdict.name());
        let [before, after] = [energy.before, energy.after]
            .map(|figure| figure.joules().map_or("no figure".to_owned(), |it| it.to_string()));
        format!(
            "{}: {} {before} → {after}{per}{}",
            verdict.to_uppercase(),
            clip(name, 100),
            difference(energy)
        )
    };
    let first = headlines.first().map(|it| line(&it.name, &it.energy)).unwrap_or_default();
    let mut answer = ToolAnswer::new(if reasons.is_empty() {
        first
    } else {
        format!("NOT COMPARABLE ({}), shown anyway: {first}", clip(&reasons.join("; "), 160))
    });
    answer.recording = Some(sides[1].handle.clone());
    answer.fact(sides.map(side).join("; "));
    for other in headlines.iter().skip(1).take(2) {
        answer.fact(line(&other.name, &other.energy));
    }
    for headline in headlines.iter().take(3) {
        let Some(reason) = reason(&headline.energy) else { continue };
        answer.fact(format!("{} is inconclusive: {reason}", clip(&headline.name, 100)));
    }
    answer.fact(if report.has_common_errors {
        "Errors of the model that both runs share cancel. One run against one: how far runs lie apart is not in the interval; repeat runs for that"
    } else {
        "The runs rest on different models or sizes: their errors do not cancel"
    });
    for objection in
        report.objections.iter().filter(|it| !reasons.contains(&it.text.as_str())).take(3)
    {
        answer.fact(format!("Note: {}", clip_sentences(&objection.text, 200)));
    }
    let changed = |energy: &Compared| energy.change.is_some_and(|it| it.joules != Joules::ZERO);
    let components = headlines.first().map(|it| it.components.as_slice()).unwrap_or_default();
    let mut rows: Vec<(f64, AnswerRow)> = components
        .iter()
        .filter(|(_, energy)| changed(energy))
        .map(|(component, energy)| row("component", component_title(component.name()), energy))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.truncate(5);
    let methods: Vec<&ChangedMethodRow> =
        report.methods.iter().filter(|it| changed(&it.own)).collect();
    let mut own: Vec<(f64, AnswerRow)> =
        methods.iter().map(|it| row("method", it.name.clone(), &it.own)).collect();
    own.sort_by(|a, b| b.0.total_cmp(&a.0));
    let first_method = own.first().map(|(_, row)| row.name.clone());
    own.truncate(MOST_ROWS);
    rows.append(&mut own);
    answer.rows = rows.into_iter().map(|(_, row)| row).collect();
    answer.heading = String::from(
        "Changes, components of the app, then methods (self); energies are those after:",
    );
    answer.coverage = report.after.covers.clone().map_or_else(String::new, |covers| {
        format!("{covers} (after); components that only one knows are left out")
    });
    answer.next.push(match first_method {
        Some(method) => NextQuestion::new("explain", "the method that changed most")
            .with(
                "recording",
                sides[usize::from(report.total.joules() > Joules::ZERO)].handle.as_str(),
            )
            .with("method", method),
        None => NextQuestion::new("top", "the later one by component")
            .with("recording", sides[1].handle.as_str())
            .with("by", "component"),
    });
    answer
}

/// A side's name, and how much of its total is measured: `r1 is a.pftrace (100 % measured)`.
fn side(opened: &OpenedRecording) -> String {
    let shares = provenance_shares(&opened.report(None));
    let shares = shares.map(|shares| format!(" ({shares})")).unwrap_or_default();
    format!("{} is {}{shares}", opened.handle, clip(&opened.name, 120))
}

/// Why a difference is inconclusive, also where its interval excludes 0.
fn reason(energy: &Compared) -> Option<String> {
    let change = energy.change.filter(|it| it.verdict() == Verdict::Inconclusive)?;
    let outlook = change.outlook.sentence();
    let excludes_0 = change.interval.low > Joules::ZERO || change.interval.high < Joules::ZERO;
    let more = match change.joules.abs() {
        _ if !excludes_0 => None,
        size if size <= change.threshold => {
            Some("the interval excludes 0, but the difference may be one that does not matter")
        }
        _ => Some("the 90 % interval excludes 0, but a verdict needs a test at 5 %"),
    };
    let parts: Vec<String> = more.map(str::to_owned).into_iter().chain(outlook).collect();
    Some(parts.join("; ")).filter(|text| !text.is_empty())
}

/// The difference with its interval: ` (−18.8 J, −97.8 %, −24.7 J to −14.3 J, threshold 1.3 J)`.
fn difference(energy: &Compared) -> String {
    let Some(change) = energy.change else { return String::new() };
    let share = energy.share().map(|share| format!(", {:+.1} %", share * 100.0));
    format!(
        " ({}{}; 90 %: {} to {}; differences below {} do not matter)",
        signed(change.joules),
        share.unwrap_or_default(),
        signed(change.interval.low),
        signed(change.interval.high),
        change.threshold
    )
}

fn signed(joules: Joules) -> String {
    if joules < Joules::ZERO {
        format!("−{}", Joules::new(-joules.value()))
    } else {
        format!("+{joules}")
    }
}

/// A row, with the size of its change for the order.
fn row(kind: &'static str, name: String, energy: &Compared) -> (f64, AnswerRow) {
    let size = energy.joules().value().abs();
    let verdict = energy.verdict().map_or("unknown", |verdict| verdict.name());
    let before = energy.before.joules().map_or("nothing".to_owned(), |it| it.to_string());
    let change = energy.change.map(|change| {
        format!(
            "{} ({} to {})",
            signed(change.joules),
            signed(change.interval.low),
            signed(change.interval.high)
        )
    });
    let note = format!("{verdict}, {} against {before} before", change.unwrap_or_default());
    (size, AnswerRow::new(kind, name).with_energy(energy.after.0).with_note(note))
}

#[cfg(test)]
mod tests {
    use wattle_report::{Change, Figure, Outlook};
    use wattle_units::Interval;

    use super::*;

    #[track_caller]
    fn check(
        joules: f64,
        interval: [f64; 2],
        (p_value, outlook): (f64, Outlook),
        expected: Option<&str>,
    ) {
        let change = Change {
            joules: Joules::new(joules),
            interval: Interval { low: Joules::new(interval[0]), high: Joules::new(interval[1]) },
            threshold: Joules::new(0.5),
            p_value,
            detectable: Joules::new(2.0),
            outlook,
        };
        let figures = [Figure::NO_DATA; 2];
        let energy = Compared { before: figures[0], after: figures[1], change: Some(change) };
        let found = reason(&energy);
        assert!(
            found.as_deref().unwrap_or_default().starts_with(expected.unwrap_or_default())
                && found.is_some() == expected.is_some(),
            "{found:?}"
        );
    }

    #[test]
    fn inconclusive_differences_say_why() {
        let model = Outlook::ModelError;
        check(
            1.0,
            [0.1, 1.9],
            (0.07, model),
            Some("the 90 % interval excludes 0, but a verdict needs"),
        );
        check(
            0.4,
            [0.1, 0.7],
            (0.01, model),
            Some("the interval excludes 0, but the difference may"),
        );
        check(1.0, [-0.5, 2.5], (0.4, model), Some("the error of the device model"));
        check(2.0, [1.8, 2.2], (0.0, Outlook::Settled), None);
    }
}
