//! Reading the content of an entry without trusting what is announced.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::EntryProblem;
use crate::zip::entry::{Entry, Method};

/// The most bytes of content that one entry may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadLimit(pub u64);

impl Default for ReadLimit {
    /// 1 GiB: more than any installable package's largest file that has to be read here.
    fn default() -> Self {
        Self(1 << 30)
    }
}

/// Deflate packs at most 258 bytes into two bits (zlib's documentation: 1032 to 1).
const DEFLATE_RATIO: u64 = 1032;
/// How much room is made at once: what is allocated follows what came out, not what is announced.
const STEP: usize = 1 << 20;

pub(super) fn read(entry: &Entry<'_>, limit: ReadLimit) -> Result<Vec<u8>, EntryProblem> {
    let size = u64::from(entry.size());
    let compressed = u64::from(entry.compressed_size());
    let possible = match entry.method() {
        Method::Stored => compressed,
        Method::Deflated => compressed.saturating_mul(DEFLATE_RATIO),
    };
    let limit = possible.min(limit.0);
    if size > limit {
        return Err(EntryProblem::Bomb { compressed, uncompressed: size, limit });
    }
    let content = match entry.method() {
        Method::Stored => entry.raw().to_vec(),
        Method::Deflated => inflate(entry.raw(), entry.size() as usize)?,
    };
    let found = crc32(&content);
    if found != entry.crc32() {
        return Err(EntryProblem::Crc { expected: entry.crc32(), found });
    }
    Ok(content)
}

/// The CRC-32 that ZIP uses.
pub(super) fn crc32(content: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(content);
    crc.sum()
}

/// Inflates exactly `size` bytes; a stream that gives more is noticed at the first byte too many.
fn inflate(data: &[u8], size: usize) -> Result<Vec<u8>, EntryProblem> {
    let mut stream = Decompress::new(false);
    let mut content = Vec::new();
    let most = size.saturating_add(1);
    loop {
        let consumed = stream.total_in() as usize;
        let produced = content.len();
        if content.capacity() == produced {
            let room = most.saturating_sub(produced).min(STEP.max(produced)).max(1);
            content.reserve_exact(room);
        }
        let rest = data.get(consumed..).unwrap_or_default();
        let status = stream
            .decompress_vec(rest, &mut content, FlushDecompress::Finish)
            .map_err(|_| EntryProblem::Inflate { produced: produced as u64 })?;
        if content.len() > size {
            break;
        }
        let stuck = stream.total_in() as usize == consumed && content.len() == produced;
        match status {
            Status::StreamEnd => break,
            Status::Ok | Status::BufError if !stuck => {}
            Status::Ok | Status::BufError => {
                return Err(EntryProblem::Inflate { produced: content.len() as u64 });
            }
        }
    }
    if content.len() != size {
        return Err(EntryProblem::Size { expected: size as u64, found: content.len() as u64 });
    }
    Ok(content)
}
