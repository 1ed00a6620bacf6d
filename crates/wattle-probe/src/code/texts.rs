//! The texts of a file's probes, made known to it.

use wattle_dex::{Dex, Pool, Result, StringId};

use crate::java_name::java_name;
use crate::label::{Labels, Subject};
use crate::plan::{FilePlan, PlannedMethod};
use crate::rewrite::{MethodProbes, Operand};
use crate::{Mapping, ProbeArgument, ProbeEvent, Sink};

/// What each planned method's probes hand over.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    sink: Sink,
    /// For each planned method what its entry and its exits say, where they say a text.
    texts: Vec<[Option<StringId>; 2]>,
}

impl Texts {
    /// Makes the texts of a file known to it.
    pub(super) fn intern(
        pool: &mut Pool<'_>,
        dex: &Dex<'_>,
        plan: &FilePlan,
        mapping: Option<&Mapping>,
        sink: Sink,
        labels: &Labels,
    ) -> Result<Self> {
        let says = |event| sink.argument(event) == Some(ProbeArgument::Text);
        let (enters, exits) = (says(ProbeEvent::Enter), says(ProbeEvent::Exit));
        if !enters && !exits {
            return Ok(Self { sink, texts: Vec::new() });
        }
        let mut texts = Vec::with_capacity(plan.methods.len());
        let mut text = String::new();
        for methods in plan.methods.chunk_by(|one, other| one.class == other.class) {
            let Some(first) = methods.first() else { continue };
            let packaged = java_name(&dex.descriptor_str(dex.class_def(first.class)?.class)?);
            let class = mapping.map_or(packaged.as_str(), |mapping| mapping.class(&packaged));
            for planned in methods {
                let name = dex.string(dex.method(planned.method)?.name)?.to_str();
                let original = match mapping {
                    Some(mapping) => original_name(mapping, dex, &packaged, planned)?,
                    None => None,
                };
                let method = original.unwrap_or(&name);
                let subject = Subject { class, method, id: planned.id };
                let mut say = |event| {
                    labels.write(event, subject, &mut text);
                    pool.string(&text)
                };
                texts.push([
                    enters.then(|| say(ProbeEvent::Enter)),
                    exits.then(|| say(ProbeEvent::Exit)),
                ]);
            }
        }
        Ok(Self { sink, texts })
    }

    /// What the probes of the planned method at a position hand over.
    pub(super) fn probes(&self, position: usize, id: u32) -> MethodProbes {
        let [enter, exit] = self.texts.get(position).copied().unwrap_or_default();
        let operand = |event, text: Option<StringId>| match (self.sink.argument(event), text) {
            (Some(ProbeArgument::Id), _) => Operand::Id(id),
            (Some(ProbeArgument::Text), Some(text)) => Operand::Text(text),
            _ => Operand::None,
        };
        MethodProbes {
            enter: operand(ProbeEvent::Enter, enter),
            exit: operand(ProbeEvent::Exit, exit),
            unwind: operand(ProbeEvent::Unwind, exit),
        }
    }
}

fn original_name<'m>(
    mapping: &'m Mapping,
    dex: &Dex<'_>,
    class: &str,
    planned: &PlannedMethod,
) -> Result<Option<&'m str>> {
    let name = dex.string(dex.method(planned.method)?.name)?.to_str();
    let descriptor = super::map_text::signature(dex, planned)?;
    Ok(mapping.method(class, &name, &descriptor, planned.line).map(|it| it.name))
}
