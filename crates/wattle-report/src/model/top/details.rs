//! Names of nodes, and the facts about them.

use std::collections::BTreeSet;

use wattle_ledger::{ComponentId, RuntimeClass};
use wattle_units::{Joules, Nanos};

use super::{EnergyForest, EnergyPaths, ForestColumn, ForestKind, ForestNode};
use crate::cells;
use crate::clean::clean;
use crate::model::ProcessRow;

/// More of one thing nobody reads.
const MOST: usize = 6;

/// A fact about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForestDetail {
    /// Its subject.
    pub what: &'static str,
    /// In words.
    pub text: String,
}

impl EnergyForest {
    /// Returns the name of a node, for people: without control characters.
    pub fn label(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> String {
        clean(&self.name(paths, node))
    }

    /// Returns the name of a node. It may hold control characters.
    pub fn name(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> String {
        match self.kind(node) {
            ForestKind::Process(at) => {
                let process = &paths.ledger.rows.processes[at as usize];
                match process.pid {
                    Some(pid) if !process.name.is_empty() => format!("{} ({pid})", process.name),
                    pid => ProcessRow::title_of(pid, &process.name).into_owned(),
                }
            }
            ForestKind::Thread(at) => {
                let thread = &paths.ledger.rows.threads[at as usize];
                format!("{} [{}]", cells::name(&thread.name), thread.tid)
            }
            ForestKind::Function(name) => cells::name(paths.name(name)),
            ForestKind::Others(at) => format!("<{}>", paths.others[at as usize].class),
        }
    }

    /// For each name of a function whether it has the text, in whatever case: what searches through thousands of nodes ask.
    pub fn names_with(paths: &EnergyPaths<'_>, text: &str) -> Vec<bool> {
        let text = text.to_lowercase();
        paths.names().iter().map(|name| name.to_lowercase().contains(&text)).collect()
    }

    /// Whether its label has the text; `names` are those of [`Self::names_with`].
    pub fn is_match(
        &self,
        paths: &EnergyPaths<'_>,
        node: ForestNode,
        text: &str,
        names: &[bool],
    ) -> bool {
        match self.kind(node) {
            ForestKind::Function(name) => names.get(name as usize) == Some(&true),
            _ => self.label(paths, node).to_lowercase().contains(&text.to_lowercase()),
        }
    }

    /// Returns the facts about a node: energies by component, place of its code, threads that ran it.
    pub fn details(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> Vec<ForestDetail> {
        let mut details = Vec::new();
        let mut say = |what: &'static str, text: String| {
            if !text.is_empty() {
                details.push(ForestDetail { what, text: clean(&text) });
            }
        };
        let figure = self.figure(paths, node);
        let total = format!("{}{}", cells::joules(figure), cells::bounds(figure, ""));
        say("total", format!("{total} {}", cells::provenance(figure)).trim().to_owned());
        if paths.has_energy() {
            say("self", Joules::new(self.own(paths, node, None)).to_string());
        }
        let components = (0..paths.components).map(|at| {
            let id = ComponentId(at as u16);
            let (own, total) = (self.own(paths, node, Some(id)), self.total(paths, node, Some(id)));
            (paths.ledger.rows.components[at].name.name(), own, total)
        });
        let drawn = components.filter(|(.., total)| *total != 0.0).map(|(name, own, total)| {
            format!("{name} {} (self {})", Joules::new(total), Joules::new(own))
        });
        say("components", drawn.collect::<Vec<_>>().join(", "));
        if let Some(seconds) = self.value(paths, node, ForestColumn::Cpu) {
            say("CPU time", cells::Seconds(Nanos::from_seconds(seconds)).to_string());
        }
        let positions: Vec<u32> = self.positions(node).collect();
        if let ForestKind::Function(_) = self.kind(node) {
            say("frame", listed(positions.iter().map(|at| frame(paths, *at))));
            say("file", listed(positions.iter().filter_map(|at| file(paths, *at))));
            say("mapping", listed(positions.iter().filter_map(|at| mapping(paths, *at))));
        }
        if let ForestKind::Process(at) = self.kind(node) {
            let process = &paths.ledger.rows.processes[at as usize];
            say("package", process.package.clone().unwrap_or_default());
            say("uid", process.uid.map(|uid| uid.to_string()).unwrap_or_default());
        }
        let classes = positions.iter().filter_map(|at| paths.tax.class_of(paths.path_at(*at)));
        say("runtime", listed(classes.map(RuntimeClass::title).map(str::to_owned)));
        say("threads", listed(positions.iter().map(|at| thread(paths, *at))));
        details
    }
}

/// Different texts, some of them.
fn listed(texts: impl Iterator<Item = String>) -> String {
    let texts: BTreeSet<String> = texts.collect();
    let more = texts.len().saturating_sub(MOST);
    let list = texts.into_iter().take(MOST).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

fn thread(paths: &EnergyPaths<'_>, at: u32) -> String {
    let thread = paths.ledger.rows.threads.get(paths.entry_at(at).thread as usize);
    thread.map(|it| format!("{} [{}]", cells::name(&it.name), it.tid)).unwrap_or_default()
}

fn frame(paths: &EnergyPaths<'_>, at: u32) -> String {
    let entry = paths.entry_at(at);
    if let Some(frame) = entry.frame.and_then(|frame| paths.ledger.rows.frames.get(frame as usize))
    {
        let inlined = if frame.inlined { ", inlined" } else { "" };
        return format!("sampled, {}{inlined}", frame.class.name());
    }
    let site = entry.site.and_then(|site| paths.ledger.rows.sites.get(site as usize));
    match site {
        Some(site) => {
            format!("{}.{}{}", site.class, site.method, site.descriptor.as_deref().unwrap_or(""))
        }
        None => "recorded from entry to exit".to_owned(),
    }
}

fn file(paths: &EnergyPaths<'_>, at: u32) -> Option<String> {
    let entry = paths.entry_at(at);
    let frame = entry.frame.and_then(|frame| paths.ledger.rows.frames.get(frame as usize));
    let site = entry.site.and_then(|site| paths.ledger.rows.sites.get(site as usize));
    let (file, line) = match (frame, site) {
        (Some(frame), _) => (frame.file.as_deref()?, frame.line),
        (None, Some(site)) => (site.file.as_deref()?, site.line),
        (None, None) => return None,
    };
    Some(line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

fn mapping(paths: &EnergyPaths<'_>, at: u32) -> Option<String> {
    let frame = paths.entry_at(at).frame?;
    paths.ledger.rows.frames.get(frame as usize)?.mapping.clone()
}
