//! Replacing, adding and removing entries.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::ApkError;
use crate::zip::compression::Compression;
use crate::zip::entry_name;
use crate::zip::package::{Apk, code_name};
use crate::zip::packed_content::PackedContent;
use crate::zip::zip_entry::Entry;

/// New content of an entry.
#[derive(Debug, Clone)]
pub(super) enum NewContent<'a> {
    /// As it is, and the form in which it is to be kept.
    Plain(Cow<'a, [u8]>, Compression),
    /// Deflated ahead.
    Packed(PackedContent),
}

impl NewContent<'_> {
    fn content(&self) -> EntryContent<'_> {
        match self {
            Self::Plain(bytes, _) => EntryContent::New(bytes),
            Self::Packed(content) => EntryContent::Packed(content),
        }
    }
}

/// The source of the content of an entry of the result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EntryContent<'e> {
    /// An entry without a change.
    Kept(&'e Entry<'e>),
    /// New content.
    New(&'e [u8]),
    /// New content that was deflated ahead.
    Packed(&'e PackedContent),
}

impl EntryContent<'_> {
    /// The content in parts; an error takes back what was given before.
    pub(crate) fn stream(self, sink: &mut dyn FnMut(&[u8])) -> Result<(), ApkError> {
        match self {
            Self::Kept(entry) => entry.stream(sink),
            Self::New(bytes) => {
                sink(bytes);
                Ok(())
            }
            Self::Packed(content) => content.stream(sink),
        }
    }
}

/// Changes to a package, written all at once.
///
/// Entries without a change keep their compressed data, names, flags, times and attributes bit for bit, and
/// their order. The padding in local headers changes where data has to be aligned anew. The APK Signing Block is
/// dropped, since any change invalidates it, and so are bytes that belong to no entry.
#[derive(Debug, Clone)]
pub struct ApkEditor<'a> {
    apk: &'a Apk<'a>,
    /// By name; `None` removes the entry.
    changes: BTreeMap<&'a str, Option<NewContent<'a>>>,
    /// New names of entries, by the names that they have in the package.
    renamed: BTreeMap<&'a str, String>,
    /// The values of `renamed`.
    new_names: BTreeSet<String>,
    added: Vec<(String, NewContent<'a>)>,
}

impl<'a> ApkEditor<'a> {
    /// An editor without changes.
    pub const fn new(apk: &'a Apk<'a>) -> Self {
        Self {
            apk,
            changes: BTreeMap::new(),
            renamed: BTreeMap::new(),
            new_names: BTreeSet::new(),
            added: Vec::new(),
        }
    }

    /// Gives the entry new content; the last replacement of an entry holds.
    pub fn replace(
        &mut self,
        name: &str,
        content: impl Into<Cow<'a, [u8]>>,
        compression: Compression,
    ) -> Result<&mut Self, ApkError> {
        self.replace_with(name, NewContent::Plain(content.into(), compression))
    }

    /// The same with content that was deflated ahead.
    pub fn replace_packed(
        &mut self,
        name: &str,
        content: PackedContent,
    ) -> Result<&mut Self, ApkError> {
        self.replace_with(name, NewContent::Packed(content))
    }

    fn replace_with(&mut self, name: &str, new: NewContent<'a>) -> Result<&mut Self, ApkError> {
        // Added first: an entry that was removed and added again is the new one.
        if let Some((_, added)) = self.added.iter_mut().find(|(added, _)| added == name) {
            *added = new;
        } else if let Some(entry) = self.kept(name) {
            self.changes.insert(entry.name(), Some(new));
        } else {
            return Err(ApkError::NoSuchEntry { name: name.to_owned() });
        }
        Ok(self)
    }

    /// Adds an entry behind all others, in the order of the calls.
    ///
    /// An entry that is removed can be added again: it then comes at the end.
    pub fn add(
        &mut self,
        name: &str,
        content: impl Into<Cow<'a, [u8]>>,
        compression: Compression,
    ) -> Result<&mut Self, ApkError> {
        self.add_with(name, NewContent::Plain(content.into(), compression))
    }

    /// The same with content that was deflated ahead.
    pub fn add_packed(
        &mut self,
        name: &str,
        content: PackedContent,
    ) -> Result<&mut Self, ApkError> {
        self.add_with(name, NewContent::Packed(content))
    }

    fn add_with(&mut self, name: &str, new: NewContent<'a>) -> Result<&mut Self, ApkError> {
        entry_name::check(name).map_err(|problem| ApkError::Entry {
            name: name.to_owned(),
            offset: 0,
            problem,
        })?;
        if self.contains(name) {
            return Err(ApkError::EntryExists { name: name.to_owned() });
        }
        self.added.push((name.to_owned(), new));
        Ok(self)
    }

    /// Removes the entry; says whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let was_there = self.contains(name);
        self.added.retain(|(added, _)| added != name);
        if let Some(entry) = self.kept(name) {
            self.changes.insert(entry.name(), None);
            if let Some(name) = self.renamed.remove(entry.name()) {
                self.new_names.remove(&name);
            }
        }
        was_there
    }

    /// Adds files of code that are loaded before those that the package has. These keep their content and their order
    /// under the names that follow: `classes.dex` becomes `classes3.dex` behind two new ones.
    ///
    /// Of classes of one name the first that is loaded counts. Files of code that were added or replaced earlier move,
    /// too.
    pub fn add_code_in_front(
        &mut self,
        files: Vec<Cow<'a, [u8]>>,
        compression: Compression,
    ) -> Result<&mut Self, ApkError> {
        let files = files.into_iter().map(|file| NewContent::Plain(file, compression));
        self.add_in_front(files.collect())
    }

    /// The same with files that were deflated ahead.
    pub fn add_packed_code_in_front(
        &mut self,
        files: Vec<PackedContent>,
    ) -> Result<&mut Self, ApkError> {
        self.add_in_front(files.into_iter().map(NewContent::Packed).collect())
    }

    fn add_in_front(&mut self, files: Vec<NewContent<'a>>) -> Result<&mut Self, ApkError> {
        if files.is_empty() {
            return Ok(self);
        }
        let count = (1..u32::MAX).take_while(|it| self.contains(&code_name(*it))).count() as u32;
        let new = files.len() as u32;
        for number in (1..=count).rev() {
            let (old, name) = (code_name(number), code_name(number.saturating_add(new)));
            if self.contains(&name) {
                return Err(ApkError::EntryExists { name });
            }
            if let Some((added, _)) = self.added.iter_mut().find(|(added, _)| *added == old) {
                *added = name;
            } else if let Some(entry) = self.kept(&old) {
                self.new_names.remove(&old);
                self.new_names.insert(name.clone());
                self.renamed.insert(entry.name(), name);
            }
        }
        for (number, file) in (1..).zip(files) {
            self.add_with(&code_name(number), file)?;
        }
        Ok(self)
    }

    /// Whether the result will have an entry of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.kept(name).is_some() || self.added.iter().any(|(added, _)| added == name)
    }

    /// The entry of the package that has this name in the result, whether its content is replaced or not.
    fn kept(&self, name: &str) -> Option<&'a Entry<'a>> {
        let entry = if self.new_names.contains(name) {
            let renamed = self.renamed.iter().find(|(_, new)| *new == name);
            renamed.and_then(|(old, _)| self.apk.entry(old))
        } else {
            self.apk.entry(name).filter(|entry| !self.renamed.contains_key(entry.name()))
        };
        entry.filter(|entry| !matches!(self.change(entry.name()), Some(None)))
    }

    /// The name that an entry of the package has in the result.
    pub(super) fn name_of<'e>(&'e self, entry: &'e Entry<'_>) -> &'e str {
        self.renamed.get(entry.name()).map_or_else(|| entry.name(), String::as_str)
    }

    /// The name under which the next file of code is loaded: the first of `classes.dex`, `classes2.dex` … that is free.
    pub fn next_code_name(&self) -> String {
        // There are fewer entries than numbers.
        (1..u32::MAX).map(code_name).find(|name| !self.contains(name)).unwrap_or_default()
    }

    /// The package these changes are made to.
    pub const fn apk(&self) -> &'a Apk<'a> {
        self.apk
    }

    /// Names and contents that the result will have.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&str, EntryContent<'_>)> {
        let kept = self.apk.entries().iter().filter_map(|entry| {
            let content = match self.change(entry.name()) {
                None => EntryContent::Kept(entry),
                Some(None) => return None,
                Some(Some(new)) => new.content(),
            };
            Some((self.name_of(entry), content))
        });
        let added = self.added.iter();
        kept.chain(added.map(|(name, new)| (name.as_str(), new.content())))
    }

    pub(super) fn change(&self, name: &str) -> Option<&Option<NewContent<'a>>> {
        self.changes.get(name)
    }

    pub(super) fn added(&self) -> &[(String, NewContent<'a>)] {
        &self.added
    }
}
