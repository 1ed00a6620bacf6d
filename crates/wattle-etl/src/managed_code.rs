//! Which method of .NET lay at which address of which process, and when.
//!
//! The runtime says where it puts a method when it compiles or loads it, and lists what is there when recording begins or ends. Addresses
//! are looked up when all was read, because the list may come last. Memory of methods that were unloaded is used again.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::clr_event::{Change, ClrEvent, MethodFacts, ModuleFacts};

/// Methods and modules that are kept.
const MAX_KEPT: usize = 1 << 22;

/// Bytes of names that are kept.
const MAX_TEXT: usize = 1 << 30;

/// Addresses at which a method began that are looked at for one address, the nearest first. Methods that are there at the same time do not
/// overlap, so all but one are of other times.
const LOOKED_AT: usize = 64;

/// A stretch of the text of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TextRange {
    start: usize,
    end: usize,
}

/// The stretch of time, in ticks, in which something was at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Life {
    from: i64,
    until: i64,
}

impl Life {
    fn contains(self, time: i64) -> bool {
        self.from <= time && time < self.until
    }

    /// The life of something that a change is the first to tell of, at a place that has been free since then. `before` is what was there until
    /// now: it ends with its own end, and with another's beginning, because nothing reported its end then. `None` if nothing new begins.
    fn next(change: Change, now: i64, free_since: i64, before: Option<&mut Self>) -> Option<Self> {
        match (change, before) {
            (Change::Unloaded, Some(before)) => {
                before.until = now;
                None
            }
            (Change::Loaded | Change::Rundown, Some(before)) => {
                before.until = now;
                Some(Self { from: now, until: i64::MAX })
            }
            (Change::Loaded, None) => Some(Self { from: now, until: i64::MAX }),
            // It was there before anything said so, but not before its predecessor went.
            (Change::Rundown, None) => Some(Self { from: free_since, until: i64::MAX }),
            (Change::Unloaded, None) => Some(Self { from: free_since, until: now }),
        }
    }
}

/// A method at its place.
#[derive(Clone, Copy, Debug)]
struct Method {
    life: Life,
    end: u64,
    module: u64,
    is_jitted: bool,
    name: Option<TextRange>,
}

/// A module at its place.
#[derive(Clone, Copy, Debug)]
struct Module {
    life: Life,
    file: TextRange,
}

/// A method that an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundMethod<'m> {
    /// Type and method, where an event says it.
    pub name: Option<&'m str>,
    /// The file of its module.
    pub module: Option<&'m str>,
    /// Compiled while the program ran.
    pub is_jitted: bool,
}

/// All methods and modules of .NET.
#[derive(Debug, Default)]
pub(super) struct ManagedCode {
    /// By process, then by where each begins; of one address in order of time, no two at once.
    methods: FxHashMap<u32, BTreeMap<u64, Vec<Method>>>,
    /// By process and `ModuleID`, in order of time.
    modules: FxHashMap<(u32, u64), Vec<Module>>,
    /// When the last process of each number ended.
    ended: FxHashMap<u32, i64>,
    text: String,
    count: usize,
    /// Methods and modules that were not kept.
    pub refused: u64,
}

impl ManagedCode {
    /// An event, in order of time.
    pub fn event(&mut self, event: &ClrEvent, now: i64) {
        match event {
            ClrEvent::Method(facts, change) => self.method(facts, *change, now),
            ClrEvent::Module(facts, change) => self.module(facts, *change, now),
        }
    }

    /// Everything of a process went with it.
    pub fn ended(&mut self, pid: u32, now: i64) {
        for method in self.methods.get_mut(&pid).into_iter().flatten().flat_map(|(_, it)| it) {
            method.life.until = method.life.until.min(now);
        }
        for ((of, _), modules) in &mut self.modules {
            for module in modules.iter_mut().filter(|_| *of == pid) {
                module.life.until = module.life.until.min(now);
            }
        }
        self.ended.insert(pid, now);
    }

    fn method(&mut self, facts: &MethodFacts, change: Change, now: i64) {
        let Some(end) = facts.start.checked_add(u64::from(facts.size)) else { return };
        if end == facts.start {
            return;
        }
        let since_ever = self.ended.get(&facts.pid).copied().unwrap_or(i64::MIN);
        let there = self.methods.entry(facts.pid).or_default().entry(facts.start).or_default();
        let text = &self.text;
        let is_same = |it: &Method| {
            let is_name = |name: TextRange| text.get(name.start..name.end) == facts.name.as_deref();
            it.end == end && it.name.is_none_or(is_name)
        };
        let before = there.last_mut();
        let free_since = before.as_ref().map_or(since_ever, |it| it.life.until.max(since_ever));
        let mut known = before.filter(|it| it.life.until > now);
        // A list names again what is known, and may say its name for the first time.
        if let Some(known) = known.as_mut().filter(|it| change == Change::Rundown && is_same(it)) {
            if known.name.is_none() && facts.name.is_some() {
                known.name = push_text(&mut self.text, facts.name.as_deref());
            }
            return;
        }
        let life = Life::next(change, now, free_since, known.map(|it| &mut it.life));
        let Some(life) = life else { return };
        if self.count >= MAX_KEPT || self.text.len() >= MAX_TEXT {
            self.refused += 1;
            return;
        }
        self.count += 1;
        let name = push_text(&mut self.text, facts.name.as_deref());
        let MethodFacts { module, is_jitted, .. } = *facts;
        there.push(Method { life, end, module, is_jitted, name });
    }

    fn module(&mut self, facts: &ModuleFacts, change: Change, now: i64) {
        let since_ever = self.ended.get(&facts.pid).copied().unwrap_or(i64::MIN);
        let there = self.modules.entry((facts.pid, facts.module)).or_default();
        let before = there.last_mut();
        let free_since = before.as_ref().map_or(since_ever, |it| it.life.until.max(since_ever));
        let known = before.filter(|it| it.life.until > now);
        if known.is_some() && change == Change::Rundown {
            return;
        }
        let life = Life::next(change, now, free_since, known.map(|it| &mut it.life));
        let Some(life) = life else { return };
        if self.count >= MAX_KEPT || self.text.len() >= MAX_TEXT {
            self.refused += 1;
            return;
        }
        self.count += 1;
        let file = push_text(&mut self.text, Some(&facts.file)).unwrap_or_default();
        there.push(Module { life, file });
    }

    /// The method that was at an address at some time, and until when that answer holds.
    pub fn find(&self, pid: u32, address: u64, time: i64) -> (Option<FoundMethod<'_>>, i64) {
        let mut found: Option<&Method> = None;
        let mut holds = i64::MAX;
        let starts = self.methods.get(&pid).into_iter();
        for (_, methods) in starts.flat_map(|it| it.range(..=address).rev()).take(LOOKED_AT) {
            let after = methods.partition_point(|it| it.life.from <= time);
            let next = methods.get(after).filter(|it| address < it.end);
            holds = holds.min(next.map_or(i64::MAX, |it| it.life.from));
            let there = after.checked_sub(1).and_then(|at| methods.get(at));
            let there = there.filter(|it| address < it.end && it.life.contains(time));
            // Of two that overlap, the older one is gone.
            if let Some(there) = there
                && found.is_none_or(|it| it.life.from < there.life.from)
            {
                found = Some(there);
            }
        }
        let Some(method) = found else { return (None, holds) };
        let text = |it: TextRange| self.text.get(it.start..it.end);
        let found = FoundMethod {
            name: method.name.and_then(text),
            module: self.module_at(pid, method.module, time).and_then(text),
            is_jitted: method.is_jitted,
        };
        (Some(found), holds.min(method.life.until))
    }

    /// The file of a module. A list at the end may name a module only after its methods, and one that was unloaded names it before.
    fn module_at(&self, pid: u32, module: u64, time: i64) -> Option<TextRange> {
        let there = self.modules.get(&(pid, module))?;
        let after = there.partition_point(|it| it.life.from <= time);
        let module = there.get(after.saturating_sub(1))?;
        (module.file.start < module.file.end).then_some(module.file)
    }
}

fn push_text(all: &mut String, text: Option<&str>) -> Option<TextRange> {
    let text = text?;
    let start = all.len();
    all.push_str(text);
    Some(TextRange { start, end: all.len() })
}
