//! Places in code while they are being read, and the names that slices of them begin with.

use rustc_hash::{FxHashMap, FxHashSet};

use super::TimelineBuilder;
use crate::{CodeSite, CodeSites, InlinedPlace, Invocation, NameId, Names, SiteId, SiteKind};

/// What a slice that probes make is called and where it is: see [`TimelineBuilder::probed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProbedName(pub(super) u32);

/// All that probes' slices are called, each pair of name and place once. A slice's event has room for one number.
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

/// What a log tells of a place: a method's class and name, or those of a call with its line and the method it stands in.
type Told = (NameId, NameId, Option<(SiteId, u32)>);

#[derive(Debug, Default)]
pub(crate) struct CodeLog {
    code: CodeSites,
    /// Places that were told one by one.
    known: FxHashMap<CodeSite, SiteId>,
    invocations: FxHashSet<Invocation>,
    /// Places of maps by what a log tells of them; `None` where there are several. Made when it is first asked for.
    of_maps: Option<FxHashMap<Told, Option<SiteId>>>,
}

impl CodeLog {
    pub fn finish(mut self) -> CodeSites {
        self.code.invocations.extend(self.invocations);
        self.code.invocations.sort_unstable();
        self.code.invocations.dedup();
        self.code
    }
}

impl TimelineBuilder {
    /// The places of one probe map, numbered from its first. The place of that one among all; `None` where there is no room for
    /// them.
    pub fn code_map(&mut self, map: &CodeSites) -> Option<usize> {
        let CodeLog { code, of_maps, .. } = &mut self.code;
        let first = code.sites.len();
        SiteId::new(first.checked_add(map.sites.len())?)?;
        let moved = |site: SiteId| SiteId::new(first.checked_add(site.index())?);
        code.sites.extend(
            map.sites.iter().map(|site| CodeSite { within: site.within.and_then(moved), ..*site }),
        );
        code.invocations.extend(map.invocations.iter().filter_map(|it| {
            let (caller, callee) = (moved(it.caller)?, moved(it.callee)?);
            Some(Invocation { caller, callee, ..*it })
        }));
        let inlined = map.inlined.iter();
        code.inlined
            .extend(inlined.filter_map(|it| Some(InlinedPlace { site: moved(it.site)?, ..*it })));
        *of_maps = None;
        Some(first)
    }

    /// A place that a log names. One that one probe map has under that name, and only once, is the map's.
    pub fn code_site(&mut self, site: CodeSite) -> Option<SiteId> {
        let CodeLog { code, known, of_maps, .. } = &mut self.code;
        if let Some(site) = known.get(&site) {
            return Some(*site);
        }
        let names = &mut self.names;
        let of_maps = of_maps.get_or_insert_with(|| places_of_maps(code, names));
        let mapped = told(&site).and_then(|told| of_maps.get(&told).copied().flatten());
        let id = if let Some(mapped) = mapped {
            mapped
        } else {
            let id = SiteId::new(code.sites.len())?;
            code.sites.push(site);
            id
        };
        known.insert(site, id);
        Some(id)
    }

    /// A method that a method trace names. One that a probe map has is the map's.
    pub fn traced_site(&mut self, site: CodeSite) -> Option<SiteId> {
        let next = self.code.code.sites.len();
        let id = self.code_site(site)?;
        if id.index() == next {
            self.code.code.traced.push(id);
        }
        Some(id)
    }

    /// A log says from which line a method calls another one.
    pub fn invocation(&mut self, invocation: Invocation) {
        self.code.invocations.insert(invocation);
    }

    /// What slices of a place are called when probes make them: for [`Self::probe_begin`].
    pub fn probed(&mut self, name: NameId, site: Option<SiteId>) -> ProbedName {
        self.slices.probed(name, site)
    }
}

fn told(site: &CodeSite) -> Option<Told> {
    let stands = match site.kind {
        SiteKind::Method => None,
        SiteKind::Call => Some((site.within?, site.line?)),
    };
    Some((site.class, site.method, stands))
}

/// Orka names the classes of methods without their packages.
fn places_of_maps(code: &CodeSites, names: &mut Names) -> FxHashMap<Told, Option<SiteId>> {
    let mut found = FxHashMap::default();
    for (index, site) in code.sites.iter().enumerate() {
        let Some((class, method, stands)) = told(site).filter(|_| site.descriptor.is_some()) else {
            continue;
        };
        let mut add = |class| {
            let id = SiteId::new(index);
            found.entry((class, method, stands)).and_modify(|it| *it = None).or_insert(id);
        };
        add(class);
        let simple = names.get(class).rsplit_once('.').map(|(_, simple)| simple.to_owned());
        if let (None, Some(simple)) = (stands, simple) {
            add(names.intern(&simple));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

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
        assert_eq!(builder.code_map(&whole), Some(0));
        let part = CodeSites { sites: map[..2].to_vec(), inlined: vec![inlined], ..whole };
        assert_eq!(builder.code_map(&CodeSites { invocations: Vec::new(), ..part }), Some(4));
        // Two maps have the method: which is meant is not known. Nor which of two of one name.
        assert_eq!(builder.code_site(method(1, 2, None)), Some(id(6)));
        assert_eq!(builder.code_site(method(1, 3, None)), Some(id(7)));
        assert_eq!(builder.code_site(method(1, 2, None)), Some(id(6)));
        let timeline = builder.finish();
        let within: Vec<_> = timeline.code.sites.iter().map(|site| site.within).collect();
        assert_eq!(within[..6], [None, Some(id(0)), None, None, None, Some(id(4))]);
        assert_eq!(timeline.code.lines(id(0), id(2)).collect::<Vec<_>>(), [4]);
        let places: Vec<_> = timeline.code.inlined.iter().map(|it| it.site).collect();
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
        builder.code_map(&CodeSites { sites: map.to_vec(), ..CodeSites::default() });
        let mut check = |site, expected| assert_eq!(builder.code_site(site), Some(id(expected)));
        check(method(full, run, None), 0);
        check(method(simple, run, None), 0);
        check(method(full, other, None), 4);
        check(call(7, None), 1);
        // Two calls of one line, and one that the map has not.
        check(call(8, None), 5);
        check(call(9, None), 6);
        let mut traced = |site| builder.traced_site(site).map(SiteId::index);
        assert_eq!(traced(method(full, run, Some(5))), Some(0));
        let helper = method(full, other, Some(5));
        assert_eq!((traced(helper), traced(helper)), (Some(7), Some(7)));
        assert_eq!(builder.finish().code.traced, [id(7)]);
    }
}
