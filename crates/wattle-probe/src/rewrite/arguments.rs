//! The arguments of a method.

use wattle_dex::{AccessFlags, ArgumentKind, Dex, MethodSite, Result};

/// The kinds of a method's arguments in order, `this` first.
pub(crate) fn argument_kinds(dex: &Dex<'_>, site: &MethodSite<'_>) -> Result<Vec<ArgumentKind>> {
    let parameters = dex.parameters(dex.method(site.method)?.proto)?;
    let mut kinds = Vec::with_capacity(parameters.len() + 1);
    if !site.access.contains(AccessFlags::STATIC) {
        kinds.push(ArgumentKind::Reference);
    }
    for ty in parameters.iter() {
        kinds.push(ArgumentKind::of_descriptor(dex.descriptor(ty)?.bytes()));
    }
    Ok(kinds)
}
