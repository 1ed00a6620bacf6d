//! Reading the content of an entry without trusting what is announced.

use crc32fast::Hasher;
use flate2::{Decompress, FlushDecompress, Status};
use wattle_unpack::UnpackBudget;

use crate::zip::zip_entry::{Entry, Method};
use crate::{ApkError, EntryProblem};

/// The most bytes of content that one entry may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadLimit(pub u64);

impl Default for ReadLimit {
    /// 64 MiB: more than any manifest, resource table or list of digests.
    fn default() -> Self {
        Self(64 << 20)
    }
}

/// Deflate packs at most 258 bytes into two bits (zlib's documentation: 1032 to 1).
const DEFLATE_RATIO: u64 = 1032;
/// Bytes that are inflated at once.
const STEP: usize = 64 << 10;

impl Entry<'_> {
    /// The content, checked against size and CRC-32.
    ///
    /// At most `limit` bytes, and never more than what deflate could have packed into the data.
    pub fn read(&self, limit: ReadLimit) -> Result<Vec<u8>, ApkError> {
        read(self, limit).map_err(|problem| self.error(problem))
    }

    /// The content, as [`read`](Self::read) gives it, if the budget is enough for it; it is taken off the budget. Stored entries count
    /// nothing, because they are as large as they are in the file.
    pub fn read_within(&self, budget: &UnpackBudget) -> Result<Vec<u8>, ApkError> {
        let asked = match self.method() {
            Method::Stored => 0,
            Method::Deflated => u64::from(self.size()),
        };
        let left = budget.left();
        if budget.try_take(asked) {
            self.read(ReadLimit(u64::MAX))
        } else {
            Err(self.error(EntryProblem::Budget { asked, left, most: budget.limit() }))
        }
    }

    /// The content in parts, without holding it in memory; an error takes back what was given before.
    pub(crate) fn stream(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), ApkError> {
        stream(self, ReadLimit(u64::MAX), sink).map_err(|problem| self.error(problem))
    }
}

/// The content, all at once. What is allocated follows what comes out, not what is announced.
fn read(entry: &Entry<'_>, limit: ReadLimit) -> Result<Vec<u8>, EntryProblem> {
    check_size(entry, limit)?;
    // Most content that is read is code, which deflates to about half.
    let likely = entry.raw().len().saturating_mul(4);
    let mut content = Vec::with_capacity(likely.min(entry.size() as usize));
    stream(entry, limit, &mut |part| content.extend_from_slice(part))?;
    Ok(content)
}

/// The content in parts; only after the last of them it is known whether size and CRC-32 are right.
fn stream(
    entry: &Entry<'_>,
    limit: ReadLimit,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<(), EntryProblem> {
    check_size(entry, limit)?;
    let mut crc = Hasher::new();
    let mut produced = 0_u64;
    let size = u64::from(entry.size());
    let mut part = |part: &[u8]| {
        produced = produced.saturating_add(part.len() as u64);
        // A stream that gives more than announced is not passed on.
        let sound = produced <= size;
        if sound {
            crc.update(part);
            sink(part);
        }
        sound
    };
    match entry.method() {
        Method::Stored => {
            part(entry.raw());
        }
        Method::Deflated => inflate(entry.raw(), &mut part)?,
    }
    if produced != size {
        return Err(EntryProblem::Size { expected: size, found: produced });
    }
    let found = crc.finalize();
    if found != entry.crc32() {
        return Err(EntryProblem::Crc { expected: entry.crc32(), found });
    }
    Ok(())
}

fn check_size(entry: &Entry<'_>, limit: ReadLimit) -> Result<(), EntryProblem> {
    let uncompressed = u64::from(entry.size());
    let compressed = u64::from(entry.compressed_size());
    let possible = match entry.method() {
        Method::Stored => compressed,
        Method::Deflated => compressed.saturating_mul(DEFLATE_RATIO),
    };
    let limit = possible.min(limit.0);
    if uncompressed > limit {
        return Err(EntryProblem::Bomb { compressed, uncompressed, limit });
    }
    Ok(())
}

/// Gives what comes out of a deflate stream to `part`, until that says no.
pub(super) fn inflate(
    data: &[u8],
    part: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), EntryProblem> {
    let mut stream = Decompress::new(false);
    let mut buffer = vec![0; STEP];
    loop {
        let (consumed, produced) = (stream.total_in(), stream.total_out());
        let broken = EntryProblem::Inflate { produced };
        let rest = data.get(consumed as usize..).unwrap_or_default();
        let status = stream
            .decompress(rest, &mut buffer, FlushDecompress::None)
            .map_err(|_| broken.clone())?;
        let new = stream.total_out().saturating_sub(produced) as usize;
        if !part(buffer.get(..new).unwrap_or_default()) || status == Status::StreamEnd {
            return Ok(());
        }
        if new == 0 && stream.total_in() == consumed {
            return Err(broken);
        }
    }
}
