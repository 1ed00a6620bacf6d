//! Conversion of a program's bytes into packets and requests.

use super::{Bytes, DeviceKind};

/// Step of a transfer through a device, at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The program's own bytes.
    pub own: Bytes,
    /// Bytes that the kernel counts for them.
    pub counted: Bytes,
    pub inward_units: u32,
    pub outward_units: u32,
}

/// Most of a program's bytes in a packet of TCP over an MTU of 1500, with time stamps: 1500 − 20 (RFC 791) − 20
/// (RFC 9293) − 12 (RFC 7323).
const SEGMENT: u64 = 1448;
/// Headers that the counters of an interface hold for each packet: Ethernet, IP, TCP with time stamps.
const HEADERS: u64 = 14 + 20 + 20 + 12;
/// A receiver acknowledges at least every second full segment (RFC 9293, 3.8.6.3).
const SEGMENTS_PER_ACK: u64 = 2;
/// Smallest unit that a file system of Android (ext4, f2fs) moves, and the amount that the journal writes with each
/// write.
const BLOCK: u64 = 4096;
/// The largest request to a disk.
const REQUEST: u64 = 128 * 1024;
/// Most pieces of a transfer; those of a larger one stand for several packets.
const MOST_PIECES: u64 = 4096;

/// The pieces of a transfer, in order. What is sent goes before what is received, as a question before its answer.
pub(crate) fn pieces(kind: DeviceKind, own: Bytes) -> Vec<Piece> {
    match kind {
        DeviceKind::Network if own.inward + own.outward == 0 => handshake(),
        DeviceKind::Network => {
            let mut all = split(own.outward, SEGMENT, |bytes, packets| Piece {
                own: Bytes { inward: 0, outward: bytes },
                counted: Bytes {
                    inward: packets.div_ceil(SEGMENTS_PER_ACK) * HEADERS,
                    outward: bytes + packets * HEADERS,
                },
                inward_units: packets.div_ceil(SEGMENTS_PER_ACK) as u32,
                outward_units: packets as u32,
            });
            all.extend(split(own.inward, SEGMENT, |bytes, packets| Piece {
                own: Bytes { inward: bytes, outward: 0 },
                counted: Bytes {
                    inward: bytes + packets * HEADERS,
                    outward: packets.div_ceil(SEGMENTS_PER_ACK) * HEADERS,
                },
                inward_units: packets as u32,
                outward_units: packets.div_ceil(SEGMENTS_PER_ACK) as u32,
            }));
            all
        }
        DeviceKind::Block => {
            let mut all = split(own.inward, REQUEST, |bytes, requests| Piece {
                own: Bytes { inward: bytes, outward: 0 },
                counted: Bytes { inward: bytes.next_multiple_of(BLOCK), outward: 0 },
                inward_units: requests as u32,
                outward_units: 0,
            });
            all.extend(split(own.outward, REQUEST, |bytes, requests| Piece {
                own: Bytes { inward: 0, outward: bytes },
                counted: Bytes { inward: 0, outward: bytes.next_multiple_of(BLOCK) },
                inward_units: 0,
                outward_units: requests as u32,
            }));
            if own.outward > 0 {
                all.push(Piece {
                    own: Bytes::default(),
                    counted: Bytes { inward: 0, outward: BLOCK },
                    inward_units: 0,
                    outward_units: 1,
                });
            }
            all
        }
    }
}

/// A connection is opened: SYN, SYN-ACK, ACK.
fn handshake() -> Vec<Piece> {
    let piece = |inward: u32, outward: u32| Piece {
        own: Bytes::default(),
        counted: Bytes {
            inward: u64::from(inward) * HEADERS,
            outward: u64::from(outward) * HEADERS,
        },
        inward_units: inward,
        outward_units: outward,
    };
    vec![piece(0, 1), piece(1, 1)]
}

/// Splits bytes into units of a size, with a piece for each pair of units or for more of them. Pairs, so that one
/// acknowledgement belongs to each.
fn split(bytes: u64, unit: u64, piece: impl Fn(u64, u64) -> Piece) -> Vec<Piece> {
    let units = bytes.div_ceil(unit);
    let per_piece = units.div_ceil(MOST_PIECES).max(1).next_multiple_of(SEGMENTS_PER_ACK);
    let step = unit * per_piece;
    (0..bytes.div_ceil(step))
        .map(|index| {
            let own = step.min(bytes - index * step);
            piece(own, own.div_ceil(unit))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: DeviceKind, own: (u64, u64), counted: (u64, u64), units: (u32, u32)) {
        let own = Bytes { inward: own.0, outward: own.1 };
        let all = pieces(kind, own);
        let sum = |of: fn(&Piece) -> Bytes| all.iter().map(of).fold(Bytes::default(), |a, b| a + b);
        assert_eq!(sum(|piece| piece.own), own);
        assert_eq!(sum(|piece| piece.counted), Bytes { inward: counted.0, outward: counted.1 });
        let inward: u32 = all.iter().map(|piece| piece.inward_units).sum();
        let outward: u32 = all.iter().map(|piece| piece.outward_units).sum();
        assert_eq!((inward, outward), units);
    }

    #[test]
    fn packets_have_headers_and_are_acknowledged() {
        let network = DeviceKind::Network;
        check(network, (0, 0), (66, 2 * 66), (1, 2));
        check(network, (1, 0), (1 + 66, 66), (1, 1));
        check(network, (1448, 0), (1448 + 66, 66), (1, 1));
        // Five packets come in, of which two, two and one are acknowledged.
        check(network, (1448 * 4 + 8, 0), (1448 * 4 + 8 + 5 * 66, 3 * 66), (5, 3));
        check(network, (0, 300), (66, 300 + 66), (1, 1));
        let packets = 1_000_000_000_u64.div_ceil(1448);
        let acks = packets.div_ceil(2);
        check(
            network,
            (1_000_000_000, 0),
            (1_000_000_000 + packets * 66, acks * 66),
            (packets as u32, acks as u32),
        );
    }

    #[test]
    fn disks_move_whole_blocks_and_a_journal() {
        let block = DeviceKind::Block;
        check(block, (0, 0), (0, 0), (0, 0));
        check(block, (1, 0), (4096, 0), (1, 0));
        check(block, (8192, 0), (8192, 0), (1, 0));
        check(block, (0, 5000), (0, 8192 + 4096), (0, 2));
        check(block, (300_000, 0), (303_104, 0), (3, 0));
    }
}
