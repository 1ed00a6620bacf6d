//! Files as the sync service tells of them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

/// `ENOENT`, `EACCES`: adb's numbers are those of Linux.
pub(super) const NO_ENTRY: u32 = 2;

/// `stat` before Android 8: mode, size and time, all 0 where nothing is.
pub(super) fn stat_v1(facts: Option<&Metadata>) -> Vec<u8> {
    let words = facts.map_or([0; 3], |facts| {
        [mode(facts), u32::try_from(facts.len()).unwrap_or(u32::MAX), facts.mtime() as u32]
    });
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The fields of `sync_stat_v2` behind the identifier: error, device, inode, mode, links, uid, gid, size, three times.
pub(super) fn stat_v2(facts: Option<&Metadata>) -> Vec<u8> {
    let Some(facts) = facts else {
        let mut missing = NO_ENTRY.to_le_bytes().to_vec();
        missing.resize(68, 0);
        return missing;
    };
    let mut fields = 0_u32.to_le_bytes().to_vec();
    fields.extend(facts.dev().to_le_bytes());
    fields.extend(facts.ino().to_le_bytes());
    for word in [mode(facts), facts.nlink() as u32, 2000, 2000] {
        fields.extend(word.to_le_bytes());
    }
    fields.extend(facts.len().to_le_bytes());
    for time in [facts.atime(), facts.mtime(), facts.ctime()] {
        fields.extend(time.to_le_bytes());
    }
    fields
}

/// Generated kernel files look like plain files on the host, as they do on a phone.
fn mode(facts: &Metadata) -> u32 {
    facts.mode()
}
