//! Compressing new content, in pieces on as many threads as there are cores.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::ApkError;
use crate::zip::compression::Compression;
use crate::zip::deflating::{cut, joined, pack};
use crate::zip::editor::{ApkEditor, NewContent};
use crate::zip::packed_content::PackedContent;
use crate::zip::zip_entry::Method;

/// Content that is ready to be written.
pub(super) struct Packed<'a> {
    pub(super) method: Method,
    pub(super) crc32: u32,
    pub(super) size: u32,
    /// The data, in parts one behind the other.
    pub(super) data: Vec<Cow<'a, [u8]>>,
}

impl Packed<'_> {
    /// The number of bytes of the data.
    pub(super) fn packed_size(&self) -> usize {
        self.data.iter().map(|part| part.len()).sum()
    }
}

/// Compresses all new content, by the name that the entry has in the result.
pub(super) fn pack_all<'e>(
    editor: &'e ApkEditor<'_>,
) -> Result<BTreeMap<&'e str, Packed<'e>>, ApkError> {
    let replaced = editor.apk().entries().iter().filter_map(|entry| {
        let new = editor.change(entry.name())?.as_ref()?;
        Some((editor.name_of(entry), entry.method(), new))
    });
    let added = editor.added().iter().map(|(name, new)| (name.as_str(), Method::Deflated, new));
    let mut pieces = Vec::new();
    let mut entries = Vec::new();
    let mut by_name = BTreeMap::new();
    for (name, before, new) in replaced.chain(added) {
        check_name(name)?;
        let (bytes, compression) = match new {
            NewContent::Plain(bytes, compression) => (bytes, *compression),
            NewContent::Packed(content) => {
                by_name.insert(name, borrowed(content));
                continue;
            }
        };
        let first = pieces.len();
        let method = match compression {
            Compression::AsBefore => before,
            Compression::Stored => Method::Stored,
            Compression::Deflated | Compression::Level(_) => Method::Deflated,
        };
        pieces.extend(cut(bytes, method, compression.level()));
        entries.push((name, method, bytes, first..pieces.len()));
    }
    let mut packed = wattle_workers::ordered(wattle_workers::available(0), &pieces, pack);
    for (name, method, bytes, pieces) in entries {
        let size = check_size(bytes)?;
        let pieces = packed.get_mut(pieces).unwrap_or_default();
        let crc32 = joined(pieces);
        let data = match method {
            Method::Stored => vec![Cow::Borrowed(bytes.as_ref())],
            Method::Deflated => pieces.iter_mut().map(|it| Cow::Owned(it.take())).collect(),
        };
        by_name.insert(name, Packed { method, crc32, size, data });
    }
    Ok(by_name)
}

/// Content that was deflated ahead.
fn borrowed(content: &PackedContent) -> Packed<'_> {
    let data = content.data.iter().map(|part| Cow::Borrowed(part.as_slice())).collect();
    Packed { method: Method::Deflated, crc32: content.crc32, size: content.size, data }
}

fn too_large(bytes: usize) -> ApkError {
    ApkError::TooLarge { entries: 1, bytes: bytes as u64 }
}

fn check_name(name: &str) -> Result<(), ApkError> {
    if name.len() > usize::from(u16::MAX) { Err(too_large(name.len())) } else { Ok(()) }
}

fn check_size(content: &[u8]) -> Result<u32, ApkError> {
    // The largest number announces Zip64.
    let size = u32::try_from(content.len()).ok().filter(|&size| size != u32::MAX);
    size.ok_or_else(|| too_large(content.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Alignment, Apk, ApkEditor, Compression};
    use super::PackedContent;
    use crate::zip::Entry;
    use crate::zip::deflating::PIECE;

    const EMPTY: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

    #[track_caller]
    fn check(content: &[u8], compression: Compression) {
        let empty = Apk::open(EMPTY).unwrap();
        let mut editor = ApkEditor::new(&empty);
        editor.add("a", content, compression).unwrap();
        let file = editor.finish(Alignment::default()).unwrap();
        let apk = Apk::open(&file).unwrap();
        assert!(apk.read("a").unwrap() == content, "{} bytes, {compression:?}", content.len());
        assert_eq!(
            apk.entries().iter().map(Entry::size).collect::<Vec<_>>(),
            [content.len() as u32]
        );
    }

    #[test]
    fn pieces_join_to_one_stream() {
        // Content that hardly compresses, so that the room for output runs out, and content that does.
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..3 * PIECE + 12_345)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let lines: Vec<u8> = (0..200_000_u32).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 12_345] {
            for level in [1, 3, 6, 9] {
                check(&noise[..length], Compression::Level(level));
                check(&lines[..length.min(lines.len())], Compression::Level(level));
            }
            check(&noise[..length], Compression::Stored);
        }
    }

    /// Entries that were deflated ahead are those of content that is deflated with the package, in code in front, too.
    #[test]
    fn what_is_deflated_ahead_is_the_same() {
        let content: Vec<u8> =
            (0..400_000_u32).flat_map(|i| format!("{i} ").into_bytes()).collect();
        assert!(content.len() > 2 * PIECE, "{}", content.len());
        let empty = Apk::open(EMPTY).unwrap();
        for compression in [Compression::Deflated, Compression::Level(6)] {
            let mut expected = ApkEditor::new(&empty);
            expected.add("a", content.as_slice(), compression).unwrap();
            expected.add("b", &b"old"[..], compression).unwrap();
            expected.replace("b", content.as_slice(), compression).unwrap();
            expected.add_code_in_front(vec![content.as_slice().into()], compression).unwrap();
            let expected = expected.finish(Alignment::default()).unwrap();
            for threads in [1, 3] {
                let packed =
                    || PackedContent::deflate(&content, compression, None, threads).unwrap();
                let mut editor = ApkEditor::new(&empty);
                editor.add_packed("a", packed()).unwrap();
                editor.add("b", &b"old"[..], compression).unwrap();
                editor.replace_packed("b", packed()).unwrap();
                editor.add_packed_code_in_front(vec![packed()]).unwrap();
                assert!(editor.finish(Alignment::default()).unwrap() == expected, "{threads}");
                assert!(packed().content().unwrap() == content, "{threads}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_content_comes_back(
            content in prop::collection::vec(any::<u8>(), 0..5000), level in 0_u8..12,
        ) {
            check(&content, Compression::Level(level));
        }
    }
}
