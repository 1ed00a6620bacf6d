//! One change of a package: of what is signed, of its signatures, or of the archive around both.

use wattle_random::SplitMix64;

/// Marks of structures of an archive, and the end of the signing block.
const MARKS: [&[u8]; 4] = [b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"APK Sig Block 42"];

/// Bytes around a mark that are changed.
const AROUND: u64 = 64;

/// The package with one change, and words for it.
pub fn change(original: &[u8], random: &mut SplitMix64) -> (Vec<u8>, String) {
    let mut bytes = original.to_vec();
    let at = place(original, random);
    let byte = bytes.get(at).copied().unwrap_or_default();
    let what = match random.below(8) {
        0 => {
            let end = random.below(bytes.len() as u64) as usize;
            bytes.truncate(end);
            return (bytes, format!("cut at {end:#x}"));
        }
        1 => {
            let tail: Vec<u8> = (0..=random.below(40)).map(|_| random.next_u64() as u8).collect();
            bytes.extend(&tail);
            return (bytes, format!("{} bytes behind the end", tail.len()));
        }
        2 => random.next_u64() as u8,
        3 => byte.wrapping_add(1),
        _ => byte ^ 1 << random.below(8),
    };
    if let Some(place) = bytes.get_mut(at) {
        *place = what;
    }
    (bytes, format!("{at:#x}: {byte:02x} -> {what:02x}"))
}

/// A place near a mark, in the signing block, or anywhere.
fn place(bytes: &[u8], random: &mut SplitMix64) -> usize {
    let anywhere = random.below(bytes.len().max(1) as u64) as usize;
    let Some(mark) = MARKS.get(random.below(MARKS.len() as u64 + 2) as usize) else {
        return anywhere;
    };
    let found: Vec<usize> = bytes
        .windows(mark.len())
        .enumerate()
        .filter(|(_, window)| window == mark)
        .map(|(at, _)| at)
        .collect();
    let Some(start) = found.get(random.below(found.len().max(1) as u64) as usize) else {
        return anywhere;
    };
    if mark.starts_with(b"PK") {
        return (start + random.below(AROUND) as usize).min(bytes.len().saturating_sub(1));
    }
    // The block is before its mark.
    start.saturating_sub(random.below(6000) as usize) + mark.len() - 1
}
