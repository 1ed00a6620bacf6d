//! A stream of which some bytes are looked at before they are taken.

use std::io::Read;

use wattle_wire::ByteOrder;

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

/// A stream and what was read of it ahead.
#[derive(Debug)]
pub(super) struct ByteSource<R> {
    stream: R,
    buffer: Vec<u8>,
    /// Number of bytes taken from the buffer.
    at: usize,
    /// Bytes before the buffer.
    before: u64,
    has_ended: bool,
    /// Why it ended, if not because there is no more.
    pub failure: Option<std::io::Error>,
}

impl<R: Read> ByteSource<R> {
    pub fn new(stream: R) -> Self {
        Self { stream, buffer: Vec::new(), at: 0, before: 0, has_ended: false, failure: None }
    }

    /// Returns the bytes ahead: at least so many, unless the stream ends before.
    pub fn ahead(&mut self, count: usize) -> &[u8] {
        if self.buffer.len() - self.at < count && !self.has_ended {
            self.fill(count);
        }
        self.buffer.get(self.at..).unwrap_or_default()
    }

    fn fill(&mut self, count: usize) {
        self.buffer.drain(..self.at);
        self.before += self.at as u64;
        self.at = 0;
        while self.buffer.len() < count && !self.has_ended {
            let before = self.buffer.len();
            let mut chunk = self.stream.by_ref().take(CHUNK as u64);
            if let Err(failure) = chunk.read_to_end(&mut self.buffer) {
                self.failure = Some(failure);
                self.has_ended = true;
            }
            self.has_ended |= self.buffer.len() == before;
        }
    }

    /// Takes bytes that were looked at.
    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.buffer.len());
    }

    /// Returns the number of bytes taken.
    pub fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// A line without its end, which is taken; at most so many bytes of it are kept. `None` at the end of the stream.
    pub fn line(&mut self, longest: usize) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        let mut is_line = false;
        loop {
            let ahead = self.ahead(1);
            if ahead.is_empty() {
                return is_line.then_some(line);
            }
            is_line = true;
            let end = memchr::memchr(b'\n', ahead);
            let part = ahead.get(..end.unwrap_or(ahead.len())).unwrap_or_default();
            line.extend(part.iter().take(longest.saturating_sub(line.len())));
            let taken = part.len() + usize::from(end.is_some());
            self.skip(taken);
            if end.is_some() {
                return Some(line);
            }
        }
    }
}

/// A little-endian number of at most eight bytes.
pub(super) fn number(bytes: &[u8]) -> u64 {
    ByteOrder::LITTLE.number(bytes).unwrap_or(0)
}

/// The little-endian number at a place; `None` where it is cut off.
pub(super) fn number_at(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(length)?).map(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_over_chunks() {
        let mut text = vec![b'x'; CHUNK + 7];
        text.extend(b"\nshort\n\nlast");
        let mut source = ByteSource::new(&*text);
        assert_eq!(source.line(9), Some(vec![b'x'; 9]));
        assert_eq!(source.offset(), CHUNK as u64 + 8);
        assert_eq!(source.line(9).as_deref(), Some(&b"short"[..]));
        assert_eq!(source.line(9).as_deref(), Some(&b""[..]));
        assert_eq!(source.ahead(99), b"last");
        assert_eq!(source.line(9).as_deref(), Some(&b"last"[..]));
        assert_eq!(source.line(9), None);
        assert_eq!(source.offset(), text.len() as u64);
        assert_eq!(number(&[1, 2, 0]), 0x201);
        assert_eq!(number_at(&[1, 2, 0], 1, 2), Some(2));
        assert_eq!(number_at(&[1, 2, 0], 2, 2), None);
    }
}
