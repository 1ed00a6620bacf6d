//! Writing the probe map.

use std::borrow::Cow;

use wattle_dex::{ClassIndex, Dex, Result};

use super::names::signature;
use crate::java_name::java_name;
use crate::plan::{FilePlan, PlannedMethod};
use crate::{FrameworkCalls, Mapping, Options, ProbeError, ProbedCall, ProbedClass, ProbedMethod};

/// Classes that one piece of work covers.
const CLASSES_AT_ONCE: usize = 256;

/// Appends the classes of one file, one line each.
pub(super) fn write_classes(
    dex: &Dex<'_>,
    plan: &FilePlan,
    framework: Option<&FrameworkCalls<'_>>,
    options: &Options,
    out: &mut Vec<u8>,
) -> crate::Result<()> {
    let names = Names { dex, plan, framework, mapping: options.mapping.as_ref() };
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

/// Where names come from.
struct Names<'n, 'a> {
    dex: &'n Dex<'a>,
    plan: &'n FilePlan,
    framework: Option<&'n FrameworkCalls<'a>>,
    mapping: Option<&'n Mapping>,
}

impl<'n> Names<'n, '_> {
    fn class(&self, index: ClassIndex, methods: &[PlannedMethod]) -> Result<ProbedClass<'n>> {
        let item = self.dex.class_def(index)?;
        let packaged = java_name(&self.dex.descriptor_str(item.class)?);
        let source = item.source_file.and_then(|id| self.dex.string(id).ok());
        let methods: Result<Vec<_>> =
            methods.iter().map(|planned| self.method(&packaged, planned)).collect();
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

    fn method(&self, class: &str, planned: &PlannedMethod) -> Result<ProbedMethod<'n>> {
        let reference = self.dex.method(planned.method)?;
        let packaged = self.dex.string(reference.name)?.to_str();
        let descriptor = signature(self.dex, planned)?;
        let original = |line| {
            self.mapping.and_then(|mapping| mapping.method(class, &packaged, &descriptor, line))
        };
        let calls = self.calls(planned, |line| match original(Some(line)) {
            Some(it) => it.line,
            None => Some(line),
        });
        let (name, packaged, line) = match original(planned.line) {
            Some(it) if it.name != packaged => (Cow::Borrowed(it.name), Some(packaged), it.line),
            Some(it) => (packaged, None, it.line),
            None => (packaged, None, planned.line),
        };
        Ok(ProbedMethod {
            id: planned.id,
            name,
            packaged,
            descriptor: descriptor.into(),
            line,
            calls,
        })
    }

    fn calls(
        &self,
        planned: &PlannedMethod,
        original_line: impl Fn(u32) -> Option<u32>,
    ) -> Vec<ProbedCall<'n>> {
        let Some(framework) = self.framework else { return Vec::new() };
        let (_, calls) = self.plan.calls(planned);
        let probed = calls.iter().map(|call| ProbedCall {
            id: call.id,
            class: framework.class(call.lands).into(),
            name: framework.name(call.lands),
            descriptor: framework.signature(call.lands).into(),
            line: call.line.and_then(&original_line),
        });
        probed.collect()
    }
}
