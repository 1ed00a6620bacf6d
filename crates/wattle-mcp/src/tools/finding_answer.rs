//! `findings`: defects, their potential savings, their fixes.

use wattle_diagnose::{Diagnosis, Finding};

use super::recording_words::{answer_about, has_method, not_found};
use super::shared_parameters::RECORDING;
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{
    AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, clip_sentences, counted,
};

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "findings",
    title: "Findings",
    description: "Defects that waste energy (wakelocks not released, busy idle, radio kept awake, leaks …), the most severe first, each with evidence, potential saving and fix. \
        With rule: only that one, with all its evidence.",
    parameters: &[
        RECORDING,
        ToolParameter::new("rule", ParameterKind::Text, "Only findings of this rule"),
        ToolParameter::new(
            "offset",
            ParameterKind::Count(1_000_000),
            "Findings to leave out before the first",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let opened = context.shelf.get(arguments.text("recording"), context.job)?;
    let report = opened.report(None);
    let Some(diagnosis) = &opened.diagnosis else {
        let text = "Findings are unknown: a saved ledger or kept run does not say what happened when. Open the recording itself.";
        return Ok(answer_about(&opened, &report, text.to_owned()));
    };
    let asked = arguments.text("rule");
    if let Some(asked) = asked
        && !wattle_diagnose::rules().iter().any(|rule| rule.id == asked)
    {
        let known: Vec<&str> = wattle_diagnose::rules().iter().map(|rule| rule.id).collect();
        return Err(not_found("rule", asked, &known));
    }
    let findings: Vec<&Finding> = diagnosis
        .findings
        .iter()
        .filter(|finding| asked.is_none_or(|asked| finding.rule.0 == asked))
        .collect();
    let Some(first) = findings.first() else {
        let which = asked.map(|asked| format!(" of {asked}")).unwrap_or_default();
        let mut answer =
            answer_about(&opened, &report, format!("No finding{which} in this recording."));
        accepted(diagnosis, &mut answer);
        for note in diagnosis.notes.iter().take(4) {
            answer.fact(format!("Note: {}", clip_sentences(&note.text, 200)));
        }
        answer.next.push(
            NextQuestion::new("top", "costly code is no defect by a rule")
                .with("recording", opened.handle.as_str()),
        );
        return Ok(answer);
    };
    let text = format!(
        "{}; the most severe: {}{}.",
        counted(findings.len() as u64, "finding"),
        clip_sentences(&first.title, 240),
        saving(first)
    );
    let mut answer = answer_about(&opened, &report, text);
    answer.fact("Potential savings are upper bounds; findings may be about the same energy, so they do not add up");
    accepted(diagnosis, &mut answer);
    answer.total_rows = findings.len();
    answer.offset = arguments.count("offset").unwrap_or(0).min(findings.len());
    let evidence = if asked.is_some() { 4 } else { 1 };
    let shown = findings.iter().skip(answer.offset);
    answer.rows = shown.map(|finding| row(finding, evidence)).collect();
    answer.heading = String::from("Findings:");
    answer.rest = "Ask again with offset {} for the rest.";
    let handle = opened.handle.as_str();
    let place = first.place.as_ref().map(|place| place.function.clone());
    let place = place.filter(|name| has_method(&report, name));
    answer.next.push(match place {
        Some(method) => NextQuestion::new("explain", "the code of the first finding")
            .with("recording", handle)
            .with("method", method),
        None => NextQuestion::new("explain", "what the rule looks for, and its thresholds")
            .with("rule", first.rule.0.as_str()),
    });
    Ok(answer)
}

/// Accepted findings that are named.
const ACCEPTED: usize = 4;

/// Findings that the project accepts, which do not count.
fn accepted(diagnosis: &Diagnosis, answer: &mut ToolAnswer) {
    let all = &diagnosis.accepted;
    for it in all.iter().take(ACCEPTED) {
        let title = clip_sentences(&it.finding.title, 160);
        let reason = clip_sentences(&it.reason, 120);
        answer.fact(format!("Accepted, not counted: {title} [{}] ({reason})", it.finding.rule));
    }
    if all.len() > ACCEPTED {
        answer.fact(format!("Accepted, not counted: {} more", all.len() - ACCEPTED));
    }
}

fn saving(finding: &Finding) -> String {
    finding
        .at_stake
        .map(|it| format!(" (potential saving up to {}, {})", it.joules, it.provenance))
        .unwrap_or_default()
}

fn row(finding: &Finding, evidence: usize) -> AnswerRow {
    let mut notes = vec![format!("rule {}", finding.rule)];
    let confidence = &finding.confidence;
    if !confidence.reason.is_empty() {
        notes.push(format!("confidence {}", confidence.level.name()));
    }
    notes.extend(finding.thread.as_ref().map(|thread| format!("thread {}", clip(thread, 60))));
    notes.extend(finding.place.as_ref().map(|place| format!("at {}", clip(&place.function, 100))));
    notes.extend(finding.evidence.iter().take(evidence).map(|it| clip_sentences(&it.text, 160)));
    notes.push(format!("fix: {}", clip_sentences(&finding.remedy, 200)));
    let name = format!("{}: {}", finding.severity.name(), finding.title);
    AnswerRow::new("finding", name).with_energy(finding.at_stake).with_note(
        if finding.at_stake.is_some() {
            format!("potential saving; {}", notes.join("; "))
        } else {
            notes.join("; ")
        },
    )
}
