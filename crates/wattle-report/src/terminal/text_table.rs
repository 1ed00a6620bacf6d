//! Aligned columns.

use super::style::{Painter, Style};
use super::text_columns::{fit, fit_both_ends, width, wrap};
use crate::clean::clean;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A table with a heading row. The column that may be cut is as wide as the terminal leaves it.
pub struct Table<'a> {
    columns: Vec<(&'a str, Align, Style)>,
    elastic: Vec<usize>,
    rows: Vec<Vec<String>>,
    notes: Vec<Note>,
}

/// Text across all columns.
struct Note {
    /// After the row of that number.
    after: usize,
    style: Style,
    text: String,
    /// Goes on in further lines instead of being cut.
    is_long: bool,
}

/// Width of the indentation of each line.
const INDENT: usize = 2;
/// Width of the gap between columns.
const GAP: usize = 2;
/// No column is cut to less.
const NARROWEST: usize = 6;

impl<'a> Table<'a> {
    /// Columns with their headings. Elastic ones are cut when the terminal is too narrow, the widest first.
    pub fn new(columns: &[(&'a str, Align, Style)], elastic: &[usize]) -> Self {
        Self {
            columns: columns.to_vec(),
            elastic: elastic.to_vec(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a row; control characters of its cells are replaced.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<_> = cells.into_iter().map(|cell| clean(&cell)).collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Adds a line below the last row, further in than that, cut at the terminal's edge.
    pub fn note(&mut self, style: Style, text: &str) {
        let after = self.rows.len();
        self.notes.push(Note { after, style, text: clean(text), is_long: false });
    }

    /// The same in as many lines as it needs.
    pub fn paragraph(&mut self, style: Style, text: &str) {
        let after = self.rows.len();
        self.notes.push(Note { after, style, text: clean(text), is_long: true });
    }

    /// Writes it, no line wider than `columns` as long as the elastic columns give way.
    pub fn write(&self, columns: usize, painter: Painter, to: &mut String) {
        let widths = self.widths(columns);
        let headings: Vec<_> =
            self.columns.iter().map(|(heading, ..)| (*heading).to_owned()).collect();
        self.line(&headings, &widths, painter, Some(Style::Dim), to);
        let mut notes = self.notes.iter().peekable();
        for (number, row) in (1..).zip(&self.rows) {
            self.line(row, &widths, painter, None, to);
            while let Some(note) = notes.next_if(|note| note.after == number) {
                note.write(columns.saturating_sub(2 * INDENT), painter, to);
            }
        }
    }

    fn widths(&self, columns: usize) -> Vec<usize> {
        let natural = |at: usize| {
            let cells = self.rows.iter().map(|row| width(&row[at]));
            cells.max().unwrap_or(0).max(width(self.columns[at].0))
        };
        let mut widths: Vec<_> = (0..self.columns.len()).map(natural).collect();
        let gaps = INDENT + GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > columns {
            let widest = self.elastic.iter().copied().max_by_key(|at| widths[*at]);
            let Some(widest) = widest.filter(|at| widths[*at] > NARROWEST) else { break };
            widths[widest] -= 1;
        }
        widths
    }

    fn line(
        &self,
        cells: &[String],
        widths: &[usize],
        painter: Painter,
        style: Option<Style>,
        to: &mut String,
    ) {
        let mut line = " ".repeat(INDENT);
        let mut owed = 0;
        for (at, cell) in cells.iter().enumerate() {
            let (_, align, of_column) = self.columns[at];
            let cell = fit_both_ends(cell, widths[at]);
            let padding = widths[at] - width(&cell);
            if at > 0 {
                owed += GAP;
            }
            if align == Align::Right {
                owed += padding;
            }
            if !cell.is_empty() {
                line.push_str(&" ".repeat(owed));
                owed = 0;
                line.push_str(&painter.paint(style.unwrap_or(of_column), &cell));
            }
            if align == Align::Left {
                owed += padding;
            }
        }
        to.push_str(line.trim_end());
        to.push('\n');
    }
}

impl Note {
    fn write(&self, columns: usize, painter: Painter, to: &mut String) {
        let lines =
            if self.is_long { wrap(&self.text, columns) } else { vec![fit(&self.text, columns)] };
        for line in lines {
            to.push_str(&" ".repeat(2 * INDENT));
            to.push_str(painter.paint(self.style, line.trim_end()).as_str());
            to.push('\n');
        }
    }
}
