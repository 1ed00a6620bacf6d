//! Names of methods for people.

use std::borrow::Cow;
use std::fmt::Write as _;

use wattle_dex::{Dex, MethodId, Result};

/// Characters of a name that are kept.
const MAX_CHARACTERS: usize = 1000;
/// Bytes of parameters that are put together before the rest is left out.
const MAX_PARAMETERS: usize = 4 * MAX_CHARACTERS;

/// A method as `Lclass;->name(params)return`; the middle of a long one is left out.
pub(super) fn short_name(dex: &Dex<'_>, id: MethodId) -> Result<String> {
    let method = dex.method(id)?;
    let class = shorten(&dex.descriptor_str(method.class)?).into_owned();
    let mut text = format!("{class}->{}(", shorten(&dex.string(method.name)?.to_str()));
    let start = text.len();
    for parameter in dex.parameters(method.proto)?.iter() {
        if text.len() - start > MAX_PARAMETERS {
            text.push('…');
            break;
        }
        text.push_str(&shorten(&dex.descriptor_str(parameter)?));
    }
    let result = dex.descriptor_str(dex.proto(method.proto)?.return_type)?;
    let _ = write!(text, "){}", shorten(&result));
    Ok(shorten(&text).into_owned())
}

/// A text without its middle, where it is long.
fn shorten(text: &str) -> Cow<'_, str> {
    let half = MAX_CHARACTERS / 2;
    let place = |count: usize| text.char_indices().nth(count).map(|(at, _)| at);
    if text.len() <= MAX_CHARACTERS || place(MAX_CHARACTERS).is_none() {
        return Cow::Borrowed(text);
    }
    let head = text.get(..place(half).unwrap_or(0)).unwrap_or_default();
    let tail = text.char_indices().rev().nth(half - 1).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{head}…{}", text.get(tail..).unwrap_or_default()))
}
