//! Planting one fault in every method of a file and asking the verifier.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

use wattle_dex::{
    Code, Dex, DexFile, MethodId, MethodItem, MethodSite, NewCode, Section, Verifier, Wrapping,
    seal,
};

use super::injected_fault::{Fault, Plant, Planted};
use super::wrapped::Wrapped;
use crate::rewrite::{Around, MethodProbes, RuntimeCalls, wrap};
use crate::{ProbeArgument, ProbeEvent, ProbeOperand, Sink};

/// A file with probes in all its methods, none of them planted yet.
pub(super) struct Sound<'a> {
    dex: &'a Dex<'a>,
    sink: Sink,
    /// The file with probes.
    bytes: Vec<u8>,
    /// Methods that verify with probes.
    verified: HashSet<MethodId>,
}

/// The outcome of a fault in one file.
#[derive(Default)]
pub(super) struct Outcome {
    /// Fatal plants, and those of them that were found.
    pub(super) fatal: u32,
    pub(super) found: u32,
    /// Plants that may be sound, and those that were refused.
    pub(super) harmless: u32,
    pub(super) harmless_found: u32,
    /// Fatal plants that were not found.
    pub(super) missed: Vec<String>,
    /// Methods without a plant that do not verify any more.
    pub(super) hit: Vec<String>,
    /// Rules that found it.
    pub(super) rules: BTreeMap<String, u32>,
    /// The file with the fault; nothing where it could not be written.
    pub(super) bytes: Option<Vec<u8>>,
    /// Classes with fatal plants.
    pub(super) classes: HashSet<String>,
}

const EVENTS: [ProbeEvent; 3] = [ProbeEvent::Enter, ProbeEvent::Exit, ProbeEvent::Unwind];

/// The argument of the probes; the number needs the longest form of a constant.
fn probes(file: &mut DexFile<'_>, sink: Sink) -> (RuntimeCalls, MethodProbes) {
    let text = file.pool_mut().string("some.Class.method #1@01234567");
    let operand = |event| match sink.argument(event) {
        Some(ProbeArgument::Id) => ProbeOperand::Id(0x12345),
        Some(ProbeArgument::Text) => ProbeOperand::Text(text),
        _ => ProbeOperand::None,
    };
    let runtime = RuntimeCalls::intern(file.pool_mut(), sink, &EVENTS).unwrap();
    let [enter, exit, unwind] = EVENTS.map(|event| runtime.probe(event, operand(event)));
    let around = Some(Around { enter, exit, unwind });
    (runtime, MethodProbes { around, calls: Vec::new() })
}

/// The methods of a class with their code.
fn methods(dex: &Dex<'_>, class: wattle_dex::ClassIndex) -> Vec<MethodItem> {
    let item = dex.class_def(class).unwrap();
    let members = dex.class_data(&item).unwrap().into_iter().flatten();
    members.filter_map(|member| member.unwrap().method()).collect()
}

/// Calls `each` with every method before and after, and what the verifier says of it.
fn compare(
    before: &Dex<'_>,
    after: &Dex<'_>,
    mut each: impl FnMut(MethodItem, MethodItem, Option<&'static str>),
) {
    let verifier = Verifier::new(after);
    for (class, _) in before.class_defs() {
        for (old, new) in methods(before, class).into_iter().zip(methods(after, class)) {
            let defect = Some(new).filter(|it| it.code_off != 0);
            let defect = defect.and_then(|new| verifier.method(class, new));
            each(old, new, defect.map(|it| it.rule));
        }
    }
}

impl<'a> Sound<'a> {
    pub(super) fn new(dex: &'a Dex<'a>, sink: Sink) -> Self {
        let mut file = DexFile::edit(dex);
        let (_, probes) = probes(&mut file, sink);
        let verifier = Verifier::new(dex);
        let refused = Mutex::new(HashSet::new());
        let rewrite = |site: &MethodSite<'_>, _: &mut Wrapping| {
            let item =
                MethodItem { method: site.method, access: site.access, code_off: site.code.offset };
            if verifier.leaks_monitor(site.class, item)? {
                refused.lock().unwrap().insert(site.method);
                return Ok(NewCode::Same);
            }
            let code = Code::decode_with_lines(dex, &site.code)?;
            Ok(NewCode::Replaced(wrap(dex, site, code, &probes)?.code))
        };
        let bytes = file
            .write_where_possible(&rewrite, &|site, _| {
                refused.lock().unwrap().insert(site.method);
            })
            .unwrap();
        let refused = refused.into_inner().unwrap();
        let mut sound = HashSet::new();
        // Methods may share their code and their line program; a fault in the bytes is all theirs.
        let (mut codes, mut lines) = (HashSet::new(), HashSet::new());
        let after = Dex::parse(&bytes).unwrap();
        compare(dex, &after, |old, new, defect| {
            if new.code_off == 0 || defect.is_some() || refused.contains(&old.method) {
                return;
            }
            let line = after.code(new.code_off).unwrap().debug_info_off;
            if codes.insert(new.code_off) && (line == 0 || lines.insert(line)) {
                sound.insert(old.method);
            }
        });
        Self { dex, sink, bytes, verified: sound }
    }

    /// Number of methods that faults can be planted in.
    pub(super) fn methods(&self) -> usize {
        self.verified.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Plants a fault in every method.
    pub(super) fn plant(&self, fault: &Fault) -> Outcome {
        match fault.plant {
            Plant::Code(plant) => self.plant_code(plant),
            Plant::Bytes(plant) => self.plant_bytes(plant),
        }
    }

    fn plant_code(&self, plant: fn(&mut Wrapped) -> Planted) -> Outcome {
        let mut file = DexFile::edit(self.dex);
        let (runtime, probes) = probes(&mut file, self.sink);
        let planted = Mutex::new(HashMap::new());
        let unwritten = Mutex::new(HashSet::new());
        let bytes = file
            .write_where_possible(
                &|site, _| {
                    if !self.verified.contains(&site.method) {
                        return Ok(NewCode::Same);
                    }
                    let mut wrapped = Wrapped::new(self.dex, site, (self.sink, &runtime), &probes)?;
                    let (nodes, tries, registers) = (
                        wrapped.code.nodes.clone(),
                        wrapped.code.tries.clone(),
                        wrapped.code.registers,
                    );
                    let what = plant(&mut wrapped);
                    if what == Planted::Nowhere {
                        let code = Code::decode_with_lines(self.dex, &site.code)?;
                        let wrapped = wrap(self.dex, site, code, &probes)?;
                        return Ok(NewCode::Replaced(wrapped.code));
                    }
                    let code = &wrapped.code;
                    assert!(
                        code.nodes != nodes || code.tries != tries || code.registers != registers,
                        "the fault must change something"
                    );
                    planted.lock().unwrap().insert(site.method, what);
                    Ok(NewCode::Replaced(wrapped.code))
                },
                &|site, _| {
                    unwritten.lock().unwrap().insert(site.method);
                },
            )
            .unwrap();
        let (planted, unwritten) = (planted.into_inner().unwrap(), unwritten.into_inner().unwrap());
        self.judge(bytes, |method, _| planted.get(&method).copied(), &unwritten)
    }

    fn plant_bytes(
        &self,
        plant: fn(&mut [u8], &Dex<'_>, &wattle_dex::CodeItem<'_>) -> Planted,
    ) -> Outcome {
        let mut bytes = self.bytes.clone();
        let dex = Dex::parse(&self.bytes).unwrap();
        let mut planted = HashMap::new();
        compare_methods(self.dex, &dex, |old, new| {
            if !self.verified.contains(&old.method) {
                return;
            }
            let code = dex.code(new.code_off).unwrap();
            let what = plant(&mut bytes, &dex, &code);
            if what != Planted::Nowhere {
                planted.insert(new.code_off, what);
            }
        });
        if !planted.is_empty() {
            assert_ne!(bytes, self.bytes, "the fault must change something");
        }
        seal(&mut bytes);
        self.judge(bytes, |_, code| planted.get(&code).copied(), &HashSet::new())
    }

    fn judge(
        &self,
        bytes: Vec<u8>,
        planted: impl Fn(MethodId, u32) -> Option<Planted>,
        unwritten: &HashSet<MethodId>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let after = Dex::parse(&bytes).unwrap();
        compare(self.dex, &after, |old, new, defect| {
            if !self.verified.contains(&old.method) {
                return;
            }
            let rule = if unwritten.contains(&old.method) { Some("not-written") } else { defect };
            let name = || self.dex.method_name(old.method).unwrap();
            match planted(old.method, new.code_off) {
                Some(Planted::Fatal) => {
                    outcome.fatal += 1;
                    let class = self.dex.method(old.method).unwrap().class;
                    outcome.classes.insert(crate::java_name::java_name(
                        &self.dex.descriptor_str(class).unwrap(),
                    ));
                    match rule {
                        Some(rule) => {
                            outcome.found += 1;
                            *outcome.rules.entry(rule.to_owned()).or_default() += 1;
                        }
                        None => outcome.missed.push(name()),
                    }
                }
                Some(Planted::Harmless) => {
                    outcome.harmless += 1;
                    outcome.harmless_found += u32::from(rule.is_some());
                }
                Some(Planted::Nowhere) | None if rule.is_some() => {
                    outcome.hit.push(format!("{}: {}", name(), rule.unwrap_or_default()));
                }
                _ => {}
            }
        });
        outcome.bytes = Some(bytes).filter(|_| unwritten.is_empty());
        outcome
    }
}

fn compare_methods(
    before: &Dex<'_>,
    after: &Dex<'_>,
    mut each: impl FnMut(MethodItem, MethodItem),
) {
    for index in 0..before.count(Section::CLASS_DEFS) {
        let class = wattle_dex::ClassIndex(index);
        for (old, new) in methods(before, class).into_iter().zip(methods(after, class)) {
            each(old, new);
        }
    }
}
