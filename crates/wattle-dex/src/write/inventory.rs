//! Which items the data area of a file holds, section by section, found by walking each one.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::annotations::AnnotationsDirectory;
use crate::class_def::ClassData;
use crate::code_item::CodeItem;
use crate::cursor::Cursor;
use crate::debug_info::debug_info_end;
use crate::encoded_value::{Tag, VALUE_ANNOTATION, VALUE_ARRAY, nested};
use crate::{Dex, Result, Section};

/// The items of one section, in file order.
#[derive(Debug)]
pub(crate) struct SectionItems {
    pub(crate) section: Section,
    /// Offsets of the items, ascending.
    pub(crate) items: Vec<u32>,
    /// End of the last one.
    pub(crate) end: u32,
    /// The first byte between items, where they are aligned, that is not 0.
    pub(crate) filled: Option<u32>,
    /// The position behind the one that was asked for last: what names items names most of them in their order.
    next: AtomicU32,
}

impl SectionItems {
    fn new(section: Section, items: Vec<u32>, end: u32) -> Self {
        Self { section, items, end, filled: None, next: AtomicU32::new(0) }
    }

    /// End of an item: not past the start of the next.
    pub(crate) fn limit(&self, index: usize) -> u32 {
        self.items.get(index + 1).copied().unwrap_or(self.end)
    }

    /// Bytes of the source that a range of items takes.
    pub(crate) fn bytes(&self, range: &Range<usize>) -> usize {
        let first = self.items.get(range.start).copied().unwrap_or(self.end);
        let end = range.end.checked_sub(1).map_or(first, |last| self.limit(last));
        end.saturating_sub(first) as usize
    }

    /// The position of the item at an offset.
    pub(crate) fn position(&self, offset: u32) -> Option<usize> {
        let next = self.next.load(Ordering::Relaxed) as usize;
        let found = match self.items.get(next) {
            Some(&at) if at == offset => next,
            _ => self.items.binary_search(&offset).ok()?,
        };
        self.next.store(found as u32 + 1, Ordering::Relaxed);
        Some(found)
    }
}

/// Every section of the data area.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) sections: Vec<SectionItems>,
}

impl Inventory {
    pub(crate) fn from_dex(dex: &Dex<'_>) -> Result<Self> {
        let mut sections = Vec::new();
        for entry in dex.map().entries() {
            if entry.section.entry_size().is_some() {
                continue;
            }
            let mut items = Vec::new();
            let mut at = entry.offset;
            let (mut end, mut filled) = (at, None);
            if entry.section.is_known() {
                let alignment = entry.section.alignment();
                for _ in 0..entry.count {
                    let aligned = at.checked_next_multiple_of(alignment).unwrap_or(u32::MAX);
                    let gap = dex.data().get(at as usize..aligned as usize).unwrap_or_default();
                    let byte = || gap.iter().position(|byte| *byte != 0);
                    filled = filled.or_else(|| byte().map(|byte| at + byte as u32));
                    at = aligned;
                    end = item_end(dex, entry.section, at)?;
                    items.push(at);
                    at = end;
                }
            } else {
                items.push(at);
                let limit = dex.header().header_offset + dex.header().file_size;
                end = dex.map().next_after(at).unwrap_or(limit);
            }
            let items = SectionItems::new(entry.section, items, end);
            sections.push(SectionItems { filled, ..items });
        }
        let mut inventory = Self { sections };
        inventory.adopt_strangers(dex)?;
        Ok(inventory)
    }

    pub(crate) fn get(&self, section: Section) -> Option<&SectionItems> {
        self.sections.iter().find(|items| items.section == section)
    }

    /// Strings may be shared between the files of a container, so they can lie outside this file's map.
    fn adopt_strangers(&mut self, dex: &Dex<'_>) -> Result<()> {
        if dex.header().version < 41 {
            return Ok(());
        }
        for section in [Section::STRING_DATA, Section::TYPE_LISTS] {
            let mut strangers = Vec::new();
            let known = self.get(section);
            let mut add = |offset: u32| {
                if offset != 0 && known.is_none_or(|items| items.position(offset).is_none()) {
                    strangers.push(offset);
                }
            };
            if section == Section::STRING_DATA {
                for id in 0..dex.count(Section::STRING_IDS) {
                    add(dex.string_data_off(crate::StringId(id))?);
                }
            } else {
                for id in 0..dex.count(Section::PROTO_IDS) {
                    add(dex.proto(crate::ProtoId(id))?.parameters_off);
                }
            }
            self.adopt(dex, section, &strangers)?;
        }
        Ok(())
    }

    fn adopt(&mut self, dex: &Dex<'_>, section: Section, strangers: &[u32]) -> Result<()> {
        if strangers.is_empty() {
            return Ok(());
        }
        if self.get(section).is_none() {
            self.sections.push(SectionItems::new(section, Vec::new(), 0));
        }
        for found in self.sections.iter_mut().filter(|found| found.section == section) {
            found.items.extend(strangers);
            found.items.sort_unstable();
            found.items.dedup();
            if let Some(&last) = found.items.last() {
                found.end = item_end(dex, section, last)?;
            }
        }
        Ok(())
    }
}

/// End of the item at an offset.
pub(crate) fn item_end(dex: &Dex<'_>, section: Section, at: u32) -> Result<u32> {
    let data = dex.data();
    let mut cursor = Cursor::new(data, at, section);
    match section {
        Section::STRING_DATA => {
            cursor.uleb()?;
            let text = crate::dex::string_at(data, at)?;
            cursor.bytes(text.bytes().len() + 1)?;
        }
        Section::TYPE_LISTS => {
            let count = cursor.u32()? as usize;
            cursor.bytes(count.saturating_mul(2))?;
        }
        Section::ANNOTATION_SETS | Section::ANNOTATION_SET_REF_LISTS => {
            let count = cursor.u32()? as usize;
            cursor.bytes(count.saturating_mul(4))?;
        }
        Section::CLASS_DATA => {
            let mut members = ClassData::parse(data, at)?;
            for member in members.by_ref() {
                member?;
            }
            return Ok(members.at());
        }
        Section::CODE => return CodeItem::parse(data, at)?.end(),
        Section::DEBUG_INFO => return debug_info_end(data, at),
        Section::ANNOTATIONS => {
            cursor.u8()?;
            skip_annotation(&mut cursor, 0)?;
        }
        Section::ENCODED_ARRAYS => skip_array(&mut cursor, 0)?,
        Section::ANNOTATIONS_DIRECTORIES => {
            AnnotationsDirectory::parse(&mut cursor)?;
        }
        Section::HIDDEN_API => {
            let size = cursor.u32()? as usize;
            cursor = Cursor::new(data, at, section);
            cursor.bytes(size.max(4))?;
        }
        Section::MAP_LIST => {
            let count = cursor.u32()? as usize;
            cursor.bytes(count.saturating_mul(12))?;
        }
        _ => {}
    }
    Ok(cursor.at())
}

fn skip_value(cursor: &mut Cursor<'_>, depth: u32) -> Result<()> {
    let tag = Tag::read(cursor)?;
    cursor.bytes(tag.payload())?;
    match tag.kind {
        VALUE_ARRAY => skip_array(cursor, depth),
        VALUE_ANNOTATION => skip_annotation(cursor, depth),
        _ => Ok(()),
    }
}

fn skip_array(cursor: &mut Cursor<'_>, depth: u32) -> Result<()> {
    let depth = nested(cursor, depth)?;
    for _ in 0..cursor.uleb()? {
        skip_value(cursor, depth)?;
    }
    Ok(())
}

fn skip_annotation(cursor: &mut Cursor<'_>, depth: u32) -> Result<()> {
    let depth = nested(cursor, depth)?;
    cursor.uleb()?;
    for _ in 0..cursor.uleb()? {
        cursor.uleb()?;
        skip_value(cursor, depth)?;
    }
    Ok(())
}
