//! Bytes as the device wrote them, before an old `adb shell` put a carriage return before each line feed (and on Windows two).

use std::io::{BufRead, Read};

/// Takes so many carriage returns away before each line feed.
pub(super) struct Newlines<R> {
    input: R,
    added: usize,
    /// Carriage returns that were read and not given.
    held: usize,
    /// A byte that comes after those that are given back.
    next: Option<u8>,
}

impl<R> Newlines<R> {
    pub fn new(input: R, added: usize) -> Self {
        Self { input, added, held: 0, next: None }
    }
}

impl<R: BufRead> Newlines<R> {
    /// The next byte.
    fn byte(&mut self) -> std::io::Result<Option<u8>> {
        loop {
            if self.next.is_some() {
                if self.held > 0 {
                    self.held -= 1;
                    return Ok(Some(b'\r'));
                }
                return Ok(self.next.take());
            }
            let Some(byte) = self.input.fill_buf()?.first().copied() else {
                if self.held > 0 {
                    self.held -= 1;
                    return Ok(Some(b'\r'));
                }
                return Ok(None);
            };
            self.input.consume(1);
            match byte {
                b'\r' => self.held += 1,
                b'\n' => {
                    self.held = self.held.saturating_sub(self.added);
                    self.next = Some(byte);
                }
                other if self.held == 0 => return Ok(Some(other)),
                other => self.next = Some(other),
            }
        }
    }
}

impl<R: BufRead> Read for Newlines<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.added == 0 {
            return self.input.read(into);
        }
        let mut count = 0;
        for slot in into {
            let Some(byte) = self.byte()? else { break };
            *slot = byte;
            count += 1;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &[u8], added: usize, expected: &[u8]) {
        let mut found = Vec::new();
        Newlines::new(input, added).read_to_end(&mut found).expect("memory can be read");
        assert_eq!(found, expected);
    }

    #[test]
    fn only_what_was_added_is_taken_away() {
        check(b"a\r\nb\rc\r\r\n\r", 0, b"a\r\nb\rc\r\r\n\r");
        check(b"a\r\nb\rc\r\r\n\r", 1, b"a\nb\rc\r\n\r");
        check(b"a\r\r\nb\r\r\r\n\r\r", 2, b"a\nb\r\n\r\r");
        check(b"\n\r\n", 1, b"\n\n");
    }
}
