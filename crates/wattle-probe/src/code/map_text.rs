//! Writing the probe map.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use wattle_dex::{ClassIndex, CodeItem, Dex, Result, TypeId};
use wattle_retrace::Retrace;

use super::invocations::{Invocations, bodies};
use super::method_names::Signatures;
use crate::java_name::java_name;
use crate::plan::{FilePlan, PlannedMethod};
use crate::{
    FrameworkCalls, InlinedFrame, Mapping, Options, ProbeError, ProbedCall, ProbedClass,
    ProbedInvocation, ProbedMethod,
};

/// Classes that one piece of work covers.
const CLASSES_AT_ONCE: usize = 256;

/// The calls in a file, as far as they are known.
#[derive(Clone, Copy)]
pub(super) struct Calls<'c, 'a> {
    /// The position of the file.
    pub(super) file: usize,
    /// Those into the framework, where they get probes.
    pub(super) framework: Option<&'c FrameworkCalls<'a>>,
    /// Those of methods with probes by each other, where methods get some.
    pub(super) invocations: Option<&'c Invocations<'c, 'a>>,
}

/// Appends the classes of one file, one line each.
pub(super) fn write_classes(
    dex: &Dex<'_>,
    plan: &FilePlan,
    calls: Calls<'_, '_>,
    options: &Options,
    out: &mut Vec<u8>,
) -> crate::Result<()> {
    let signatures = Signatures::new(dex);
    let mapping = options.mapping.as_ref();
    let names = Names { dex, plan, calls, mapping, signatures: &signatures };
    let classes: Vec<_> = plan.methods.chunk_by(|one, other| one.class == other.class).collect();
    let pieces = classes.len().div_ceil(CLASSES_AT_ONCE);
    let pieces: Vec<crate::Result<Vec<u8>>> =
        wattle_workers::numbered(options.threads(), pieces, |piece| {
            let mut text = Vec::new();
            for methods in classes.iter().skip(piece * CLASSES_AT_ONCE).take(CLASSES_AT_ONCE) {
                let Some(first) = methods.first() else { continue };
                let in_map =
                    |source| ProbeError::Dex { file: "names for the probe map".into(), source };
                let line = names.class(first.class, methods).map_err(in_map)?;
                serde_json::to_writer(&mut text, &line).map_err(ProbeError::MapText)?;
                text.push(b'\n');
            }
            Ok(text)
        });
    out.reserve_exact(pieces.iter().flatten().map(Vec::len).sum());
    for text in pieces {
        out.extend_from_slice(&text?);
    }
    Ok(())
}

/// The source of names.
struct Names<'n, 'a> {
    dex: &'n Dex<'a>,
    plan: &'n FilePlan,
    calls: Calls<'n, 'a>,
    mapping: Option<&'n Mapping>,
    signatures: &'n Signatures,
}

impl<'n> Names<'n, '_> {
    fn class(&self, index: ClassIndex, methods: &[PlannedMethod]) -> Result<ProbedClass<'n>> {
        let item = self.dex.class_def(index)?;
        let packaged = java_name(&self.dex.descriptor_str(item.class)?);
        let source = item.source_file.and_then(|id| self.dex.string(id).ok());
        let bodies = match self.calls.invocations {
            Some(_) => bodies(self.dex, self.plan, index)?,
            None => FxHashMap::default(),
        };
        let methods = methods.iter().map(|planned| {
            let position = self.plan.method(planned.method).map(|(at, _)| at);
            let body = position.and_then(|at| bodies.get(&at)).filter(|_| planned.id.is_some());
            self.method((item.class, &packaged), planned, body)
        });
        let methods: Result<Vec<_>> = methods.collect();
        let original = self.mapping.map(|mapping| mapping.class(&packaged).to_owned());
        let original_source =
            self.mapping.and_then(|mapping| mapping.source(&packaged)).map(Cow::Borrowed);
        let renamed = original.filter(|original| *original != packaged);
        let (class, packaged) = match renamed {
            Some(original) => (original, Some(packaged.into())),
            None => (packaged, None),
        };
        Ok(ProbedClass {
            class: class.into(),
            packaged,
            source: original_source.or_else(|| source.map(wattle_dex::Mutf8::to_str)),
            methods: methods?,
        })
    }

    fn method(
        &self,
        (class_type, class): (TypeId, &str),
        planned: &PlannedMethod,
        body: Option<&CodeItem<'_>>,
    ) -> Result<ProbedMethod<'n>> {
        let reference = self.dex.method(planned.method)?;
        let packaged = self.dex.string(reference.name)?.to_str();
        let descriptor = self.signatures.of(self.dex, planned)?;
        let mapping = self.mapping;
        let retrace = mapping.and_then(|it| it.retrace(class, &packaged, &descriptor));
        let original = |line| retrace.as_ref().and_then(|retrace| retrace.at(line));
        let original_line = |line| match original(Some(line)) {
            Some(it) => it.line,
            None => Some(line),
        };
        let calls = self.calls(planned, retrace.as_ref(), original_line);
        let invokes = body.map(|body| self.invokes(class_type, body, original_line));
        let (name, packaged, line) = match original(planned.line) {
            Some(it) if it.name != packaged => (Cow::Borrowed(it.name), Some(packaged), it.line),
            Some(it) => (packaged, None, it.line),
            None => (packaged, None, planned.line),
        };
        Ok(ProbedMethod {
            id: planned.id,
            name,
            packaged,
            descriptor,
            line,
            calls,
            invokes: invokes.unwrap_or_default(),
        })
    }

    fn invokes(
        &self,
        class: TypeId,
        body: &CodeItem<'_>,
        original_line: impl Fn(u32) -> Option<u32>,
    ) -> Vec<ProbedInvocation> {
        let Some(invocations) = self.calls.invocations else { return Vec::new() };
        let found = invocations.in_body(self.calls.file, self.dex, class, body);
        let found = found.chunk_by(|one, other| one.0 == other.0).map(|calls| {
            let id = calls.first().map_or(0, |(id, _)| *id);
            let mut lines: Vec<u32> =
                calls.iter().filter_map(|(_, line)| original_line(*line)).collect();
            lines.sort_unstable();
            lines.dedup();
            ProbedInvocation { id, lines }
        });
        found.filter(|it| !it.lines.is_empty()).collect()
    }

    fn calls(
        &self,
        planned: &PlannedMethod,
        retrace: Option<&Retrace<'n>>,
        original_line: impl Fn(u32) -> Option<u32>,
    ) -> Vec<ProbedCall<'n>> {
        let Some(framework) = self.calls.framework else { return Vec::new() };
        let (_, calls) = self.plan.calls(planned);
        let probed = calls.iter().map(|call| ProbedCall {
            id: call.id,
            class: framework.class(call.lands).into(),
            name: framework.name(call.lands),
            descriptor: framework.signature(call.lands).into(),
            line: call.line.and_then(&original_line),
            inlined: inlined(retrace, call.line),
        });
        probed.collect()
    }
}

/// The methods that were put in the place of their calls around a call.
fn inlined<'n>(retrace: Option<&Retrace<'n>>, line: Option<u32>) -> Vec<InlinedFrame<'n>> {
    let frames = retrace.zip(line).map(|(retrace, line)| retrace.inlined(line));
    let frames = frames.into_iter().flatten().map(|it| InlinedFrame {
        class: it.class.into(),
        name: it.name.into(),
        line: it.line,
    });
    frames.collect()
}
