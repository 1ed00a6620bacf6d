//! A file as text that does not depend on numbers, offsets or addresses.

use std::collections::HashMap;
use std::fmt::Write as _;

use wattle_dex::*;

/// One entry per class, in file order.
pub fn dump(dex: &Dex<'_>) -> Vec<String> {
    (0..dex.count(Section::CLASS_DEFS)).map(|index| class(dex, ClassIndex(index))).collect()
}

fn class(dex: &Dex<'_>, index: ClassIndex) -> String {
    let class = dex.class(index).unwrap();
    let mut out = String::new();
    let ty = |id| dex.descriptor_str(id).unwrap();
    let _ =
        writeln!(out, "class {} {:x} {:?}", ty(class.ty), class.access.0, class.superclass.map(ty));
    for interface in &class.interfaces {
        let _ = writeln!(out, "implements {}", ty(*interface));
    }
    let _ = writeln!(out, "file {:?}", class.source_file.map(|id| dex.string(id).unwrap()));
    for annotation in &class.annotations.class {
        let _ = writeln!(out, "annotation {}", annotation_text(dex, annotation));
    }
    for (id, list) in &class.annotations.fields {
        for annotation in list {
            let _ = writeln!(
                out,
                "annotation {} {}",
                field(dex, *id),
                annotation_text(dex, annotation)
            );
        }
    }
    for (id, list) in &class.annotations.methods {
        for annotation in list {
            let name = dex.method_name(*id).unwrap();
            let _ = writeln!(out, "annotation {name} {}", annotation_text(dex, annotation));
        }
    }
    for (id, lists) in &class.annotations.parameters {
        for (position, list) in lists.iter().enumerate() {
            for annotation in list {
                let name = dex.method_name(*id).unwrap();
                let _ = writeln!(
                    out,
                    "annotation {name} {position} {}",
                    annotation_text(dex, annotation)
                );
            }
        }
    }
    for member in class.static_fields.iter().chain(&class.instance_fields) {
        let value = member.value.as_ref().map(|value| value_text(dex, value));
        let _ = writeln!(out, "field {:x} {} {value:?}", member.access.0, field(dex, member.id));
    }
    for method in class.methods() {
        let _ =
            writeln!(out, "method {:x} {}", method.access.0, dex.method_name(method.id).unwrap());
        if let Body::Source(at) = method.body {
            body(dex, &dex.code(at).unwrap(), &mut out);
        }
    }
    out
}

fn field(dex: &Dex<'_>, id: FieldId) -> String {
    let field = dex.field(id).unwrap();
    format!(
        "{}->{}:{}",
        dex.descriptor(field.class).unwrap(),
        dex.string(field.name).unwrap(),
        dex.descriptor(field.ty).unwrap()
    )
}

fn proto(dex: &Dex<'_>, id: ProtoId) -> String {
    let item = dex.proto(id).unwrap();
    let parameters: Vec<_> =
        dex.parameters(id).unwrap().iter().map(|ty| dex.descriptor_str(ty).unwrap()).collect();
    format!(
        "{}({}){}",
        dex.string(item.shorty).unwrap(),
        parameters.concat(),
        dex.descriptor(item.return_type).unwrap()
    )
}

fn handle(dex: &Dex<'_>, id: MethodHandleId) -> String {
    let handle = dex.method_handle(id).unwrap();
    let member = if handle.kind <= 3 {
        field(dex, FieldId(handle.member))
    } else {
        dex.method_name(MethodId(handle.member)).unwrap()
    };
    format!("{} {member}", handle.kind)
}

fn annotation_text(dex: &Dex<'_>, annotation: &Annotation) -> String {
    format!(
        "{} {}",
        annotation.visibility,
        value_text(dex, &Value::Annotation(annotation.annotation.clone()))
    )
}

pub fn value_text(dex: &Dex<'_>, value: &Value) -> String {
    match value {
        Value::MethodType(id) => proto(dex, *id),
        Value::MethodHandle(id) => handle(dex, *id),
        Value::String(id) => format!("{:?}", dex.string(*id).unwrap()),
        Value::Type(id) => dex.descriptor_str(*id).unwrap().into_owned(),
        Value::Field(id) | Value::Enum(id) => field(dex, *id),
        Value::Method(id) => dex.method_name(*id).unwrap(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(|value| value_text(dex, value)).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Annotation(annotation) => {
            let elements: Vec<_> = annotation
                .elements
                .iter()
                .map(|(name, value)| {
                    format!("{}={}", dex.string(*name).unwrap(), value_text(dex, value))
                })
                .collect();
            format!("@{}({})", dex.descriptor(annotation.ty).unwrap(), elements.join(", "))
        }
        plain => format!("{plain:?}"),
    }
}

/// Instructions by their position, so that a different layout reads the same.
fn body(dex: &Dex<'_>, code: &CodeItem<'_>, out: &mut String) {
    let _ = writeln!(out, " frame {} {} {}", code.registers, code.ins, code.outs);
    let mut list: Vec<(u32, Decoded)> = code.instructions().map(Result::unwrap).collect();
    // Padding in front of payloads is part of the layout.
    list.retain(|(at, it)| {
        let next = code.units.get(at + 1).unwrap_or(0);
        !(it.opcode == Opcode::NOP && matches!(next, 0x100 | 0x200 | 0x300))
    });
    let positions: HashMap<u32, usize> =
        list.iter().enumerate().map(|(n, (at, _))| (*at, n)).collect();
    let at_or_after = |unit: u32| list.partition_point(|(at, _)| *at < unit);
    let target = |unit: u32| positions[&unit];
    for (at, it) in &list {
        let opcode = match it.opcode {
            Opcode::GOTO_16 | Opcode::GOTO_32 => Opcode::GOTO,
            Opcode::CONST_STRING_JUMBO => Opcode::CONST_STRING,
            other => other,
        };
        let _ = write!(out, "  {opcode} {:?} {:x}", it.registers, it.literal);
        let index = it.index;
        let text = match it.info().index {
            IndexKind::None => String::new(),
            IndexKind::String => format!("{:?}", dex.string(StringId(index)).unwrap()),
            IndexKind::Type => dex.descriptor_str(TypeId(index)).unwrap().into_owned(),
            IndexKind::Field => field(dex, FieldId(index)),
            IndexKind::Method => dex.method_name(MethodId(index)).unwrap(),
            IndexKind::Polymorphic => {
                format!(
                    "{} {}",
                    dex.method_name(MethodId(index)).unwrap(),
                    proto(dex, ProtoId(it.proto))
                )
            }
            IndexKind::CallSite => {
                let values =
                    dex.encoded_array(dex.call_site_off(CallSiteId(index)).unwrap()).unwrap();
                value_text(dex, &Value::Array(values))
            }
            IndexKind::MethodHandle => handle(dex, MethodHandleId(index)),
            IndexKind::Proto => proto(dex, ProtoId(index)),
        };
        let _ = write!(out, " {text}");
        if it.opcode.is_branch() {
            let _ = write!(out, " -> {}", target(at.checked_add_signed(it.offset).unwrap()));
        }
        if it.info().format == Format::F31t {
            payload(code, *at, it, &target, out);
        }
        out.push('\n');
    }
    for range in code.tries() {
        let handler = code.handler(range.handler_off).unwrap();
        let typed: Vec<_> = handler
            .typed
            .iter()
            .map(|(ty, at)| (dex.descriptor_str(*ty).unwrap(), target(*at)))
            .collect();
        let _ = writeln!(
            out,
            "  try {}..{} {typed:?} {:?}",
            at_or_after(range.start),
            at_or_after(range.start + u32::from(range.count)),
            handler.catch_all.map(target)
        );
    }
    let Some(debug) = dex.debug_info(code.debug_info_off).unwrap() else { return };
    let names: Vec<_> =
        debug.parameter_names.iter().map(|name| name.map(|id| dex.string(id).unwrap())).collect();
    let _ = writeln!(out, "  parameters {names:?}");
    let mut lines: HashMap<usize, u32> = HashMap::new();
    for event in debug.events() {
        let (at, event) = event.unwrap();
        let position = at_or_after(at);
        if position >= list.len() {
            continue;
        }
        match event {
            DebugEvent::Line(line) => {
                lines.insert(position, line);
            }
            DebugEvent::StartLocal { register, name, ty, signature } => {
                let name = name.map(|id| dex.string(id).unwrap());
                let ty = ty.map(|id| dex.descriptor_str(id).unwrap());
                let signature = signature.map(|id| dex.string(id).unwrap());
                let _ =
                    writeln!(out, "  {position} local {register} {name:?} {ty:?} {signature:?}");
            }
            DebugEvent::File(name) => {
                let _ =
                    writeln!(out, "  {position} file {:?}", name.map(|id| dex.string(id).unwrap()));
            }
            other => {
                let _ = writeln!(out, "  {position} {other:?}");
            }
        }
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_unstable();
    let _ = writeln!(out, "  lines {lines:?}");
}

fn payload(
    code: &CodeItem<'_>,
    at: u32,
    it: &Decoded,
    target: &dyn Fn(u32) -> usize,
    out: &mut String,
) {
    let start = at.checked_add_signed(it.offset).unwrap();
    let unit = |n: u32| u32::from(code.units.get(start + n).unwrap());
    let int = |n: u32| code.units.get_u32(start + n).unwrap() as i32;
    let jump = |n: u32| target(at.checked_add_signed(int(n)).unwrap());
    let count = unit(1);
    match unit(0) {
        0x100 => {
            for case in 0..count {
                let _ = write!(out, " {}:{}", int(2) + case as i32, jump(4 + 2 * case));
            }
        }
        0x200 => {
            for case in 0..count {
                let _ = write!(out, " {}:{}", int(2 + 2 * case), jump(2 + 2 * count + 2 * case));
            }
        }
        _ => {
            let units = (count * int(2) as u32).div_ceil(2);
            for n in 0..units + 4 {
                let _ = write!(out, " {:x}", unit(n));
            }
        }
    }
}
