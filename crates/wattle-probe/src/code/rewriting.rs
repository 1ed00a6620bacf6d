//! Rewriting one file.

use std::sync::Mutex;

use wattle_dex::{Code, Dex, DexError, DexFile, MethodId, MethodSite, Result};

use super::Stage;
use super::stopwatch::Stopwatch;
use super::texts::Texts;
use super::verification::{refused, verifies};
use crate::label::Labels;
use crate::plan::{Exclusions, FilePlan, PlannedMethod};
use crate::rewrite::{MethodProbes, wrap};
use crate::{CallSite, FrameworkCalls, MapId, Options, SkipReason};

/// One file and what is planned for it.
#[derive(Clone, Copy)]
pub(super) struct Rewriting<'r, 'a> {
    /// Its position among the app's files.
    pub(super) index: usize,
    pub(super) dex: &'r Dex<'a>,
    pub(super) planned: &'r FilePlan,
    pub(super) framework: Option<&'r FrameworkCalls<'a>>,
    pub(super) options: &'r Options,
    pub(super) map: &'r MapId,
}

/// What turned out to be untouchable.
#[derive(Debug, Default)]
struct Untouchable {
    methods: Vec<(MethodId, SkipReason)>,
    calls: Vec<(MethodId, u32)>,
}

impl Rewriting<'_, '_> {
    /// The file with probes; what cannot have them is added to the exclusions.
    pub(super) fn run(
        &self,
        exclusions: &mut Exclusions,
        watch: &mut Stopwatch,
    ) -> Result<Vec<u8>> {
        let (dex, planned, options) = (self.dex, self.planned, self.options);
        if planned.methods.is_empty() {
            return Ok(dex.file_bytes().to_vec());
        }
        let mut file = DexFile::edit(dex);
        file.set_threads(options.threads());
        let labels = Labels::new(options.sink, self.map);
        let texts = Texts::intern(file.pool_mut(), dex, planned, self.framework, options, &labels)?;
        watch.stop(Stage::Map);

        let found = Mutex::new(Untouchable::default());
        let note = |add: &dyn Fn(&mut Untouchable)| {
            if let Ok(mut found) = found.lock() {
                add(&mut found);
            }
        };
        let written = file.write_where_possible(
            &|site| {
                let Some((position, method)) = planned.method(site.method) else { return Ok(None) };
                let code = Code::decode_with_lines(dex, &site.code)?;
                let calls = self.sites(site, &code, method, &texts)?;
                let probes = MethodProbes {
                    around: texts.around(position, method),
                    calls: calls.iter().map(|(site, _)| *site).collect(),
                };
                let wrapped = wrap(dex, site, code, &probes)?;
                for (node, _) in &wrapped.calls.left_out {
                    if let Some((_, at)) = calls.iter().find(|(site, _)| site.node == *node) {
                        note(&|found| found.calls.push((site.method, *at)));
                    }
                }
                Ok(Some(wrapped.code))
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
        watch.stop(Stage::Rewrite);

        let again = Dex::parse(&written)?;
        for method in refused(dex, &again, planned, options.threads())? {
            if found.methods.iter().any(|(other, _)| *other == method) {
                continue;
            }
            let sound = verifies(dex, method)?;
            let reason = if sound { SkipReason::Refused } else { SkipReason::Unverifiable };
            found.methods.push((method, reason));
        }
        watch.stop(Stage::Verify);
        for (method, reason) in found.methods {
            exclusions.methods.insert((self.index, method), reason);
        }
        let calls = found.calls.into_iter().map(|(method, at)| (self.index, method, at));
        exclusions.calls.extend(calls);
        Ok(written)
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
