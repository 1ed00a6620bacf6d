//! A stream that is read on a thread of its own, while what came out of it is worked on.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Bytes that are handed over at once.
const CHUNK: usize = 256 << 10;
/// Chunks that wait at most.
const WAITING: usize = 4;

/// Reads a stream ahead of its use: unpacking and the work on what was unpacked take turns on two threads. At most 1.5 MB are read that
/// are not used.
pub fn read_ahead<T>(stream: impl Read + Send, work: impl FnOnce(&mut dyn Read) -> T) -> T {
    let stream = Mutex::new(Some(stream));
    let take = || stream.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        let (full, chunks) = sync_channel(WAITING);
        let fill = move || take().map_or((), |stream| fill(stream, &full));
        if thread::Builder::new().spawn_scoped(scope, fill).is_err() {
            // No thread is to be had: it is read where it is used.
            return match take() {
                Some(mut stream) => work(&mut stream),
                None => work(&mut io::empty()),
            };
        }
        // Dropped before the scope ends: the other thread waits for nobody then.
        let mut ahead = ReadAhead { chunks, chunk: Vec::new(), at: 0 };
        let result = work(&mut ahead);
        drop(ahead);
        result
    })
}

/// Sends what a stream gives until it ends, fails, or nobody wants more.
fn fill(mut stream: impl Read, full: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = Vec::with_capacity(CHUNK);
        let read = stream.by_ref().take(CHUNK as u64).read_to_end(&mut chunk);
        let is_last = chunk.is_empty() || read.is_err();
        // What came before a failure is good.
        if !chunk.is_empty() && full.send(Ok(chunk)).is_err() {
            return;
        }
        if let Err(error) = read {
            let _ = full.send(Err(error));
        }
        if is_last {
            return;
        }
    }
}

/// The other end.
struct ReadAhead {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() {
            // The thread is gone when all was sent.
            let Ok(chunk) = self.chunks.recv() else { return Ok(0) };
            self.chunk = chunk?;
            self.at = 0;
        }
        let mut left = self.chunk.get(self.at..).unwrap_or_default();
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
