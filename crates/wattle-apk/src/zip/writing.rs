//! Writing an archive: untouched entries are copied, new ones compressed, stored data aligned.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use flate2::{Compress, FlushCompress, Status};

use crate::ApkError;
use crate::bytes::{set_u16, set_u32};
use crate::zip::editor::{ApkEditor, Compression, NewContent};
use crate::zip::end_record::EndRecord;
use crate::zip::entry::{Entry, Method};
use crate::zip::extra_field;
use crate::zip::local_header::LocalHeader;
use crate::zip::name::is_native_library;
use crate::zip::reading::crc32;

/// Size of the memory pages that uncompressed native libraries are aligned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageSize {
    /// 4 KiB, enough for devices before Android 15.
    K4,
    /// 16 KiB, which devices with large pages need and which is right for 4 KiB pages, too.
    #[default]
    K16,
}

impl PageSize {
    /// The size.
    pub const fn bytes(self) -> usize {
        match self {
            Self::K4 => 4 << 10,
            Self::K16 => 16 << 10,
        }
    }
}

/// Where the data of stored entries may begin, as `zipalign` defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alignment {
    /// For `lib/**/*.so`.
    pub native_libraries: PageSize,
}

impl Alignment {
    /// For all other stored entries.
    const STORED: usize = 4;

    /// The multiple at which this stored entry's data must begin.
    pub fn of(self, name: &str) -> usize {
        if is_native_library(name) { self.native_libraries.bytes() } else { Self::STORED }
    }
}

/// The time that Android's build tools give to every entry: 1981-01-01 01:01:02 (AGP's `zipflinger`).
const TIME: u16 = 1 << 11 | 1 << 5 | 1;
const DATE: u16 = 1 << 9 | 1 << 5 | 1;

/// Content that is ready to be written.
struct Packed<'a> {
    method: Method,
    crc32: u32,
    size: u32,
    data: Cow<'a, [u8]>,
}

pub(super) fn write(editor: &ApkEditor<'_>, alignment: Alignment) -> Result<Vec<u8>, ApkError> {
    let apk = editor.apk();
    let mut packed = pack_all(editor)?;
    let new_bytes: usize = packed.values().map(|packed| packed.data.len() + 512).sum();
    let mut out = Vec::with_capacity(apk.bytes().len().saturating_add(new_bytes));

    let mut in_file: Vec<(usize, &Entry<'_>)> = apk.entries().iter().enumerate().collect();
    in_file.sort_by_key(|(_, entry)| entry.local_offset());
    let mut records: Vec<Option<Vec<u8>>> = vec![None; apk.entries().len()];
    for (index, entry) in in_file {
        let record = match editor.change(entry.name()) {
            Some(None) => continue,
            Some(Some(_)) => {
                let packed = packed.remove(entry.name());
                packed.map(|packed| {
                    write_packed(&mut out, entry.name(), Some(entry), &packed, alignment)
                })
            }
            None => Some(copy(&mut out, entry, alignment)),
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

/// Copies an untouched entry; returns its record for the central directory.
fn copy(out: &mut Vec<u8>, entry: &Entry<'_>, alignment: Alignment) -> Vec<u8> {
    let offset = out.len();
    let local = entry.local();
    let wanted = match entry.method() {
        Method::Stored => alignment.of(entry.name()),
        Method::Deflated => 1,
    };
    if offset.saturating_add(local.header.len()).is_multiple_of(wanted) {
        out.extend_from_slice(local.header);
    } else {
        let fixed = local.header.len().saturating_sub(local.extra.len());
        let extra = extra_field::aligned(local.extra, offset.saturating_add(fixed), wanted);
        out.extend_from_slice(local.header.get(..fixed).unwrap_or_default());
        let length_field = offset.saturating_add(LocalHeader::EXTRA_LENGTH_FIELD);
        set_u16(out, length_field, extra.len() as u16);
        out.extend_from_slice(&extra);
    }
    out.extend_from_slice(local.data);
    out.extend_from_slice(local.descriptor);
    let mut record = entry.record().to_vec();
    set_u32(&mut record, Entry::LOCAL_OFFSET_FIELD, offset as u32);
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
    let time =
        replaced.and_then(|entry| crate::bytes::u32_at(entry.record(), 12)).unwrap_or(default_time);

    // What both headers have in common, APPNOTE 4.4.3 to 4.4.10.
    let mut common = Vec::with_capacity(24);
    common.extend_from_slice(&needed.to_le_bytes());
    common.extend_from_slice(&flags.to_le_bytes());
    common.extend_from_slice(&packed.method.number().to_le_bytes());
    common.extend_from_slice(&time.to_le_bytes());
    common.extend_from_slice(&packed.crc32.to_le_bytes());
    common.extend_from_slice(&(packed.data.len() as u32).to_le_bytes());
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
    out.extend_from_slice(&packed.data);

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

/// Compresses all new content, on as many threads as there are cores.
fn pack_all<'e>(editor: &'e ApkEditor<'_>) -> Result<BTreeMap<&'e str, Packed<'e>>, ApkError> {
    let replaced = editor.apk().entries().iter().filter_map(|entry| {
        let new = editor.change(entry.name())?.as_ref()?;
        Some((entry.name(), entry.method(), new))
    });
    let added = editor.added().iter().map(|(name, new)| (name.as_str(), Method::Deflated, new));
    let mut work: Vec<(&str, Method, &NewContent<'_>)> = replaced.chain(added).collect();
    // The largest first, so that the threads end together.
    work.sort_by_key(|(_, _, new)| std::cmp::Reverse(new.bytes.len()));
    let threads = thread::available_parallelism().map_or(1, usize::from).min(work.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let run = || {
        while let Some((name, before, new)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let packed = pack(name, *before, new);
            if let Ok(mut done) = done.lock() {
                done.insert(*name, packed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.into_iter().map(|(name, packed)| Ok((name, packed?))).collect()
}

fn pack<'e>(name: &str, before: Method, new: &'e NewContent<'_>) -> Result<Packed<'e>, ApkError> {
    let too_large = |bytes: usize| ApkError::TooLarge { entries: 1, bytes: bytes as u64 };
    if name.len() > usize::from(u16::MAX) {
        return Err(too_large(name.len()));
    }
    let size = u32::try_from(new.bytes.len()).ok().filter(|&size| size != u32::MAX);
    let size = size.ok_or_else(|| too_large(new.bytes.len()))?;
    let wanted = match new.compression {
        Compression::AsBefore => before,
        Compression::Stored => Method::Stored,
        Compression::Deflated | Compression::Level(_) => Method::Deflated,
    };
    let data = match wanted {
        Method::Stored => Cow::Borrowed(new.bytes.as_ref()),
        Method::Deflated => Cow::Owned(deflate(&new.bytes, new.compression.level())),
    };
    Ok(Packed { method: wanted, crc32: crc32(&new.bytes), size, data })
}

fn deflate(content: &[u8], level: u8) -> Vec<u8> {
    let mut stream = Compress::new(flate2::Compression::new(u32::from(level)), false);
    let mut data = Vec::with_capacity(content.len() / 2 + 64);
    loop {
        let consumed = stream.total_in() as usize;
        let rest = content.get(consumed..).unwrap_or_default();
        // Deflating cannot fail with these parameters; an error would end as a stream that does not read back.
        match stream.compress_vec(rest, &mut data, FlushCompress::Finish) {
            Ok(Status::Ok | Status::BufError) => data.reserve(content.len() / 4 + 64),
            Ok(Status::StreamEnd) | Err(_) => return data,
        }
    }
}
