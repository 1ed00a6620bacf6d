//! Packed records (`PERF_RECORD_COMPRESSED`, `PERF_RECORD_COMPRESSED2`): pieces of one frame of zstd that is never ended.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// A last, empty block: with it a frame that the recorder left open is at its end, and gives what it still holds back.
const LAST_BLOCK: [u8; 3] = [1, 0, 0];

/// Bytes that are unpacked before they are taken out.
const STEP: usize = 1 << 20;

/// Room for the checksum that a frame may end with; nobody looks at it.
const CHECKSUM: [u8; 4] = [0; 4];

/// Unpacks pieces into one run of bytes of at most `limit`. Whether that was all of them.
pub(super) fn unpack(pieces: &[&[u8]], limit: usize) -> (Vec<u8>, bool) {
    let mut unpacked = Vec::new();
    let Err(failed_at) = unpack_to(pieces, limit, &mut unpacked) else { return (unpacked, true) };
    // A frame gives its last window only when it is at its end: once more, with the pieces before the damaged one alone.
    let ends = pieces.iter().scan(0, |end, piece| {
        *end += piece.len();
        Some(*end)
    });
    let whole = ends.take_while(|end| *end <= failed_at).count();
    let mut again = Vec::new();
    let _ = unpack_to(pieces.get(..whole).unwrap_or_default(), limit, &mut again);
    (if again.len() > unpacked.len() { again } else { unpacked }, false)
}

/// Or else where in the pieces it failed.
fn unpack_to(pieces: &[&[u8]], limit: usize, unpacked: &mut Vec<u8>) -> Result<(), usize> {
    let total: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut input =
        Pieces { all: pieces, at: 0, taken: 0 }.chain(&LAST_BLOCK[..]).chain(&CHECKSUM[..]);
    let mut taken = 0_usize;
    while taken < total {
        let mut decoder = FrameDecoder::new();
        decoder.reset(&mut input).map_err(|_| taken)?;
        while !decoder.is_finished() {
            let step = BlockDecodingStrategy::UptoBytes(STEP);
            let decoded = decoder.decode_blocks(&mut input, step);
            let ready = decoder.can_collect().min(limit.saturating_sub(unpacked.len()));
            let from = unpacked.len();
            unpacked.resize(from + ready, 0);
            let read = unpacked.get_mut(from..).map_or(0, |space| decoder.read(space).unwrap_or(0));
            unpacked.truncate(from + read);
            let at = taken.saturating_add(decoder.bytes_read_from_source() as usize).min(total);
            if decoded.is_err() || unpacked.len() >= limit {
                return Err(at);
            }
        }
        taken = taken.saturating_add(decoder.bytes_read_from_source() as usize);
    }
    Ok(())
}

/// Pieces as one stream.
struct Pieces<'p, 'a> {
    all: &'p [&'a [u8]],
    at: usize,
    taken: usize,
}

impl Read for Pieces<'_, '_> {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while let Some(piece) = self.all.get(self.at) {
            let rest = piece.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                (self.at, self.taken) = (self.at + 1, 0);
                continue;
            }
            let size = rest.len().min(space.len());
            if let (Some(space), Some(rest)) = (space.get_mut(..size), rest.get(..size)) {
                space.copy_from_slice(rest);
            }
            self.taken += size;
            return Ok(size);
        }
        Ok(0)
    }
}
