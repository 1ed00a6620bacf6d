//! One change of a Dalvik executable, in one of its structures.

use std::ops::Range;

use sha1::{Digest as _, Sha1};
use wattle_random::SplitMix64;

/// Offset and length of `map_off` in the header.
const MAP_OFFSET: usize = 52;
/// Offsets of the checksum, the digest, and of what they are about.
const CHECKSUM: usize = 8;
const DIGEST: usize = 12;
const AFTER_DIGEST: usize = 32;

/// Numbers that checkers take for granted, or forget.
const EDGES: [u32; 8] = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0xffff, 0x8000];

/// The code with one change, and words for it.
pub fn change(original: &[u8], random: &mut SplitMix64) -> (Vec<u8>, String) {
    let mut bytes = original.to_vec();
    let sections = sections(original);
    // Each structure as often as any other, however small it is.
    let section = match sections.len() as u64 {
        0 => 0..bytes.len(),
        count => sections.get(random.below(count) as usize).cloned().unwrap_or(0..bytes.len()),
    };
    let at = section.start + random.below(section.len().max(1) as u64) as usize;
    let what = match random.below(10) {
        0..3 => flip(&mut bytes, at, random),
        3..5 => replace(&mut bytes, at, &[random.next_u64() as u8]),
        5..7 => {
            let two = ((random.next_u64() % 300) as u16).to_le_bytes();
            replace(&mut bytes, at & !1, &two)
        }
        7 => {
            let edge = EDGES[random.below(EDGES.len() as u64) as usize];
            replace(&mut bytes, at & !3, &edge.to_le_bytes())
        }
        // What stands elsewhere in the structure: another item, another instruction.
        8 => {
            let length = [2, 4, 8][random.below(3) as usize];
            let from = (section.start + random.below(section.len().max(1) as u64) as usize)
                & !(length - 1);
            let copied = original.get(from..from + length).unwrap_or_default().to_vec();
            replace(&mut bytes, at & !(length - 1), &copied)
        }
        _ => {
            let by = if random.below(2) == 0 { 1_u32 } else { u32::MAX };
            let word = bytes.get(at & !3..(at & !3) + 4).and_then(|four| four.try_into().ok());
            let word = word.map_or(0, u32::from_le_bytes).wrapping_add(by);
            replace(&mut bytes, at & !3, &word.to_le_bytes())
        }
    };
    let fits = random.below(20) > 0;
    if fits {
        fit(&mut bytes);
    }
    let seals = if fits { "" } else { ", checksum and digest as they were" };
    (bytes, format!("{what}{seals}"))
}

fn flip(bytes: &mut [u8], at: usize, random: &mut SplitMix64) -> String {
    let byte = bytes.get(at).copied().unwrap_or_default() ^ 1 << random.below(8);
    replace(bytes, at, &[byte])
}

fn replace(bytes: &mut [u8], at: usize, by: &[u8]) -> String {
    let Some(place) = bytes.get_mut(at..at + by.len()) else {
        return format!("nothing at {at:#x}");
    };
    let text = format!("{at:#x}: {place:02x?} -> {by:02x?}");
    place.copy_from_slice(by);
    text
}

/// The structures of the map, each up to the next one.
fn sections(bytes: &[u8]) -> Vec<Range<usize>> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map_or(0, u32::from_le_bytes) as usize
    };
    let map = word(MAP_OFFSET);
    let count = word(map).min(64);
    let mut starts: Vec<usize> = (0..count).map(|nth| word(map + 4 + 12 * nth + 8)).collect();
    starts.push(bytes.len());
    starts.sort_unstable();
    starts.dedup();
    starts
        .windows(2)
        .map(|pair| pair[0]..pair[1])
        .filter(|range| range.end <= bytes.len())
        .collect()
}

/// Makes the digest and the checksum fit.
fn fit(bytes: &mut [u8]) {
    let Some(digest) = bytes.get(AFTER_DIGEST..).map(Sha1::digest) else { return };
    if let Some(place) = bytes.get_mut(DIGEST..AFTER_DIGEST) {
        place.copy_from_slice(&digest);
    }
    let sum = bytes.get(DIGEST..).map_or(1, adler32);
    if let Some(place) = bytes.get_mut(CHECKSUM..DIGEST) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
}

/// RFC 1950, section 8.
fn adler32(bytes: &[u8]) -> u32 {
    const BASE: u32 = 65_521;
    let (mut a, mut b) = (1_u32, 0_u32);
    // So many sums fit into 32 bits.
    for chunk in bytes.chunks(5552) {
        for byte in chunk {
            a += u32::from(*byte);
            b += a;
        }
        a %= BASE;
        b %= BASE;
    }
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // "Wikipedia" is the example of the article on Adler-32.
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(b""), 1);
    }

    #[test]
    fn a_change_is_in_one_place_and_made_again_by_its_number() {
        let mut original = vec![7; 400];
        fit(&mut original);
        let mut changed = 0;
        for number in 0..200 {
            let once = change(&original, &mut SplitMix64::new(1).fork(number));
            assert_eq!(once, change(&original, &mut SplitMix64::new(1).fork(number)));
            let places = original.iter().zip(&once.0).skip(AFTER_DIGEST);
            let different = places.filter(|(one, other)| one != other).count();
            assert!(different <= 8, "{}", once.1);
            changed += usize::from(different > 0);
        }
        assert!(changed > 100);
    }
}
