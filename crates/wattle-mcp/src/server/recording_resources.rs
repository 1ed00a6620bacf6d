//! Resources: reports, summaries, findings and charts of open recordings and kept runs.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use wattle_report::{ReportOptions, SummaryParts};

use super::power_chart;
use crate::answer::clip;
use crate::opened::{OpenedRecording, RecordingShelf, ToolJob, is_run};

/// The beginnings of addresses.
const OF_RECORDING: &str = "wattle://recording/";
const OF_RUN: &str = "wattle://run/";

/// Parts: name, media type, meaning.
const PARTS: [(&str, &str, &str); 4] = [
    ("summary", "text/plain", "The report in 25 lines"),
    ("report", "application/json", "The whole report (wattle-report/1)"),
    ("findings", "application/json", "Findings (wattle-diagnosis/1), where they are known"),
    ("power.svg", "image/svg+xml", "Power over time by component"),
];

/// The media type of an address.
pub fn media_type(address: &str) -> &'static str {
    let part = address.rsplit('/').next().unwrap_or_default();
    PARTS.iter().find(|(name, ..)| *name == part).map_or("application/json", |(_, kind, _)| kind)
}

/// The resources of open recordings.
pub fn list(shelf: &RecordingShelf) -> Vec<Resource> {
    let of = |opened: &OpenedRecording| {
        let handle = opened.handle.clone();
        let name = clip(&opened.name, 80);
        let parts =
            PARTS.iter().filter(|(part, ..)| *part != "findings" || opened.diagnosis.is_some());
        let resources: Vec<Resource> = parts
            .map(|(part, kind, meaning)| {
                Resource::new(
                    format!("{OF_RECORDING}{handle}/{part}"),
                    format!("{part} of {handle} ({name})"),
                )
                .with_description(*meaning)
                .with_mime_type(*kind)
            })
            .collect();
        resources
    };
    shelf.all().iter().flat_map(|opened| of(opened)).collect()
}

/// The forms of addresses.
pub fn templates() -> Vec<ResourceTemplate> {
    let of = |(part, kind, meaning): (&'static str, &'static str, &'static str)| {
        [
            ResourceTemplate::new(
                format!("{OF_RECORDING}{{handle}}/{part}"),
                format!("{part} of an open recording"),
            )
            .with_description(meaning)
            .with_mime_type(kind),
            ResourceTemplate::new(
                format!("{OF_RUN}{{number}}/{part}"),
                format!("{part} of a kept run"),
            )
            .with_description(meaning)
            .with_mime_type(kind),
        ]
    };
    PARTS.into_iter().flat_map(of).collect()
}

/// The contents of an address.
pub fn read(
    shelf: &RecordingShelf,
    address: &str,
    job: &ToolJob,
) -> Result<ReadResourceResult, ErrorData> {
    let shown = clip(address, 120);
    let not_found = |why: &str| {
        ErrorData::resource_not_found(
            format!("{shown}: {why}"),
            Some(serde_json::json!({ "uri": shown })),
        )
    };
    let expected = "expected wattle://recording/HANDLE/PART or wattle://run/NUMBER/PART, PART one of summary, report, findings, power.svg";
    let (name, part) = name_and_part(address).ok_or_else(|| not_found(expected))?;
    let (_, kind, _) =
        PARTS.into_iter().find(|(known, ..)| *known == part).ok_or_else(|| not_found(expected))?;
    let opened = shelf.get(Some(&name), job).map_err(|error| not_found(&error.to_string()))?;
    let failed = |error: String| ErrorData::internal_error(error, None);
    let report = opened.report(None);
    let text = match part {
        "summary" => {
            let mut parts = SummaryParts::default();
            parts.over_time = Some(&opened.ledger.over_time);
            parts.diagnosis = opened.diagnosis.as_ref();
            wattle_report::summary_terminal(&report, parts, &ReportOptions::default())
        }
        "report" => {
            serde_json::to_string(report.as_ref()).map_err(|error| failed(error.to_string()))?
        }
        "findings" => {
            let why = "findings are unknown: a saved ledger does not say what happened when";
            let diagnosis = opened.diagnosis.as_ref().ok_or_else(|| not_found(why))?;
            serde_json::to_string(diagnosis).map_err(|error| failed(error.to_string()))?
        }
        _ => power_chart::svg(&opened).ok_or_else(|| not_found("no power over time is known"))?,
    };
    let contents = ResourceContents::text(text, address).with_mime_type(kind);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The name of a recording, as the shelf knows it, and the part.
fn name_and_part(address: &str) -> Option<(String, &str)> {
    let (is_of_run, rest) = match (address.strip_prefix(OF_RECORDING), address.strip_prefix(OF_RUN))
    {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => return None,
    };
    let (name, part) = rest.split_once('/')?;
    if is_of_run {
        let name = format!("run:{name}");
        return is_run(&name).then_some((name, part));
    }
    // Only handles: an address is no way to files.
    let digits = name.strip_prefix('r')?;
    let is_handle =
        !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|it| it.is_ascii_digit());
    is_handle.then(|| (name.to_owned(), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_recordings_and_no_files() {
        let name = |address: &'static str| {
            name_and_part(address).map(|(name, part)| (name, part.to_owned()))
        };
        let some = |name: &str, part: &str| Some((name.to_owned(), part.to_owned()));
        assert_eq!(name("wattle://run/1/report"), some("run:1", "report"));
        assert_eq!(name("wattle://recording/r12/power.svg"), some("r12", "power.svg"));
        for wrong in [
            "wattle://recording/../etc/passwd",
            "wattle://recording//etc/passwd",
            "wattle://run/x/report",
            "file:///etc/passwd",
            "wattle://run/1",
            "",
        ] {
            assert_eq!(name_and_part(wrong), None, "{wrong}");
        }
    }
}
