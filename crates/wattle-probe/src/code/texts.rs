//! The texts of a file's probes, made known to it.

use rustc_hash::FxHashMap;
use wattle_dex::{Dex, Pool, Result, StringId};

use super::method_names::Renamed;
use crate::java_name::java_name;
use crate::plan::{FilePlan, PlannedCall, PlannedMethod};
use crate::probe_label::{Labels, Subject};
use crate::rewrite::{Around, RuntimeCalls};
use crate::{
    ByteCount, CallProbes, FrameworkCall, FrameworkCalls, Options, ProbeArgument, ProbeEvent,
    ProbeOperand, Sink,
};

/// The arguments of each planned probe of a file.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    sink: Sink,
    runtime: RuntimeCalls,
    /// For each planned method what its entry and its exits say.
    methods: Vec<[Option<StringId>; 2]>,
    /// For each planned call what is said in front of it and behind it.
    calls: Vec<[Option<StringId>; 2]>,
    /// For each planned call where the number of bytes is found that it moved; empty where the sink has no word for it.
    bytes: Vec<Option<ByteCount>>,
}

/// Options that the texts of all files depend on.
pub(super) struct TextOptions<'o, 'a> {
    pub(super) options: &'o Options,
    pub(super) labels: &'o Labels,
    pub(super) framework: Option<&'o FrameworkCalls<'a>>,
}

impl TextOptions<'_, '_> {
    /// Makes the texts of a file known to it.
    pub(super) fn intern(
        &self,
        pool: &mut Pool<'_>,
        dex: &Dex<'_>,
        plan: &FilePlan,
    ) -> Result<Texts> {
        let Self { options, labels, framework } = *self;
        let mut events = Vec::new();
        if options.mode.methods() {
            events.extend([ProbeEvent::Enter, ProbeEvent::Exit, ProbeEvent::Unwind]);
        }
        if options.mode.apis() {
            events.extend([ProbeEvent::Call, ProbeEvent::Back, ProbeEvent::Fail]);
        }
        let sink = options.sink;
        let mut runtime = RuntimeCalls::intern(pool, sink, &events)?;
        let bytes = byte_counts(plan, framework.filter(|_| sink.counts_bytes()));
        for count in bytes.iter().flatten() {
            runtime.intern_moved(pool, *count)?;
        }
        let mut texts = Texts { sink, runtime, methods: Vec::new(), calls: Vec::new(), bytes };
        let mut words = Words { sink, labels, pool, text: String::new() };
        for methods in plan.methods.chunk_by(|one, other| one.class == other.class) {
            let Some(first) = methods.first() else { continue };
            let packaged = java_name(&dex.descriptor_str(dex.class_def(first.class)?.class)?);
            let mapping = options.mapping.as_ref();
            let class = mapping.map_or(packaged.as_str(), |mapping| mapping.class(&packaged));
            for planned in methods {
                let renamed = Renamed::new(mapping, dex, &packaged, planned)?;
                let method = renamed.original_name();
                let subject = planned.id.map(|id| Subject { class, method, id, line: None });
                texts.methods.push(
                    [ProbeEvent::Enter, ProbeEvent::Exit]
                        .map(|event| subject.and_then(|subject| words.of(event, subject))),
                );
                let Some(framework) = framework else { continue };
                for call in plan.calls(planned).1 {
                    let class = framework.class(call.lands);
                    let method = framework.name(call.lands);
                    let id = call.id;
                    let line = call.line.and_then(|line| renamed.original_line(line));
                    let subject = Subject { class: &class, method: &method, id, line };
                    let events = [ProbeEvent::Call, ProbeEvent::Back];
                    texts.calls.push(events.map(|event| words.of(event, subject)));
                }
            }
        }
        Ok(texts)
    }
}

impl Texts {
    /// The probes around the planned method at a position.
    pub(super) fn around(&self, position: usize, planned: &PlannedMethod) -> Option<Around> {
        let id = planned.id?;
        let [enter, exit] = self.methods.get(position).copied().unwrap_or_default();
        let probe = |event, text| self.runtime.probe(event, self.operand(event, id, text));
        Some(Around {
            enter: probe(ProbeEvent::Enter, enter),
            exit: probe(ProbeEvent::Exit, exit),
            unwind: probe(ProbeEvent::Unwind, exit),
        })
    }

    /// The probes around the planned call at a position.
    pub(super) fn call(&self, position: usize, planned: &PlannedCall) -> CallProbes {
        let [call, back] = self.calls.get(position).copied().unwrap_or_default();
        let bytes = self.bytes.get(position).copied().flatten();
        let probe = |event, text| self.runtime.probe(event, self.operand(event, planned.id, text));
        CallProbes {
            call: probe(ProbeEvent::Call, call),
            back: probe(ProbeEvent::Back, back),
            moved: bytes.and_then(|count| self.runtime.moved(count)),
            fail: self.runtime.method(ProbeEvent::Fail),
        }
    }

    fn operand(&self, event: ProbeEvent, id: u32, text: Option<StringId>) -> ProbeOperand {
        match (self.sink.argument(event), text) {
            (Some(ProbeArgument::Id), _) => ProbeOperand::Id(id.cast_signed()),
            (Some(ProbeArgument::Text), Some(text)) => ProbeOperand::Text(text),
            _ => ProbeOperand::None,
        }
    }
}

/// The place of the bytes of each planned call.
fn byte_counts(plan: &FilePlan, framework: Option<&FrameworkCalls<'_>>) -> Vec<Option<ByteCount>> {
    let Some(framework) = framework else { return Vec::new() };
    let mut known: FxHashMap<FrameworkCall, Option<ByteCount>> = FxHashMap::default();
    let calls = plan.methods.iter().flat_map(|method| plan.calls(method).1);
    calls
        .map(|call| *known.entry(call.lands).or_insert_with(|| framework.byte_count(call.lands)))
        .collect()
}

/// Texts on their way into a file.
struct Words<'w, 'a> {
    sink: Sink,
    labels: &'w Labels,
    pool: &'w mut Pool<'a>,
    text: String,
}

impl Words<'_, '_> {
    fn of(&mut self, event: ProbeEvent, subject: Subject<'_>) -> Option<StringId> {
        if self.sink.argument(event) != Some(ProbeArgument::Text) {
            return None;
        }
        self.labels.write(event, subject, &mut self.text);
        Some(self.pool.string(&self.text))
    }
}
