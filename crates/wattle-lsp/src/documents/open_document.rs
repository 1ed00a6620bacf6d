//! An open file.

use std::path::PathBuf;

use ls_types::{Position, Range, TextDocumentContentChangeEvent};

use super::PositionEncoding;
use crate::source::Language;
use crate::text_lines::TextLines;

/// An open file, as the editor has it.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// The file.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// The editor's number of this text.
    pub version: i32,
    text: String,
    lines: TextLines,
    encoding: PositionEncoding,
}

impl OpenDocument {
    /// A file that was opened.
    pub fn new(
        path: PathBuf,
        language: Language,
        (version, text): (i32, String),
        encoding: PositionEncoding,
    ) -> Self {
        let lines = TextLines::new(&text);
        Self { path, language, version, text, lines, encoding }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Applies changes in order: parts of the text, or all of it.
    pub fn apply(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        self.version = version;
        for change in changes {
            match change.range {
                Some(range) => {
                    let (start, end) = (self.offset(range.start), self.offset(range.end));
                    self.text.replace_range(start.min(end)..end.max(start), &change.text);
                }
                None => self.text = change.text,
            }
            self.lines = TextLines::new(&self.text);
        }
    }

    /// A line without its end.
    pub fn line(&self, line: u32) -> &str {
        let range = self.lines.range(line).unwrap_or_default();
        self.text.get(range).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// The number of lines.
    pub fn line_count(&self) -> u32 {
        self.lines.count()
    }

    /// The byte of a position, at most the end of its line.
    pub fn offset(&self, position: Position) -> usize {
        let Some(range) = self.lines.range(position.line) else { return self.text.len() };
        range.start + self.encoding.offset(self.line(position.line), position.character)
    }

    /// The position of a byte.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.lines.line_at(offset.min(self.text.len()));
        let start = self.lines.range(line).map_or(0, |range| range.start);
        let before = self.text.get(start..offset.min(self.text.len())).unwrap_or_default();
        Position { line, character: self.encoding.length(before) }
    }

    /// The position behind the last character of a line that is no blank.
    pub fn line_end(&self, line: u32) -> Position {
        Position { line, character: self.encoding.length(self.line(line).trim_end()) }
    }

    /// The range of bytes.
    pub fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }
}
