//! `jit-PID.dump`: code that a just-in-time compiler made, with its names and addresses
//! (`tools/perf/Documentation/jitdump-specification.txt`).

/// `JITHEADER_MAGIC`, in the order of bytes of the machine that wrote the file.
const MAGIC: u32 = 0x4a69_5444;
/// Bytes of a record before what its kind says.
const RECORD_HEADER: usize = 16;

/// Kinds of records.
mod kind {
    pub(super) const CODE_LOAD: u32 = 0;
    pub(super) const CODE_MOVE: u32 = 1;
}

/// Code at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodePlace<'d> {
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) name: &'d str,
}

/// Whether a file begins as such a dump does.
pub(crate) fn is_jit_dump(start: &[u8]) -> bool {
    start.starts_with(&MAGIC.to_le_bytes()) || start.starts_with(&MAGIC.to_be_bytes())
}

/// The code of a dump, in the order in which it came to its place; a dump that is cut off gives what it has.
pub(crate) fn code_places(bytes: &[u8]) -> Vec<CodePlace<'_>> {
    let mut places: Vec<CodePlace<'_>> = Vec::new();
    if !is_jit_dump(bytes) {
        return places;
    }
    let dump = Dump { bytes, is_big: bytes.starts_with(&MAGIC.to_be_bytes()) };
    // The header's own size says where records begin.
    let mut at = dump.word(8).map_or(usize::MAX, |size| size as usize).max(40);
    // Names by the number of the code: a move has the number alone.
    let mut numbers = rustc_hash::FxHashMap::default();
    while let (Some(kind), Some(size)) = (dump.word(at), dump.word(at.saturating_add(4))) {
        let size = size as usize;
        if size < RECORD_HEADER {
            break;
        }
        let body = at + RECORD_HEADER;
        let place = match kind {
            kind::CODE_LOAD => dump.load(body, at.saturating_add(size)),
            kind::CODE_MOVE => dump.moved(body, &numbers),
            _ => None,
        };
        if let Some((number, place)) = place {
            numbers.insert(number, place.name);
            places.push(place);
        }
        at = at.saturating_add(size);
    }
    places
}

/// The bytes of a dump.
#[derive(Clone, Copy)]
struct Dump<'d> {
    bytes: &'d [u8],
    is_big: bool,
}

impl<'d> Dump<'d> {
    fn word(self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn long(self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        Some(if self.is_big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// `pid, tid, vma, code_addr, code_size, code_index, name`, and the code itself.
    fn load(self, body: usize, end: usize) -> Option<(u64, CodePlace<'d>)> {
        let (start, size, number) =
            (self.long(body + 16)?, self.long(body + 24)?, self.long(body + 32)?);
        let rest = self.bytes.get(body + 40..end.min(self.bytes.len()))?;
        let name = rest.get(..memchr::memchr(0, rest)?)?;
        let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
        Some((number, CodePlace { start, size, name }))
    }

    /// `pid, tid, vma, old_code_addr, new_code_addr, code_size, code_index`.
    fn moved(
        self,
        body: usize,
        names: &rustc_hash::FxHashMap<u64, &'d str>,
    ) -> Option<(u64, CodePlace<'d>)> {
        let (start, size, number) =
            (self.long(body + 24)?, self.long(body + 32)?, self.long(body + 40)?);
        Some((number, CodePlace { start, size, name: names.get(&number)? }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A dump with a header and records, as the specification has them.
    fn dump(is_big: bool, records: &[(u32, Vec<u64>, &str)]) -> Vec<u8> {
        let word = |it: u32| if is_big { it.to_be_bytes() } else { it.to_le_bytes() };
        let long = |it: u64| if is_big { it.to_be_bytes() } else { it.to_le_bytes() };
        let mut bytes = [word(MAGIC), word(1), word(40), word(62), word(0), word(7)].concat();
        bytes.extend([long(1), long(0)].concat());
        for (kind, longs, tail) in records {
            let mut body: Vec<u8> = [word(7), word(7)].concat();
            for it in longs {
                body.extend(long(*it));
            }
            body.extend(tail.as_bytes());
            bytes.extend([word(*kind), word(16 + body.len() as u32)].concat());
            bytes.extend(long(2));
            bytes.extend(body);
        }
        bytes
    }

    #[test]
    fn code_is_found_where_it_was_put_and_moved_to() {
        let records = [
            (kind::CODE_LOAD, vec![0x1000, 0x1000, 0x20, 1], "first\0code"),
            (2, vec![0x1000, 0], ""),
            (kind::CODE_LOAD, vec![0x2000, 0x2000, 0x10, 2], "second\0code"),
            (kind::CODE_MOVE, vec![0x3000, 0x1000, 0x3000, 0x20, 1], ""),
            (kind::CODE_MOVE, vec![0x4000, 0x5000, 0x4000, 0x20, 9], ""),
        ];
        let place = |start, size, name| CodePlace { start, size, name };
        let expected = [
            place(0x1000, 0x20, "first"),
            place(0x2000, 0x10, "second"),
            place(0x3000, 0x20, "first"),
        ];
        for is_big in [false, true] {
            let bytes = dump(is_big, &records);
            assert!(is_jit_dump(&bytes));
            assert_eq!(code_places(&bytes), expected);
            for cut in 0..bytes.len() {
                assert!(expected.starts_with(&code_places(&bytes[..cut])), "cut at {cut}");
            }
        }
        assert_eq!(code_places(b"something else"), []);
    }

    proptest! {
        #[test]
        fn damage_is_survived(at in 0_usize..300, byte: u8) {
            let mut bytes = dump(false, &[(0, vec![1, 1, 1, 1], "a\0b"), (1, vec![1, 1, 2, 1, 1], "")]);
            if let Some(damaged) = bytes.get_mut(at) {
                *damaged = byte;
            }
            prop_assert!(code_places(&bytes).len() <= 2 + bytes.len() / RECORD_HEADER);
        }
    }
}
