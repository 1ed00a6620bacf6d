//! Places in the app's code in a ledger: those of its call paths, and how much of the probed code ran.

use std::collections::BTreeMap;

use wattle_timeline::{CodeSite, NameId, SiteId, SiteKind, ThreadId, Timeline};

use crate::attribution::call_paths::{CallTrees, FrameTable, Node};
use crate::{CoverageEntry, InlinedEntry, Ledger, SiteEntry};

/// Which places have rows, and their numbers there.
#[derive(Debug)]
pub(crate) struct Sites {
    rows: BTreeMap<SiteId, u32>,
}

impl Sites {
    /// The places of the nodes, and the methods that such calls stand in, in the order of the timeline.
    pub(crate) fn new<'a>(timeline: &Timeline, nodes: impl Iterator<Item = &'a Node>) -> Self {
        let mut rows = BTreeMap::new();
        for site in nodes.filter_map(|node| node.site) {
            let Some(facts) = timeline.code.sites.get(site) else { continue };
            if rows.insert(site, 0).is_none()
                && let Some(within) = method_around(timeline, facts)
            {
                rows.insert(within, 0);
            }
        }
        for (number, row) in (0..).zip(rows.values_mut()) {
            *row = number;
        }
        Self { rows }
    }

    /// The row of a place.
    pub(crate) fn row(&self, site: Option<SiteId>) -> Option<u32> {
        self.rows.get(&site?).copied()
    }

    /// Writes the places.
    pub(crate) fn fill(&self, timeline: &Timeline, ledger: &mut Ledger) {
        let text = |name| timeline.names.get(name).to_owned();
        let known = self.rows.keys().filter_map(|site| timeline.code.sites.get(*site));
        ledger.rows.sites.extend(known.map(|site| SiteEntry {
            kind: site.kind,
            class: text(site.class),
            method: text(site.method),
            descriptor: site.descriptor.map(text),
            file: site.file.map(text),
            line: site.line,
            within: self.row(method_around(timeline, site)),
            api: None,
        }));
        let inlined = self.rows.iter().flat_map(|(site, row)| {
            let around = timeline.code.sites.inlined(*site);
            around.map(move |it| InlinedEntry {
                site: *row,
                class: text(it.class),
                method: text(it.method),
                line: it.line,
            })
        });
        ledger.rows.inlined.extend(inlined);
    }
}

/// The lines of a caller from which a callee can have been called.
pub(crate) fn lines_from(
    timeline: &Timeline,
    frames: &FrameTable,
    caller: &Node,
    callee: &Node,
) -> Vec<u32> {
    if let (Some(_), Some(caller)) = (callee.frame, caller.frame) {
        return frames.line(caller).into_iter().collect();
    }
    let Some(site) = callee.site else { return Vec::new() };
    match (timeline.code.sites.get(site), caller.site) {
        (Some(CodeSite { kind: SiteKind::Call, line, .. }), _) => line.iter().copied().collect(),
        (Some(_), Some(caller)) => timeline.code.sites.lines(caller, site).collect(),
        _ => Vec::new(),
    }
}

/// The method that a call stands in.
fn method_around(timeline: &Timeline, site: &CodeSite) -> Option<SiteId> {
    let within = site.within.filter(|_| site.kind == SiteKind::Call)?;
    let facts = timeline.code.sites.get(within)?;
    (facts.kind == SiteKind::Method).then_some(within)
}

/// Number of listed methods of probe maps that ran inside the window, by class in order of names. A method of a log without its
/// map, or of a method trace, is in no list of what could have run.
pub(crate) fn coverage(timeline: &Timeline, calls: &CallTrees) -> Vec<CoverageEntry> {
    let sites = &timeline.code.sites.sites;
    if sites.is_empty() {
        return Vec::new();
    }
    let mut has_run = vec![false; sites.len()];
    let threads = (0..timeline.tasks.threads.len() as u32).map(ThreadId);
    for node in threads.flat_map(|thread| calls.nodes(thread)).filter(|node| node.is_inside()) {
        let Some(site) = node.site else { continue };
        let around = timeline.code.sites.get(site).and_then(|facts| method_around(timeline, facts));
        for site in [Some(site), around].into_iter().flatten() {
            if let Some(has_run) = has_run.get_mut(site.index()) {
                *has_run = true;
            }
        }
    }
    let mut by_class: BTreeMap<NameId, (u64, u64)> = BTreeMap::new();
    for (index, (site, has_run)) in sites.iter().zip(has_run).enumerate() {
        let is_listed = SiteId::new(index)
            .is_none_or(|site| timeline.code.sites.traced.binary_search(&site).is_err());
        if is_listed && site.kind == SiteKind::Method && site.descriptor.is_some() {
            let (methods, executed) = by_class.entry(site.class).or_default();
            *methods += 1;
            *executed += u64::from(has_run);
        }
    }
    let mut entries: Vec<_> = by_class
        .into_iter()
        .map(|(class, (methods, executed))| CoverageEntry {
            class: timeline.names.get(class).to_owned(),
            methods,
            executed,
        })
        .collect();
    entries.sort_by(|one, other| one.class.cmp(&other.class));
    entries
}
