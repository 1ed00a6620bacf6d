//! Writing an archive: untouched entries are copied, new ones compressed, stored data aligned.

use crate::ApkError;
use crate::little_endian::{set_u16, set_u32};
use crate::zip::data_alignment::Alignment;
use crate::zip::editor::ApkEditor;
use crate::zip::end_record::EndRecord;
use crate::zip::extra_field;
use crate::zip::local_header::LocalHeader;
use crate::zip::packing::{Packed, pack_all};
use crate::zip::zip_entry::{Entry, Method};

/// The time that Android's build tools give to every entry: 1981-01-01 01:01:02 (AGP's `zipflinger`).
const TIME: u16 = 1 << 11 | 1 << 5 | 1;
const DATE: u16 = 1 << 9 | 1 << 5 | 1;

impl ApkEditor<'_> {
    /// Writes the changed package, unsigned (signature files of scheme v1 are entries and stay unless removed).
    pub fn finish(&self, alignment: Alignment) -> Result<Vec<u8>, ApkError> {
        write(self, alignment)
    }
}

fn write(editor: &ApkEditor<'_>, alignment: Alignment) -> Result<Vec<u8>, ApkError> {
    let apk = editor.apk();
    let mut packed = pack_all(editor)?;
    let new_bytes: usize = packed.values().map(|packed| packed.packed_size() + 512).sum();
    let mut out = Vec::with_capacity(apk.bytes().len().saturating_add(new_bytes));

    let mut in_file: Vec<(usize, &Entry<'_>)> = apk.entries().iter().enumerate().collect();
    in_file.sort_by_key(|(_, entry)| entry.local_offset());
    let mut records: Vec<Option<Vec<u8>>> = vec![None; apk.entries().len()];
    for (index, entry) in in_file {
        let name = editor.name_of(entry);
        let record = match editor.change(entry.name()) {
            Some(None) => continue,
            Some(Some(_)) => packed
                .remove(name)
                .map(|packed| write_packed(&mut out, name, Some(entry), &packed, alignment)),
            None => Some(copy(&mut out, entry, name, alignment)),
        };
        if let Some(slot) = records.get_mut(index) {
            *slot = record;
        }
    }
    let mut records: Vec<Vec<u8>> = records.into_iter().flatten().collect();
    for (name, _) in editor.added() {
        if let Some(packed) = packed.remove(name.as_str()) {
            records.push(write_packed(&mut out, name, None, &packed, alignment));
        }
    }

    let directory_offset = out.len();
    for record in &records {
        out.extend_from_slice(record);
    }
    let directory_size = out.len().saturating_sub(directory_offset);
    // 0xffff and 0xffffffff announce Zip64.
    if records.len() >= usize::from(u16::MAX) || out.len() >= u32::MAX as usize {
        return Err(ApkError::TooLarge { entries: records.len(), bytes: out.len() as u64 });
    }
    let comment = apk.comment();
    out.extend_from_slice(&EndRecord::SIGNATURE.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(records.len() as u16).to_le_bytes());
    out.extend_from_slice(&(records.len() as u16).to_le_bytes());
    out.extend_from_slice(&(directory_size as u32).to_le_bytes());
    out.extend_from_slice(&(directory_offset as u32).to_le_bytes());
    out.extend_from_slice(&(comment.len() as u16).to_le_bytes());
    out.extend_from_slice(comment);
    Ok(out)
}

/// Copies the content of an entry that is not replaced, under its own name or a new one; returns its record for the
/// central directory.
fn copy(out: &mut Vec<u8>, entry: &Entry<'_>, name: &str, alignment: Alignment) -> Vec<u8> {
    let offset = out.len();
    let local = entry.local();
    let wanted = match entry.method() {
        Method::Stored => alignment.of(name),
        Method::Deflated => 1,
    };
    let is_renamed = name != entry.name();
    if !is_renamed && offset.saturating_add(local.header.len()).is_multiple_of(wanted) {
        out.extend_from_slice(local.header);
    } else {
        let header_end = offset.saturating_add(LocalHeader::SIZE).saturating_add(name.len());
        let extra = extra_field::aligned(local.extra, header_end, wanted);
        out.extend_from_slice(local.header.get(..LocalHeader::SIZE).unwrap_or_default());
        let name_length = offset.saturating_add(LocalHeader::NAME_LENGTH_FIELD);
        set_u16(out, name_length, name.len() as u16);
        let length_field = offset.saturating_add(LocalHeader::EXTRA_LENGTH_FIELD);
        set_u16(out, length_field, extra.len() as u16);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&extra);
    }
    out.extend_from_slice(local.data);
    out.extend_from_slice(local.descriptor);
    let mut record = if is_renamed { renamed(entry, name) } else { entry.record().to_vec() };
    set_u32(&mut record, Entry::LOCAL_OFFSET_FIELD, offset as u32);
    record
}

/// The record of an entry under a new name.
fn renamed(entry: &Entry<'_>, name: &str) -> Vec<u8> {
    let (fixed, rest) = entry.record().split_at(Entry::RECORD_SIZE.min(entry.record().len()));
    let mut record = fixed.to_vec();
    set_u16(&mut record, Entry::NAME_LENGTH_FIELD, name.len() as u16);
    record.extend_from_slice(name.as_bytes());
    record.extend_from_slice(rest.get(entry.name().len()..).unwrap_or_default());
    record
}

/// Writes new content, with times and attributes of the entry it replaces; returns its record.
fn write_packed(
    out: &mut Vec<u8>,
    name: &str,
    replaced: Option<&Entry<'_>>,
    packed: &Packed<'_>,
    alignment: Alignment,
) -> Vec<u8> {
    let offset = out.len();
    let utf8 = if name.is_ascii() { 0 } else { Entry::FLAG_UTF8 };
    let flags = replaced.map_or(utf8, |entry| entry.flags() & Entry::FLAG_UTF8);
    let needed: u16 = match packed.method {
        Method::Stored => 10,
        Method::Deflated => 20,
    };
    let default_time = u32::from(DATE) << 16 | u32::from(TIME);
    let time = replaced
        .and_then(|entry| crate::little_endian::u32_at(entry.record(), 12))
        .unwrap_or(default_time);

    // What both headers have in common, APPNOTE 4.4.3 to 4.4.10.
    let mut common = Vec::with_capacity(24);
    common.extend_from_slice(&needed.to_le_bytes());
    common.extend_from_slice(&flags.to_le_bytes());
    common.extend_from_slice(&packed.method.number().to_le_bytes());
    common.extend_from_slice(&time.to_le_bytes());
    common.extend_from_slice(&packed.crc32.to_le_bytes());
    common.extend_from_slice(&(packed.packed_size() as u32).to_le_bytes());
    common.extend_from_slice(&packed.size.to_le_bytes());
    common.extend_from_slice(&(name.len() as u16).to_le_bytes());

    let before = replaced.map_or(&[][..], |entry| entry.local().extra);
    let header_end = offset.saturating_add(LocalHeader::SIZE).saturating_add(name.len());
    let extra = match packed.method {
        Method::Stored => extra_field::aligned(before, header_end, alignment.of(name)),
        Method::Deflated => extra_field::without_padding(before),
    };
    out.extend_from_slice(&LocalHeader::SIGNATURE.to_le_bytes());
    out.extend_from_slice(&common);
    out.extend_from_slice(&(extra.len() as u16).to_le_bytes());
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(&extra);
    for part in &packed.data {
        out.extend_from_slice(part);
    }

    let mut record = Vec::with_capacity(Entry::RECORD_SIZE + name.len());
    record.extend_from_slice(&Entry::RECORD_SIGNATURE.to_le_bytes());
    let made_by = replaced.and_then(|entry| entry.record().get(4..6)).unwrap_or(&[0, 0]);
    record.extend_from_slice(made_by);
    record.extend_from_slice(&common);
    // No extra fields, no comment, first disk.
    record.extend_from_slice(&[0; 6]);
    let attributes = replaced.and_then(|entry| entry.record().get(36..42)).unwrap_or(&[0; 6]);
    record.extend_from_slice(attributes);
    record.extend_from_slice(&(offset as u32).to_le_bytes());
    record.extend_from_slice(name.as_bytes());
    record
}
