//! Choosing the methods.

use rustc_hash::FxHashMap;
use wattle_dex::{
    AccessFlags, ClassIndex, Dex, DexError, MethodId, MethodItem, MethodSite, Section, Verifier,
};

use super::body::{Body, first_line};
use super::{Counts, LeftOut};
use crate::java_name::java_name;
use crate::workers;
use crate::{Options, ShortMethods, SkipReason};

/// Methods that must not be touched, by file and number, found out by trying.
pub(crate) type Exclusions = FxHashMap<(usize, MethodId), SkipReason>;

/// Classes that one piece of work covers.
const CLASSES_AT_ONCE: u32 = 128;

/// Which methods of an app get probes.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// For each file of code.
    pub(crate) files: Vec<FilePlan>,
    /// How many, and why not.
    pub(crate) counts: Counts,
    /// What was asked for and cannot be touched.
    pub(crate) left_out: Vec<LeftOut>,
    /// Number of probes; their numbers go from 1 to it.
    pub(crate) probes: u32,
}

/// Which methods of a file get probes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilePlan {
    /// They, by class and in the order of the class.
    pub(crate) methods: Vec<PlannedMethod>,
    /// By method: the position in `methods` plus one.
    by_method: Vec<u32>,
}

/// A method that gets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedMethod {
    pub(crate) class: ClassIndex,
    pub(crate) method: MethodId,
    /// The number of its entry and exit.
    pub(crate) id: u32,
    /// Its first line.
    pub(crate) line: Option<u32>,
}

/// What one piece of work found.
#[derive(Default)]
struct Found {
    methods: Vec<PlannedMethod>,
    counts: Counts,
    left_out: Vec<LeftOut>,
}

impl FilePlan {
    /// What is planned for a method, with its position.
    pub(crate) fn method(&self, method: MethodId) -> Option<(usize, &PlannedMethod)> {
        let at = self.by_method.get(method.0 as usize)?.checked_sub(1)? as usize;
        self.methods.get(at).map(|planned| (at, planned))
    }
}

impl Plan {
    /// Chooses the methods of all files and numbers them.
    pub(crate) fn of(
        files: &[Dex<'_>],
        options: &Options,
        exclusions: &Exclusions,
    ) -> Result<Self, (usize, DexError)> {
        let mut plan =
            Self { files: Vec::new(), counts: Counts::default(), left_out: Vec::new(), probes: 0 };
        for (file, dex) in files.iter().enumerate() {
            let planned = plan.add_file(file, dex, options, exclusions);
            planned.map_err(|error| (file, error))?;
        }
        plan.left_out.sort();
        Ok(plan)
    }

    fn add_file(
        &mut self,
        file: usize,
        dex: &Dex<'_>,
        options: &Options,
        exclusions: &Exclusions,
    ) -> Result<(), DexError> {
        let classes = dex.count(Section::CLASS_DEFS);
        let chooser = Chooser { file, dex, verifier: Verifier::new(dex), options, exclusions };
        let pieces = workers::ordered(
            options.threads(),
            classes.div_ceil(CLASSES_AT_ONCE) as usize,
            |piece| {
                let first = piece as u32 * CLASSES_AT_ONCE;
                let mut found = Found::default();
                for class in first..(first + CLASSES_AT_ONCE).min(classes) {
                    chooser.class(ClassIndex(class), &mut found)?;
                }
                Ok(found)
            },
        );
        let mut planned = FilePlan {
            methods: Vec::new(),
            by_method: vec![0; dex.count(Section::METHOD_IDS) as usize],
        };
        for found in pieces {
            let found = found?;
            self.counts.add(&found.counts);
            self.left_out.extend(found.left_out);
            for mut method in found.methods {
                // Broken files define a method twice; the first is the one that runs.
                let Some(slot @ 0) = planned.by_method.get_mut(method.method.0 as usize) else {
                    self.counts.methods_probed -= 1;
                    self.counts.skip(SkipReason::Unverifiable);
                    continue;
                };
                self.probes += 1;
                method.id = self.probes;
                planned.methods.push(method);
                *slot = planned.methods.len() as u32;
            }
        }
        self.files.push(planned);
        Ok(())
    }
}

/// Decides method by method.
struct Chooser<'c, 'a> {
    file: usize,
    dex: &'c Dex<'a>,
    verifier: Verifier<'c, 'a>,
    options: &'c Options,
    exclusions: &'c Exclusions,
}

impl Chooser<'_, '_> {
    fn class(&self, index: ClassIndex, found: &mut Found) -> Result<(), DexError> {
        let class = self.dex.class_def(index)?;
        found.counts.classes += 1;
        let Some(members) = self.dex.class_data(&class)? else { return Ok(()) };
        let packaged = java_name(&self.dex.descriptor_str(class.class)?);
        let mapping = self.options.mapping.as_ref();
        let name = mapping.map_or(packaged.as_str(), |mapping| mapping.class(&packaged));
        let in_scope = self.options.scope.contains(name);
        for member in members {
            let Some(item) = member?.method() else { continue };
            if item.code_off == 0 {
                let native = item.access.contains(AccessFlags::NATIVE);
                found.counts.skip(if native { SkipReason::Native } else { SkipReason::Abstract });
                continue;
            }
            found.counts.methods_with_code += 1;
            let reason =
                if in_scope { self.refusal(index, item)? } else { Some(SkipReason::OutOfScope) };
            let Some(reason) = reason else {
                let line = first_line(self.dex, &self.dex.code(item.code_off)?);
                found.counts.methods_probed += 1;
                found.methods.push(PlannedMethod {
                    class: index,
                    method: item.method,
                    id: 0,
                    line,
                });
                continue;
            };
            found.counts.skip(reason);
            if reason.is_unsafe() {
                let method = self.dex.method_name(item.method)?;
                found.left_out.push(LeftOut { method, reason });
            }
        }
        Ok(())
    }

    /// Why a method that was asked for gets no probes.
    fn refusal(&self, class: ClassIndex, item: MethodItem) -> Result<Option<SkipReason>, DexError> {
        if let Some(reason) = self.exclusions.get(&(self.file, item.method)) {
            return Ok(Some(*reason));
        }
        let code = self.dex.code(item.code_off)?;
        let site = MethodSite { class, method: item.method, access: item.access, code };
        // Code that cannot be read to its end does not run either.
        let Ok(body) = Body::scan(&site.code) else { return Ok(Some(SkipReason::Unverifiable)) };
        if self.options.short_methods == ShortMethods::Skip && !body.calls && !body.loops {
            return Ok(Some(SkipReason::Short));
        }
        if body.monitors && self.verifier.leaks_monitor(class, item)? {
            return Ok(Some(SkipReason::MonitorLeak));
        }
        Ok(None)
    }
}
