//! Places in code while a recording is read, and the names that slices of them begin with.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{CodeSite, CodeSites, InlinedPlace, Invocation, NameId, Names, SiteId, SiteKind};

/// Name and place of a slice that probes make: see [`super::CodeBuilder::probed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProbedName(pub(super) u32);

/// Names of probes' slices, each pair of name and place once. A slice's event has room for one number.
#[derive(Debug, Default)]
pub(crate) struct ProbedNames {
    pairs: Vec<(NameId, Option<SiteId>)>,
    index: FxHashMap<(NameId, Option<SiteId>), u32>,
}

impl ProbedNames {
    pub fn intern(&mut self, name: NameId, site: Option<SiteId>) -> ProbedName {
        let next = self.pairs.len() as u32;
        let number = *self.index.entry((name, site)).or_insert(next);
        if number == next {
            self.pairs.push((name, site));
        }
        ProbedName(number)
    }

    pub fn get(&self, number: u32) -> (NameId, Option<SiteId>) {
        self.pairs.get(number as usize).copied().unwrap_or_default()
    }
}

/// The facts that a log contains of a place: class and name of a method, or those of a call with its line and the method around it.
type LogKey = (NameId, NameId, Option<(SiteId, u32)>);

#[derive(Debug, Default)]
pub(crate) struct SiteLog {
    code: CodeSites,
    /// Places that logs named.
    known: FxHashMap<CodeSite, SiteId>,
    invocations: FxHashSet<Invocation>,
    /// Places of maps by what a log contains of them; `None` where there are several. Made on first use.
    of_maps: Option<FxHashMap<LogKey, Option<SiteId>>>,
}

impl SiteLog {
    /// Adds the places of one probe map. The result is the number that its first place has among all; `None` where there is no
    /// room for them.
    pub fn add_map(&mut self, map: &CodeSites) -> Option<usize> {
        let first = self.code.sites.len();
        SiteId::new(first.checked_add(map.sites.len())?)?;
        let moved = |site: SiteId| SiteId::new(first.checked_add(site.index())?);
        self.code.sites.extend(
            map.sites.iter().map(|site| CodeSite { within: site.within.and_then(moved), ..*site }),
        );
        self.code.invocations.extend(map.invocations.iter().filter_map(|it| {
            let (caller, callee) = (moved(it.caller)?, moved(it.callee)?);
            Some(Invocation { caller, callee, ..*it })
        }));
        let inlined = map.inlined.iter();
        self.code
            .inlined
            .extend(inlined.filter_map(|it| Some(InlinedPlace { site: moved(it.site)?, ..*it })));
        self.of_maps = None;
        Some(first)
    }

    /// A place named by a log. One that exactly one place of the probe maps has the name of is that place.
    pub fn intern(&mut self, site: CodeSite, names: &mut Names) -> Option<SiteId> {
        if let Some(site) = self.known.get(&site) {
            return Some(*site);
        }
        let code = &mut self.code;
        let of_maps = self.of_maps.get_or_insert_with(|| places_of_maps(code, names));
        let mapped = log_key(&site).and_then(|key| of_maps.get(&key).copied().flatten());
        let id = if let Some(mapped) = mapped {
            mapped
        } else {
            let id = SiteId::new(code.sites.len())?;
            code.sites.push(site);
            id
        };
        self.known.insert(site, id);
        Some(id)
    }

    /// A method named by a method trace. One that a probe map has is the map's.
    pub fn intern_traced(&mut self, site: CodeSite, names: &mut Names) -> Option<SiteId> {
        let next = self.code.sites.len();
        let id = self.intern(site, names)?;
        if id.index() == next {
            self.code.traced.push(id);
        }
        Some(id)
    }

    /// A log names the line on which a method calls another one.
    pub fn invocation(&mut self, invocation: Invocation) {
        self.invocations.insert(invocation);
    }

    pub fn finish(mut self) -> CodeSites {
        self.code.invocations.extend(self.invocations);
        self.code.invocations.sort_unstable();
        self.code.invocations.dedup();
        self.code
    }
}

fn log_key(site: &CodeSite) -> Option<LogKey> {
    let place = match site.kind {
        SiteKind::Method => None,
        SiteKind::Call => Some((site.within?, site.line?)),
    };
    Some((site.class, site.method, place))
}

/// Orka names the classes of methods without their packages.
fn places_of_maps(code: &CodeSites, names: &mut Names) -> FxHashMap<LogKey, Option<SiteId>> {
    let mut found = FxHashMap::default();
    for (index, site) in code.sites.iter().enumerate() {
        let Some((class, method, place)) = log_key(site).filter(|_| site.descriptor.is_some())
        else {
            continue;
        };
        let mut add = |class| {
            let id = SiteId::new(index);
            found.entry((class, method, place)).and_modify(|it| *it = None).or_insert(id);
        };
        add(class);
        let simple = names.get(class).rsplit_once('.').map(|(_, simple)| simple.to_owned());
        if let (None, Some(simple)) = (place, simple) {
            add(names.intern(&simple));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::TimelineBuilder;

    fn method(class: u32, method: u32, descriptor: Option<u32>) -> CodeSite {
        CodeSite {
            kind: SiteKind::Method,
            class: NameId(class),
            method: NameId(method),
            descriptor: descriptor.map(NameId),
            file: None,
            line: None,
            within: None,
        }
    }

    fn id(index: usize) -> SiteId {
        SiteId::new(index).unwrap()
    }

    #[test]
    fn places_of_several_maps_and_of_logs() {
        let mut builder = TimelineBuilder::new();
        let call = CodeSite {
            kind: SiteKind::Call,
            within: Some(id(0)),
            line: Some(7),
            ..method(8, 9, Some(5))
        };
        let map = [method(1, 2, Some(5)), call, method(1, 3, Some(5)), method(1, 3, Some(6))];
        let calls = Invocation { caller: id(0), callee: id(2), line: 4 };
        let inlined =
            InlinedPlace { site: id(1), class: NameId(1), method: NameId(2), line: Some(6) };
        let whole = CodeSites {
            sites: map.to_vec(),
            invocations: vec![calls],
            inlined: vec![inlined],
            traced: Vec::new(),
        };
        assert_eq!(builder.code().code_map(&whole), Some(0));
        let part = CodeSites { sites: map[..2].to_vec(), inlined: vec![inlined], ..whole };
        assert_eq!(
            builder.code().code_map(&CodeSites { invocations: Vec::new(), ..part }),
            Some(4)
        );
        // Two maps have the method: which is meant is not known. Nor which of two of one name.
        assert_eq!(builder.code().code_site(method(1, 2, None)), Some(id(6)));
        assert_eq!(builder.code().code_site(method(1, 3, None)), Some(id(7)));
        assert_eq!(builder.code().code_site(method(1, 2, None)), Some(id(6)));
        let timeline = builder.finish();
        let within: Vec<_> = timeline.code.sites.sites.iter().map(|site| site.within).collect();
        assert_eq!(within[..6], [None, Some(id(0)), None, None, None, Some(id(4))]);
        assert_eq!(timeline.code.sites.lines(id(0), id(2)).collect::<Vec<_>>(), [4]);
        let places: Vec<_> = timeline.code.sites.inlined.iter().map(|it| it.site).collect();
        assert_eq!(places, [id(1), id(5)]);
    }

    #[test]
    fn what_a_map_has_once_is_the_maps() {
        let mut builder = TimelineBuilder::new();
        let mut name = |text| builder.names.intern(text).0;
        let (full, simple, run, other) = (name("a.Main"), name("Main"), name("run"), name("other"));
        let (api, go) = (name("b.Api"), name("go"));
        let call = |line, descriptor| CodeSite {
            kind: SiteKind::Call,
            within: Some(id(0)),
            line: Some(line),
            ..method(api, go, descriptor)
        };
        let map =
            [method(full, run, Some(5)), call(7, Some(5)), call(8, Some(5)), call(8, Some(6))];
        builder.code().code_map(&CodeSites { sites: map.to_vec(), ..CodeSites::default() });
        let mut check =
            |site, expected| assert_eq!(builder.code().code_site(site), Some(id(expected)));
        check(method(full, run, None), 0);
        check(method(simple, run, None), 0);
        check(method(full, other, None), 4);
        check(call(7, None), 1);
        // Two calls of one line, and one that the map has not.
        check(call(8, None), 5);
        check(call(9, None), 6);
        let mut traced = |site| builder.code().traced_site(site).map(SiteId::index);
        assert_eq!(traced(method(full, run, Some(5))), Some(0));
        let helper = method(full, other, Some(5));
        assert_eq!((traced(helper), traced(helper)), (Some(7), Some(7)));
        assert_eq!(builder.finish().code.sites.traced, [id(7)]);
    }
}
