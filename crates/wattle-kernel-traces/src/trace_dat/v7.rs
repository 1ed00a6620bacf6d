//! Files of version 7: sections that are found by options.

use std::borrow::Cow;

use super::file_options::{self, id};
use super::unpack::next_part;
use crate::tracepoints::{Contents, Packing, formats, header_info, long_text, short_text, systems};
use wattle_import::UnpackBudget;
use wattle_wire::{ByteCursor, ByteOrder};

/// Sections of options that are followed.
const MAX_OPTION_SECTIONS: usize = 1024;

const IS_PACKED: u16 = 1;

/// Options have a number of two bytes and a size of four.
struct Section<'a> {
    bytes: Cow<'a, [u8]>,
}

/// The section that begins here, unpacked.
fn section<'a>(
    file: &'a [u8],
    at: usize,
    contents: &Contents,
    budget: &UnpackBudget,
) -> Option<Section<'a>> {
    let mut cursor = ByteCursor::new(file, at, contents.order);
    let (is_packed, size) = head(&mut cursor)?;
    let bytes = if is_packed {
        next_part(&mut cursor, contents.packing, budget)?
    } else {
        Cow::Borrowed(cursor.take(size)?)
    };
    Some(Section { bytes })
}

/// Whether a section is packed, and its size.
fn head(cursor: &mut ByteCursor<'_>) -> Option<(bool, usize)> {
    let (_, flags) = (cursor.u16()?, cursor.u16()?);
    // The number of its description.
    cursor.u32()?;
    Some((flags & IS_PACKED != 0, cursor.size()?))
}

/// Reads what is not events. Whatever was read before something that cannot be read stays in the contents.
pub(super) fn read(
    cursor: &mut ByteCursor<'_>,
    contents: &mut Contents,
    budget: &UnpackBudget,
) -> Option<()> {
    contents.packing = match cursor.text()? {
        b"none" => Packing::None,
        b"zlib" => Packing::Zlib,
        b"zstd" => Packing::Zstd,
        _ => Packing::Unknown,
    };
    // Its version.
    cursor.text()?;
    let mut next = cursor.size()?;
    let file = cursor.bytes;
    let mut found = Vec::new();
    for _ in 0..MAX_OPTION_SECTIONS {
        let options = section(file, next, contents, budget)?;
        next = read_options(&options.bytes, contents, &mut found)?;
        if next == 0 {
            break;
        }
    }
    for (id, at) in found {
        let section = section(file, at, contents, budget)?;
        let mut inside = ByteCursor::new(&section.bytes, 0, contents.order);
        match id {
            id::HEADER_INFO => header_info(&mut inside, contents)?,
            id::FTRACE_EVENTS => formats(&mut inside, contents)?,
            id::EVENT_FORMATS => systems(&mut inside, contents)?,
            id::PRINTK => contents.read_constants(short_text(&mut inside)?),
            _ => contents.read_comms(long_text(&mut inside)?),
        }
    }
    Some(())
}

/// Reads a section of options; where the next is, 0 for none. Sections that they name are added to the list.
fn read_options(
    bytes: &[u8],
    contents: &mut Contents,
    found: &mut Vec<(u16, usize)>,
) -> Option<usize> {
    let mut cursor = ByteCursor::new(bytes, 0, contents.order);
    loop {
        let option = cursor.u16()?;
        let data = short_text(&mut cursor)?;
        let mut inside = ByteCursor::new(data, 0, contents.order);
        match option {
            id::DONE => return inside.size(),
            id::BUFFER => buffer(&mut inside, contents)?,
            id::BUFFER_TEXT => {
                let at = inside.size()?;
                if inside.text()?.is_empty() {
                    contents.latency = Some(at..at);
                } else {
                    contents.instances += 1;
                }
            }
            id::HEADER_INFO | id::FTRACE_EVENTS | id::EVENT_FORMATS | id::PRINTK | id::CMDLINES => {
                found.push((option, inside.size()?));
            }
            // Of no use here.
            id::KALLSYMS => {}
            other => file_options::common(other, data, contents),
        }
    }
}

/// The buffer of the trace, or of an instance, which is counted.
fn buffer(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    // Where its section begins, whose head says whether it is packed; the places of the CPUs follow here.
    let at = cursor.size()?;
    if !cursor.text()?.is_empty() {
        contents.instances += 1;
        return Some(());
    }
    contents.clock.name = Some(file_options::clock(cursor.text()?));
    contents.page_size = cursor.count()?;
    contents.cpus = file_options::cpus(cursor)?;
    contents.buffer_section = Some(at);
    Some(())
}

/// Whether the section at this place of the file is packed.
pub(super) fn is_packed(file: &[u8], at: usize, order: ByteOrder) -> bool {
    head(&mut ByteCursor::new(file, at, order)).is_some_and(|(is_packed, _)| is_packed)
}

/// The text of a trace that is no ring buffer.
pub(super) fn latency_text(
    file: &[u8],
    at: usize,
    contents: &Contents,
    budget: &UnpackBudget,
) -> Option<Vec<u8>> {
    let mut cursor = ByteCursor::new(file, at, contents.order);
    let (is_packed, size) = head(&mut cursor)?;
    if !is_packed {
        return cursor.take(size).map(<[u8]>::to_vec);
    }
    let mut text = Vec::new();
    for _ in 0..cursor.count()? {
        text.extend_from_slice(&next_part(&mut cursor, contents.packing, budget)?);
    }
    Some(text)
}
