//! Names for the frames of a timeline.

use rustc_hash::FxHashMap;
use wattle_timeline::{Frame, FrameAddress, FrameKind, NameId, Names, Timeline};

use crate::file_index::SymbolFile;
use crate::frame_replacement::{self, Replacements};
use crate::oat_executables::OatOutcome;
use crate::pe::{PeIdentity, is_pe_name};
use crate::requests::{Request, requests};
use crate::search::{MappedName, Refusal, Search};
use crate::{
    BuildId, DexMethods, ElfImage, MissingFile, NamedBy, PeImage, Place, Sources, Symbolised,
    package_entries, recorded_names, renamed, tracing_frames, unwinding,
};

/// Names the frames that have an address and no function, and gives shrunk methods their original names. What was done, and what is
/// missing, is noted in the timeline's quality.
///
/// Each file is read once, each address of it looked up once, however many samples there are.
pub fn symbolise(timeline: &mut Timeline, sources: &Sources) -> Symbolised {
    let mut work = Work { sources, done: Symbolised::default(), places: FxHashMap::default() };
    work.done.is_cut = sources.files.is_cut;
    let mut build_ids: FxHashMap<NameId, Vec<BuildId>> = FxHashMap::default();
    for (mapping, id) in &timeline.code.samples.build_ids {
        build_ids.entry(*mapping).or_default().extend(BuildId::parse(timeline.names.get(*id)));
    }
    work.done.unwound = unwinding::unwind(timeline, sources, &build_ids);
    for (mapping, requests) in &requests(&timeline.code.samples) {
        let name = mapping.map_or("", |mapping| timeline.names.get(mapping));
        let ids = mapping.and_then(|it| build_ids.get(&it)).map(Vec::as_slice).unwrap_or_default();
        // The kernel of Windows is files like any other.
        let is_windows = is_pe_name(name);
        let is_kernel = |it: &&Request| {
            !is_windows && (it.kind == FrameKind::Kernel || name.starts_with("[kernel"))
        };
        let (kernel, user): (Vec<_>, Vec<_>) = requests.iter().partition(is_kernel);
        work.kernel(name, &kernel);
        work.user(name, ids, &user);
    }
    work.done.missing.sort_by(|one, other| {
        other.count.cmp(&one.count).then_with(|| one.mapping.cmp(&other.mapping))
    });
    let Work { mut done, mut places, .. } = work;
    if !sources.mappings.is_empty() {
        retrace_frames(timeline, sources, &mut places, &mut done);
        renamed::rename_calls(timeline, &sources.mappings, &mut done);
    }
    let mut replacements = replacements(timeline, places, &mut done);
    recorded_names::demangle_recorded(timeline, &mut replacements);
    frame_replacement::replace(&mut timeline.code.samples, &replacements);
    done.cut = tracing_frames::cut(timeline);
    timeline.quality.notes.extend(done.notes(!sources.is_empty()));
    done
}

/// The findings so far: of each frame the functions that it is in, the innermost first.
struct Work<'s> {
    sources: &'s Sources,
    done: Symbolised,
    places: FxHashMap<u32, Vec<Place>>,
}

/// A mapped file and the addresses in it that need names.
#[derive(Clone, Copy)]
struct MappedFile<'f> {
    mapping: &'f str,
    build_id: Option<&'f BuildId>,
    requests: &'f [&'f Request],
}

impl Work<'_> {
    fn kernel(&mut self, mapping: &str, requests: &[&Request]) {
        let place = |address: FrameAddress| {
            // `perf` maps the kernel with its own address as the offset.
            let (FrameAddress::Absolute(address)
            | FrameAddress::InFile(address)
            | FrameAddress::InElf(address)) = address
            else {
                return None;
            };
            let name = self.sources.kallsyms.as_ref()?.name(address)?;
            Some(Place { kind: Some(FrameKind::Kernel), ..Place::named(name) })
        };
        let places = requests.iter().map(|it| place(it.address).into_iter().collect()).collect();
        let refusal = match self.sources.kallsyms {
            Some(_) => Refusal::NoSymbols("kallsyms".to_owned()),
            None => Refusal::NotFound,
        };
        self.record(
            MappedFile { mapping, build_id: None, requests },
            places,
            NamedBy::Kallsyms,
            refusal,
        );
    }

    fn user(&mut self, mapping: &str, ids: &[BuildId], requests: &[&Request]) {
        let is_compiled = |it: &&Request| {
            let is_absolute = matches!(it.address, FrameAddress::Absolute(_));
            let is_file = mapping.starts_with('/') && !mapping.starts_with("//");
            is_absolute && (it.kind == FrameKind::Jit || !is_file)
        };
        let (compiled, rest): (Vec<_>, Vec<_>) = requests.iter().copied().partition(is_compiled);
        self.compiled(mapping, &compiled);
        if rest.is_empty() {
            return;
        }
        let index = &self.sources.files;
        let search = Search { index, name: MappedName::from_mapping(mapping), build_ids: ids };
        let id = ids.first();
        if let Some(dex) = dex_content(&search) {
            return self.dex(mapping, &dex, &rest);
        }
        let whole = search.package().filter(|_| search.name.entry.is_none());
        if let Some(package) = whole.and_then(SymbolFile::read) {
            return self.in_package(mapping, &package, &rest);
        }
        if is_pe_name(mapping) {
            return self.pe(mapping, &search, &rest);
        }
        match search.files() {
            Ok((contents, shown)) => {
                let java = OatOutcome::new(&search, &contents);
                let file = MappedFile { mapping, build_id: id, requests: &rest };
                self.elf(file, &contents, &shown, java);
            }
            Err(refusal) => {
                let none = vec![Vec::new(); rest.len()];
                self.record(
                    MappedFile { mapping, build_id: id, requests: &rest },
                    none,
                    NamedBy::Elf,
                    refusal,
                );
            }
        }
    }

    /// Addresses outside of files: what a just-in-time compiler wrote, if its maps agree.
    fn compiled(&mut self, mapping: &str, requests: &[&Request]) {
        let place = |address: FrameAddress| {
            let FrameAddress::Absolute(address) = address else { return None };
            let mut names = self.sources.perf_maps.iter().filter_map(|map| map.name(address));
            let name = names.next()?;
            // A frame does not say of which process it is: maps that say different things say nothing.
            let is_sure = names.all(|other| other == name);
            is_sure.then(|| Place { kind: Some(FrameKind::Jit), ..Place::named(name) })
        };
        let places = requests.iter().map(|it| place(it.address).into_iter().collect()).collect();
        self.record(
            MappedFile { mapping, build_id: None, requests },
            places,
            NamedBy::PerfMap,
            Refusal::NotFound,
        );
    }

    fn dex(&mut self, mapping: &str, content: &[u8], requests: &[&Request]) {
        let methods = DexMethods::find(content);
        let place = |it: &&Request| methods.place(it.address).into_iter().collect();
        let places = requests.iter().map(place).collect();
        let refusal = Refusal::NoSymbols(mapping.to_owned());
        self.record(
            MappedFile { mapping, build_id: None, requests },
            places,
            NamedBy::Dex,
            refusal,
        );
    }

    /// A file of Windows: its PDB file knows the most, the file itself what others may call.
    fn pe(&mut self, mapping: &str, search: &Search<'_>, requests: &[&Request]) {
        let build_id = search.build_ids.first();
        let file = search.pe();
        let pdb = search.pdb(file.as_ref().ok().copied());
        let (named, rest) = match &pdb {
            Ok(pdb) => self.pdb(mapping, search, pdb, requests),
            Err(_) => (Vec::new(), requests.to_vec()),
        };
        if !named.is_empty() {
            let (requests, places): (Vec<&Request>, Vec<_>) = named.into_iter().unzip();
            let file = MappedFile { mapping, build_id, requests: &requests };
            self.record(file, places, NamedBy::Pdb, Refusal::NotFound);
        }
        if rest.is_empty() {
            return;
        }
        let none = vec![Vec::new(); rest.len()];
        let (places, refusal) = match (file, pdb) {
            (Ok(file), _) => {
                let content = file.read();
                let image = content
                    .as_deref()
                    .and_then(|it| PeImage::parse_within(it, &self.sources.files.unpacking));
                if image.is_none() {
                    self.done.damaged.push(format!("{}: the PE file cannot be read", file.shown()));
                }
                let addresses: Vec<FrameAddress> = rest.iter().map(|it| it.address).collect();
                let places = image.map_or(none, |image| image.places(&addresses));
                (places, Refusal::NoSymbols(file.shown()))
            }
            (Err(_), Ok(pdb)) => (none, Refusal::NoSymbols(pdb.shown())),
            (Err(Refusal::NotFound), Err(refusal)) | (Err(refusal), _) => (none, refusal),
        };
        self.record(
            MappedFile { mapping, build_id, requests: &rest },
            places,
            NamedBy::Pe,
            refusal,
        );
    }

    /// The requests that a PDB file has names for, with these, and the others.
    fn pdb<'r>(
        &mut self,
        mapping: &str,
        search: &Search<'_>,
        file: &SymbolFile,
        requests: &[&'r Request],
    ) -> (Vec<(&'r Request, Vec<Place>)>, Vec<&'r Request>) {
        let Some(mut pdb) = file.pdb() else {
            self.done.damaged.push(format!("{}: the PDB file cannot be read", file.shown()));
            return (Vec::new(), requests.to_vec());
        };
        let address = |it: &&Request| match it.address {
            FrameAddress::InElf(address) => u32::try_from(address).ok(),
            _ => None,
        };
        let addresses: Vec<Option<u32>> = requests.iter().map(address).collect();
        // `mscorlib.ni.dll`: what .NET compiled ahead of time, on the machine itself.
        let is_native_image = mapping.to_ascii_lowercase().contains(".ni.");
        let size = search.build_ids.iter().find_map(PeIdentity::image_size);
        let native_image = is_native_image.then_some(size.unwrap_or(0));
        let (mut named, mut rest) = (Vec::new(), Vec::new());
        for (request, place) in requests.iter().zip(pdb.places(&addresses, native_image)) {
            match place {
                Some(place) => named.push((*request, vec![place])),
                None => rest.push(*request),
            }
        }
        (named, rest)
    }

    /// An ELF file, with the methods of Java in it.
    fn elf(&mut self, file: MappedFile<'_>, contents: &[Vec<u8>], shown: &str, java: OatOutcome) {
        let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        let Some(mut image) = ElfImage::parse_within(&contents, &self.sources.files.unpacking)
        else {
            self.done.damaged.push(format!("{shown}: the ELF file cannot be read"));
            let none = vec![Vec::new(); file.requests.len()];
            return self.record(file, none, NamedBy::Elf, Refusal::NoSymbols(shown.to_owned()));
        };
        for problem in image.problems() {
            self.done.damaged.push(format!("{shown}: .gnu_debugdata is not used: {problem}"));
        }
        if let Some(problem) = java.error {
            self.done.damaged.push(format!("{shown}: its table of methods is not used: {problem}"));
        }
        image.add_methods(java.methods);
        let addresses: Vec<FrameAddress> = file.requests.iter().map(|it| it.address).collect();
        let is_offset = |it: &FrameAddress| matches!(it, FrameAddress::InFile(_));
        let refusal = if !image.has_code() && addresses.iter().any(is_offset) {
            Refusal::NoCode(shown.to_owned())
        } else if let Some(location) = java.missing {
            Refusal::NoDex(shown.to_owned(), location)
        } else {
            Refusal::NoSymbols(shown.to_owned())
        };
        self.record(file, image.places(&addresses), NamedBy::Elf, refusal);
    }

    /// Offsets in a package, which are mapped as they are stored: each is in one of its entries.
    fn in_package(&mut self, mapping: &str, package: &[u8], requests: &[&Request]) {
        let stored = package_entries::stored(package);
        let mut by_entry: FxHashMap<Option<usize>, Vec<(Request, &Request)>> = FxHashMap::default();
        for request in requests {
            let (FrameAddress::InFile(offset) | FrameAddress::InElf(offset)) = request.address
            else {
                continue;
            };
            let before = stored.partition_point(|(start, ..)| *start <= offset).checked_sub(1);
            let entry = before.and_then(|at| Some((at, stored.get(at)?)));
            let entry = entry.filter(|(_, (_, end, _))| offset < *end);
            let start = entry.map_or(0, |(_, (start, ..))| *start);
            let address = FrameAddress::InFile(offset - start);
            let inner = Request { address, ..**request };
            by_entry.entry(entry.map(|(at, _)| at)).or_default().push((inner, request));
        }
        let mut by_entry: Vec<_> = by_entry.into_iter().collect();
        by_entry.sort_by_key(|(entry, _)| *entry);
        for (entry, requests) in by_entry {
            let inner: Vec<&Request> = requests.iter().map(|(inner, _)| inner).collect();
            let stored = entry.and_then(|at| stored.get(at));
            let range =
                stored.and_then(|(start, end, _)| package.get(*start as usize..*end as usize));
            let shown =
                stored.map_or(mapping.to_owned(), |(.., name)| format!("{mapping}!/{name}"));
            match range {
                Some(content) if content.starts_with(b"\x7fELF") => {
                    let file = MappedFile { mapping: &shown, build_id: None, requests: &inner };
                    self.elf(file, &[content.to_owned()], &shown, OatOutcome::default());
                }
                Some(content) => self.dex(&shown, content, &inner),
                None => self.dex(&shown, &[], &inner),
            }
        }
    }

    /// Keeps the places of a file's frames and counts the frames without any, which `refusal` explains.
    fn record(
        &mut self,
        file: MappedFile<'_>,
        places: Vec<Vec<Place>>,
        by: NamedBy,
        refusal: Refusal,
    ) {
        let MappedFile { mapping, build_id, requests } = file;
        let (mut frames, mut count) = (0, 0);
        for (request, places) in requests.iter().zip(places) {
            if places.is_empty() {
                frames += 1;
                count += request.count;
            } else {
                *self.done.named_by.entry(by).or_default() += 1;
                self.places.insert(request.frame, places);
            }
        }
        if frames > 0 {
            let (mapping, build_id) = (mapping.to_owned(), build_id.cloned());
            self.done.missing.push(MissingFile { mapping, build_id, frames, count, refusal });
        }
    }
}

/// The bytes of Dalvik executables that a mapping is of as a whole.
fn dex_content(search: &Search<'_>) -> Option<Vec<u8>> {
    match search.name.entry {
        Some(entry) => {
            let content =
                package_entries::entry(&search.package()?.read()?, entry, &search.index.unpacking)?;
            content.starts_with(b"dex\n").then_some(content)
        }
        None => search.dex()?.read(),
    }
}

/// Original names of all frames that a mapping knows, those that have just been named included.
fn retrace_frames(
    timeline: &Timeline,
    sources: &Sources,
    places: &mut FxHashMap<u32, Vec<Place>>,
    done: &mut Symbolised,
) {
    for (number, frame) in (0..).zip(&timeline.code.samples.frames) {
        if frame.kind == FrameKind::Kernel {
            continue;
        }
        let now = match places.get(&number) {
            Some(named) => named.clone(),
            None => match frame.function {
                Some(function) => vec![Place {
                    function: timeline.names.get(function).to_owned(),
                    file: frame.file.map(|file| timeline.names.get(file).to_owned()),
                    line: frame.line,
                    ..Place::default()
                }],
                None => continue,
            },
        };
        let mut is_changed = false;
        let mut originals = Vec::new();
        for place in now {
            match renamed::original(&sources.mappings, &place) {
                Some(original) => {
                    is_changed = true;
                    done.renamed += 1;
                    done.ambiguous += u64::from(original.is_ambiguous);
                    originals.extend(original.places);
                }
                None => originals.push(place),
            }
        }
        if is_changed {
            places.insert(number, originals);
        }
    }
}

/// Functions as frames, the outermost first.
fn replacements(
    timeline: &mut Timeline,
    places: FxHashMap<u32, Vec<Place>>,
    done: &mut Symbolised,
) -> Replacements {
    let mut places: Vec<_> = places.into_iter().collect();
    // Names get their numbers in this order.
    places.sort_by_key(|(number, _)| *number);
    let mut replacements = Replacements::default();
    for (number, places) in places {
        let Some(old) = timeline.code.samples.frames.get(number as usize).copied() else {
            continue;
        };
        done.inlined += places.len() as u64 - u64::from(!places.is_empty());
        let outermost = places.len().saturating_sub(1);
        let frames = places.iter().enumerate().rev().map(|(index, place)| {
            frame(old, place, index < outermost || old.inlined, &mut timeline.names)
        });
        replacements.insert(number, frames.collect());
    }
    replacements
}

fn frame(old: Frame, place: &Place, inlined: bool, names: &mut Names) -> Frame {
    Frame {
        function: Some(names.intern(&place.function)),
        kind: place.kind.unwrap_or(old.kind),
        inlined,
        file: place.file.as_ref().map(|file| names.intern(file)),
        line: place.line,
        ..old
    }
}
