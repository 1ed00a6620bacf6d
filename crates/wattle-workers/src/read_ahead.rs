//! A stream that is read on a thread of its own, while what came out of it is worked on.

use std::io::{self, Read};

use crate::{Ahead, Supply, made_ahead};

/// Bytes that are handed over at once.
const CHUNK: usize = 256 << 10;
/// Chunks that wait at most.
const WAITING: usize = 4;

/// Reads a stream ahead of its use: unpacking and the work on what was unpacked take turns on two threads. At most 1.5 MB are read that
/// are not used.
pub fn read_ahead<T>(
    mut stream: impl Read + Send,
    work: impl FnOnce(&mut (dyn Read + Send)) -> T,
) -> T {
    let mut has_ended = false;
    let make = |supply: &mut Supply<Chunk>| {
        if has_ended {
            return None;
        }
        let mut bytes =
            supply.used().map_or_else(|| Vec::with_capacity(CHUNK), |chunk| chunk.bytes);
        bytes.clear();
        let end = stream.by_ref().take(CHUNK as u64).read_to_end(&mut bytes);
        has_ended = bytes.is_empty() || end.is_err();
        // What came before a failure is good.
        Some(Chunk { bytes, failure: end.err() })
    };
    made_ahead(WAITING, make, |chunks| {
        work(&mut ReadAhead { chunks, chunk: Chunk::default(), at: 0 })
    })
}

/// Bytes of a stream, and how reading went on after them.
#[derive(Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    failure: Option<io::Error>,
}

/// The other end.
struct ReadAhead<'a, 'm> {
    chunks: &'a mut Ahead<'m, Chunk>,
    chunk: Chunk,
    at: usize,
}

impl Read for ReadAhead<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.bytes.len() {
            if let Some(failure) = self.chunk.failure.take() {
                return Err(failure);
            }
            let Some(next) = self.chunks.next() else { return Ok(0) };
            self.chunks.give_back(std::mem::replace(&mut self.chunk, next));
            self.at = 0;
        }
        let mut left = self.chunk.bytes.get(self.at..).unwrap_or_default();
        if left.is_empty() && self.chunk.failure.is_some() {
            return self.read(buffer);
        }
        let read = left.read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a pattern, then the end or a failure.
    struct Pattern {
        left: usize,
        fails: bool,
    }

    impl Read for Pattern {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 && self.fails {
                return Err(io::Error::other("torn"));
            }
            let count = buffer.len().min(self.left).min(100_003);
            for (nth, byte) in buffer.iter_mut().take(count).enumerate() {
                *byte = ((self.left - nth) % 251) as u8;
            }
            self.left -= count;
            Ok(count)
        }
    }

    #[track_caller]
    fn check(bytes: usize, fails: bool) {
        let mut expected = Vec::new();
        let _ = Pattern { left: bytes, fails }.read_to_end(&mut expected);
        let mut found = Vec::new();
        let end = read_ahead(Pattern { left: bytes, fails }, |ahead| ahead.read_to_end(&mut found));
        assert_eq!(end.map_err(|error| error.to_string()).is_err(), fails);
        assert!(found == expected, "{bytes} bytes");
        assert_eq!(found.len(), bytes);
    }

    #[test]
    fn all_that_a_stream_gives_arrives_and_how_it_ends() {
        for bytes in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 10 * CHUNK + 77] {
            check(bytes, false);
            check(bytes, true);
        }
    }

    #[test]
    fn a_stream_without_end_is_left_where_nobody_wants_more() {
        let first = read_ahead(io::repeat(7), |ahead| {
            let mut first = [0; 3];
            ahead.read_exact(&mut first).map(|()| first)
        });
        assert_eq!(first.ok(), Some([7; 3]));
    }
}
