//! Names of methods.

use std::borrow::Cow;
use std::sync::OnceLock;

use wattle_dex::{Dex, Result, Section};
use wattle_retrace::{Original, Retrace};

use crate::Mapping;
use crate::plan::PlannedMethod;

/// The signatures of a file, each written once.
#[derive(Debug)]
pub(super) struct Signatures(Vec<OnceLock<String>>);

impl Signatures {
    pub(super) fn new(dex: &Dex<'_>) -> Self {
        let mut known = Vec::new();
        known.resize_with(dex.count(Section::PROTO_IDS) as usize, OnceLock::new);
        Self(known)
    }

    /// The signature of a planned method, `(I)V`.
    pub(super) fn of(&self, dex: &Dex<'_>, planned: &PlannedMethod) -> Result<Cow<'_, str>> {
        let slot = self.0.get(dex.method(planned.method)?.proto.0 as usize);
        if let Some(known) = slot.and_then(OnceLock::get) {
            return Ok(Cow::Borrowed(known));
        }
        let text = signature(dex, planned)?;
        Ok(match slot {
            Some(slot) => Cow::Borrowed(slot.get_or_init(|| text)),
            None => Cow::Owned(text),
        })
    }
}

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

/// A planned method as the package names it, with what it was called before a shrinker renamed it.
pub(super) struct Renamed<'n, 'm> {
    retrace: Option<Retrace<'m>>,
    pub(super) name: Cow<'n, str>,
    line: Option<u32>,
}

impl<'n, 'm> Renamed<'n, 'm> {
    pub(super) fn new(
        mapping: Option<&'m Mapping>,
        dex: &Dex<'n>,
        class: &str,
        planned: &PlannedMethod,
    ) -> Result<Self> {
        let name = dex.string(dex.method(planned.method)?.name)?.to_str();
        let retrace = match mapping {
            Some(mapping) => mapping.retrace(class, &name, &signature(dex, planned)?),
            None => None,
        };
        Ok(Self { retrace, name, line: planned.line })
    }

    /// Its name before it was renamed.
    pub(super) fn original_name(&self) -> &str {
        self.original(self.line).map_or(&self.name, |it| it.name)
    }

    /// The line in the source of one of its lines; `None` where the mapping knows of none.
    pub(super) fn original_line(&self, line: u32) -> Option<u32> {
        self.original(Some(line)).map_or(Some(line), |it| it.line)
    }

    fn original(&self, line: Option<u32>) -> Option<Original<'m>> {
        self.retrace.as_ref()?.at(line)
    }
}
