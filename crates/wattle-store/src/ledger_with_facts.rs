//! A ledger with the facts of its run, as one file.
//!
//! The file is the ledger's own, as `--save` writes it, and behind it a frame that decoders of zstd skip (RFC 8878, 3.1.2) with the facts
//! as JSON. So every program that reads ledgers reads it, and a history can be made again of such files alone.

use crate::{RunFacts, StoreError};

/// The first bytes of a frame that is skipped.
const SKIPPED: [u8; 4] = [0x57, 0x2a, 0x4d, 0x18];
/// The last bytes of the file.
const MARK: [u8; 8] = *b"wattle-1";
/// Bytes of the frame beside the facts: its header, and length and mark at the end.
const AROUND: usize = 8 + 4 + 8;
/// The most that facts may have.
const MOST: usize = 1 << 20;

/// The bytes of a ledger's file in two parts.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerFile {
    /// The ledger, as `--save` writes it.
    pub ledger: Vec<u8>,
    /// The facts of the run; `None` in files that were not written by a history.
    pub facts: Option<RunFacts>,
}

impl LedgerFile {
    /// From the bytes of a file.
    ///
    /// # Errors
    /// If facts stand behind the ledger that cannot be read, or something stands behind the facts.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, StoreError> {
        match facts(&bytes) {
            Some((start, facts)) => {
                bytes.truncate(start);
                Ok(Self { ledger: bytes, facts: Some(facts) })
            }
            None => match traces_of_facts(&bytes) {
                Some(ledger) => Err(StoreError::DamagedFacts { ledger }),
                None => Ok(Self { ledger: bytes, facts: None }),
            },
        }
    }

    /// Whether bytes behind a ledger are the facts of a run, and nothing else.
    pub(crate) fn are_facts(behind: &[u8]) -> bool {
        facts(behind).is_some_and(|(start, _)| start == 0)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.ledger.clone();
        let Some(facts) = &self.facts else { return bytes };
        let json = serde_json::to_vec(facts).unwrap_or_default();
        // Conditions are a value of anybody's; a run is more than they are.
        if json.is_empty() || json.len() > MOST {
            return bytes;
        }
        let length = json.len() as u32;
        bytes.extend(SKIPPED);
        bytes.extend((length + 12).to_le_bytes());
        bytes.extend(json);
        bytes.extend(length.to_le_bytes());
        bytes.extend(MARK);
        bytes
    }
}

/// The beginning of the skipped frame, and the facts in it.
fn facts(bytes: &[u8]) -> Option<(usize, RunFacts)> {
    let rest = bytes.strip_suffix(&MARK)?;
    let (rest, length) = rest.split_last_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > MOST {
        return None;
    }
    let start = bytes.len().checked_sub(length + AROUND)?;
    let frame = rest.get(start..)?;
    let json = frame.strip_prefix(&SKIPPED)?.get(4..)?;
    Some((start, serde_json::from_slice(json).ok()?))
}

/// The place where facts of a run begin, although they cannot be read: a skipped frame of at most their size with a JSON object.
fn traces_of_facts(bytes: &[u8]) -> Option<usize> {
    const HEAD: usize = 9;
    let from = bytes.len().saturating_sub(2 * MOST + AROUND);
    let is_head = |head: &[u8]| match head {
        [a, b, c, d, length @ .., b'{'] if [*a, *b, *c, *d] == SKIPPED => {
            let length = length.try_into().map_or(0, u32::from_le_bytes);
            (12..=MOST + 12).contains(&(length as usize))
        }
        _ => false,
    };
    bytes.get(from..)?.windows(HEAD).rposition(is_head).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AppBuild;

    #[test]
    fn facts_stand_behind_the_ledger() {
        let facts = RunFacts {
            app: AppBuild { package: "com.example".to_owned(), ..AppBuild::default() },
            ..RunFacts::default()
        };
        let file = LedgerFile { ledger: b"ledger".to_vec(), facts: Some(facts) };
        let bytes = file.to_bytes();
        assert!(bytes.starts_with(b"ledger"));
        let read = |bytes: &[u8]| LedgerFile::from_bytes(bytes.to_vec());
        assert_eq!(read(&bytes).expect("a file"), file);
        for end in 0..bytes.len() {
            // So much tells that there were facts: the head of the frame, its length, and the first letter.
            match read(&bytes[..end]) {
                Ok(cut) if end < 6 + 9 => assert_eq!((cut.ledger.len(), cut.facts), (end, None)),
                Err(StoreError::DamagedFacts { ledger: 6 }) if end >= 6 + 9 => {}
                other => panic!("cut at {end}: {other:?}"),
            }
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert!(matches!(read(&longer), Err(StoreError::DamagedFacts { ledger: 6 })));
        let mut other = bytes.clone();
        other[6 + 9] = 0xff;
        assert!(matches!(read(&other), Err(StoreError::DamagedFacts { ledger: 6 })));
    }
}
