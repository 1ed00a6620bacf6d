//! Writing the probe map.

use std::borrow::Cow;

use wattle_dex::{ClassIndex, Dex, Result};

use crate::java_name::java_name;
use crate::plan::{FilePlan, PlannedMethod};
use crate::{Mapping, ProbedClass, ProbedMethod};

/// Appends the classes of one file, one line each.
pub(super) fn write_classes(
    dex: &Dex<'_>,
    plan: &FilePlan,
    mapping: Option<&Mapping>,
    out: &mut Vec<u8>,
) -> Result<()> {
    for methods in plan.methods.chunk_by(|one, other| one.class == other.class) {
        let Some(first) = methods.first() else { continue };
        let line = class(dex, first.class, methods, mapping)?;
        // Strings and numbers into memory: there is nothing to fail.
        if serde_json::to_writer(&mut *out, &line).is_ok() {
            out.push(b'\n');
        }
    }
    Ok(())
}

fn class<'a>(
    dex: &Dex<'a>,
    index: ClassIndex,
    methods: &[PlannedMethod],
    mapping: Option<&'a Mapping>,
) -> Result<ProbedClass<'a>> {
    let item = dex.class_def(index)?;
    let packaged = java_name(&dex.descriptor_str(item.class)?);
    let source = item.source_file.and_then(|id| dex.string(id).ok()).map(|text| text.to_str());
    let methods: Result<Vec<_>> =
        methods.iter().map(|planned| method(dex, &packaged, planned, mapping)).collect();
    let original = mapping.map(|mapping| mapping.class(&packaged).to_owned());
    let original_source = mapping.and_then(|mapping| mapping.source(&packaged)).map(Cow::Borrowed);
    let renamed = original.filter(|original| *original != packaged);
    let (class, packaged) = match renamed {
        Some(original) => (original, Some(packaged.into())),
        None => (packaged, None),
    };
    Ok(ProbedClass {
        class: class.into(),
        packaged,
        source: original_source.or(source),
        methods: methods?,
    })
}

fn method<'a>(
    dex: &Dex<'a>,
    class: &str,
    planned: &PlannedMethod,
    mapping: Option<&'a Mapping>,
) -> Result<ProbedMethod<'a>> {
    let reference = dex.method(planned.method)?;
    let packaged = dex.string(reference.name)?.to_str();
    let descriptor = signature(dex, planned)?;
    let original =
        mapping.and_then(|mapping| mapping.method(class, &packaged, &descriptor, planned.line));
    let (name, packaged, line) = match original {
        Some(it) if it.name != packaged => (Cow::Borrowed(it.name), Some(packaged), it.line),
        Some(it) => (packaged, None, it.line),
        None => (packaged, None, planned.line),
    };
    Ok(ProbedMethod {
        id: Some(planned.id),
        name,
        packaged,
        descriptor: descriptor.into(),
        line,
        calls: Vec::new(),
    })
}

/// `(I)V`.
pub(super) fn signature(dex: &Dex<'_>, planned: &PlannedMethod) -> Result<String> {
    let proto = dex.method(planned.method)?.proto;
    let mut text = String::from("(");
    for ty in dex.parameters(proto)?.iter() {
        text.push_str(&dex.descriptor_str(ty)?);
    }
    text.push(')');
    text.push_str(&dex.descriptor_str(dex.proto(proto)?.return_type)?);
    Ok(text)
}
