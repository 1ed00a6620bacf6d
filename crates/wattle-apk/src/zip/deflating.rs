//! Deflating content in pieces.

use crc32fast::Hasher;
use flate2::{Compress, FlushCompress, Status};

use crate::zip::zip_entry::Method;

/// Size of a piece that is compressed on its own, so that one large file keeps all cores busy. The pieces do not depend on the
/// number of threads, so neither does the result; each costs a few hundred bytes of output.
pub(super) const PIECE: usize = 1 << 20;

/// One piece of an entry's new content.
pub(super) struct Piece<'e> {
    bytes: &'e [u8],
    method: Method,
    level: u8,
    is_last: bool,
}

/// A piece, compressed (nothing when it is to be stored), and the checksum of its content.
pub(super) struct PackedPiece {
    data: Vec<u8>,
    crc: Hasher,
}

impl PackedPiece {
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.data)
    }
}

/// The deflate stream of content, in parts, and its checksum.
pub(super) fn deflated(content: &[u8], level: u8, threads: usize) -> (Vec<Vec<u8>>, u32) {
    let pieces: Vec<Piece<'_>> = cut(content, Method::Deflated, level).collect();
    let mut packed = wattle_workers::ordered(threads, &pieces, pack);
    let crc32 = joined(&packed);
    (packed.iter_mut().map(PackedPiece::take).collect(), crc32)
}

/// The checksum of pieces one behind the other.
pub(super) fn joined(pieces: &[PackedPiece]) -> u32 {
    let mut crc = Hasher::new();
    for piece in pieces {
        crc.combine(&piece.crc);
    }
    crc.finalize()
}

/// At least one piece, since even an empty deflate stream has an end.
pub(super) fn cut(content: &[u8], method: Method, level: u8) -> impl Iterator<Item = Piece<'_>> {
    let count = content.len().div_ceil(PIECE).max(1);
    (0..count).map(move |index| {
        let start = index.saturating_mul(PIECE);
        let end = start.saturating_add(PIECE).min(content.len());
        let bytes = content.get(start..end).unwrap_or_default();
        Piece { bytes, method, level, is_last: index.saturating_add(1) == count }
    })
}

pub(super) fn pack(piece: &Piece<'_>) -> PackedPiece {
    let mut crc = Hasher::new();
    crc.update(piece.bytes);
    let data = match piece.method {
        Method::Stored => Vec::new(),
        Method::Deflated => deflate(piece),
    };
    PackedPiece { data, crc }
}

/// A part of a deflate stream that ends at a whole byte, so that parts can stand one behind the other.
fn deflate(piece: &Piece<'_>) -> Vec<u8> {
    let level = flate2::Compression::new(u32::from(piece.level));
    let mut stream = Compress::new(level, false);
    let flush = if piece.is_last { FlushCompress::Finish } else { FlushCompress::Sync };
    let mut data = Vec::with_capacity(piece.bytes.len() / 2 + 64);
    loop {
        let consumed = stream.total_in() as usize;
        let rest = piece.bytes.get(consumed..).unwrap_or_default();
        // Deflating cannot fail with these parameters; an error would end as a stream that does not read back.
        match stream.compress_vec(rest, &mut data, flush) {
            Ok(Status::StreamEnd) | Err(_) => return data,
            // A flush is complete once there is room left behind it.
            Ok(_)
                if !piece.is_last
                    && stream.total_in() as usize == piece.bytes.len()
                    && data.len() < data.capacity() =>
            {
                return data;
            }
            Ok(Status::Ok | Status::BufError) => data.reserve(piece.bytes.len() / 4 + 64),
        }
    }
}
