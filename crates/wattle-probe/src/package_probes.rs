//! Packages and sets of packages.

use std::borrow::Cow;
use std::time::Instant;

use wattle_apk::{
    Apk, ApkEditor, ApkError, ApkSet, Compression, Entry, Hash, Leftover, ManifestEditor, Method,
    PackedContent, SignOptions, SigningKey, WrittenSet, sign_edited,
};

use crate::code::{Extent, instrument_files};
use crate::{
    CodeFile, Instrumented, Options, Placement, ProbeError, ProbeMap, Result, RewrittenFile, Scope,
    Sink, Stage, own_packages,
};

/// Options for the package around the code.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PackageOptions {
    /// The key to sign with; default is not to sign.
    pub key: Option<SigningKey>,
    /// Make the app debuggable, which platforms before Android 10 (API level 29) need for trace sections. It makes
    /// the app slower. Default is not to; the app always becomes profileable by the shell.
    pub debuggable: bool,
}

/// Packages with probes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InstrumentedPackage {
    /// The packages, in the form in which they came.
    pub packages: WrittenSet,
    /// The instrumented code; its files and its runtime class are in the packages.
    pub code: Instrumented,
    /// The packages that count as the app's own, where they decided what is traced.
    pub own_packages: Vec<String>,
    /// Dropped entries, which do not fit changed code.
    pub dropped: Vec<Leftover>,
    /// Notes for the user before installing the result.
    pub notes: Vec<Note>,
}

/// A note for the user before installing the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// The package installs on platforms whose Dalvik loads the first file of code only.
    SecondCodeFile,
    /// The package installs on platforms that record trace sections of debuggable apps only.
    TraceNeedsDebuggable,
    /// The package is not signed.
    Unsigned,
}

impl Note {
    /// The note as a sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::SecondCodeFile => {
                "devices before Android 5.0 load the first code file only and cannot run this package: \
                 its probes call a class in another file"
            }
            Self::TraceNeedsDebuggable => {
                "devices before Android 10 record trace sections of debuggable apps only: \
                 add --debuggable for them"
            }
            Self::Unsigned => "not signed: sign it before installing",
        }
    }
}

/// First API level whose runtime loads several files of code.
const ART_SINCE: u32 = 21;
/// First API level that records trace sections of apps that are profileable by the shell.
const PROFILEABLE_SINCE: u32 = 29;

/// Puts probes into all packages of an app and signs them with one key.
///
/// If the options name no classes, the app's own packages are traced, as its manifest lists them.
pub fn instrument_packages(
    set: &ApkSet,
    options: &Options,
    package: &PackageOptions,
) -> Result<InstrumentedPackage> {
    let started = Instant::now();
    let base = set.base().ok_or(ProbeError::NoCode)?;
    let mut options = options.clone();
    let own = complete(&mut options, &base.manifest);
    let apks: Vec<Apk<'_>> =
        set.members().iter().map(|member| Apk::open(&member.bytes)).collect::<Result<_, _>>()?;
    let mut entries = Vec::new();
    let mut places = Vec::new();
    for (member, (apk, known)) in apks.iter().zip(set.members()).enumerate() {
        for entry in apk.code_entries() {
            let name = match apks.len() {
                1 => entry.name().to_owned(),
                _ => format!("{}, {}", known.name, entry.name()),
            };
            places.push((member, entry.name().to_owned()));
            entries.push((name, entry));
        }
    }
    let read = wattle_workers::numbered(options.threads(), entries.len(), |index| {
        let (name, entry) = entries.get(index)?;
        let bytes = entry.read_within(set.budget());
        Some(bytes.map(|bytes| CodeFile { name: name.clone(), bytes: Cow::Owned(bytes) }))
    });
    let files: Vec<CodeFile<'_>> = read.into_iter().flatten().collect::<Result<_, _>>()?;
    if files.is_empty() {
        return Err(ProbeError::NoCode);
    }
    let unpacked = started.elapsed();
    let sign_options = SignOptions::for_min_sdk(set.min_sdk());
    let packing = Packing {
        apks: &apks,
        places: &places,
        hash: package.key.as_ref().and_then(|key| sign_options.entry_hash(key)),
    };
    let finish = |file, is_first, threads| packing.pack(file, is_first, threads);
    let (mut code, mut written) = instrument_files(&files, &options, Extent::Changes, &finish)?;
    drop(files);
    if let Some((_, total)) = code.stages.iter_mut().find(|(stage, _)| *stage == Stage::Read) {
        *total += unpacked;
    }

    let started = Instant::now();
    let (mut packages, mut dropped) = (Vec::new(), set.leftovers().to_vec());
    for (member, (apk, known)) in apks.iter().zip(set.members()).enumerate() {
        let mut editor = ApkEditor::new(apk);
        // First of all: code behind a gap would be loaded once the gap is filled.
        dropped.extend(editor.drop_invalid());
        put_code(&mut editor, member, &places, &mut written)?;
        // A device installs one of several base packages; each needs what probes call.
        if known.manifest.is_base() {
            let name = editor.next_code_name();
            editor.add(&name, code.runtime.as_slice(), Compression::Deflated)?;
            match &code.packed_map {
                Some(packed) => editor.add_packed(ProbeMap::ENTRY, packed.clone())?,
                None => editor.add(ProbeMap::ENTRY, code.map.as_slice(), Compression::Deflated)?,
            };
            let manifest = edit_manifest(apk, package.debuggable)?;
            editor.replace(Apk::MANIFEST, manifest, Compression::AsBefore)?;
        }
        packages.push(if let Some(key) = &package.key {
            sign_edited(editor, key, &sign_options)?
        } else {
            editor.drop_signatures();
            editor.finish(sign_options.alignment)?
        });
    }
    drop(written);
    if let Some(packed) = code.packed_map.take() {
        code.map = packed.content()?;
    }
    let packages = set.write(packages)?;
    match code.stages.iter_mut().find(|(stage, _)| *stage == Stage::Package) {
        Some((_, total)) => *total += started.elapsed(),
        None => code.stages.push((Stage::Package, started.elapsed())),
    }
    let application = base.manifest.application.as_ref();
    let debuggable =
        package.debuggable || application.is_some_and(|it| it.debuggable == Some(true));
    let notes = notes(set.min_sdk(), &options, debuggable, package.key.is_some());
    Ok(InstrumentedPackage { packages, code, own_packages: own, dropped, notes })
}

/// Fills in what the manifest tells; returns the packages that decide what is traced.
fn complete(options: &mut Options, manifest: &wattle_apk::Manifest) -> Vec<String> {
    options.package.get_or_insert_with(|| manifest.package.clone());
    let Scope { all, include, own, .. } = &mut options.scope;
    if *all || !include.is_empty() || !own.is_empty() {
        return Vec::new();
    }
    let packages = own_packages(manifest);
    own.extend(packages.iter().map(|package| crate::ClassPattern::new(package)));
    packages
}

/// Level of deflate for classes that are loaded before those that they replace: they are few.
const IN_FRONT: Compression = Compression::Level(6);

/// The way in which a file of code is kept that replaces another one. The fewer probes it has, the more its size would be that of a
/// lower level of deflate than the one that it was packed with, and the less time counts.
fn compression_in_place(before: Option<&Entry<'_>>, size: usize) -> Compression {
    let Some(entry) = before.filter(|entry| entry.method() == Method::Deflated) else {
        return Compression::AsBefore;
    };
    let more = size.saturating_sub(entry.size() as usize);
    let share = |part: usize| more <= entry.size() as usize / part;
    if share(32) {
        Compression::Level(6)
    } else if share(8) {
        Compression::Level(3)
    } else {
        Compression::AsBefore
    }
}

/// A file of code on its way into a package.
struct PackedCode {
    /// The position of the file it comes from.
    origin: usize,
    placement: Placement,
    content: CodeContent,
}

enum CodeContent {
    Packed(PackedContent),
    /// It is kept as it is.
    Stored(Vec<u8>),
}

/// Packs files of code as soon as they have their probes.
struct Packing<'p, 'a> {
    apks: &'p [Apk<'a>],
    /// The package of each file and its name there.
    places: &'p [(usize, String)],
    /// The digest that the packages' signatures need of each entry.
    hash: Option<Hash>,
}

impl Packing<'_, '_> {
    /// `is_first` is said of the first file that comes from another one, which replaces it.
    fn pack(&self, file: RewrittenFile, is_first: bool, threads: usize) -> Result<PackedCode> {
        let RewrittenFile { origin, bytes, placement } = file;
        let place = self.places.get(origin);
        let before = place.and_then(|(member, name)| self.apks.get(*member)?.entry(name));
        let compression = match placement {
            Placement::InFront => IN_FRONT,
            Placement::InPlace if is_first => compression_in_place(before, bytes.len()),
            Placement::InPlace => Compression::Deflated,
        };
        let is_stored = compression == Compression::AsBefore
            && before.is_some_and(|entry| entry.method() == Method::Stored);
        let content = if is_stored {
            CodeContent::Stored(bytes)
        } else {
            let packed = PackedContent::deflate(&bytes, compression, self.hash, threads)?;
            CodeContent::Packed(packed)
        };
        Ok(PackedCode { origin, placement, content })
    }
}

/// Replaces the files of code of one package, and adds those that classes had to move to, or that have to be loaded
/// first.
fn put_code(
    editor: &mut ApkEditor<'_>,
    member: usize,
    places: &[(usize, String)],
    written: &mut Vec<PackedCode>,
) -> Result<(), ApkError> {
    let of_member =
        |file: &mut PackedCode| places.get(file.origin).is_some_and(|(of, _)| *of == member);
    let (mut moved, mut in_front, mut last) = (Vec::new(), Vec::new(), None);
    for PackedCode { origin, placement, content } in written.extract_if(.., of_member) {
        match (placement, content) {
            (Placement::InFront, CodeContent::Packed(content)) => in_front.push(content),
            (_, content) if last.replace(origin) == Some(origin) => moved.push(content),
            (_, content) => {
                let Some((_, name)) = places.get(origin) else { continue };
                match content {
                    CodeContent::Packed(content) => editor.replace_packed(name, content)?,
                    CodeContent::Stored(bytes) => {
                        editor.replace(name, bytes, Compression::AsBefore)?
                    }
                };
            }
        }
    }
    for file in moved {
        let name = editor.next_code_name();
        match file {
            CodeContent::Packed(content) => editor.add_packed(&name, content)?,
            CodeContent::Stored(bytes) => editor.add(&name, bytes, Compression::Deflated)?,
        };
    }
    editor.add_packed_code_in_front(in_front)?;
    Ok(())
}

fn edit_manifest(apk: &Apk<'_>, debuggable: bool) -> Result<Vec<u8>, ApkError> {
    let mut manifest = ManifestEditor::open(&apk.read(Apk::MANIFEST)?)?;
    manifest.set_profileable_by_shell()?;
    manifest.allow_code()?;
    if debuggable {
        manifest.set_debuggable(true)?;
    }
    Ok(manifest.finish())
}

fn notes(min_sdk: u32, options: &Options, debuggable: bool, signed: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    if min_sdk < ART_SINCE {
        notes.push(Note::SecondCodeFile);
    }
    if options.sink == Sink::Trace && min_sdk < PROFILEABLE_SINCE && !debuggable {
        notes.push(Note::TraceNeedsDebuggable);
    }
    if !signed {
        notes.push(Note::Unsigned);
    }
    notes
}
