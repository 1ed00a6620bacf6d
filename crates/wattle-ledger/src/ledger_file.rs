//! The file format: JSON in a zstd frame, see `docs/ledger-format.md`.

use std::io::Read;
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::Deserialize;

use crate::{Ledger, LedgerError, SCHEMA};

/// The first bytes of a zstd frame (RFC 8878, 3.1.1).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The most that a ledger may have once unpacked. A minute of a busy phone has some ten million bytes.
const LIMIT: u64 = 1 << 30;

/// The most that a small compressed ledger may have once unpacked: in memory it is up to ten times as large.
const SMALL: u64 = 48_000_000;

/// The most that each byte of a larger one may unpack to. Ledgers reach about 10.
const RATIO: u64 = 32;

/// The part of the format that tells its version.
#[derive(Deserialize)]
struct Header {
    schema: String,
}

impl Ledger {
    /// Reads a file, compressed or plain.
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let in_file = |source| LedgerError::File { path: path.to_owned(), source };
        let file = std::fs::File::open(path).map_err(in_file)?;
        let mut bytes = Vec::new();
        file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(in_file)?;
        if bytes.len() as u64 > LIMIT {
            return Err(LedgerError::TooLarge { limit: LIMIT });
        }
        Self::from_bytes(&bytes)
    }

    /// The content of a file, compressed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LedgerError> {
        let text = serde_json::to_vec(self)?;
        Ok(compress_to_vec(text.as_slice(), CompressionLevel::Fastest))
    }

    /// From the content of a file, compressed or plain. A ledger that is returned is consistent: every index
    /// in it points to a row, and it closes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.starts_with(&ZSTD) {
            return Self::from_json(&unpack(bytes, unpacked_limit(bytes.len() as u64))?);
        }
        if bytes.trim_ascii_start().first() == Some(&b'{') {
            return Self::from_json(bytes);
        }
        let found = match bytes.get(..4.min(bytes.len())) {
            None | Some([]) => "nothing".to_owned(),
            Some(start) => format!("a file that begins with \"{}\"", start.escape_ascii()),
        };
        Err(LedgerError::NotALedger { expected: "a zstd frame or a JSON object", found })
    }

    fn from_json(text: &[u8]) -> Result<Self, LedgerError> {
        // The version decides what an error in the rest means, so it is looked at first.
        let header: Result<Header, _> = serde_json::from_slice(text);
        match header {
            Ok(header) if header.schema == SCHEMA => {}
            Ok(header) if header.schema.starts_with("wattle-ledger/") => {
                return Err(LedgerError::OtherVersion { expected: SCHEMA, found: header.schema });
            }
            Ok(header) => {
                let found = format!("{:?}", header.schema.chars().take(80).collect::<String>());
                return Err(LedgerError::NotALedger {
                    expected: "the schema wattle-ledger",
                    found,
                });
            }
            Err(error) if error.is_data() => {
                let found = "JSON without a schema".to_owned();
                return Err(LedgerError::NotALedger {
                    expected: "the schema wattle-ledger",
                    found,
                });
            }
            Err(error) => return Err(error.into()),
        }
        let ledger: Self = serde_json::from_slice(text)?;
        ledger.check()?;
        Ok(ledger)
    }
}

/// The most bytes that a compressed ledger of this size may unpack to.
fn unpacked_limit(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).clamp(SMALL, LIMIT)
}

fn unpack(bytes: &[u8], limit: u64) -> Result<Vec<u8>, LedgerError> {
    let broken = || if frame_is_cut(bytes) { LedgerError::Cut } else { LedgerError::DamagedFrame };
    let decoder = StreamingDecoder::new(bytes).map_err(|_| broken())?;
    let mut text = Vec::new();
    decoder.take(limit + 1).read_to_end(&mut text).map_err(|_| broken())?;
    if text.len() as u64 > limit {
        return Err(LedgerError::TooLarge { limit });
    }
    Ok(text)
}

/// Whether the bytes end before the frame that they begin with (RFC 8878, 3.1.1): its blocks say how long they are.
fn frame_is_cut(bytes: &[u8]) -> bool {
    let Some(descriptor) = bytes.get(ZSTD.len()) else { return true };
    let is_single = descriptor & 0x20 != 0;
    let window = usize::from(!is_single);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [usize::from(is_single), 2, 4, 8][usize::from(descriptor >> 6)];
    let checksum = if descriptor & 4 == 0 { 0 } else { 4 };
    let mut at = ZSTD.len() + 1 + window + dictionary + content;
    loop {
        let Some(&[a, b, c]) = bytes.get(at..at + 3) else { return true };
        let header = u32::from_le_bytes([a, b, c, 0]);
        // A block of one repeated byte has only that.
        let length = if header >> 1 & 3 == 1 { 1 } else { header as usize >> 3 };
        at += 3 + length;
        if header & 1 == 1 || at > bytes.len() {
            return at + checksum > bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_small_file_unpacks_to_is_bounded() {
        assert_eq!(unpacked_limit(0), SMALL);
        assert_eq!(unpacked_limit(10_000_000), 320_000_000);
        assert_eq!(unpacked_limit(u64::MAX), LIMIT);
        let packed = compress_to_vec(&*vec![b' '; SMALL as usize + 1], CompressionLevel::Fastest);
        assert!(packed.len() < 1_000_000);
        let refused = Ledger::from_bytes(&packed);
        assert!(matches!(refused, Err(LedgerError::TooLarge { limit: SMALL })), "{refused:?}");
    }

    #[test]
    fn a_frame_that_ends_early_is_told_from_a_damaged_one() {
        let text: Vec<u8> = (0..300_000_u32).flat_map(|it| (it / 7).to_le_bytes()).collect();
        let packed = compress_to_vec(text.as_slice(), CompressionLevel::Fastest);
        assert!(!frame_is_cut(&packed));
        let cuts = [4, 5, 7, 20, packed.len() / 2, packed.len() - 1];
        for length in cuts {
            let cut = unpack(&packed[..length], LIMIT);
            assert!(matches!(cut, Err(LedgerError::Cut | LedgerError::DamagedFrame)), "{length}");
            assert!(frame_is_cut(&packed[..length]), "{length}");
        }
        let mut damaged = packed;
        damaged[5..40].fill(0xff);
        assert!(matches!(
            unpack(&damaged, LIMIT),
            Err(LedgerError::DamagedFrame | LedgerError::Cut)
        ));
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let packed = compress_to_vec(vec![b' '; 100_000].as_slice(), CompressionLevel::Fastest);
        assert!(packed.len() < 1000);
        assert!(matches!(unpack(&packed, 99_999), Err(LedgerError::TooLarge { limit: 99_999 })));
        assert_eq!(unpack(&packed, 100_000).map(|text| text.len()).ok(), Some(100_000));
    }
}
