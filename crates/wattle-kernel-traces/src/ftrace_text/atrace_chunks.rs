//! The chunks of an atrace file: `atrace --async_dump` run several times into one file, or dumps that were joined, have a line
//! `TRACE:` before each chunk, and each chunk is text or one zlib stream.

use std::io::{BufRead, Read};

/// Line that atrace writes before a trace.
const TRACE: &[u8] = b"TRACE:";

/// Bytes among which the first one is looked for: atrace prints a line or two before it.
pub(super) const TRACE_WITHIN: usize = 256;

/// Returns the start of the trace that atrace announces, and the number of carriage returns inserted before each line
/// feed.
pub(super) fn after_trace(head: &[u8]) -> Option<(usize, usize)> {
    let at = memchr::memmem::find(head.get(..TRACE_WITHIN).unwrap_or(head), TRACE)?;
    if at > 0 && head.get(at - 1) != Some(&b'\n') {
        return None;
    }
    let rest = head.get(at + TRACE.len()..)?;
    let added = rest.iter().take_while(|byte| **byte == b'\r').count();
    (rest.get(added) == Some(&b'\n')).then_some((at + TRACE.len(), added))
}

/// Content of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkForm {
    Text,
    Zlib,
}

/// Goes from one chunk to the next.
pub(super) struct AtraceChunks<R> {
    pub input: R,
    /// Bytes that belong to no chunk and to no announcement of one.
    pub unused: u64,
}

impl<R: BufRead> AtraceChunks<R> {
    /// Starts behind the line `TRACE:` of the first chunk.
    pub fn new(input: R) -> Self {
        Self { input, unused: 0 }
    }

    /// The form of the chunk that begins here.
    pub fn form(&mut self) -> ChunkForm {
        while let Ok(available) = self.input.fill_buf() {
            match available.first() {
                Some(b'\n' | b'\r') => self.input.consume(1),
                // zlib's first byte is 0x78 for all windows that atrace uses.
                Some(0x78) => return ChunkForm::Zlib,
                _ => break,
            }
        }
        ChunkForm::Text
    }

    /// Goes behind the next line that ends with `TRACE:`. False if there is none.
    ///
    /// A line may begin with the rest of a damaged chunk, therefore its beginning does not matter.
    pub fn advance(&mut self) -> bool {
        let mut skipped = 0u64;
        let mut tail = Vec::new();
        loop {
            let length = match bounded_line(&mut self.input, &mut tail) {
                Ok(0) | Err(_) => {
                    self.unused = self.unused.saturating_add(skipped);
                    return false;
                }
                Ok(length) => length,
            };
            skipped = skipped.saturating_add(length);
            if tail.trim_ascii_end().ends_with(TRACE) && tail.last() == Some(&b'\n') {
                // So much atrace itself prints before the line.
                if skipped > TRACE_WITHIN as u64 {
                    self.unused = self.unused.saturating_add(skipped);
                }
                return true;
            }
        }
    }
}

/// Reads a line; keeps its last bytes alone. Returns its length, 0 at the end of the input.
fn bounded_line(input: &mut impl BufRead, tail: &mut Vec<u8>) -> std::io::Result<u64> {
    /// The line `TRACE:` and what old versions of adb put behind it.
    const KEPT: usize = 16;
    /// Bytes read at once.
    const STEP: u64 = 4096;
    tail.clear();
    let mut length = 0u64;
    loop {
        let count = input.by_ref().take(STEP).read_until(b'\n', tail)?;
        length = length.saturating_add(count as u64);
        if count == 0 || tail.last() == Some(&b'\n') {
            break;
        }
        tail.drain(..tail.len().saturating_sub(KEPT));
    }
    tail.drain(..tail.len().saturating_sub(KEPT));
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &[u8], rest: Option<&[u8]>, unused: u64) {
        let mut chunks = AtraceChunks::new(input);
        assert_eq!(chunks.advance(), rest.is_some());
        assert_eq!(chunks.input, rest.unwrap_or_default());
        assert_eq!(chunks.unused, unused);
    }

    #[test]
    fn chunks_are_found_by_their_line() {
        check(b"TRACE:\nx", Some(b"x"), 0);
        check(b"\nTRACE:\r\r\nx", Some(b"x"), 0);
        check(b"capturing trace... done\nTRACE:\nx", Some(b"x"), 0);
        check(b"\x01\x02TRACE:\nx", Some(b"x"), 0);
        check(b"TRACE:x\n", None, 8);
        check(b"TRACE:", None, 6);
        check(b"", None, 0);
        let long = [vec![b'x'; 5_000], b"TRACE:\ny".to_vec()].concat();
        check(&long, Some(b"y"), 5_007);
    }
}
