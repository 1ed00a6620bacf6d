//! Choosing the methods.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use wattle_dex::{
    AccessFlags, ClassIndex, CodeItem, Dex, DexError, MethodId, MethodItem, Section, TypeId,
    Verifier,
};

use super::body::Body;
use super::method_lines::{Lines, first_line};
use super::parameters::{MAX_ARGUMENT_WORDS, argument_words};
use super::short_method_name::short_name;
use super::{Counts, Exclusions, LeftOutMethod};
use crate::java_name::java_name;
use crate::{CallRefusal, FrameworkCall, FrameworkCalls, Options, ShortMethods, SkipReason};

/// Units of code that all methods of a file may have together, as a multiple of the file's bytes. Methods may share
/// code, and compilers let a few small ones; a broken file could ask for hours.
const MAX_SHARING: u64 = 16;

/// Classes that one piece of work covers.
const CLASSES_AT_ONCE: u32 = 128;

/// A method whose calls are looked at.
struct Caller<'c> {
    class: TypeId,
    method: MethodId,
    code: &'c CodeItem<'c>,
}

/// Which methods of an app get probes.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// For each file of code.
    pub(crate) files: Vec<FilePlan>,
    /// Counts of methods, with reasons.
    pub(crate) counts: Counts,
    /// Methods that were asked for and cannot be touched.
    pub(crate) left_out: Vec<LeftOutMethod>,
    /// Number of probes; their numbers go from 1 to it.
    pub(crate) probes: u32,
}

/// Which methods of a file get probes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilePlan {
    /// They, by class and in the order of the class.
    pub(crate) methods: Vec<PlannedMethod>,
    /// Their calls into the framework.
    calls: Vec<PlannedCall>,
    /// By method: the position in `methods` plus one.
    by_method: Vec<u32>,
}

/// A method that gets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedMethod {
    pub(crate) class: ClassIndex,
    pub(crate) method: MethodId,
    /// The number of its entry and exit; `None` where only calls in it get probes.
    pub(crate) id: Option<u32>,
    /// Its first line.
    pub(crate) line: Option<u32>,
    /// The range of its calls among the file's, first and past the last.
    calls: (u32, u32),
}

/// A call that gets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedCall {
    /// Its number.
    pub(crate) id: u32,
    /// The method that it lands in.
    pub(crate) lands: FrameworkCall,
    /// Its position among the method's calls into the framework.
    pub(crate) position: u32,
    /// Its line.
    pub(crate) line: Option<u32>,
}

/// The result of one piece of work.
#[derive(Default)]
struct PlannedPart {
    methods: Vec<PlannedMethod>,
    calls: Vec<PlannedCall>,
    counts: Counts,
    left_out: Vec<LeftOutMethod>,
}

impl FilePlan {
    /// The plan of a method, with its position.
    pub(crate) fn method(&self, method: MethodId) -> Option<(usize, &PlannedMethod)> {
        let at = self.by_method.get(method.0 as usize)?.checked_sub(1)? as usize;
        self.methods.get(at).map(|planned| (at, planned))
    }

    /// The calls of a planned method in order, with the position of the first among the file's.
    pub(crate) fn calls(&self, method: &PlannedMethod) -> (usize, &[PlannedCall]) {
        let (first, end) = (method.calls.0 as usize, method.calls.1 as usize);
        (first, self.calls.get(first..end).unwrap_or_default())
    }
}

impl Plan {
    /// Chooses the methods of all files and numbers them.
    pub(crate) fn new(
        files: &[Dex<'_>],
        calls: Option<&FrameworkCalls<'_>>,
        options: &Options,
        exclusions: &Exclusions,
    ) -> Result<Self, (usize, DexError)> {
        let mut plan =
            Self { files: Vec::new(), counts: Counts::default(), left_out: Vec::new(), probes: 0 };
        for (file, dex) in files.iter().enumerate() {
            let chooser = Chooser {
                file,
                dex,
                verifier: OnceLock::new(),
                calls,
                options,
                exclusions,
                read: AtomicU64::new(0),
            };
            plan.add_file(&chooser).map_err(|error| (file, error))?;
        }
        plan.left_out.sort();
        Ok(plan)
    }

    fn add_file(&mut self, chooser: &Chooser<'_, '_>) -> Result<(), DexError> {
        let classes = chooser.dex.count(Section::CLASS_DEFS);
        let pieces: Vec<Result<PlannedPart, DexError>> = wattle_workers::numbered(
            chooser.options.threads(),
            classes.div_ceil(CLASSES_AT_ONCE) as usize,
            |piece| {
                let first = piece as u32 * CLASSES_AT_ONCE;
                let mut found = PlannedPart::default();
                for class in first..(first + CLASSES_AT_ONCE).min(classes) {
                    chooser.class(ClassIndex(class), &mut found)?;
                }
                Ok(found)
            },
        );
        let mut planned = FilePlan {
            by_method: vec![0; chooser.dex.count(Section::METHOD_IDS) as usize],
            ..FilePlan::default()
        };
        let found = |count: fn(&PlannedPart) -> usize| pieces.iter().flatten().map(count).sum();
        planned.methods.reserve_exact(found(|it| it.methods.len()));
        planned.calls.reserve_exact(found(|it| it.calls.len()));
        for found in pieces {
            let found = found?;
            self.counts.add(&found.counts);
            self.left_out.extend_from_slice(&found.left_out);
            for method in &found.methods {
                self.add_method(&mut planned, &found, *method);
            }
        }
        self.files.push(planned);
        Ok(())
    }

    /// Numbers a method and its calls.
    fn add_method(
        &mut self,
        planned: &mut FilePlan,
        found: &PlannedPart,
        mut method: PlannedMethod,
    ) {
        let calls = found.calls.get(method.calls.0 as usize..method.calls.1 as usize);
        let calls = calls.unwrap_or_default();
        // Broken files define a method twice; the first is the one that runs.
        let Some(slot @ 0) = planned.by_method.get_mut(method.method.0 as usize) else {
            self.counts.methods_probed -= 1;
            self.counts.api_call_sites -= calls.len() as u64;
            self.counts.skip(SkipReason::Unverifiable);
            return;
        };
        let mut next = || {
            self.probes += 1;
            self.probes
        };
        method.id = method.id.map(|_| next());
        let first = planned.calls.len() as u32;
        planned.calls.extend(calls.iter().map(|call| PlannedCall { id: next(), ..*call }));
        method.calls = (first, planned.calls.len() as u32);
        planned.methods.push(method);
        *slot = planned.methods.len() as u32;
    }
}

/// Most letters that shrinkers give to a class, unless it has tens of thousands in one package.
const MOST_LETTERS: usize = 3;

/// Whether the name of a class looks like one that a shrinker gave to it: a few small letters and digits.
fn is_renamed(class: &str) -> bool {
    let name = class.rsplit('.').next().unwrap_or(class);
    let is_short = (1..=MOST_LETTERS).contains(&name.len());
    is_short && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
}

/// Decides method by method.
struct Chooser<'c, 'a> {
    file: usize,
    dex: &'c Dex<'a>,
    /// Made for the first body with monitors.
    verifier: OnceLock<Verifier<'c, 'a>>,
    calls: Option<&'c FrameworkCalls<'a>>,
    options: &'c Options,
    exclusions: &'c Exclusions,
    /// Units of code that were read.
    read: AtomicU64,
}

impl Chooser<'_, '_> {
    fn class(&self, index: ClassIndex, found: &mut PlannedPart) -> Result<(), DexError> {
        let class = self.dex.class_def(index)?;
        found.counts.classes += 1;
        let Some(members) = self.dex.class_data(&class)? else { return Ok(()) };
        let packaged = java_name(&self.dex.descriptor_str(class.class)?);
        let mapping = self.options.mapping.as_ref();
        let name = mapping.map_or(packaged.as_str(), |mapping| mapping.class(&packaged));
        let in_scope = self.options.scope.contains(name);
        found.counts.renamed_classes += u64::from(!in_scope && is_renamed(name));
        for member in members {
            let Some(item) = member?.method() else { continue };
            if item.code_off == 0 {
                let native = item.access.contains(AccessFlags::NATIVE);
                found.counts.skip(if native { SkipReason::Native } else { SkipReason::Abstract });
                continue;
            }
            found.counts.methods_with_code += 1;
            let skipped = if !in_scope {
                Some(SkipReason::OutOfScope)
            } else if self.is_left_out(&packaged, item)? {
                Some(SkipReason::OverBudget)
            } else {
                self.method(index, class.class, item, found)?
            };
            let Some(reason) = skipped else { continue };
            found.counts.skip(reason);
            if reason.is_unsafe() {
                let method = short_name(self.dex, item.method)?;
                found.left_out.push(LeftOutMethod { method, reason });
            }
        }
        Ok(())
    }

    /// Adds a method that was asked for, or says why it gets no probes.
    fn method(
        &self,
        class: ClassIndex,
        caller: TypeId,
        item: MethodItem,
        found: &mut PlannedPart,
    ) -> Result<Option<SkipReason>, DexError> {
        if let Some(reason) = self.exclusions.methods.get(&(self.file, item.method)) {
            return Ok(Some(*reason));
        }
        // Without a call that can pass them the code never runs.
        if argument_words(self.dex, item)? > MAX_ARGUMENT_WORDS {
            return Ok(Some(SkipReason::Unverifiable));
        }
        let code = self.dex.code(item.code_off)?;
        let units = u64::from(code.units.len());
        let read = self.read.fetch_add(units, Ordering::Relaxed).saturating_add(units);
        let limit = MAX_SHARING * self.dex.data().len() as u64;
        if read > limit {
            return Err(DexError::TooMany { pool: Section::CODE, found: read, limit });
        }
        // Code that cannot be read to its end does not run either.
        let Ok(body) = Body::scan(&code) else { return Ok(Some(SkipReason::Unverifiable)) };
        let mode = self.options.mode;
        let is_short =
            self.options.short_methods == ShortMethods::Skip && !body.calls && !body.loops;
        let around = mode.methods() && !is_short;
        let first = found.calls.len();
        let mut refused = Vec::new();
        if let Some(calls) = self.calls.filter(|_| body.calls) {
            let site = Caller { class: caller, method: item.method, code: &code };
            self.calls(calls, &site, &mut found.calls, &mut refused)?;
        }
        let count = found.calls.len() - first;
        let refusal = if !around && count == 0 {
            Some(match mode.methods() {
                true => SkipReason::Short,
                false if refused.is_empty() => SkipReason::NoCalls,
                false => SkipReason::CallsRefused,
            })
        } else if body.monitors && self.leaks_monitor(class, item)? {
            Some(SkipReason::MonitorLeak)
        } else {
            None
        };
        if matches!(refusal, None | Some(SkipReason::CallsRefused)) {
            for why in refused {
                *found.counts.calls_left_out.entry(why).or_default() += 1;
            }
        }
        if refusal.is_some() {
            found.calls.truncate(first);
            return Ok(refusal);
        }
        found.counts.methods_probed += 1;
        found.counts.api_call_sites += count as u64;
        found.methods.push(PlannedMethod {
            class,
            method: item.method,
            // Numbers are given once all are known.
            id: around.then_some(0),
            line: first_line(self.dex, &code),
            calls: (first as u32, found.calls.len() as u32),
        });
        Ok(None)
    }

    fn leaks_monitor(&self, class: ClassIndex, item: MethodItem) -> Result<bool, DexError> {
        self.verifier.get_or_init(|| Verifier::new(self.dex)).leaks_monitor(class, item)
    }

    /// Whether a method was named as one that gets no probes.
    fn is_left_out(&self, class: &str, item: MethodItem) -> Result<bool, DexError> {
        if self.options.left_out.is_empty() {
            return Ok(false);
        }
        let name = self.dex.string(self.dex.method(item.method)?.name)?.to_str();
        Ok(self.options.left_out.contains(&(class.to_owned(), name.into_owned())))
    }

    /// Adds the calls of one method that leave the app, except those that are known not to take probes.
    fn calls(
        &self,
        calls: &FrameworkCalls<'_>,
        caller: &Caller<'_>,
        out: &mut Vec<PlannedCall>,
        refused: &mut Vec<CallRefusal>,
    ) -> Result<(), DexError> {
        let mut position = 0;
        let mut lines = None;
        for item in caller.code.instructions() {
            let (at, it) = item?;
            let called = MethodId(it.index);
            let lands = calls.landing(self.file, caller.class, it.opcode, called);
            let Some(lands) = lands else { continue };
            if let Some(why) = self.exclusions.calls.get(&(self.file, caller.method, position)) {
                refused.push(*why);
            } else {
                let lines = lines.get_or_insert_with(|| Lines::new(self.dex, caller.code));
                out.push(PlannedCall { id: 0, lands, position, line: lines.at(at) });
            }
            position += 1;
        }
        Ok(())
    }
}
