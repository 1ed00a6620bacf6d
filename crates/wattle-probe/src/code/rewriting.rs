//! Rewriting one file.

use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use rustc_hash::FxHashSet;
use wattle_dex::{
    ClassIndex, Code, Dex, DexError, DexFile, MethodId, MethodItem, MethodSite, NewCode, Result,
    Verifier,
};

use super::classes_in_front::{ClassPlaces, are_few, keep_only, probed_classes};
use super::instrumenting::Extent;
use super::stopwatch::Stopwatch;
use super::texts::{TextOptions, Texts};
use super::verification::{Written, refused, sound_as};
use super::{Placement, Stage};
use crate::plan::{FilePlan, PlannedMethod, Untouchable};
use crate::probe_label::Labels;
use crate::rewrite::{MethodProbes, wrap};
use crate::{AppClasses, CallSite, FrameworkCalls, MapId, Options, SkipReason};

/// One file and what is planned for it.
#[derive(Clone, Copy)]
pub(super) struct Rewriting<'r, 'a> {
    /// Its position among the app's files.
    pub(super) index: usize,
    pub(super) dex: &'r Dex<'a>,
    pub(super) planned: &'r FilePlan,
    pub(super) framework: Option<&'r FrameworkCalls<'a>>,
    pub(super) options: &'r Options,
    pub(super) threads: usize,
    pub(super) map: &'r MapId,
    /// The part of the file that is asked for.
    pub(super) extent: Extent,
    pub(super) classes: Option<&'r AppClasses<'a>>,
}

/// A file with probes.
#[derive(Debug)]
pub(super) struct Rewritten {
    /// The file and its place; `None` where only changes are asked for and there is none.
    pub(super) file: Option<(Placement, Vec<u8>)>,
    /// Methods and calls that turned out to be untouchable.
    pub(super) untouchable: Untouchable,
    /// The time it took.
    pub(super) times: Vec<(Stage, Duration)>,
}

/// Why a file cannot be rewritten.
#[derive(Debug)]
pub(super) enum Fault {
    /// It cannot be read, or does not fit into the format with probes.
    Source(DexError),
    /// The written file is broken.
    Written(DexError),
}

impl From<DexError> for Fault {
    fn from(error: DexError) -> Self {
        Self::Source(error)
    }
}

impl Rewriting<'_, '_> {
    /// Writes the file and verifies what was changed.
    pub(super) fn run(&self) -> std::result::Result<Rewritten, Fault> {
        let (dex, planned, options) = (self.dex, self.planned, self.options);
        let mut watch = Stopwatch::start();
        if planned.methods.is_empty() {
            let whole = || (Placement::InPlace, dex.file_bytes().to_vec());
            let file = (self.extent == Extent::Whole).then(whole);
            let untouchable = Untouchable::default();
            return Ok(Rewritten { file, untouchable, times: watch.stages });
        }
        let mut file = DexFile::edit(dex);
        let mut placement = Placement::InPlace;
        if let Some(classes) = self.classes.filter(|_| self.extent == Extent::Changes) {
            let probed = probed_classes(planned);
            // One that an earlier file defines too does not run, and would if it were in front.
            let runs = |class: &ClassIndex| {
                let ty = dex.class_def(*class).map(|item| item.class);
                ty.is_ok_and(|ty| classes.running_file(self.index, ty) == Some(self.index))
            };
            if probed.iter().all(runs) && are_few(dex, &probed)? {
                placement = Placement::InFront;
                keep_only(&mut file, dex, &probed)?;
            }
        }
        file.set_threads(self.threads);
        let labels = Labels::new(options.sink, self.map);
        let texts = TextOptions { options, labels: &labels, framework: self.framework };
        let texts = texts.intern(file.pool_mut(), dex, planned)?;
        watch.stop(Stage::Map);

        let before = LazyLock::new(|| Verifier::new(dex));
        let found = Mutex::new(Untouchable::default());
        let note = |add: &dyn Fn(&mut Untouchable)| {
            if let Ok(mut found) = found.lock() {
                add(&mut found);
            }
        };
        let written = file.write_where_possible(
            &|site, wrapping| {
                let Some((position, method)) = planned.method(site.method) else {
                    return Ok(NewCode::Same);
                };
                let hides = |entry_is_read: bool| {
                    entry_is_read && before.method(site.class, item(site)).is_some()
                };
                let around = texts.around(position, method);
                if let Some(around) = around.filter(|_| planned.calls(method).1.is_empty()) {
                    if hides(around.fill(dex, site, 0, wrapping)?) {
                        return Err(hidden_defect());
                    }
                    return Ok(NewCode::Wrapped);
                }
                let code = Code::decode_with_lines(dex, &site.code)?;
                let calls = self.sites(site, &code, method, &texts)?;
                let sites = calls.iter().map(|(site, _)| *site).collect();
                let wrapped = wrap(dex, site, code, &MethodProbes { around, calls: sites })?;
                if hides(wrapped.entry_is_read) {
                    return Err(hidden_defect());
                }
                for (node, why) in &wrapped.calls.left_out {
                    if let Some((_, at)) = calls.iter().find(|(site, _)| site.node == *node) {
                        note(&|found| found.calls.push((site.method, *at, *why)));
                    }
                }
                Ok(NewCode::Replaced(wrapped.code))
            },
            &|site, error| {
                let reason = match error {
                    DexError::Operand { .. } => SkipReason::FrameFull,
                    DexError::TooMany { .. } => SkipReason::TooLarge,
                    _ => SkipReason::Unverifiable,
                };
                note(&|found| found.methods.push((site.method, reason)));
            },
        )?;
        let mut found = found.into_inner().unwrap_or_default();
        // The texts of a file are a good part of what it takes.
        drop((texts, file));
        watch.stop(Stage::Rewrite);

        let again = Dex::parse(&written).map_err(Fault::Written)?;
        let after = Verifier::new(&again);
        sound_as(dex, &after).map_err(Fault::Written)?;
        let known: FxHashSet<MethodId> = found.methods.iter().map(|(method, _)| *method).collect();
        let places = match placement {
            Placement::InFront => ClassPlaces::by_type(&again).map_err(Fault::Written)?,
            Placement::InPlace => ClassPlaces::Same,
        };
        let pair = Written { source: dex, dex: &again, places };
        for method in refused(&pair, &after, planned, self.threads)? {
            if known.contains(&method.source.method) {
                continue;
            }
            let sound = before.method(method.class, method.source).is_none();
            let reason = if sound { SkipReason::Refused } else { SkipReason::Unverifiable };
            found.methods.push((method.source.method, reason));
        }
        watch.stop(Stage::Verify);
        let file = Some((placement, written));
        Ok(Rewritten { file, untouchable: found, times: watch.stages })
    }

    /// The planned calls of a body, each with its position among the body's calls into the framework.
    fn sites(
        &self,
        site: &MethodSite<'_>,
        code: &Code,
        method: &PlannedMethod,
        texts: &Texts,
    ) -> Result<Vec<(CallSite, u32)>> {
        let (first, planned) = self.planned.calls(method);
        let Some(framework) = self.framework.filter(|_| !planned.is_empty()) else {
            return Ok(Vec::new());
        };
        let caller = self.dex.class_def(site.class)?.class;
        let mut planned = planned.iter().enumerate().peekable();
        let all = framework.in_code(self.index, caller, code).zip(0..);
        Ok(all
            .filter_map(|((node, _), position)| {
                let (at, call) = planned.next_if(|(_, call)| call.position == position)?;
                Some((CallSite { node, probes: texts.call(first + at, call) }, position))
            })
            .collect())
    }
}

fn hidden_defect() -> DexError {
    DexError::Edit {
        subject: "method body",
        expected: "code that verifies, or a probe would hide what is wrong".into(),
        found: "a register that is read before it is written".into(),
    }
}

fn item(site: &MethodSite<'_>) -> MethodItem {
    MethodItem { method: site.method, access: site.access, code_off: site.code.offset }
}
