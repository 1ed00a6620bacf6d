//! `top`: who used most.

use wattle_power::Component;
use wattle_report::Report;

use super::explain_consumer::is_known_app;
use super::recording_summary::{method_rows, share_whole};
use super::recording_words::has_method;
use super::recording_words::{
    answer_about, check_app, component_title, consumer_rows, not_found, period_coverage, share,
    timeless_line,
};
use super::shared_parameters::RECORDING;
use super::thread_choice::ThreadChoice;
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{
    AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, percent, period as period_text, seconds,
};
use crate::opened::{EnergyQuery, GroupKind, OpenedRecording, TimeRange, energy_groups};

/// Rows unless others are asked for.
const USUAL_ROWS: usize = 10;
/// The most rows that can be asked for.
const MOST_ROWS: u64 = 100;

/// Kinds of rows.
const KINDS: &[&str] = &[
    "method",
    "thread",
    "process",
    "app",
    "component",
    "call_path",
    "class",
    "test",
    "rail",
    "account",
];

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "top",
    title: "Top consumers",
    description: "Who or what used most energy: methods, threads, processes, apps, components, call paths, classes, tests, power rails, or kinds of accounts (idle floor, no cause recorded). \
        Can be limited to one component (such as wifi), one process, one thread, a period of time.",
    parameters: &[
        RECORDING,
        ToolParameter::new("by", ParameterKind::Choice(KINDS), "Kind of rows [default: method]"),
        ToolParameter::new(
            "app",
            ParameterKind::Text,
            "Package name: methods, classes and shares of this app",
        ),
        ToolParameter::new("process", ParameterKind::Text, "Only this process or app, by its name"),
        ToolParameter::new(
            "thread",
            ParameterKind::Text,
            "Only this thread, by its name or tid; main is the app's first thread",
        ),
        ToolParameter::new(
            "component",
            ParameterKind::Text,
            "Only the energy of this component: cpu, gpu, display, wifi, memory …",
        ),
        ToolParameter::new(
            "from",
            ParameterKind::Seconds,
            "Only from this time on, seconds from the start",
        ),
        ToolParameter::new(
            "to",
            ParameterKind::Seconds,
            "Only until this time, seconds from the start",
        ),
        ToolParameter::new(
            "sort",
            ParameterKind::Choice(&["total", "self"]),
            "Order of methods and classes: with or without what they called [default: total]",
        ),
        ToolParameter::new(
            "limit",
            ParameterKind::Count(MOST_ROWS),
            "Number of rows [default: 10]",
        ),
        ToolParameter::new(
            "offset",
            ParameterKind::Count(10_000_000),
            "Rows to leave out before the first",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let opened = context.shelf.get(arguments.text("recording"), context.job)?;
    let report = opened.report(arguments.text("app"));
    check_app(&report, arguments)?;
    if report.energy.total.0.is_none() {
        let reason = report.energy.no_energy_reason.as_deref().unwrap_or_default();
        let text = format!("No energy figure: {reason}. There is nothing to rank by energy.");
        return Ok(answer_about(&opened, &report, text));
    }
    let by = arguments.text("by").unwrap_or("method");
    let component = component(&report, arguments)?;
    let time = period(&opened, arguments)?;
    let thread = arguments.text("thread").map(|asked| ThreadChoice::find(&report, asked));
    let thread = thread.transpose()?;
    // Methods, classes and apps have the app's own figures; of other rows only the app's part is meant.
    let of_app = arguments
        .text("app")
        .filter(|_| matches!(by, "thread" | "process" | "component" | "call_path" | "account"));
    let is_part = component.is_some()
        || time.is_some()
        || thread.is_some()
        || arguments.text("process").is_some();
    // Rows of methods and classes have both energies; those of a part, and call paths, are without what they called.
    let by_own = arguments.text("sort") == Some("self");
    let sorts = matches!(by, "method" | "class" | "call_path");
    if !sorts && arguments.text("sort").is_some() {
        return Err(ToolError::new(format!(
            "sort: only methods and classes have energies with and without what they called, found by {by}; leave it out"
        )));
    }
    let query = EnergyQuery {
        component: component.as_ref(),
        process: arguments.text("process").or(of_app),
        time,
        thread: thread.as_ref().map(|it| (it.row.pid, it.row.tid)),
        ..EnergyQuery::default()
    };
    check_process(&opened, query)?;
    let (mut rows, note) = match by {
        "method" if !is_part => (
            method_rows(&report),
            match share_whole(&opened, &report) {
                "the app" => "with what they called; shares of the app",
                _ => "with what they called; shares of the total",
            },
        ),
        "app" if !is_part => (consumer_rows(&opened, &report), "all components"),
        "class" | "test" | "rail" if is_part => {
            return Err(ToolError::new(format!(
                "by {by} cannot be limited by component, process, thread or time; leave these out, or ask by method, thread, process, app, component, call_path or account"
            )));
        }
        "class" => (class_rows(&report), "with what they called"),
        "test" => (test_rows(&report), "the whole device while the test ran"),
        "rail" => (rail_rows(&report), "as the power monitor counted"),
        _ => group_rows(&opened, by, query),
    };
    let by_own = by_own && !is_part && rows.iter().any(|row| row.own.is_some());
    let ranked = |row: &AnswerRow| if by_own { row.own } else { row.energy };
    let joules = |row: &AnswerRow| ranked(row).map_or(f64::NEG_INFINITY, |it| it.joules.value());
    rows.sort_by(|a, b| joules(b).total_cmp(&joules(a)));
    let note = if by_own { "self, without what they called" } else { note };
    let limits = limits(query, thread.as_ref());
    // What no program used is no answer to who used most, unless nothing else is there.
    let is_answer = |row: &&AnswerRow| by != "app" || row.kind != "account";
    let Some(first) = rows.iter().find(is_answer).or_else(|| rows.first()) else {
        let hint = match by {
            "class" if !method_rows(&report).is_empty() => {
                "what ran has names of slices, which state no class; ask by method"
            }
            "method" | "call_path" | "class" => no_code_hint(&report, is_part),
            "test" => "no test ran in this recording",
            "rail" => "the device has no power rails, or they were not recorded (android.power)",
            _ => "nothing was attributed to any",
        };
        let text = format!("No {} with energy{limits}: {hint}.", kind(by));
        let mut answer = answer_about(&opened, &report, text);
        if time.is_some() {
            answer.coverage = period_coverage(&opened, query);
        }
        return Ok(answer);
    };
    let energy = ranked(first).map(|it| format!("{it} {}", it.provenance)).unwrap_or_default();
    // Shares are of the energy with what was called.
    let part = first.share.filter(|_| !by_own).map(|share| format!(", {}", percent(share)));
    let text = format!(
        "{} used most of all {}{limits}: {energy}{} ({note}).",
        clip(&first.name, 140),
        plural(by),
        part.unwrap_or_default()
    );
    let mut answer = answer_about(&opened, &report, text);
    answer.fact(thread.and_then(|it| it.others).unwrap_or_default());
    if let Some(time) = time {
        answer.fact(format!("Time: {}, outwards to whole steps", period_text(time.from, time.to)));
        answer.fact(timeless_line(&opened));
        answer.coverage = period_coverage(&opened, query);
    }
    answer.total_rows = rows.len();
    answer.offset = arguments.count("offset").unwrap_or(0).min(rows.len());
    let limit = arguments.count("limit").unwrap_or(USUAL_ROWS);
    if answer.offset > 0 && answer.offset == answer.total_rows {
        answer.fact(format!(
            "There are {} rows: none from offset {} on",
            answer.total_rows, answer.offset
        ));
    }
    let next = next(&opened, by, first, query, is_part);
    answer.rows = rows.into_iter().skip(answer.offset).take(limit.max(1)).collect();
    answer.heading = format!("{}, most energy first ({note}):", capital(plural(by)));
    answer.rest = "Ask again with offset {} for the rest.";
    answer.next.push(next);
    Ok(answer)
}

/// The component that is asked for.
pub(super) fn component(
    report: &Report,
    arguments: &ToolArguments,
) -> Result<Option<Component>, ToolError> {
    let Some(asked) = arguments.text("component") else { return Ok(None) };
    let lower = asked.to_lowercase();
    let is_meant = |name: &str| {
        name == lower
            || component_title(name).to_lowercase() == lower
            || component_title(name).to_lowercase().split(" (").next() == Some(lower.as_str())
            || name == lower.replace('-', "")
    };
    let rows = &report.hardware.components;
    if let Some(row) = rows.iter().find(|row| is_meant(&row.name)) {
        return Ok(Some(Component::from(row.name.as_str())));
    }
    let known: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let missing = report
        .energy
        .coverage
        .as_ref()
        .is_some_and(|it| it.missing.iter().any(|name| is_meant(name)));
    if missing {
        return Err(ToolError::new(format!(
            "component {}: its energy was not estimated, which is not 0 J: the recording lacks its data or the device model its figures. With energy: {}",
            clip(asked, 60),
            known.join(", ")
        )));
    }
    Err(not_found("component", asked, &known))
}

/// The period that is asked for.
pub(super) fn period(
    opened: &OpenedRecording,
    arguments: &ToolArguments,
) -> Result<Option<TimeRange>, ToolError> {
    let (from, to) = (arguments.seconds("from"), arguments.seconds("to"));
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    opened.time_range(from, to).map(Some)
}

fn check_process(opened: &OpenedRecording, query: EnergyQuery<'_>) -> Result<(), ToolError> {
    let Some(asked) = query.process else { return Ok(()) };
    let rows = &opened.ledger.rows;
    let names =
        rows.processes.iter().flat_map(|it| [Some(it.name.as_str()), it.package.as_deref()]);
    let names = names.flatten().chain(rows.packages.iter().map(|it| it.name.as_str()));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if names.contains(&asked) { Ok(()) } else { Err(not_found("process", asked, &names)) }
}

/// Groups of a part of the ledger; shares are of that part.
fn group_rows(
    opened: &OpenedRecording,
    by: &str,
    query: EnergyQuery<'_>,
) -> (Vec<AnswerRow>, &'static str) {
    let (group, name, note) = match by {
        "method" => (GroupKind::Method, "method", "self, without what they called"),
        "thread" => (GroupKind::Thread, "thread", "all that was attributed to them"),
        "process" => (GroupKind::Process, "process", "all that was attributed to them"),
        "component" => (GroupKind::Component, "component", "all consumers"),
        "call_path" => (GroupKind::CallPath, "call_path", "self, without what they called"),
        "account" => (GroupKind::Account, "account", "they add up to the total"),
        _ => (GroupKind::App, "app", "all that was attributed to them"),
    };
    let whole = energy_groups(&opened.ledger, GroupKind::All, query);
    let whole = whole.first().map(|it| it.energy);
    let rows = energy_groups(&opened.ledger, group, query).into_iter().map(|it| {
        let kind = if group == GroupKind::App && !it.is_of_programs { "account" } else { name };
        let title = if name == "component" { component_title(&it.name) } else { it.name };
        AnswerRow::new(kind, title).with_energy(Some(it.energy)).with_share(share(it.energy, whole))
    });
    (rows.collect(), note)
}

/// The reason why no code has energy.
fn no_code_hint(report: &Report, is_part: bool) -> &'static str {
    let knows_calls = report.software.code.as_ref().is_some_and(|code| !code.methods.is_empty());
    match (knows_calls, is_part) {
        (true, true) => "calls were recorded, but none of this part's energy belongs to one",
        (true, false) => {
            "calls were recorded, but none of them has an energy: the time of their threads on a CPU is not known, or the CPU's energy"
        }
        _ => "no call was recorded: instrument the app (wattle run), or record with stack samples",
    }
}

fn class_rows(report: &Report) -> Vec<AnswerRow> {
    let code = report.software.code.as_ref();
    let named = code.into_iter().flat_map(|code| &code.classes);
    // Slices of which only the name is known have no class: their sum is no class either.
    let named = named.filter_map(|row| Some((row.name.as_deref()?, row)));
    let rows = named.map(|(name, row)| {
        let name = if name.is_empty() { "(unnamed class)" } else { name };
        let mut answer = AnswerRow::new("class", name)
            .with_energy(row.sums.measures.total.0)
            .with_share(row.sums.measures.share);
        answer.own = row.sums.measures.own.0;
        answer
    });
    rows.filter(|row| row.energy.is_some()).collect()
}

fn test_rows(report: &Report) -> Vec<AnswerRow> {
    let total = report.energy.total.0;
    let rows = report.tests.rows.iter().map(|row| {
        let app = row.app.0.map(|it| format!("; the app itself {it}")).unwrap_or_default();
        let app = format!("{}, {}{app}", row.outcome, seconds(row.duration.seconds()));
        AnswerRow::new("test", row.title.as_str())
            .with_energy(row.energy.0)
            .with_share(row.energy.0.and_then(|it| share(it, total)))
            .with_note(app)
    });
    rows.collect()
}

fn rail_rows(report: &Report) -> Vec<AnswerRow> {
    let rows = report.hardware.rails.iter().map(|row| {
        let by_model = row.modelled.0.map(|it| format!("; the model alone says {it}"));
        let part =
            if row.booked { "" } else { "; not part of the total (another rail contains it)" };
        let note = format!(
            "supplies {}{}{part}",
            component_title(&row.component),
            by_model.unwrap_or_default()
        );
        AnswerRow::new("rail", row.title.as_str()).with_energy(row.energy.0).with_note(note)
    });
    rows.collect()
}

fn next(
    opened: &OpenedRecording,
    by: &str,
    first: &AnswerRow,
    query: EnergyQuery<'_>,
    is_part: bool,
) -> NextQuestion {
    let handle = opened.handle.as_str();
    let explain = |argument: &str, name: &str| {
        let why = if is_part {
            "what it did in the whole recording"
        } else {
            "what it did with the energy"
        };
        NextQuestion::new("explain", why).with("recording", handle).with(argument, name)
    };
    let whole = opened.report(None);
    let name = first.name.as_str();
    // What was recorded of other apps than the recording's has no page of its own.
    let explained = match by {
        "method" => has_method(&whole, name).then(|| explain("method", name)),
        "thread" => Some(explain("thread", name)),
        "process" | "app" => is_known_app(&whole, name).then(|| explain("app", name)),
        "component" => Some(explain("component", name.split(" (").next().unwrap_or(name))),
        "call_path" => {
            let method = name.rsplit(" > ").next().filter(|name| has_method(&whole, name));
            method.map(|method| explain("method", method))
        }
        _ => None,
    };
    explained.unwrap_or_else(|| {
        let (by, why) = match by {
            "component" => ("app", "who used it"),
            _ => ("component", "the same by component"),
        };
        let mut next = NextQuestion::new("top", why).with("recording", handle).with("by", by);
        if let Some(component) = query.component.filter(|_| by != "component") {
            next = next.with("component", component.name());
        }
        if let Some(process) = query.process {
            next = next.with("process", process);
        }
        if let Some(time) = query.time {
            next = next.with("from", time.from).with("to", time.to);
        }
        next
    })
}

/// The limits of a query in words.
fn limits(query: EnergyQuery<'_>, thread: Option<&ThreadChoice<'_>>) -> String {
    let component = query.component.map(|it| format!(" on {}", component_title(it.name())));
    let process = query.process.map(|it| format!(" in {}", clip(it, 80)));
    let thread = thread.map(|it| format!(" on thread {}", clip(&it.title, 80)));
    let time = query.time.map(|it| format!(" from {}", period_text(it.from, it.to)));
    [component, process, thread, time].into_iter().flatten().collect()
}

fn kind(by: &str) -> &str {
    if by == "call_path" { "call path" } else { by }
}

fn plural(by: &str) -> &'static str {
    match by {
        "method" => "methods",
        "thread" => "threads",
        "process" => "processes",
        "app" => "apps and programs",
        "component" => "components",
        "call_path" => "call paths",
        "class" => "classes",
        "test" => "tests",
        "rail" => "rails",
        _ => "accounts",
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
