//! Archives entry by entry, and what is in them by its own structure: sizes, checksums and offsets fit again, and so does the signing
//! block.

use std::io::Read as _;

use super::{Mutator, axml, dex_mutator, u16_at, u32_at, u64_at};

/// Bytes of an entry that are unpacked.
const LARGEST: u64 = 1 << 20;
/// The end of a signing block.
const BLOCK_END: &[u8] = b"APK Sig Block 42";
/// Names that mean something to readers.
const NAMES: [&str; 12] = [
    "AndroidManifest.xml",
    "classes.dex",
    "classes2.dex",
    "META-INF/MANIFEST.MF",
    "META-INF/CERT.SF",
    "META-INF/CERT.RSA",
    "assets/dexopt/baseline.prof",
    "assets/wattle/probes.jsonl",
    "lib/arm64-v8a/libx.so",
    "base.apk",
    "recording.json",
    "a/",
];

#[derive(Clone)]
struct Entry {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    extra: Vec<u8>,
    /// Unpacked, if that was possible; else the packed bytes, with what the directory says of them.
    content: Result<Vec<u8>, (Vec<u8>, u32, u32)>,
}

pub fn mutated(mutator: &mut Mutator<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    let end = bytes.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let directory = u32_at(bytes, end + 16)?;
    let comment = bytes.get(end + 22..)?.to_vec();
    let mut entries = entries(bytes, directory)?;
    let mut block = signing_block(bytes, directory);
    match mutator.below(8) {
        0 | 1 => mutator.rearrange(&mut entries),
        2 if block.is_some() => block.as_mut().into_iter().for_each(|it| change_block(mutator, it)),
        3 if !entries.is_empty() => {
            let at = mutator.below(entries.len());
            let entry = &mut entries[at];
            match mutator.below(5) {
                0 => entry.method = if entry.method == 0 { 8 } else { 0 },
                1 => entry.flags ^= 1 << mutator.below(16),
                2 => mutator.content(&mut entry.extra),
                3 => mutator.content(&mut entry.name),
                _ => entry.name = NAMES[mutator.below(NAMES.len())].into(),
            }
        }
        _ if !entries.is_empty() => {
            let at = mutator.below(entries.len());
            if let Ok(content) = &mut entries[at].content {
                let inner = axml::mutated(mutator, content)
                    .or_else(|| dex_mutator::mutated(mutator, content));
                match inner {
                    Some(inner) => *content = inner,
                    None => mutator.content(content),
                }
            }
        }
        _ => return None,
    }
    let (mut all, directory) = write(&entries, block.as_deref(), &comment);
    // Now and then the directory lies.
    if mutator.one_in(6) {
        mutator.word(&mut all[directory..]);
    }
    Some(all)
}

fn entries(bytes: &[u8], directory: usize) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut rest = bytes.get(directory..)?;
    while rest.starts_with(b"PK\x01\x02") && entries.len() < 1000 {
        let (names, extras) = (u16_at(rest, 28)?, u16_at(rest, 30)?);
        let comment = u16_at(rest, 32)?;
        let (packed, size) = (u32_at(rest, 20)?, u32_at(rest, 24)?);
        let (method, at) = (u16_at(rest, 10)? as u16, u32_at(rest, 42)?);
        let data = at + 30 + u16_at(bytes, at + 26)? + u16_at(bytes, at + 28)?;
        let data = bytes.get(data..data.checked_add(packed)?)?;
        let local_extra = at + 30 + u16_at(bytes, at + 26)?;
        let extra = bytes.get(local_extra..local_extra + u16_at(bytes, at + 28)?)?.to_vec();
        let crc = u32_at(rest, 16)? as u32;
        let content = match method {
            0 => Ok(data.to_vec()),
            8 => inflate(data).ok_or((data.to_vec(), crc, size as u32)),
            _ => Err((data.to_vec(), crc, size as u32)),
        };
        let name = rest.get(46..46 + names)?.to_vec();
        // Sizes stand in the header, not behind the data.
        let flags = (u16_at(rest, 8)? as u16) & !8;
        entries.push(Entry { name, flags, method, extra, content });
        rest = rest.get(46 + names + extras + comment..)?;
    }
    Some(entries)
}

fn inflate(data: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let decoder = flate2::read::DeflateDecoder::new(data);
    decoder.take(LARGEST + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= LARGEST).then_some(content)
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::DeflateEncoder::new(content, flate2::Compression::fast());
    // Reading from memory does not fail.
    let _ = encoder.read_to_end(&mut packed);
    packed
}

/// Pairs of the signing block in front of the directory: each an id and a value.
fn signing_block(bytes: &[u8], directory: usize) -> Option<Vec<Vec<u8>>> {
    let before = bytes.get(..directory)?.strip_suffix(BLOCK_END)?;
    let size = usize::try_from(u64_at(before, before.len().checked_sub(8)?)?).ok()?;
    let start = directory.checked_sub(size)?;
    let mut rest = bytes.get(start..before.len() - 8)?;
    let mut pairs = Vec::new();
    while let Some(length) = u64_at(rest, 0) {
        let end = usize::try_from(length).ok()?.checked_add(8)?;
        pairs.push(rest.get(8..end)?.to_vec());
        rest = rest.get(end..)?;
    }
    Some(pairs)
}

fn change_block(mutator: &mut Mutator<'_>, pairs: &mut Vec<Vec<u8>>) {
    if pairs.is_empty() || mutator.one_in(3) {
        mutator.rearrange(pairs);
    } else {
        let at = mutator.below(pairs.len());
        mutator.content(&mut pairs[at]);
    }
}

/// The archive, and the offset of its directory.
fn write(entries: &[Entry], block: Option<&[Vec<u8>]>, comment: &[u8]) -> (Vec<u8>, usize) {
    let mut all = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let (data, crc, size) = match &entry.content {
            Ok(content) => {
                let mut crc = flate2::Crc::new();
                crc.update(content);
                let data = if entry.method == 8 { deflate(content) } else { content.clone() };
                (data, crc.sum(), content.len() as u32)
            }
            Err((data, crc, size)) => (data.clone(), *crc, *size),
        };
        let at = all.len() as u32;
        let head = |to: &mut Vec<u8>, extra: usize| {
            to.extend(entry.flags.to_le_bytes());
            to.extend(entry.method.to_le_bytes());
            to.extend([0, 0, 0x21, 0]);
            to.extend(crc.to_le_bytes());
            to.extend((data.len() as u32).to_le_bytes());
            to.extend(size.to_le_bytes());
            to.extend((entry.name.len() as u16).to_le_bytes());
            to.extend((extra as u16).to_le_bytes());
        };
        all.extend(b"PK\x03\x04\x14\0");
        head(&mut all, entry.extra.len());
        all.extend(&entry.name);
        all.extend(&entry.extra);
        all.extend(&data);
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        head(&mut directory, 0);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(&entry.name);
    }
    if let Some(pairs) = block {
        let pairs: Vec<u8> = pairs
            .iter()
            .flat_map(|pair| [&(pair.len() as u64).to_le_bytes(), pair.as_slice()].concat())
            .collect();
        let size = (pairs.len() as u64 + 24).to_le_bytes();
        all.extend([&size, pairs.as_slice(), &size, BLOCK_END].concat());
    }
    let at = all.len();
    all.extend(&directory);
    all.extend(b"PK\x05\x06\0\0\0\0");
    all.extend((entries.len() as u16).to_le_bytes());
    all.extend((entries.len() as u16).to_le_bytes());
    all.extend((directory.len() as u32).to_le_bytes());
    all.extend((at as u32).to_le_bytes());
    all.extend((comment.len() as u16).to_le_bytes());
    all.extend(comment);
    (all, at)
}
