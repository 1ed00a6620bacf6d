//! `explain`: one method, thread, app, component, period or rule.

use super::recording_words::check_app;
use super::shared_parameters::RECORDING;
use super::{
    ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter, explain_code,
    explain_component, explain_consumer, explain_period, explain_rule,
};
use crate::answer::{ToolAnswer, ToolError};

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "explain",
    title: "Explain a consumer",
    description: "Why something costs what it costs. Give one of: method (callers, callees, threads, components, energy per call), thread, app (or process), component (its users, how its power is known), \
        from and/or to (a period of time), rule (what a finding's rule looks for and how to fix it).",
    parameters: &[
        RECORDING,
        ToolParameter::new(
            "method",
            ParameterKind::Text,
            "Method or slice: its whole name, or a part that only one has",
        ),
        ToolParameter::new(
            "thread",
            ParameterKind::Text,
            "Thread by its name or tid; main is the app's first thread",
        ),
        ToolParameter::new(
            "app",
            ParameterKind::Text,
            "App or process by its name; with thread or method: of this app",
        ),
        ToolParameter::new(
            "component",
            ParameterKind::Text,
            "Component: cpu, gpu, display, wifi, memory …",
        ),
        ToolParameter::new(
            "from",
            ParameterKind::Seconds,
            "Start of a period, seconds from the start of the recording",
        ),
        ToolParameter::new("to", ParameterKind::Seconds, "End of a period"),
        ToolParameter::new(
            "rule",
            ParameterKind::Text,
            "Rule of a finding, such as wakelock-held-long",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let subjects = ["method", "thread", "component", "rule", "app"];
    let mut given: Vec<&str> =
        subjects.into_iter().filter(|name| arguments.text(name).is_some()).collect();
    // An app limits what is asked about a thread or a method.
    let is_of_app = matches!(given.as_slice(), ["method" | "thread", "app"]);
    if is_of_app {
        given.pop();
    }
    let has_period = arguments.seconds("from").is_some() || arguments.seconds("to").is_some();
    if let [subject, other, ..] = given.as_slice() {
        return Err(ToolError::new(format!(
            "explain: expected one subject, found {subject} and {other}; ask twice, or use top with these limits"
        )));
    }
    if has_period && let Some(subject) = given.first() {
        return Err(ToolError::new(format!(
            "explain: expected {subject} or a period, found both; top can limit {subject}s to a period"
        )));
    }
    if arguments.text("rule").is_some() {
        return explain_rule::explain(arguments);
    }
    if given.is_empty() && !has_period {
        return Err(ToolError::new(
            "explain: expected one of method, thread, app, component, from/to, rule; top lists names",
        ));
    }
    let opened = context.shelf.get(arguments.text("recording"), context.job)?;
    if let Some(app) = arguments.text("app").filter(|_| !is_of_app) {
        return explain_consumer::app(&opened, app);
    }
    let report = opened.report(arguments.text("app"));
    check_app(&report, arguments)?;
    if let Some(method) = arguments.text("method") {
        explain_code::method(&opened, &report, method)
    } else if let Some(thread) = arguments.text("thread") {
        explain_consumer::thread(&opened, &report, thread)
    } else if arguments.text("component").is_some() {
        explain_component::component(&opened, &report, arguments)
    } else {
        explain_period::period(&opened, &report, arguments)
    }
}
