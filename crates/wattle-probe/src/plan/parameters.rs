//! The registers that a method's parameters take.

use wattle_dex::{AccessFlags, ArgumentKind, Dex, MethodItem, Result};

/// Words of arguments that a call can pass: `invoke-virtual/range` has eight bits for their number.
pub(super) const MAX_ARGUMENT_WORDS: usize = 255;

/// Words of a method's arguments, `this` included; some number above [`MAX_ARGUMENT_WORDS`] where they are more.
pub(super) fn argument_words(dex: &Dex<'_>, item: MethodItem) -> Result<usize> {
    let this = usize::from(!item.access.contains(AccessFlags::STATIC));
    let parameters = dex.parameters(dex.method(item.method)?.proto)?;
    let least = this + parameters.len();
    if least > MAX_ARGUMENT_WORDS || least <= MAX_ARGUMENT_WORDS / 2 {
        return Ok(least);
    }
    let mut words = least;
    for ty in parameters.iter() {
        let kind = ArgumentKind::of_descriptor(dex.descriptor(ty)?.bytes());
        words += usize::from(kind == ArgumentKind::Wide);
    }
    Ok(words)
}
