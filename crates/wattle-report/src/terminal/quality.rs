//! Data that was lost, guessed or not understood.

use wattle_timeline::{Note, Severity, first_error};

use super::style::Style::{self, Dim, Plain};
use super::terminal_page::Page;
use super::text_columns::wrap;
use crate::clean::clean;

impl Page<'_> {
    /// The worst error of the input, beside the total, and how many more there are.
    pub(super) fn errors(&self, to: &mut String) {
        if let Some(error) = first_error(&self.report.trust.quality.quality.errors()) {
            self.paragraph(to, Style::Error, &format!("error: {error}"));
        }
    }

    pub(super) fn quality(&self, to: &mut String) {
        self.heading(to, "Quality");
        let quality = &self.report.trust.quality;
        match quality.lost_events {
            // What an error lost nobody counted.
            0 if quality.worst == Some(Severity::Error) => {}
            0 => self.line_indented(to, Plain, "events dropped while recording: none"),
            lost => {
                let line = format!("events dropped while recording: {lost}");
                self.line_indented(to, Style::Warning, &line);
            }
        }
        if let Some(error) = self.report.energy.closure_error {
            let line = if error == 0.0 {
                "totals reconcile: attributed and integrated energy are equal for every component"
                    .to_owned()
            } else {
                format!("attributed and integrated energy differ by up to {error:.1e}")
            };
            self.line_indented(to, Plain, &line);
        }
        self.sampling(to);
        self.overhead(to);
        self.alignments(to);
        for artifact in &quality.quality.artifacts {
            let used: u64 = artifact.events.values().fold(0, |sum, n| sum.saturating_add(*n));
            let unread: u64 = artifact.unread.values().fold(0, |sum, n| sum.saturating_add(*n));
            let (lost, style) = match artifact.lost_events {
                0 => (String::new(), Dim),
                lost => (format!(", {lost} lost"), Style::Warning),
            };
            let line = format!(
                "{}: {} record{}, {used} events used, {unread} of other kinds{lost}",
                artifact.name,
                artifact.records,
                if artifact.records == 1 { "" } else { "s" }
            );
            self.line_indented(to, style, &line);
        }
        if quality.dangling_entries > 0 {
            let line = format!(
                "{} entries of the ledger point nowhere and were left out",
                quality.dangling_entries
            );
            self.line_indented(to, Style::Error, &line);
        }
        let artifacts = quality.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
        let mut notes: Vec<&Note> = artifacts.chain(&quality.quality.notes).collect();
        notes.sort_by_key(|note| std::cmp::Reverse(note.severity));
        for note in notes {
            self.note(note, to);
        }
    }

    pub(super) fn note(&self, note: &Note, to: &mut String) {
        let (word, style) = match note.severity {
            Severity::Info => ("note", Dim),
            Severity::Warning => ("warning", Style::Warning),
            Severity::Error => ("error", Style::Error),
        };
        let times = if note.count > 1 { format!(" ({} times)", note.count) } else { String::new() };
        let at = note.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
        let text = clean(&format!("[{}] {}{times}{at}", note.code, note.text));
        let hang = word.len() + 1;
        for (nth, line) in wrap(&text, self.columns - 2 - hang).iter().enumerate() {
            to.push_str("  ");
            if nth == 0 {
                to.push_str(&self.painter.paint(style, word));
                to.push(' ');
            } else {
                to.push_str(&" ".repeat(hang));
            }
            to.push_str(line);
            to.push('\n');
        }
    }
}
