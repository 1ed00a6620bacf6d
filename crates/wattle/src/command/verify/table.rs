//! The verdict for people.

use std::fmt::Write as _;

use super::verdict::{Finding, Judged, Signatures, Verdict};
use crate::command::line::{counted, push as push_line};

/// Findings of one kind that are listed of a subject unless `--top` says otherwise.
const TOP: usize = 20;

/// The verdict as text: one line for all, then a paragraph a subject.
pub fn text(verdict: &Verdict, top: Option<usize>) -> String {
    let top = top.unwrap_or(TOP);
    let files: usize = verdict.subjects.iter().map(|subject| subject.code.len()).sum();
    let mut text = format!(
        "{}: {}, {}; {} in {}, {:.2} s\n",
        if verdict.clean { "clean" } else { "not clean" },
        counted(verdict.defects as u64, "defect", "defects"),
        counted(verdict.notes as u64, "note", "notes"),
        counted(verdict.methods, "method", "methods"),
        counted(files as u64, "file of code", "files of code"),
        verdict.seconds
    );
    for subject in &verdict.subjects {
        text.push('\n');
        paragraph(&mut text, subject, top);
    }
    text
}

fn paragraph(text: &mut String, subject: &Judged, top: usize) {
    let mut line = format!("{}: {}", subject.name, subject.kind);
    if let Some(app) = &subject.app {
        let version = app.version_name.as_ref().map(|name| format!(" {name}"));
        let version = version.unwrap_or_default();
        let _ = write!(line, " {}{version}, from API level {}", app.package, app.min_sdk);
    }
    push_line(text, &line);
    for code in &subject.code {
        let line = format!(
            "  {}: DEX {:03}, {}, {}, {}",
            code.entry.as_deref().unwrap_or(&code.file),
            code.version,
            bytes(u64::from(code.bytes)),
            counted(u64::from(code.classes), "class", "classes"),
            counted(code.methods, "method", "methods")
        );
        push_line(text, &line);
    }
    for signatures in &subject.signatures {
        signed(text, signatures, subject.signatures.len() > 1);
    }
    list(text, "defect", &subject.defects, subject, top);
    list(text, "note", &subject.notes, subject, top);
}

fn signed(text: &mut String, signatures: &Signatures, named: bool) {
    let file = if named { format!(" of {}", signatures.file) } else { String::new() };
    let schemes: Vec<String> = signatures
        .schemes
        .iter()
        .filter(|scheme| scheme.present)
        .map(|it| format!("{} {}", it.scheme, if it.valid { "valid" } else { "not valid" }))
        .collect();
    if schemes.is_empty() {
        push_line(text, &format!("  signature{file}: not signed"));
        return;
    }
    let by = signatures.certificate.as_ref().map(|by| format!(", by {by}")).unwrap_or_default();
    push_line(text, &format!("  signature{file}: {}{by}", schemes.join(", ")));
}

fn list(text: &mut String, word: &str, findings: &[Finding], subject: &Judged, top: usize) {
    for finding in findings.iter().take(top) {
        let mut line = format!("  {word} {}: ", finding.rule);
        let mut place = Vec::new();
        if finding.file != subject.name {
            place.push(finding.file.clone());
        }
        place.extend(finding.entry.clone());
        match (&finding.method, &finding.class) {
            (Some(member), _) | (None, Some(member)) => place.push(member.clone()),
            _ => {
                let at = finding.section.as_ref().zip(finding.offset);
                place.extend(at.map(|(section, offset)| format!("{section} at {offset:#x}")));
            }
        }
        place.extend(finding.address.map(|unit| format!("address {unit:#06x}")));
        if !place.is_empty() {
            let _ = write!(line, "{}: ", place.join(", "));
        }
        let _ = write!(line, "expected {}, found {}", finding.expected, finding.found);
        push_line(text, &line);
    }
    if let Some(more) = findings.len().checked_sub(top).filter(|more| *more > 0) {
        let (one, several) = (format!("more {word}"), format!("more {word}s"));
        let more = counted(more as u64, &one, &several);
        let _ = writeln!(text, "  … and {more} (--top, --json)");
    }
}

fn bytes(bytes: u64) -> String {
    if bytes < 10_000 { format!("{bytes} B") } else { format!("{:.2} MB", bytes as f64 / 1e6) }
}
