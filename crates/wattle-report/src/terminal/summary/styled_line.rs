//! A line made of pieces in different styles.

use super::super::style::{Painter, Style};
use super::super::text_columns::{fit, width};
use crate::clean::clean;

/// A line on its way to the terminal.
#[derive(Default)]
pub struct StyledLine {
    pieces: Vec<(Style, String)>,
    width: usize,
}

impl StyledLine {
    /// Adds a piece; control characters are replaced.
    pub fn add(&mut self, style: Style, text: &str) -> &mut Self {
        let text = clean(text);
        self.width += width(&text);
        self.pieces.push((style, text));
        self
    }

    /// Adds a number or word that ends at a column, or after one blank.
    pub fn add_right(&mut self, style: Style, text: &str, end: usize) -> &mut Self {
        let gap = end.saturating_sub(self.width + width(text)).max(usize::from(self.width > 0));
        self.add(Style::Plain, &" ".repeat(gap)).add(style, text)
    }

    /// Adds blanks up to a column.
    pub fn pad(&mut self, column: usize) -> &mut Self {
        let gap = column.saturating_sub(self.width);
        self.add(Style::Plain, &" ".repeat(gap))
    }

    /// Columns that it takes so far.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes it, cut where the terminal ends.
    pub fn write(&self, columns: usize, painter: Painter, to: &mut String) {
        let mut left = columns;
        let mut line = String::new();
        let last = self.pieces.iter().rposition(|(_, text)| !text.trim_end().is_empty());
        for (at, (style, text)) in self.pieces.iter().enumerate().take(last.map_or(0, |at| at + 1))
        {
            let text = if Some(at) == last { text.trim_end() } else { text };
            let shown = fit(text, left);
            left -= width(&shown).min(left);
            line.push_str(&painter.paint(*style, &shown));
        }
        to.push_str(&line);
        to.push('\n');
    }
}
