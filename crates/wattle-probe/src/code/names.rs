//! Names of methods.

use wattle_dex::{Dex, Result};

use crate::Mapping;
use crate::plan::PlannedMethod;

/// The signature of a planned method, `(I)V`.
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

/// What a planned method was called before a shrinker renamed it; `class` is its class's name in the package.
pub(super) fn original_name<'m>(
    mapping: &'m Mapping,
    dex: &Dex<'_>,
    class: &str,
    planned: &PlannedMethod,
) -> Result<Option<&'m str>> {
    let name = dex.string(dex.method(planned.method)?.name)?.to_str();
    let signature = signature(dex, planned)?;
    Ok(mapping.method(class, &name, &signature, planned.line).map(|it| it.name))
}
