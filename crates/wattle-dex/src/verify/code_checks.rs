//! The shape of a method's code: what can be said without following it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::facts::Role;
use super::operands::{Check, Problem, Signature, Subject, problem, read};
use super::types::Class;
use crate::code_item::CatchHandler;
use crate::decoded::{FILL_ARRAY, PACKED_SWITCH, SPARSE_SWITCH, length_at};
use crate::effects::Effects;
use crate::opcode_info::{Format, IndexKind};
use crate::{Decoded, MethodHandleId, Opcode, ProtoId, StringId, TypeId};

/// Instructions with their addresses and everything that flow needs.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) list: Vec<(u32, Decoded)>,
    /// The position of the instruction at each unit, `NOT_HERE` inside one and in payloads.
    positions: Vec<u32>,
    /// Targets of the switches, by position of the instruction.
    pub(crate) switches: Vec<(usize, Vec<usize>)>,
    pub(crate) tries: Vec<Try>,
    /// Handlers of all lists: caught type, none for all, and position of the handler.
    handlers: Vec<(Option<TypeId>, usize)>,
    /// Place of each list of handlers among them, and its offset in the file.
    lists: Vec<(u32, Range<usize>)>,
    /// The type that each handler can be given.
    exceptions: FxHashMap<usize, Class>,
}

/// A try range by units.
#[derive(Debug)]
pub(crate) struct Try {
    start: u32,
    end: u32,
    list: usize,
}

const NOT_HERE: u32 = u32::MAX;

impl Shape {
    pub(crate) fn position(&self, unit: u32) -> Option<usize> {
        self.positions
            .get(unit as usize)
            .copied()
            .filter(|&at| at != NOT_HERE)
            .map(|at| at as usize)
    }

    /// The position that a branch goes to.
    pub(crate) fn target(&self, rule: &'static str, from: u32, offset: i32) -> Check<usize> {
        let to = from.checked_add_signed(offset);
        match to.and_then(|to| self.position(to)) {
            Some(position) => Ok(position),
            None => problem(
                rule,
                from,
                "a target at the start of an instruction",
                format!("distance {offset}"),
            ),
        }
    }

    /// The number of the list of handlers of an address.
    pub(crate) fn list_at(&self, unit: u32) -> Option<usize> {
        let index = self.tries.partition_point(|range| range.end <= unit);
        self.tries.get(index).filter(|range| range.start <= unit).map(|range| range.list)
    }

    /// The handlers of a list: caught type, none for all, and position.
    pub(crate) fn handlers(&self, list: Option<usize>) -> &[(Option<TypeId>, usize)] {
        let list = list.and_then(|list| self.lists.get(list));
        list.and_then(|(_, range)| self.handlers.get(range.clone())).unwrap_or_default()
    }

    /// The type that the handler at a position is given; `None` where there is no handler.
    pub(crate) fn exception(&self, position: usize) -> Option<Class> {
        self.exceptions.get(&position).copied()
    }

    /// Positions of all handlers.
    pub(crate) fn handler_positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.exceptions.keys().copied()
    }

    /// Looks at a method; what is known of another one is forgotten, its memory used again.
    pub(crate) fn read(&mut self, subject: &Subject<'_, '_>) -> Check<()> {
        let code = &subject.code;
        frame(subject)?;
        self.list.clear();
        self.positions.clear();
        self.positions.resize(code.units.len() as usize, NOT_HERE);
        self.switches.clear();
        self.tries.clear();
        self.handlers.clear();
        self.lists.clear();
        self.exceptions.clear();
        let mut at = 0;
        while at < code.units.len() {
            let Some(length) = length_at(code.units, at) else {
                let found = format!("{:#06x}", code.units.get(at).unwrap_or(0));
                return problem(
                    "instruction",
                    at,
                    "an instruction that ends inside the code",
                    found,
                );
            };
            if matches!(code.units.get(at), Some(PACKED_SWITCH | SPARSE_SWITCH | FILL_ARRAY)) {
                if at % 2 != 0 {
                    return problem(
                        "payload-alignment",
                        at,
                        "a payload at an even address",
                        format!("{at}"),
                    );
                }
            } else {
                let Some(decoded) = Decoded::at(code.units, at) else {
                    return problem("instruction", at, "at most five registers", "more");
                };
                if let Some(slot) = self.positions.get_mut(at as usize) {
                    *slot = self.list.len() as u32;
                }
                self.list.push((at, decoded));
            }
            at += length;
        }
        if self.list.is_empty() {
            return problem("no-code", 0, "at least one instruction", "none");
        }
        for (position, (at, decoded)) in self.list.iter().enumerate() {
            let at = *at;
            registers(subject, at, decoded)?;
            indices(subject, at, decoded)?;
            if decoded.opcode.is_branch() {
                if decoded.offset == 0 && decoded.opcode != Opcode::GOTO_32 {
                    return problem("branch-target", at, "a distance other than 0", "0");
                }
                self.target("branch-target", at, decoded.offset)?;
            }
            if decoded.info().format == Format::F31t
                && let Some(targets) = payload(subject, self, at, decoded)?
            {
                self.switches.push((position, targets));
            }
            follows(self, position, at, decoded)?;
        }
        self.add_tries(subject)
    }
}

/// Sizes of the frame.
fn frame(subject: &Subject<'_, '_>) -> Check<()> {
    let code = &subject.code;
    let (registers, ins, outs) = (code.registers, code.ins, code.outs);
    if ins > registers {
        return problem(
            "ins-size",
            0,
            format!("at most {registers} words of arguments"),
            ins.to_string(),
        );
    }
    if outs > 5 && outs > registers {
        return problem(
            "outs-size",
            0,
            format!("at most {registers} outgoing words"),
            outs.to_string(),
        );
    }
    let signature = subject.own_signature()?;
    let words = signature.words()? + u32::from(!subject.is_static());
    if u32::from(ins) != words {
        return problem(
            "ins-size",
            0,
            format!("{words} words of arguments, from the signature"),
            ins.to_string(),
        );
    }
    Ok(())
}

fn registers(subject: &Subject<'_, '_>, at: u32, decoded: &Decoded) -> Check<()> {
    let limit = u32::from(subject.code.registers);
    let mut highest = decoded.registers.highest();
    let is_call = decoded.opcode.is_invoke();
    // The other half of a pair follows the register that is named.
    if highest + 1 < limit && !is_call {
        return Ok(());
    }
    let effects = Effects::from_opcode(decoded.opcode);
    effects.read(&decoded.registers, |register| highest = highest.max(register));
    if let Some((register, wide)) = effects.written(&decoded.registers) {
        highest = highest.max(register + u32::from(wide));
    }
    if !decoded.registers.is_empty() && highest >= limit {
        return problem("register", at, format!("registers below {limit}"), format!("v{highest}"));
    }
    if is_call && decoded.registers.len() > usize::from(subject.code.outs) {
        let expected = format!("at most {} arguments, from outs_size", subject.code.outs);
        return problem("outs-size", at, expected, decoded.registers.len().to_string());
    }
    Ok(())
}

fn indices(subject: &Subject<'_, '_>, at: u32, decoded: &Decoded) -> Check<()> {
    let (dex, index) = (subject.dex, decoded.index);
    match decoded.info().index {
        IndexKind::None => {}
        IndexKind::String => drop(read(at, dex.string_data_off(StringId(index)))?),
        IndexKind::Type => {
            if subject.hierarchy.facts.can_name(decoded.opcode, TypeId(index)) {
                return Ok(());
            }
            let descriptor = read(at, dex.descriptor(TypeId(index)))?;
            let first = descriptor.bytes().first().copied().unwrap_or(0);
            let (fits, expected) = match decoded.opcode {
                Opcode::NEW_INSTANCE => (first == b'L', "a class"),
                Opcode::NEW_ARRAY | Opcode::FILLED_NEW_ARRAY | Opcode::FILLED_NEW_ARRAY_RANGE => {
                    (first == b'[', "an array type")
                }
                Opcode::CHECK_CAST | Opcode::INSTANCE_OF => {
                    (matches!(first, b'L' | b'['), "a reference type")
                }
                _ => (true, ""),
            };
            if !fits {
                return problem("type-operand", at, expected, descriptor.to_str());
            }
        }
        IndexKind::Field => {
            subject.field(at, index)?;
            let is_static = subject.hierarchy.is_static_field(crate::FieldId(index));
            if is_static.is_some_and(|is_static| is_static != (decoded.opcode >= Opcode::SGET)) {
                let found =
                    if is_static == Some(true) { "a static one" } else { "one of instances" };
                return problem("field-kind", at, format!("a field for {}", decoded.opcode), found);
            }
        }
        IndexKind::Method | IndexKind::Polymorphic => call(subject, at, decoded)?,
        IndexKind::CallSite => call_site(subject, at, decoded)?,
        IndexKind::MethodHandle => drop(read(at, dex.method_handle(MethodHandleId(index)))?),
        IndexKind::Proto => drop(read(at, dex.proto(ProtoId(index)))?),
    }
    Ok(())
}

fn call(subject: &Subject<'_, '_>, at: u32, decoded: &Decoded) -> Check<()> {
    let (class, _) = subject.method_at(at, crate::MethodId(decoded.index))?;
    let direct = matches!(decoded.opcode, Opcode::INVOKE_DIRECT | Opcode::INVOKE_DIRECT_RANGE);
    let role = subject.hierarchy.facts.role(crate::MethodId(decoded.index));
    if role == Role::Initialiser || (role == Role::Constructor && !direct) {
        let method = read(at, subject.dex.method(crate::MethodId(decoded.index)))?;
        let name = read(at, subject.dex.string(method.name))?;
        return problem("invoke-name", at, "a constructor only by invoke-direct", name.to_str());
    }
    let is_static = subject.hierarchy.is_static_method(crate::MethodId(decoded.index));
    if is_static.is_some_and(|is_static| is_static == takes_this(decoded.opcode)) {
        let found = if is_static == Some(true) { "a static one" } else { "one of instances" };
        return problem("invoke-kind", at, format!("a method for {}", decoded.opcode), found);
    }
    let by_interface = match decoded.opcode {
        Opcode::INVOKE_INTERFACE | Opcode::INVOKE_INTERFACE_RANGE => Some(true),
        Opcode::INVOKE_VIRTUAL | Opcode::INVOKE_VIRTUAL_RANGE => Some(false),
        _ => None,
    };
    if let Some((wanted, found)) = by_interface.zip(subject.hierarchy.is_interface(class))
        && wanted != found
    {
        let found = if found { "an interface" } else { "a class" };
        return problem("invoke-kind", at, format!("a method for {}", decoded.opcode), found);
    }
    let signature = signature_of_call(subject, at, decoded)?;
    let words = signature.words()? + u32::from(takes_this(decoded.opcode));
    let found = decoded.registers.len() as u32;
    if words != found {
        return problem(
            "argument-count",
            at,
            format!("{words} argument registers"),
            found.to_string(),
        );
    }
    Ok(())
}

fn call_site(subject: &Subject<'_, '_>, at: u32, decoded: &Decoded) -> Check<()> {
    let signature = signature_of_call(subject, at, decoded)?;
    let (words, found) = (signature.words()?, decoded.registers.len() as u32);
    if words != found {
        return problem(
            "argument-count",
            at,
            format!("{words} argument registers"),
            found.to_string(),
        );
    }
    Ok(())
}

/// Whether a call's first argument is the receiver.
pub(crate) fn takes_this(opcode: Opcode) -> bool {
    !matches!(
        opcode,
        Opcode::INVOKE_STATIC
            | Opcode::INVOKE_STATIC_RANGE
            | Opcode::INVOKE_CUSTOM
            | Opcode::INVOKE_CUSTOM_RANGE
    )
}

/// The signature that a call's arguments follow.
pub(crate) fn signature_of_call<'s>(
    subject: &'s Subject<'_, '_>,
    at: u32,
    decoded: &Decoded,
) -> Check<Signature<'s, 's, 's>> {
    let dex = subject.dex;
    let proto = match decoded.info().index {
        IndexKind::Polymorphic => ProtoId(decoded.proto),
        IndexKind::CallSite => {
            let offset = read(at, dex.call_site_off(crate::CallSiteId(decoded.index)))?;
            match read(at, dex.encoded_array(offset))?.get(2) {
                Some(crate::Value::MethodType(proto)) => *proto,
                other => {
                    return problem(
                        "call-site",
                        at,
                        "a signature as third value",
                        format!("{other:?}"),
                    );
                }
            }
        }
        _ => subject.method_at(at, crate::MethodId(decoded.index))?.1,
    };
    subject.signature(at, proto)
}

/// The payload of a switch or array fill; targets of a switch.
fn payload(
    subject: &Subject<'_, '_>,
    shape: &Shape,
    at: u32,
    decoded: &Decoded,
) -> Check<Option<Vec<usize>>> {
    let units = subject.code.units;
    let (rule, expected) = ("payload", "an offset to a payload of the instruction's kind");
    let wanted = match decoded.opcode {
        Opcode::PACKED_SWITCH => PACKED_SWITCH,
        Opcode::SPARSE_SWITCH => SPARSE_SWITCH,
        _ => FILL_ARRAY,
    };
    let start = at.checked_add_signed(decoded.offset);
    let Some(start) = start.filter(|&start| start % 2 == 0 && units.get(start) == Some(wanted))
    else {
        return problem(rule, at, expected, format!("distance {}", decoded.offset));
    };
    // A unit inside an instruction can look like a payload; what precedes must end where this begins.
    let before = shape.list.partition_point(|&(other, _)| other < start);
    let overlaps = before
        .checked_sub(1)
        .and_then(|before| shape.list.get(before))
        .is_some_and(|&(other, decoded)| other + decoded.units > start);
    if overlaps || length_at(units, start).is_none() {
        return problem(rule, at, expected, "the middle of an instruction");
    }
    let count = u32::from(units.get(start + 1).unwrap_or(0));
    let int = |unit: u32| units.get_u32(unit).unwrap_or(0) as i32;
    let first_target = match wanted {
        FILL_ARRAY => return Ok(None),
        PACKED_SWITCH => {
            if int(start + 2).checked_add_unsigned(count.saturating_sub(1)).is_none() {
                return problem("switch-keys", at, "values of 32 bits", "more");
            }
            start + 4
        }
        _ => {
            for case in 1..count {
                if int(start + case * 2) >= int(start + 2 + case * 2) {
                    return problem(
                        "switch-keys",
                        at,
                        "ascending values",
                        int(start + 2 + case * 2).to_string(),
                    );
                }
            }
            start + 2 + count * 2
        }
    };
    let mut targets = Vec::with_capacity(count as usize);
    for case in 0..count {
        targets.push(shape.target("switch-target", at, int(first_target + case * 2))?);
    }
    Ok(Some(targets))
}

/// Instructions that must stand right behind others.
fn follows(shape: &Shape, position: usize, at: u32, decoded: &Decoded) -> Check<()> {
    let before =
        position.checked_sub(1).and_then(|before| shape.list.get(before)).map(|(_, it)| it.opcode);
    if decoded.opcode.is_move_result() {
        let fits = before.is_some_and(|before| {
            before.is_invoke()
                || matches!(before, Opcode::FILLED_NEW_ARRAY | Opcode::FILLED_NEW_ARRAY_RANGE)
        });
        if !fits {
            let found = before.map_or("nothing", Opcode::name);
            return problem("move-result", at, "a call right in front", found);
        }
    }
    if decoded.opcode == Opcode::MOVE_EXCEPTION && before.is_some_and(Opcode::can_continue) {
        return problem("move-exception", at, "the start of a handler", "code that runs into it");
    }
    Ok(())
}

impl Shape {
    fn add_tries(&mut self, subject: &Subject<'_, '_>) -> Check<()> {
        let code = &subject.code;
        if code.tries_len() == 0 {
            return Ok(());
        }
        let mut cursor = code.handlers();
        let base = cursor.at();
        for _ in 0..read(0, cursor.uleb())? {
            let (offset, first) = (cursor.at() - base, self.handlers.len());
            let handler = read(0, CatchHandler::parse(&mut cursor))?;
            for (ty, unit) in &handler.typed {
                let descriptor = read(*unit, subject.dex.descriptor(*ty))?;
                if descriptor.bytes().first() != Some(&b'L') {
                    return problem("catch-type", *unit, "a class", descriptor.to_str());
                }
                self.handlers.push((Some(*ty), handler_start(self, *unit)?));
            }
            if let Some(unit) = handler.catch_all {
                self.handlers.push((None, handler_start(self, unit)?));
            }
            for &(ty, position) in self.handlers.get(first..).unwrap_or_default() {
                let given = ty.map_or(Class::Unknown, Class::Of);
                let known = self.exceptions.entry(position).or_insert(given);
                if *known != given {
                    *known = Class::Unknown;
                }
            }
            self.lists.push((offset, first..self.handlers.len()));
        }
        for range in code.tries() {
            let (start, end) = (range.start, range.start.saturating_add(u32::from(range.count)));
            let rule = "try-range";
            if range.count == 0 || end > code.units.len() || self.position(start).is_none() {
                let expected = "a range that begins with an instruction and ends inside the code";
                return problem(rule, start, expected, format!("{start:#x}..{end:#x}"));
            }
            if self.tries.last().is_some_and(|last| last.end > start) {
                let expected = "ranges in ascending order that do not overlap";
                return problem(rule, start, expected, format!("{start:#x}"));
            }
            let wanted = u32::from(range.handler_off);
            let Ok(list) = self.lists.binary_search_by_key(&wanted, |&(offset, _)| offset) else {
                return problem(
                    "try-handler",
                    start,
                    "the offset of a handler",
                    range.handler_off.to_string(),
                );
            };
            self.tries.push(Try { start, end, list });
        }
        Ok(())
    }
}

fn handler_start(shape: &Shape, unit: u32) -> Check<usize> {
    let position = shape.position(unit).ok_or_else(|| {
        Box::new(Problem {
            rule: "handler-target",
            unit,
            expected: "a handler at the start of an instruction".into(),
            found: format!("{unit:#x}"),
        })
    })?;
    if shape.list.get(position).is_some_and(|(_, it)| it.opcode.is_move_result()) {
        return problem(
            "handler-target",
            unit,
            "a handler that does not begin with move-result",
            "move-result",
        );
    }
    Ok(position)
}
