//! The hash tree of fs-verity, as signature schemes use it (apksig `VerityTreeBuilder`).

use crate::crypto::Hash;

const PAGE: usize = 4096;
/// Schemes use eight zeros as salt.
const SALT: [u8; 8] = [0; 8];

/// The root of the tree over these parts, one after the other, padded with zeros to whole pages.
pub(super) fn root_hash(parts: &[&[u8]]) -> Vec<u8> {
    let mut level = hash_pages(parts);
    while level.len() > PAGE {
        level = hash_pages(&[&level]);
    }
    level.resize(PAGE, 0);
    Hash::Sha256.digest(&[&SALT, &level])
}

/// The digests of all pages.
fn hash_pages(parts: &[&[u8]]) -> Vec<u8> {
    let mut digests = Vec::new();
    let mut page = Vec::with_capacity(PAGE);
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(PAGE.saturating_sub(page.len())));
            page.extend_from_slice(now);
            rest = later;
            if page.len() == PAGE {
                digests.extend(Hash::Sha256.digest(&[&SALT, &page]));
                page.clear();
            }
        }
    }
    if !page.is_empty() {
        page.resize(PAGE, 0);
        digests.extend(Hash::Sha256.digest(&[&SALT, &page]));
    }
    digests
}
