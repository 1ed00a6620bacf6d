//! Digests of the content of entries, computed in parallel.

use crate::ApkError;
use crate::crypto::Hash;
use crate::zip::EntryContent;

/// The digests of each entry's content, in the order of the entries; or why it could not be read.
pub(super) fn digests(
    entries: &[(EntryContent<'_>, Vec<Hash>)],
) -> Vec<Result<Vec<Vec<u8>>, ApkError>> {
    wattle_workers::ordered(wattle_workers::available(0), entries, |(content, hashes)| {
        if let EntryContent::Packed(packed) = content
            && let Some(known) = hashes.iter().map(|hash| packed.digest(*hash)).collect()
        {
            let known: Vec<&[u8]> = known;
            return Ok(known.into_iter().map(<[u8]>::to_vec).collect());
        }
        let mut running: Vec<_> = hashes.iter().map(|hash| hash.start()).collect();
        let read = content.stream(&mut |part| running.iter_mut().for_each(|r| r.update(part)));
        read.map(|()| running.into_iter().map(|r| r.finalize().to_vec()).collect())
    })
}
