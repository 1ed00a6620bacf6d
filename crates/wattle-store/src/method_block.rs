//! Figures of neighbouring methods in one run, as bytes.
//!
//! A block is a sequence of entries: the method's place in the block and flags, each a byte; calls, and one or two energies, each as the
//! energy in nanojoules and the distances of both ends of its interval from it. Numbers are LEB128, signed ones in zigzag. One nanojoule
//! is what closes a ledger, so nothing is lost that any view shows.

use wattle_units::{Estimate, Interval, Joules, Provenance};

/// Methods of a block.
pub(crate) const METHODS: u64 = 32;

/// The total is the method's own energy: it called nothing that drew power.
const IS_LEAF: u8 = 1;

/// Why the bytes are no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged figures of methods at byte {at}")]
pub struct BlockError {
    /// Offset of the first byte that does not fit.
    pub at: usize,
}

/// Figures of one method of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BlockEntry {
    /// Its place in the block.
    pub place: u8,
    /// Calls.
    pub calls: u64,
    /// Energy while it was innermost.
    pub own: Estimate,
    /// Energy with all that it called.
    pub total: Estimate,
}

/// The bytes of a block.
pub(crate) fn encode(entries: &[BlockEntry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * 24);
    for entry in entries {
        let (own, total) = (nanojoules(&entry.own), nanojoules(&entry.total));
        let is_leaf = own == total && entry.own.provenance == entry.total.provenance;
        let flags = (u8::from(is_leaf) * IS_LEAF)
            | (code(entry.own.provenance) << 1)
            | (code(entry.total.provenance) << 3);
        bytes.extend([entry.place, flags]);
        unsigned(&mut bytes, entry.calls);
        for number in own {
            signed(&mut bytes, number);
        }
        for number in total.into_iter().filter(|_| !is_leaf) {
            signed(&mut bytes, number);
        }
    }
    bytes
}

/// The entries of a block.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<BlockEntry>, BlockError> {
    let mut reader = Reader { bytes, at: 0 };
    let mut entries = Vec::new();
    while reader.at < bytes.len() {
        let place = reader.byte()?;
        let flags = reader.byte()?;
        let calls = reader.unsigned()?;
        let own = reader.energy(flags >> 1 & 3)?;
        let total = if flags & IS_LEAF == 0 { reader.energy(flags >> 3 & 3)? } else { own };
        entries.push(BlockEntry { place, calls, own, total });
    }
    Ok(entries)
}

/// The energy and the distances of its interval's ends, in nanojoules.
fn nanojoules(estimate: &Estimate) -> [i64; 3] {
    let whole = |joules: Joules| (joules.value() * 1e9).round() as i64;
    let middle = whole(estimate.joules);
    [
        middle,
        middle.saturating_sub(whole(estimate.interval.low)),
        whole(estimate.interval.high).saturating_sub(middle),
    ]
}

/// A provenance as a number.
pub(crate) const fn code(provenance: Provenance) -> u8 {
    match provenance {
        Provenance::Measured => 0,
        Provenance::Modelled => 1,
        Provenance::Assumed => 2,
    }
}

/// The provenance of a number.
pub(crate) const fn provenance(code: u8) -> Provenance {
    match code {
        0 => Provenance::Measured,
        1 => Provenance::Modelled,
        _ => Provenance::Assumed,
    }
}

fn signed(bytes: &mut Vec<u8>, number: i64) {
    unsigned(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

fn unsigned(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, BlockError> {
        let byte = self.bytes.get(self.at).copied().ok_or(BlockError { at: self.at })?;
        self.at += 1;
        Ok(byte)
    }

    fn unsigned(&mut self) -> Result<u64, BlockError> {
        let start = self.at;
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(BlockError { at: start })
    }

    fn signed(&mut self) -> Result<i64, BlockError> {
        let number = self.unsigned()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn energy(&mut self, code: u8) -> Result<Estimate, BlockError> {
        let (middle, below, above) = (self.signed()?, self.signed()?, self.signed()?);
        let joules = |nano: i64| Joules::new(nano as f64 / 1e9);
        Ok(Estimate {
            joules: joules(middle),
            interval: Interval {
                low: joules(middle.saturating_sub(below)),
                high: joules(middle.saturating_add(above)),
            },
            provenance: provenance(code),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn estimate([joules, low, high]: [f64; 3], code: u8) -> Estimate {
        Estimate {
            joules: Joules::new(joules),
            interval: Interval { low: Joules::new(low), high: Joules::new(high) },
            provenance: provenance(code),
        }
    }

    proptest! {
        #[test]
        fn figures_come_back_to_the_nanojoule(
            rows in proptest::collection::vec(
                (0_u8..32, any::<u64>(), [-1e3..1e4, -1e3..1e4, -1e3..1e4], [-1e3..1e4, -1e3..1e4, -1e3..1e4], 0_u8..3),
                0..40,
            )
        ) {
            let entries: Vec<BlockEntry> = rows
                .iter()
                .map(|(place, calls, own, total, code)| BlockEntry {
                    place: *place,
                    calls: *calls,
                    own: estimate(*own, *code),
                    total: estimate(*total, *code),
                })
                .collect();
            let decoded = decode(&encode(&entries)).expect("what was encoded");
            prop_assert_eq!(decoded.len(), entries.len());
            for (found, expected) in decoded.iter().zip(&entries) {
                prop_assert_eq!((found.place, found.calls), (expected.place, expected.calls));
                for (found, expected) in [(found.own, expected.own), (found.total, expected.total)] {
                    prop_assert_eq!(found.provenance, expected.provenance);
                    for (found, expected) in [
                        (found.joules, expected.joules),
                        (found.interval.low, expected.interval.low),
                        (found.interval.high, expected.interval.high),
                    ] {
                        prop_assert!((found - expected).abs().value() < 2e-9, "{found:?} {expected:?}");
                    }
                }
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let entries = decode(&bytes).map_or(0, |entries| entries.len());
            prop_assert!(entries <= bytes.len() / 6);
        }
    }
}
