//! Checks of code with probes, whatever it is.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use wattle_dex::{
    ClassIndex, CodeItem, Decoded, Dex, FieldId, IndexKind, MethodId, MethodItem, Opcode, ProtoId,
    StringId, TypeId, Verifier,
};
use wattle_probe::{Instrumented, MapId, ProbeMap, ProbePoint, Runtime, Sink};

/// The files in files of code: a container has several.
fn parse<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Vec<Dex<'a>> {
    files.into_iter().flat_map(|file| Dex::parse_container(file).unwrap()).collect()
}

fn after(code: &Instrumented) -> Vec<Dex<'_>> {
    parse(code.files.iter().map(|file| file.bytes.as_slice()))
}

fn methods(dex: &Dex<'_>) -> Vec<(ClassIndex, MethodItem)> {
    let mut all = Vec::new();
    for (index, item) in dex.class_defs() {
        let members = dex.class_data(&item.unwrap()).unwrap().into_iter().flatten();
        all.extend(members.filter_map(|it| it.unwrap().method()).map(|method| (index, method)));
    }
    all
}

/// The defects of files, without the places, which move.
fn defects(files: &[Dex<'_>]) -> BTreeMap<String, u32> {
    let mut all = BTreeMap::new();
    for dex in files {
        for defect in Verifier::new(dex).all(2).defects {
            let text = format!("{} {}", defect.rule, defect.method.unwrap_or_default());
            *all.entry(text).or_default() += 1;
        }
    }
    all
}

/// All classes are there once, all methods are, and no defect that was not there before.
#[track_caller]
pub fn check_code(label: &str, before: &[&[u8]], code: &Instrumented) {
    let (before, after) = (parse(before.iter().copied()), after(code));
    let old = defects(&before);
    for (defect, count) in defects(&after) {
        assert!(old.get(&defect).is_some_and(|&old| old >= count), "{label}: {defect}");
    }
    let names = |files: &[Dex<'_>]| {
        let mut names = Vec::new();
        for dex in files {
            for (_, method) in methods(dex) {
                let name = dex.method_name(method.method).unwrap();
                names.push(format!("{name} {:x} {}", method.access.0, method.code_off != 0));
            }
            for (_, class) in dex.class_defs() {
                names.push(dex.descriptor_str(class.unwrap().class).unwrap().into_owned());
            }
        }
        names.sort();
        names
    };
    assert!(names(&before) == names(&after), "{label}: classes and methods stay the same");
    let runtime = Dex::parse(&code.runtime).unwrap();
    assert_eq!(Verifier::new(&runtime).all(1).defects, [], "{label}: runtime class");
}

/// The argument of the entry probe of a method: the number, or the text.
fn entry(dex: &Dex<'_>, code: &CodeItem<'_>, enter: MethodId) -> Option<Result<u32, String>> {
    let mut before: Option<Decoded> = None;
    for item in code.instructions() {
        let (_, it) = item.unwrap();
        if it.opcode.is_invoke() && it.index == enter.0 && it.info().index == IndexKind::Method {
            let constant = before.unwrap();
            return Some(if constant.info().index == IndexKind::String {
                Err(dex.string(StringId(constant.index)).unwrap().to_str().into_owned())
            } else {
                Ok(constant.literal as u32)
            });
        }
        before = Some(it);
    }
    None
}

/// The number of a runtime method in a file.
fn runtime_method(dex: &Dex<'_>, name: &str) -> Option<MethodId> {
    let ids = (0..dex.count(wattle_dex::Section::METHOD_IDS)).map(MethodId);
    let prefix = format!("{}->{name}(", Runtime::DESCRIPTOR);
    let mut found = ids.filter(|id| dex.method_name(*id).unwrap().starts_with(&prefix));
    found.next()
}

/// The map lists the methods with probes, each once, with numbers from 1, and the probes agree with it.
#[track_caller]
pub fn check_map(label: &str, before: &[&[u8]], code: &Instrumented) {
    assert_eq!(code.map_id, MapId::from_bytes(&code.map), "{label}");
    let map = ProbeMap::parse(&code.map).unwrap();
    assert_eq!(map.header.code.len(), before.len());
    let mut listed = BTreeMap::new();
    for (position, (id, point)) in map.points().enumerate() {
        assert_eq!(id as usize, position + 1, "{label}: numbers go up from 1");
        let ProbePoint::Method(class, method) = point else { panic!("{label}: a call") };
        let class = class.packaged.as_ref().unwrap_or(&class.class).replace('.', "/");
        let name = method.packaged.as_ref().unwrap_or(&method.name);
        let key = format!("L{class};->{name}{}", method.descriptor);
        let again = listed.insert(key.clone(), id);
        assert!(again.is_none() || before.len() > 1, "{label}: {key} twice");
    }
    assert_eq!(u64::from(map.header.probes), code.counts.methods_probed, "{label}");
    let mut seen = BTreeSet::new();
    let mut probed = 0;
    for dex in after(code) {
        let Some(enter) = runtime_method(&dex, "enter") else { continue };
        for (_, method) in methods(&dex).into_iter().filter(|(_, it)| it.code_off != 0) {
            let item = dex.code(method.code_off).unwrap();
            let Some(told) = entry(&dex, &item, enter) else { continue };
            let name = dex.method_name(method.method).unwrap();
            let id = *listed.get(&name).unwrap_or_else(|| panic!("{label}: {name} is not listed"));
            probed += 1;
            // The same class may stand in several files; then the last one's number is known here.
            if !seen.insert(name.clone()) {
                continue;
            }
            match (code.sink, told) {
                (Sink::Logcat | Sink::File, Ok(number)) => {
                    assert_eq!(number, id, "{label}: {name}");
                }
                (Sink::Trace, Err(text)) => {
                    let tail = format!(" #{}@{}", base36(id), code.map_id.short());
                    assert!(text.ends_with(&tail), "{label}: {name} says {text}, not {tail}");
                    assert!(text.encode_utf16().count() <= 127, "{label}: {text}");
                    assert!(!text.contains(['|', '\n']), "{label}: {text}");
                }
                (Sink::Navitas, Err(text)) => {
                    assert!(text.starts_with("Entry "), "{label}: {text}");
                }
                (Sink::Orka, Err(text)) => {
                    assert!(text.starts_with("entering "), "{label}: {text}");
                }
                (sink, told) => panic!("{label}: {sink:?} tells {told:?}"),
            }
        }
    }
    assert_eq!(probed, code.counts.methods_probed, "{label}: methods that call `enter`");
}

/// Written from the definition of the label, not with the code under test.
fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(char::from_digit(number % 36, 36).unwrap());
        number /= 36;
    }
    digits.iter().rev().collect()
}

/// Methods without probes have the code that they had, by its names; returns how many there are.
#[track_caller]
pub fn check_untouched(label: &str, before: &[&[u8]], code: &Instrumented) -> u64 {
    let describe_all = |files: &[Dex<'_>], without: &mut HashSet<String>| {
        let mut all = BTreeMap::new();
        for dex in files {
            let enter = runtime_method(dex, "enter");
            for (_, method) in methods(dex).into_iter().filter(|(_, it)| it.code_off != 0) {
                let item = dex.code(method.code_off).unwrap();
                let name = dex.method_name(method.method).unwrap();
                if enter.is_some_and(|enter| entry(dex, &item, enter).is_some()) {
                    continue;
                }
                without.insert(name.clone());
                all.insert(name, describe(dex, &item));
            }
        }
        all
    };
    let (mut every, mut without) = (HashSet::new(), HashSet::new());
    let old = describe_all(&parse(before.iter().copied()), &mut every);
    let new = describe_all(&after(code), &mut without);
    for (name, text) in &new {
        assert_eq!(Some(text), old.get(name), "{label}: {name}");
    }
    new.len() as u64
}

/// A body as text without numbers that may change.
fn describe(dex: &Dex<'_>, code: &CodeItem<'_>) -> String {
    let mut text = format!("{} {} {}\n", code.registers, code.ins, code.outs);
    for item in code.instructions() {
        let (unit, it) = item.unwrap();
        let registers: Vec<_> = it.registers.iter().collect();
        let _ = write!(text, "{registers:?} {} {}", it.literal, code.units.len());
        let named = match it.info().index {
            IndexKind::String => dex.string(StringId(it.index)).unwrap().to_str().into_owned(),
            IndexKind::Type => dex.descriptor_str(TypeId(it.index)).unwrap().into_owned(),
            IndexKind::Field => {
                let field = dex.field(FieldId(it.index)).unwrap();
                let ty = |ty| dex.descriptor_str(ty).unwrap();
                let name = dex.string(field.name).unwrap().to_str();
                format!("{}.{name}:{}", ty(field.class), ty(field.ty))
            }
            IndexKind::Method | IndexKind::Polymorphic => {
                dex.method_name(MethodId(it.index)).unwrap()
            }
            IndexKind::Proto => format!("{:?}", dex.proto(ProtoId(it.index)).unwrap().return_type),
            _ => it.index.to_string(),
        };
        let opcode = Opcode(it.opcode.0).name();
        let _ = writeln!(text, "{unit} {opcode} {} {named}", it.offset);
    }
    for range in code.tries() {
        let handler = code.handler(range.handler_off).unwrap();
        let types = handler.typed.iter().map(|(ty, at)| (dex.descriptor_str(*ty).unwrap(), *at));
        let typed: Vec<_> = types.collect();
        let _ = writeln!(text, "{} {} {typed:?} {:?}", range.start, range.count, handler.catch_all);
    }
    if let Some(lines) = dex.debug_info(code.debug_info_off).unwrap() {
        let _ = writeln!(text, "{}", lines.line_start);
        for event in lines.events() {
            let (unit, event) = event.unwrap();
            if let wattle_dex::DebugEvent::Line(line) = event {
                let _ = writeln!(text, "{unit} {line}");
            }
        }
    }
    text
}
