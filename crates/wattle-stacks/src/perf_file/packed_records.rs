//! Packed records (`PERF_RECORD_COMPRESSED`, `PERF_RECORD_COMPRESSED2`): pieces of one frame of zstd that is never ended.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use wattle_import::UnpackBudget;

/// A last, empty block: with it a frame that the recorder left open is at its end, and gives what it still holds back.
const LAST_BLOCK: [u8; 3] = [1, 0, 0];

/// Bytes that are unpacked before they are taken out.
const STEP: usize = 1 << 20;

/// Room for the checksum that a frame may end with; nobody looks at it.
const CHECKSUM: [u8; 4] = [0; 4];

/// Unpacks pieces into one run of bytes, within the budget. Whether that was all of them.
pub(super) fn unpack(pieces: &[&[u8]], budget: &UnpackBudget) -> (Vec<u8>, bool) {
    let mut unpacked = Vec::new();
    match unpack_to(pieces, 0, budget, &mut unpacked) {
        Ok(()) => (unpacked, true),
        Err(Failure::Budget) => (unpacked, false),
        Err(Failure::Damaged { at }) => {
            // A frame gives its last window only when it is at its end: once more, with the pieces before the damaged one alone.
            let ends = pieces.iter().scan(0, |end, piece| {
                *end += piece.len();
                Some(*end)
            });
            let whole = ends.take_while(|end| *end <= at).count();
            let _ = unpack_to(
                pieces.get(..whole).unwrap_or_default(),
                unpacked.len(),
                budget,
                &mut unpacked,
            );
            (unpacked, false)
        }
    }
}

/// The reason why not all pieces were unpacked.
enum Failure {
    /// They are damaged at this byte of them.
    Damaged { at: usize },
    /// They unpack to more than is left of the budget.
    Budget,
}

/// Adds what pieces unpack to behind the first `skipped` bytes.
fn unpack_to(
    pieces: &[&[u8]],
    mut skipped: usize,
    budget: &UnpackBudget,
    unpacked: &mut Vec<u8>,
) -> Result<(), Failure> {
    let total: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut input =
        Pieces { all: pieces, at: 0, taken: 0 }.chain(&LAST_BLOCK[..]).chain(&CHECKSUM[..]);
    let mut taken = 0_usize;
    let mut step = vec![0; STEP];
    while taken < total {
        let mut decoder = FrameDecoder::new();
        decoder.reset(&mut input).map_err(|_| Failure::Damaged { at: taken })?;
        while !decoder.is_finished() {
            let decoded = decoder.decode_blocks(&mut input, BlockDecodingStrategy::UptoBytes(STEP));
            while decoder.can_collect() > 0 {
                let read = decoder.read(&mut step).unwrap_or(0);
                let known = read.min(skipped);
                skipped -= known;
                let new = step.get(known..read).unwrap_or_default();
                if read == 0 {
                    break;
                }
                if !budget.try_take(new.len() as u64) {
                    return Err(Failure::Budget);
                }
                unpacked.extend_from_slice(new);
            }
            let at = taken.saturating_add(decoder.bytes_read_from_source() as usize).min(total);
            decoded.map_err(|_| Failure::Damaged { at })?;
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
