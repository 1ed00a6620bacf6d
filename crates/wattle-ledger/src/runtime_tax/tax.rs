//! The class of every call path.

use std::collections::HashMap;

use super::function_name::qualified;
use super::rule_index::RuleIndex;
use super::runtime_rule::is_static_initializer;
use super::{RuntimeClass, RuntimeRule, RuntimeRuleKind};
use crate::{FrameClass, Ledger, PathEntry, PathId};

/// The marks that a name gives to a path.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// Bits of classes that it starts.
    starts: u8,
    /// Bits of classes that it ends.
    ends: u8,
}

/// Which call path is of which class of the runtime tax.
///
/// A path is of every class that a rule gives to it, to one of its callers or to its thread; the strongest of these
/// ([`RuntimeClass::ALL`]) is the one. So a collection inside the app's start is garbage collection, verifying for the
/// compiler is compilation, and the app's start is what is nothing else. A static initializer (`<clinit>`) ends class
/// loading: what it does is the app's own code, though a class is loaded for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeTax {
    classes: Vec<Option<RuntimeClass>>,
    evidence: Vec<RuntimeEvidence>,
}

/// Evidence about the runtime in a process's call paths. Without any of it only ART's own threads are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuntimeEvidence {
    /// There are calls that were recorded from entry to exit: trace sections, probes, method traces.
    pub calls: bool,
    /// There are frames of sampled stacks.
    pub samples: bool,
}

impl RuntimeEvidence {
    /// Whether anything but threads' names is known.
    pub fn is_some(self) -> bool {
        self.calls || self.samples
    }
}

impl RuntimeTax {
    /// Classes of a ledger's paths.
    pub fn from_ledger(ledger: &Ledger) -> Self {
        let mut by_name: HashMap<&str, Marks> = HashMap::new();
        let threads: Vec<u8> =
            ledger.rows.threads.iter().map(|thread| of_thread(&thread.name)).collect();
        let mut evidence = vec![RuntimeEvidence::default(); ledger.rows.processes.len()];
        let mut sets: Vec<u8> = Vec::with_capacity(ledger.rows.paths.len());
        for (at, path) in ledger.rows.paths.iter().enumerate() {
            // Callers come first; a ledger that says otherwise may come from anywhere, and such a link is none.
            let caller = path.caller.map(|caller| caller.0 as usize).filter(|caller| *caller < at);
            let caller = caller.filter(|caller| ledger.rows.paths[*caller].thread == path.thread);
            let of_thread = threads.get(path.thread as usize).copied().unwrap_or(0);
            let around = caller.map_or(of_thread, |caller| sets[caller]);
            let name = name(ledger, path);
            let marks = *by_name.entry(name).or_insert_with(|| of_name(name));
            // A thread of the runtime has nothing else to do.
            sets.push((around & !(marks.ends & !of_thread)) | marks.starts);
            if let Some(evidence) = evidence_of(ledger, path, &mut evidence) {
                evidence.calls |= path.frame.is_none() && !path.name.is_empty();
                evidence.samples |= path.frame.is_some_and(|frame| is_code(ledger, frame));
            }
        }
        Self { classes: sets.into_iter().map(RuntimeClass::strongest).collect(), evidence }
    }

    /// The class of a path; `None` for what the app did itself.
    pub fn class_of(&self, path: PathId) -> Option<RuntimeClass> {
        self.classes.get(path.0 as usize).copied().flatten()
    }

    /// By path.
    pub fn classes(&self) -> &[Option<RuntimeClass>] {
        &self.classes
    }

    /// Evidence of a process, by its index in [`crate::LedgerRows::processes`].
    pub fn evidence(&self, process: u32) -> RuntimeEvidence {
        self.evidence.get(process as usize).copied().unwrap_or_default()
    }
}

/// The facts of a path that rules look at.
fn name<'l>(ledger: &'l Ledger, path: &'l PathEntry) -> &'l str {
    let frame = path.frame.and_then(|frame| ledger.rows.frames.get(frame as usize));
    frame.and_then(|frame| frame.function.as_deref()).unwrap_or(&path.name)
}

/// Whether the frame tells where the thread was.
fn is_code(ledger: &Ledger, frame: u32) -> bool {
    let class = ledger.rows.frames.get(frame as usize).map(|frame| frame.class);
    !matches!(class, None | Some(FrameClass::Truncated | FrameClass::Unsampled))
}

fn evidence_of<'e>(
    ledger: &Ledger,
    path: &PathEntry,
    evidence: &'e mut [RuntimeEvidence],
) -> Option<&'e mut RuntimeEvidence> {
    evidence.get_mut(ledger.rows.threads.get(path.thread as usize)?.process as usize)
}

fn of_thread(name: &str) -> u8 {
    let rules = RuntimeRule::all().iter();
    rules
        .filter(|rule| rule.kind == RuntimeRuleKind::Thread && rule.matches(name))
        .fold(0, |set, rule| set | rule.class.bit())
}

/// Sections and functions share a ledger's names (method traces write functions as calls), and their rules do not overlap.
fn of_name(name: &str) -> Marks {
    if name.is_empty() {
        return Marks::default();
    }
    let function = qualified(name);
    let sections = RuleIndex::sections().candidates(name);
    let functions = RuleIndex::functions().candidates(function);
    let starts = sections
        .chain(functions)
        .filter(|rule| rule.matches_as(name, function))
        .fold(0, |set, rule| set | rule.class.bit());
    let ends = if is_static_initializer(function) { RuntimeClass::ClassLoading.bit() } else { 0 };
    Marks { starts, ends }
}
