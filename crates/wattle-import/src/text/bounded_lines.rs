//! Lines of a text, of bounded length.

use std::borrow::Cow;
use std::io::{BufRead, ErrorKind, Read};

/// A line, where it began, and whether it was too long and cut off.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The line without its end.
    pub bytes: &'a [u8],
    /// Offset of its start in the text.
    pub offset: u64,
    /// Whether it was too long and was cut off.
    pub is_cut: bool,
}

impl<'a> Line<'a> {
    /// The line as text: bytes that are none are replaced. Of a line that is text, which it is first asked, the standard library's
    /// replacing reader takes four times as long.
    pub fn text(&self) -> Cow<'a, str> {
        match std::str::from_utf8(self.bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(self.bytes),
        }
    }
}

/// Gives a text line by line, without what ends a line.
pub struct Lines<R> {
    input: std::io::BufReader<R>,
    line: Vec<u8>,
    limit: usize,
    offset: u64,
    /// Whether the last line that was given has no end, and something in it: tools end every line, so a text that ends so was cut.
    /// Not where an error ended it.
    pub ends_within: bool,
    /// An error of the input, which ends the text.
    pub failure: Option<std::io::Error>,
}

impl<R: Read> Lines<R> {
    /// Lines of at most so many bytes; the rest of longer ones is passed over.
    pub fn new(input: R, limit: usize) -> Self {
        let input = std::io::BufReader::with_capacity(1 << 16, input);
        Self { input, line: Vec::new(), limit, offset: 0, ends_within: false, failure: None }
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        self.line.clear();
        let offset = self.offset;
        let (mut is_cut, mut is_there, mut is_ended) = (false, false, false);
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.failure = Some(error);
                    break;
                }
            };
            if available.is_empty() {
                break;
            }
            is_there = true;
            let end = memchr::memchr(b'\n', available);
            let part = end.map_or(available, |end| available.get(..end).unwrap_or_default());
            let room = self.limit.saturating_sub(self.line.len());
            is_cut |= part.len() > room;
            self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            let used = part.len() + usize::from(end.is_some());
            self.offset += used as u64;
            self.input.consume(used);
            if end.is_some() {
                is_ended = true;
                break;
            }
        }
        if !is_there {
            return None;
        }
        let is_torn = !is_ended && self.failure.is_none();
        self.ends_within = is_torn && !self.line.trim_ascii().is_empty();
        // `adb shell` of old ends lines with one or two carriage returns.
        let kept = self.line.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last + 1);
        Some(Line { bytes: self.line.get(..kept).unwrap_or_default(), offset, is_cut })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_lose_their_ends() {
        let mut lines = Lines::new(&b"one\r\n\r\r\ntoo long here\nlast"[..], 6);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line() {
            found.push((line.offset, line.text().into_owned(), line.is_cut));
        }
        let expected =
            [(0, "one", false), (5, "", false), (8, "too lo", true), (22, "last", false)];
        let expected: Vec<_> = expected.iter().map(|(o, t, c)| (*o, (*t).to_owned(), *c)).collect();
        assert_eq!(found, expected);
    }
}
