//! The probe map: what each probe's number means (`docs/instrument.md`).

use std::collections::BTreeMap;
use std::io::Read;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use wattle_timeline::{
    ArtifactQuality, CodeSite, CodeSites, InlinedPlace, Invocation, Names, Note, Severity, SiteId,
    SiteKind, SliceOrigin, TimelineBuilder,
};

use super::map_id::ShortId;
use super::probe_formats::MAP;
use wattle_import::text::Lines;

/// Text in the first line of every map, whatever the order of its keys.
pub(super) const SIGNATURE: &[u8] = b"\"wattle_probe_map\"";
/// The longest line that is read: one class. The largest real ones have a few megabytes.
const LONGEST: usize = 64 << 20;
/// Probes of one map that are kept; ids end here anyway.
const MAX_PROBES: usize = 1 << 24;
/// Lines with calls between methods of the app that are kept of one map.
const MAX_INVOCATIONS: usize = 1 << 24;

/// Meaning of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// `com.foo.Bar.baz`; with its descriptor where the map has two of that name.
    pub name: Box<str>,
    pub origin: SliceOrigin,
    /// Its place among those of the map.
    site: usize,
}

/// One map.
#[derive(Debug, Default)]
pub(crate) struct ProbeMap {
    /// The app's package.
    pub package: Option<String>,
    meanings: FxHashMap<u32, Meaning>,
    /// All methods and calls, numbered from the map's first, without what they call.
    code: CodeSites,
    /// Calls of methods by each other: the caller's place, the callee's number, the line.
    invokes: Vec<(SiteId, u32, u32)>,
    /// Index of the first of the places in the timeline.
    first: Option<usize>,
}

impl ProbeMap {
    pub fn meaning(&self, id: u32) -> Option<&Meaning> {
        self.meanings.get(&id)
    }

    /// The place of what a probe stands for, once the timeline has it: see [`ProbeMaps::tell`].
    pub fn site(&self, meaning: &Meaning) -> Option<SiteId> {
        SiteId::new(self.first?.checked_add(meaning.site)?)
    }

    fn invocations(&self) -> Vec<Invocation> {
        let callee = |id: u32| self.meanings.get(&id).and_then(|it| SiteId::new(it.site));
        let of = |(caller, id, line): &(SiteId, u32, u32)| {
            Some(Invocation { caller: *caller, callee: callee(*id)?, line: *line })
        };
        self.invokes.iter().filter_map(of).collect()
    }
}

/// All maps of a recording, by their short ids.
#[derive(Debug, Default)]
pub(crate) struct ProbeMaps {
    maps: BTreeMap<ShortId, ProbeMap>,
}

impl ProbeMaps {
    pub fn get(&self, id: ShortId) -> Option<&ProbeMap> {
        self.maps.get(&id)
    }

    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// Gives the places of all maps to the timeline, whether anything ran there or not.
    pub fn apply(&mut self, builder: &mut TimelineBuilder) {
        for map in self.maps.values_mut() {
            map.code.invocations = map.invocations();
            map.first = builder.code().code_map(&map.code);
            map.code = CodeSites::default();
            map.invokes = Vec::new();
        }
    }

    /// The short ids that are there, as text.
    pub fn ids(&self) -> String {
        self.maps.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "wattle_probe_map")]
    version: u32,
    #[serde(default)]
    package: Option<String>,
}

#[derive(Deserialize)]
struct Class {
    #[serde(rename = "class")]
    name: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    methods: Vec<Method>,
}

#[derive(Deserialize)]
struct Method {
    #[serde(default)]
    id: Option<u32>,
    name: String,
    #[serde(default)]
    descriptor: String,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    invokes: Vec<Invoke>,
}

#[derive(Deserialize)]
struct Call {
    id: u32,
    class: String,
    name: String,
    #[serde(default)]
    descriptor: String,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    inlined: Vec<Inlined>,
}

/// A method that a shrinker put in the place of its call.
#[derive(Deserialize)]
struct Inlined {
    class: String,
    name: String,
    #[serde(default)]
    line: Option<u32>,
}

/// Another method with probes that a method calls, by its number.
#[derive(Deserialize)]
struct Invoke {
    id: u32,
    #[serde(default)]
    lines: Vec<u32>,
}

/// Digests what passes through.
struct Digested<R>(R, Sha256);

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(into)?;
        self.1.update(into.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// Reads a map and puts it beside the others.
pub(super) fn read(
    name: &str,
    input: impl Read,
    names: &mut Names,
    maps: &mut ProbeMaps,
) -> ArtifactQuality {
    let mut digested = Digested(input, Sha256::new());
    let mut quality = MAP.quality(name);
    let mut map = ProbeMap::default();
    let mut lines = Lines::new(&mut digested, LONGEST);
    let mut damaged: Option<(u64, String, u64)> = None;
    while let Some(line) = lines.next_line() {
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        quality.records += 1;
        let read = if quality.records == 1 {
            header(line.bytes, &mut map)
        } else {
            class(line.bytes, names, &mut map)
        };
        if let Err(reason) = read {
            damaged.get_or_insert((line.offset, reason, 0)).2 += 1;
        }
    }
    quality.bytes = lines.offset();
    if let Some((offset, reason, count)) = damaged {
        let text = format!("lines that are no part of a probe map ({reason}): not used");
        let note = Note::new(Severity::Error, "probe-map-damaged", text);
        quality.notes.push(note.at(offset).times(count));
    }
    quality.events.insert("probe".to_owned(), map.meanings.len() as u64);
    if let Some(id) = ShortId::from_id(&digested.1.finalize()) {
        maps.maps.insert(id, map);
    }
    quality
}

fn header(line: &[u8], map: &mut ProbeMap) -> Result<(), String> {
    let header: Header = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    map.package = header.package;
    match header.version {
        1 => Ok(()),
        version => Err(format!("version 1 expected, {version} found")),
    }
}

fn class(line: &[u8], names: &mut Names, map: &mut ProbeMap) -> Result<(), String> {
    let class: Class = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let mut named = FxHashMap::<&str, u32>::default();
    for method in &class.methods {
        *named.entry(&method.name).or_default() += 1;
    }
    let class_name = names.intern(&class.name);
    let file = class.source.as_deref().map(|source| names.intern(source));
    for method in &class.methods {
        let is_overloaded = named.get(method.name.as_str()).is_some_and(|count| *count > 1);
        let descriptor = if is_overloaded { method.descriptor.as_str() } else { "" };
        let within = map.add(CodeSite {
            kind: SiteKind::Method,
            class: class_name,
            method: names.intern(&method.name),
            descriptor: Some(names.intern(&method.descriptor)),
            file,
            line: method.line,
            within: None,
        });
        let Some(site) = within else { continue };
        if let Some(id) = method.id {
            let name = format!("{}.{}{descriptor}", class.name, method.name);
            map.insert(id, name, SliceOrigin::ProbedMethod, site);
        }
        for call in &method.calls {
            let name = format!("{}.{}", call.class, call.name);
            let site = map.add(CodeSite {
                kind: SiteKind::Call,
                class: names.intern(&call.class),
                method: names.intern(&call.name),
                descriptor: Some(names.intern(&call.descriptor)),
                file,
                line: call.line,
                within,
            });
            let Some(site) = site else { continue };
            map.insert(call.id, name, SliceOrigin::ProbedCall, site);
            let room = MAX_PROBES.saturating_sub(map.code.inlined.len());
            map.code.inlined.extend(call.inlined.iter().take(room).map(|it| InlinedPlace {
                site,
                class: names.intern(&it.class),
                method: names.intern(&it.name),
                line: it.line,
            }));
        }
        for invoke in &method.invokes {
            let room = MAX_INVOCATIONS.saturating_sub(map.invokes.len());
            let lines = invoke.lines.iter().take(room);
            map.invokes.extend(lines.map(|line| (site, invoke.id, *line)));
        }
    }
    Ok(())
}

impl ProbeMap {
    /// Keeps a place. Its number; `None` where there is no room.
    fn add(&mut self, site: CodeSite) -> Option<SiteId> {
        let id = SiteId::new(self.code.sites.len()).filter(|id| id.index() < MAX_PROBES)?;
        self.code.sites.push(site);
        Some(id)
    }

    fn insert(&mut self, id: u32, name: String, origin: SliceOrigin, site: SiteId) {
        if self.meanings.len() < MAX_PROBES {
            let site = site.index();
            self.meanings.insert(id, Meaning { name: name.into(), origin, site });
        }
    }
}
