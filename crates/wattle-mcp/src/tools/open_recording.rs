//! `open`: analyses a recording once.

use super::recording_summary::summarise;
use super::recording_words::check_app;
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{ToolAnswer, ToolError};
use crate::opened::OpenRequest;

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "open",
    title: "Open a recording",
    description: "Analyse a recording (Perfetto trace, logcat, perf.data, bug report, folder of `wattle record`, saved ledger, kept run `run:N` …) \
        and say who spent its energy. Returns a handle (r1) for the other tools. Large traces take a while once; answers after that are immediate.",
    parameters: &[
        ToolParameter::new(
            "path",
            ParameterKind::Text,
            "File, recording folder, saved ledger, or run:N",
        )
        .required(),
        ToolParameter::new(
            "also",
            ParameterKind::Texts,
            "More files of the same recording, such as its logcat",
        ),
        ToolParameter::new("app", ParameterKind::Text, "Package name of the app that it is about"),
        ToolParameter::new(
            "device_model",
            ParameterKind::Text,
            "Device model (TOML) or power_profile.xml for a device that Wattle does not know",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let mut paths: Vec<String> = arguments.text("path").map(str::to_owned).into_iter().collect();
    paths.extend(arguments.texts("also"));
    let request = OpenRequest {
        paths,
        app: arguments.text("app").map(str::to_owned),
        device_model: arguments.text("device_model").map(str::to_owned),
        history: None,
    };
    let opened = context.shelf.open(&request, context.job)?;
    let report = opened.report(None);
    check_app(&report, arguments)?;
    let mut answer = summarise(&opened, &report);
    answer.answer = format!("Opened as {}: {}", opened.handle, answer.answer);
    let address = format!("wattle://recording/{}/report", opened.handle);
    answer.links.push((address, format!("Report of {}", opened.handle)));
    Ok(answer)
}
