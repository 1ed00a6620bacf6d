//! The summary, top to bottom.

use super::super::style::Painter;
use super::super::style::Style::{self, Dim, Warning};
use super::super::terminal_page::Page;
use super::super::text_columns::wrap;
use super::SummaryParts;
use super::energy_words::EnergyWords;
use super::styled_line::StyledLine;
use crate::Report;
use crate::clean::clean;

/// Columns of the words at the beginning of lines: `Power`, `Quality`, `Next`.
pub const LABEL: usize = 9;

/// A summary on its way to the terminal.
pub struct SummaryPage<'a> {
    pub report: &'a Report,
    pub parts: SummaryParts<'a>,
    pub columns: usize,
    pub painter: Painter,
    pub words: EnergyWords,
    /// The sections of the full report.
    pub tables: Page<'a>,
}

impl SummaryPage<'_> {
    /// The whole summary.
    pub fn write(&self) -> String {
        let mut to = String::new();
        self.verdict(&mut to);
        self.tables.rating(&mut to);
        if self.report.tests.upper_bounds.is_some() {
            let mut section = String::new();
            self.tables.upper_bounds(&mut section);
            self.shortened(&section, &mut to);
        }
        self.power(&mut to);
        self.tests_in_short(&mut to);
        if self.report.software.sampled.is_some() {
            let mut section = String::new();
            self.tables.sampled(&mut section);
            self.shortened(&section, &mut to);
        } else {
            self.consumers(&mut to);
        }
        self.findings(&mut to);
        self.closing(&mut to);
        to
    }

    /// The first lines of a section of the full report.
    fn shortened(&self, section: &str, to: &mut String) {
        const MOST: usize = 13;
        let lines: Vec<&str> = section.trim_end().lines().collect();
        for line in lines.iter().take(MOST) {
            to.push_str(line);
            to.push('\n');
        }
        if lines.len() > MOST {
            self.line(Dim, &format!("  {} more lines with --full", lines.len() - MOST), to);
        }
        to.push('\n');
    }

    pub(super) fn put(&self, line: &StyledLine, to: &mut String) {
        line.write(self.columns, self.painter, to);
    }

    /// A line of one style, cut at the terminal's edge.
    pub(super) fn line(&self, style: Style, text: &str, to: &mut String) {
        let mut line = StyledLine::default();
        line.add(style, text);
        self.put(&line, to);
    }

    /// As many lines as it needs, so far in.
    pub(super) fn wrapped(&self, style: Style, indent: usize, text: &str, to: &mut String) {
        for line in wrap(&clean(text), self.columns - indent) {
            to.push_str(&" ".repeat(indent));
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }

    pub(super) fn warning(&self, text: &str, to: &mut String) {
        self.wrapped(Warning, 2, text, to);
    }
}
