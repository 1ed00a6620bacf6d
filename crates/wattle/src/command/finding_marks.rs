//! Findings as marks on the time axis of an export.

use wattle_diagnose::{Diagnosis, Finding};
use wattle_export::{Filter, Mark};
use wattle_ledger::Ledger;
use wattle_timeline::Window;

/// A mark for each stretch in which a finding was seen; one over all of the time that was looked at where its evidence has no times.
pub fn marks(diagnosis: &Diagnosis) -> Vec<Mark> {
    let mut marks = Vec::new();
    for finding in &diagnosis.findings {
        let timed = finding.evidence.iter().filter_map(|it| Some((it.window?, it.text.as_str())));
        let before = marks.len();
        marks.extend(timed.map(|(window, text)| mark(finding, window, text)));
        if marks.len() == before {
            let text = finding.evidence.first().map_or("", |it| it.text.as_str());
            marks.push(mark(finding, diagnosis.window, text));
        }
    }
    marks
}

fn mark(finding: &Finding, window: Window, evidence: &str) -> Mark {
    Mark {
        rule: finding.rule.0.clone(),
        severity: finding.severity.name().to_owned(),
        title: finding.title.clone(),
        evidence: evidence.to_owned(),
        remedy: finding.remedy.clone(),
        joules: finding.at_stake.map(|estimate| estimate.joules.value()),
        window,
        process: finding.who.clone(),
        tid: finding.thread_number(),
    }
}

/// Keeps the marks of processes and threads that a filter asks for.
pub fn keep_asked(marks: &mut Vec<Mark>, filter: &Filter, ledger: &Ledger) {
    if filter.is_empty() {
        return;
    }
    let rows = &ledger.rows;
    marks.retain(|mark| {
        rows.threads.iter().any(|thread| {
            let Some(process) = rows.processes.get(thread.process as usize) else { return false };
            let names = [Some(&process.name), process.package.as_ref()];
            names.contains(&mark.process.as_ref())
                && mark.process.is_some()
                && mark.tid.is_none_or(|tid| tid == thread.tid)
                && filter.keeps(process, thread)
        })
    });
}
