//! An Android package as an archive.

use std::collections::BTreeMap;

use crate::little_endian::Cursor;
use crate::zip::data_alignment::Alignment;
use crate::zip::end_record::EndRecord;
use crate::zip::entry_reading::ReadLimit;
use crate::zip::signing_block::SigningBlock;
use crate::zip::zip_entry::{Entry, Method};
use crate::{ApkError, ArchiveProblem, EntryProblem, Manifest};

/// An Android package (or any other ZIP archive that keeps Android's rules), opened but not unpacked.
///
/// Opening checks the structure of the whole archive: central directory and local headers agree, names
/// are plain and unique, nothing overlaps, nothing is encrypted. Content is checked when it is read.
#[derive(Debug, Clone)]
pub struct Apk<'a> {
    file: &'a [u8],
    entries: Vec<Entry<'a>>,
    by_name: BTreeMap<&'a str, usize>,
    end: EndRecord<'a>,
    signing_block: Option<SigningBlock<'a>>,
    /// Why the signing block could not be read, though its magic is there.
    signing_block_problem: Option<String>,
}

impl<'a> Apk<'a> {
    /// Name of the manifest.
    pub const MANIFEST: &'static str = "AndroidManifest.xml";

    /// Opens an archive; an Android App Bundle is refused with what to do instead.
    pub fn open(file: &'a [u8]) -> Result<Self, ApkError> {
        let apk = Self::open_any(file)?;
        let is_bundle = apk.entry("BundleConfig.pb").is_some()
            && apk.entry(Self::MANIFEST).is_none()
            && apk.entries.iter().any(|entry| entry.name().ends_with("/AndroidManifest.xml"));
        if is_bundle { Err(ApkError::Bundle) } else { Ok(apk) }
    }

    /// Opens an archive of any kind: a set of packages, too.
    pub(crate) fn open_any(file: &'a [u8]) -> Result<Self, ApkError> {
        let end = EndRecord::find(file)?;
        let (signing_block, signing_block_problem) =
            match SigningBlock::find(file, end.directory_offset) {
                None => (None, None),
                Some(Ok(block)) => (Some(block), None),
                Some(Err(problem)) => (None, Some(problem.to_string())),
            };
        let limit = signing_block.as_ref().map_or(end.directory_offset, SigningBlock::offset);
        let directory_end = end.directory_offset.saturating_add(end.directory_size);
        let directory = file.get(end.directory_offset..directory_end).unwrap_or_default();
        let mut records = Cursor::new(directory, end.directory_offset, "the central directory");
        // A record has 46 bytes at least: the count, which is not to be trusted, is bounded by the file.
        let possible = directory.len() / Entry::RECORD_SIZE;
        let mut entries = Vec::with_capacity(usize::from(end.entries).min(possible));
        for _ in 0..end.entries {
            entries.push(Entry::parse(file, &mut records, limit)?);
        }
        if !records.is_empty() {
            return Err(ApkError::Archive {
                offset: records.offset() as u64,
                problem: ArchiveProblem::DirectoryTail {
                    extra: records.remaining() as u64,
                    records: end.entries,
                },
            });
        }
        let by_name = index(&entries)?;
        check_overlaps(&entries, limit)?;
        Ok(Self { file, entries, by_name, end, signing_block, signing_block_problem })
    }

    /// The file, whole.
    pub const fn bytes(&self) -> &'a [u8] {
        self.file
    }

    /// The entries in the order of the central directory.
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    /// The entry of this name.
    pub fn entry(&self, name: &str) -> Option<&Entry<'a>> {
        self.by_name.get(name).and_then(|&index| self.entries.get(index))
    }

    /// The content of the entry of this name, within the default [`ReadLimit`].
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ApkError> {
        let missing = || ApkError::NoSuchEntry { name: name.to_owned() };
        self.entry(name).ok_or_else(missing)?.read(ReadLimit::default())
    }

    /// The entries with code, in the order Android loads them: `classes.dex`, `classes2.dex` and so on, up to
    /// the first number that is missing.
    pub fn code_entries(&self) -> impl Iterator<Item = &Entry<'a>> {
        (1..).map_while(|number| self.entry(&code_name(number)))
    }

    /// The stored entries whose data does not begin where it must, as `zipalign -c` checks.
    pub fn misaligned(&self, alignment: Alignment) -> impl Iterator<Item = &Entry<'a>> {
        let stored = self.entries.iter().filter(|entry| entry.method() == Method::Stored);
        stored.filter(move |entry| !entry.data_offset().is_multiple_of(alignment.of(entry.name())))
    }

    /// The manifest, read.
    pub fn manifest(&self) -> Result<Manifest, ApkError> {
        Manifest::parse(&self.read(Self::MANIFEST)?)
    }

    /// The archive's comment.
    pub const fn comment(&self) -> &'a [u8] {
        self.end.comment
    }

    /// The APK Signing Block, if there is a readable one.
    pub const fn signing_block(&self) -> Option<&SigningBlock<'a>> {
        self.signing_block.as_ref()
    }

    /// Why the APK Signing Block could not be read, though there is one.
    pub fn signing_block_problem(&self) -> Option<&str> {
        self.signing_block_problem.as_deref()
    }

    pub(crate) const fn end_record(&self) -> &EndRecord<'a> {
        &self.end
    }
}

/// Name of the entry with code of this number, which counts from 1.
pub(super) fn code_name(number: u32) -> String {
    if number == 1 { "classes.dex".to_owned() } else { format!("classes{number}.dex") }
}

fn index<'a>(entries: &[Entry<'a>]) -> Result<BTreeMap<&'a str, usize>, ApkError> {
    let mut by_name = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(first) = by_name.insert(entry.name(), index) {
            let other = entries.get(first).map_or(0, |first| first.record_offset() as u64);
            return Err(ApkError::Entry {
                name: entry.name().to_owned(),
                offset: entry.record_offset() as u64,
                problem: EntryProblem::Duplicate { other },
            });
        }
    }
    Ok(by_name)
}

/// No byte belongs to two entries, so that the archive cannot unpack to more than its bytes allow.
fn check_overlaps(entries: &[Entry<'_>], limit: usize) -> Result<(), ApkError> {
    let mut in_file: Vec<&Entry<'_>> = entries.iter().collect();
    in_file.sort_by_key(|entry| entry.local_offset());
    for (index, entry) in in_file.iter().enumerate() {
        let next = in_file.get(index.saturating_add(1));
        let (start, name) = next.map_or((limit, "central directory or signing block"), |next| {
            (next.local_offset(), next.name())
        });
        let end = entry.local().end();
        if end > start {
            return Err(entry.error(EntryProblem::Overlap {
                end: end as u64,
                next: name.to_owned(),
                start: start as u64,
            }));
        }
    }
    Ok(())
}
