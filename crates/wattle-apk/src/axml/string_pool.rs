//! The string pool of a binary XML file.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::axml::xml_chunk::Chunk;
use crate::little_endian::{set_u32, u16_at, u32_at};
use crate::{ApkError, XmlProblem};

/// `ResStringPool_header` and the strings, decoded when asked for.
#[derive(Debug, Clone)]
pub(super) struct StringPool<'a> {
    chunk: Chunk<'a>,
    count: u32,
    styles: u32,
    utf8: bool,
    strings_start: usize,
    decoded: RefCell<Vec<Option<Arc<str>>>>,
    /// Bytes that may still be decoded: strings may share their bytes, but not so that memory runs out.
    budget: Cell<usize>,
}

impl<'a> StringPool<'a> {
    /// `ResStringPool_header`: chunk header, two counts, flags, two offsets.
    const HEADER: usize = 8 + 5 * 4;
    const SORTED: u32 = 1;
    const UTF8: u32 = 1 << 8;
    /// Compilers share the bytes of equal strings; real pools decode to at most twice their size.
    const SHARING: usize = 8;

    pub(super) fn parse(chunk: Chunk<'a>) -> Result<Self, ApkError> {
        let strings = chunk.u32(8)?;
        let styles = chunk.u32(12)?;
        let flags = chunk.u32(16)?;
        let strings_start = chunk.u32(20)? as usize;
        let size = chunk.bytes.len();
        let offsets = u64::from(strings).saturating_add(u64::from(styles)).saturating_mul(4);
        let fits = chunk.header_size >= Self::HEADER
            && offsets.saturating_add(chunk.header_size as u64) <= size as u64
            && (strings == 0 || strings_start <= size);
        if !fits {
            return Err(chunk.error(XmlProblem::PoolSize { strings, styles, size: size as u32 }));
        }
        Ok(Self {
            chunk,
            count: strings,
            styles,
            utf8: flags & Self::UTF8 != 0,
            strings_start,
            decoded: RefCell::new(vec![None; strings as usize]),
            budget: Cell::new(size.saturating_mul(Self::SHARING).saturating_add(1 << 16)),
        })
    }

    pub(super) const fn len(&self) -> u32 {
        self.count
    }

    /// The string of this index.
    pub(super) fn get(&self, index: u32) -> Result<Arc<str>, ApkError> {
        let known = self.decoded.borrow().get(index as usize).cloned();
        let known = known.ok_or_else(|| {
            self.chunk.error(XmlProblem::StringIndex { index, count: self.count })
        })?;
        if let Some(known) = known {
            return Ok(known);
        }
        let string: Arc<str> = self
            .decode(index)
            .ok_or_else(|| self.chunk.error(XmlProblem::String { index }))?
            .into();
        if let Some(slot) = self.decoded.borrow_mut().get_mut(index as usize) {
            *slot = Some(Arc::clone(&string));
        }
        Ok(string)
    }

    /// The index of a string; strings that cannot be decoded are no match.
    pub(super) fn find(&self, wanted: &str) -> Option<u32> {
        (0..self.count).find(|&index| self.get(index).is_ok_and(|string| &*string == wanted))
    }

    fn decode(&self, index: u32) -> Option<String> {
        let at = self.chunk.header_size.checked_add((index as usize).checked_mul(4)?)?;
        let offset = u32_at(self.chunk.bytes, at)? as usize;
        let bytes = self.chunk.bytes.get(self.strings_start.checked_add(offset)?..)?;
        let (start, length) = if self.utf8 {
            // First the length in UTF-16 units, then in bytes.
            let (_, first) = length8(bytes, 0)?;
            let (length, second) = length8(bytes, first)?;
            (second, length)
        } else {
            let (units, start) = length16(bytes)?;
            (start, units.checked_mul(2)?)
        };
        let content = bytes.get(start..start.checked_add(length)?)?;
        self.budget.set(self.budget.get().checked_sub(length)?);
        if self.utf8 {
            // aapt writes surrogates of emoji one by one; a reader should see that something was there.
            return Some(String::from_utf8_lossy(content).into_owned());
        }
        let units: Vec<u16> = content
            .chunks_exact(2)
            .map(|unit| unit.try_into().map_or(0, u16::from_le_bytes))
            .collect();
        Some(String::from_utf16_lossy(&units))
    }

    /// The pool's chunk with one more string, which gets this index; later strings move up by one.
    pub(super) fn with_inserted(&self, index: u32, string: &str) -> Result<Vec<u8>, ApkError> {
        if self.styles > 0 {
            return Err(self.chunk.error(XmlProblem::StyledStrings { styles: self.styles }));
        }
        let old = self.chunk.bytes;
        let slot = self.chunk.header_size.saturating_add((index as usize).saturating_mul(4));
        // A pool without strings may have any offset to them.
        let strings_start = if self.count == 0 { old.len() } else { self.strings_start };
        let (before, after) = old.split_at_checked(slot).unwrap_or((old, &[]));
        let data_length = old.len().saturating_sub(strings_start);

        let mut new = Vec::with_capacity(old.len().saturating_add(string.len() * 2 + 16));
        new.extend_from_slice(before);
        new.extend_from_slice(&(data_length as u32).to_le_bytes());
        new.extend_from_slice(after);
        if self.utf8 {
            push_length8(&mut new, string.encode_utf16().count());
            push_length8(&mut new, string.len());
            new.extend_from_slice(string.as_bytes());
            new.push(0);
        } else {
            let units: Vec<u16> = string.encode_utf16().collect();
            push_length16(&mut new, units.len());
            for unit in &units {
                new.extend_from_slice(&unit.to_le_bytes());
            }
            new.extend_from_slice(&[0, 0]);
        }
        new.resize(new.len().next_multiple_of(4), 0);
        let size = new.len() as u32;
        set_u32(&mut new, 4, size);
        set_u32(&mut new, 8, self.count.saturating_add(1));
        // Not sorted any more.
        let flags = self.chunk.u32(16)? & !Self::SORTED;
        set_u32(&mut new, 16, flags);
        set_u32(&mut new, 20, strings_start.saturating_add(4) as u32);
        Ok(new)
    }
}

/// A length of one or two bytes at `at`, and where what follows begins.
fn length8(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let &first = bytes.get(at)?;
    if first & 0x80 == 0 {
        return Some((usize::from(first), at.checked_add(1)?));
    }
    let &second = bytes.get(at.checked_add(1)?)?;
    Some((usize::from(first & 0x7f) << 8 | usize::from(second), at.checked_add(2)?))
}

/// A length of one or two 16-bit units, and where what follows begins.
fn length16(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = u16_at(bytes, 0)?;
    if first & 0x8000 == 0 {
        return Some((usize::from(first), 2));
    }
    let second = u16_at(bytes, 2)?;
    Some((usize::from(first & 0x7fff) << 16 | usize::from(second), 4))
}

fn push_length8(out: &mut Vec<u8>, length: usize) {
    if length > 0x7f {
        out.push(0x80 | (length >> 8) as u8);
    }
    out.push(length as u8);
}

fn push_length16(out: &mut Vec<u8>, length: usize) {
    if length > 0x7fff {
        out.extend_from_slice(&(0x8000 | (length >> 16) as u16).to_le_bytes());
    }
    out.extend_from_slice(&(length as u16).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::StringPool;
    use crate::axml::xml_chunk::{Chunk, kind};

    fn parse(bytes: &[u8]) -> StringPool<'_> {
        let chunk = Chunk { kind: kind::STRING_POOL, header_size: 28, bytes, offset: 0 };
        StringPool::parse(chunk).unwrap()
    }

    proptest! {
        /// Inserting into a pool is inserting into a list, in both encodings.
        #[test]
        fn pools_are_lists(
            utf8 in any::<bool>(),
            inserts in prop::collection::vec((any::<prop::sample::Index>(), ".{0,200}"), 0..20),
        ) {
            let flags = if utf8 { StringPool::UTF8 } else { 0 };
            let empty = [0x001c_0001, 28, 0, 0, flags | StringPool::SORTED, 0, 0];
            let mut bytes: Vec<u8> = empty.into_iter().flat_map(u32::to_le_bytes).collect();
            let mut model: Vec<String> = Vec::new();
            for (index, string) in inserts {
                let index = index.index(model.len() + 1);
                bytes = parse(&bytes).with_inserted(index as u32, &string).unwrap();
                model.insert(index, string);
                prop_assert_eq!(bytes.len() % 4, 0);
            }
            let pool = parse(&bytes);
            prop_assert_eq!(pool.len() as usize, model.len());
            for (index, string) in model.iter().enumerate() {
                prop_assert_eq!(&*pool.get(index as u32).unwrap(), string);
                prop_assert!(pool.find(string).is_some_and(|found| found as usize <= index));
            }
            prop_assert!(pool.get(model.len() as u32).is_err());
        }
    }
}
