//! Faults of the assembler and the writer, in the bytes.

use wattle_dex::{CodeItem, Decoded, Dex, MethodId, Section, TypeList, Units};

use super::injected_fault::{Fault, Plant, Planted};
use crate::Runtime;

pub(super) const FAULTS: &[Fault] = &[
    Fault { name: "frame one register too small, written", plant: Plant::Bytes(small_frame) },
    Fault { name: "room for outgoing arguments too small", plant: Plant::Bytes(small_outs) },
    Fault { name: "method number one too high", plant: Plant::Bytes(next_method) },
    Fault { name: "method number past the table", plant: Plant::Bytes(no_method) },
    Fault { name: "string number past the table", plant: Plant::Bytes(no_string) },
    Fault { name: "branch one unit too far", plant: Plant::Bytes(branch_off) },
    Fault { name: "branch past the end", plant: Plant::Bytes(branch_past_end) },
    Fault { name: "case of a switch one unit too far", plant: Plant::Bytes(case_off) },
    Fault { name: "payload one unit too far", plant: Plant::Bytes(payload_off) },
    Fault { name: "try range past the end", plant: Plant::Bytes(try_past_end) },
    Fault { name: "try range begins inside an instruction", plant: Plant::Bytes(try_inside) },
    Fault { name: "try ranges out of order", plant: Plant::Bytes(tries_swapped) },
    Fault { name: "try ranges overlap", plant: Plant::Bytes(tries_overlap) },
    Fault { name: "handlers looked for one byte too far", plant: Plant::Bytes(handlers_off) },
    Fault { name: "handler two units too far", plant: Plant::Bytes(handler_off) },
    Fault { name: "line program past the file", plant: Plant::Bytes(lines_past_file) },
    Fault { name: "line program of another signature", plant: Plant::Bytes(lines_of_other) },
];

fn get_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn put_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

fn get_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Offset of a unit of the code in the file.
fn unit_at(code: &CodeItem<'_>, unit: u32) -> usize {
    code.offset as usize + 16 + 2 * unit as usize
}

/// Offset of a `try_item` in the file.
fn try_at(code: &CodeItem<'_>, index: usize) -> usize {
    unit_at(code, code.units.len().next_multiple_of(2)) + 8 * index
}

fn instructions(code: &CodeItem<'_>) -> Vec<(u32, Decoded)> {
    code.instructions().map_while(Result::ok).collect()
}

/// The instruction's offset and where it is kept: in a byte, a unit, or two units.
fn branch(code: &CodeItem<'_>, unit: u32, it: &Decoded) -> Option<(usize, usize)> {
    let at = unit_at(code, unit);
    let opcode = it.opcode;
    if !opcode.is_branch() && !opcode.is_goto() {
        return None;
    }
    Some(match it.info().format.units() {
        1 => (at + 1, 1),
        2 => (at + 2, 2),
        _ => (at + 2, 4),
    })
}

fn small_frame(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let Some(last) = code.registers.checked_sub(1) else { return Planted::Nowhere };
    put_u16(bytes, code.offset as usize, last);
    let all = instructions(code);
    let mut named = all.iter().flat_map(|(_, it)| it.registers.iter());
    // The upper half of a pair is not named.
    Planted::fatal_if(last < code.ins || named.any(|register| register == u32::from(last)))
}

fn small_outs(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let Some(outs) = code.outs.checked_sub(1) else { return Planted::Nowhere };
    put_u16(bytes, code.offset as usize + 4, outs);
    let calls = instructions(code);
    let mut calls = calls.iter().filter(|(_, it)| it.opcode.is_invoke());
    // `filled-new-array` is counted too, and needs no room.
    Planted::fatal_if(calls.any(|(_, it)| it.registers.len() > usize::from(outs)))
}

/// The place of the first call of the runtime class, and the method's number.
fn probe(dex: &Dex<'_>, code: &CodeItem<'_>) -> Option<(usize, u32)> {
    let runtime = dex.find_type(wattle_dex::Mutf8::new(Runtime::DESCRIPTOR.as_bytes()))?;
    instructions(code).into_iter().find_map(|(unit, it)| {
        let calls = it.opcode.is_invoke() && !matches!(it.opcode.0, 0xfc | 0xfd);
        let method = dex.method(MethodId(it.index)).ok().filter(|_| calls)?;
        (method.class == runtime).then_some((unit_at(code, unit) + 2, it.index))
    })
}

fn next_method(bytes: &mut [u8], dex: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let Some((at, method)) = probe(dex, code) else { return Planted::Nowhere };
    let signature = |method| dex.method(MethodId(method)).ok().map(|it| it.proto);
    let parameters =
        |method| signature(method).and_then(|it| dex.parameters(it).ok()).map(TypeList::len);
    if parameters(method + 1).is_none() {
        return Planted::Nowhere;
    }
    put_u16(bytes, at, (method + 1) as u16);
    // The runtime's methods follow each other; of those with one signature a run tells which was meant.
    Planted::fatal_if(parameters(method) != parameters(method + 1))
}

fn no_method(bytes: &mut [u8], dex: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let count = dex.count(Section::METHOD_IDS);
    let (Some((at, _)), Ok(count)) = (probe(dex, code), u16::try_from(count)) else {
        return Planted::Nowhere;
    };
    put_u16(bytes, at, count);
    Planted::Fatal
}

fn no_string(bytes: &mut [u8], dex: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let all = instructions(code);
    let Some((unit, it)) = all.iter().find(|(_, it)| matches!(it.opcode.0, 0x1a | 0x1b)) else {
        return Planted::Nowhere;
    };
    let (at, count) = (unit_at(code, *unit) + 2, dex.count(Section::STRING_IDS));
    match (it.opcode.0, u16::try_from(count)) {
        (0x1a, Ok(count)) => put_u16(bytes, at, count),
        (0x1b, _) => put_u32(bytes, at, count),
        _ => return Planted::Nowhere,
    }
    Planted::Fatal
}

fn branch_off(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let all = instructions(code);
    let starts = |unit: u32| all.iter().any(|(at, _)| *at == unit);
    let target = |unit: u32, it: &Decoded| unit.wrapping_add_signed(it.offset);
    // Best one whose next unit is no instruction.
    let found = all
        .iter()
        .filter_map(|(unit, it)| branch(code, *unit, it).map(|place| (*unit, it, place)))
        .min_by_key(|(unit, it, _)| starts(target(*unit, it) + 1));
    let Some((unit, it, (at, size))) = found else { return Planted::Nowhere };
    let beyond = !starts(target(unit, it) + 1);
    match size {
        1 => bytes[at] = bytes[at].wrapping_add(1),
        2 => put_u16(bytes, at, get_u16(bytes, at).wrapping_add(1)),
        _ => put_u32(bytes, at, get_u32(bytes, at).wrapping_add(1)),
    }
    Planted::fatal_if(beyond)
}

fn branch_past_end(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let all = instructions(code);
    let found = all.iter().find_map(|(unit, it)| Some((*unit, branch(code, *unit, it)?)));
    let Some((unit, (at, size))) = found else { return Planted::Nowhere };
    let offset = code.units.len() - unit;
    match size {
        1 if offset < 0x80 => bytes[at] = offset as u8,
        2 if offset < 0x8000 => put_u16(bytes, at, offset as u16),
        4 => put_u32(bytes, at, offset),
        _ => return Planted::Nowhere,
    }
    Planted::Fatal
}

/// The first switch: its unit and that of its payload.
fn first_switch(code: &CodeItem<'_>) -> Option<(u32, u32)> {
    let all = instructions(code);
    let (unit, it) = all.iter().find(|(_, it)| it.opcode.is_switch())?;
    Some((*unit, unit.wrapping_add_signed(it.offset)))
}

fn case_off(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let Some((unit, payload)) = first_switch(code) else { return Planted::Nowhere };
    let units: Units<'_> = code.units;
    let (Some(kind), Some(count)) = (units.get(payload), units.get(payload + 1)) else {
        return Planted::Nowhere;
    };
    // The targets follow the first value, or all values.
    let first = payload + if kind == 0x100 { 4 } else { 2 + 2 * u32::from(count) };
    let all = instructions(code);
    let starts = |at: u32| all.iter().any(|(other, _)| *other == at);
    let cases = (0..u32::from(count)).map(|case| first + 2 * case);
    let target = |at: u32| unit.wrapping_add(units.get_u32(at).unwrap_or(0));
    let Some(at) = cases.min_by_key(|&at| starts(target(at) + 1)) else { return Planted::Nowhere };
    let beyond = !starts(target(at) + 1);
    let place = unit_at(code, at);
    put_u32(bytes, place, get_u32(bytes, place).wrapping_add(1));
    Planted::fatal_if(beyond)
}

fn payload_off(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let all = instructions(code);
    let found = all.iter().find(|(_, it)| it.opcode.is_switch() || it.opcode.0 == 0x26);
    let Some((unit, _)) = found else { return Planted::Nowhere };
    let at = unit_at(code, *unit) + 2;
    put_u32(bytes, at, get_u32(bytes, at).wrapping_add(1));
    Planted::Fatal
}

fn try_past_end(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let Some(last) = code.tries_len().checked_sub(1) else { return Planted::Nowhere };
    let start = code.tries().last().map_or(0, |it| it.start);
    let Ok(count) = u16::try_from(code.units.len() + 1 - start) else { return Planted::Nowhere };
    put_u16(bytes, try_at(code, last) + 4, count);
    Planted::Fatal
}

fn try_inside(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let all = instructions(code);
    let long = code.tries().position(|range| {
        range.count > 1
            && all.iter().any(|(at, it)| *at == range.start && it.info().format.units() > 1)
    });
    let Some(index) = long else { return Planted::Nowhere };
    let at = try_at(code, index);
    put_u32(bytes, at, get_u32(bytes, at) + 1);
    put_u16(bytes, at + 4, get_u16(bytes, at + 4) - 1);
    Planted::Fatal
}

fn tries_swapped(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    if code.tries_len() < 2 {
        return Planted::Nowhere;
    }
    let (first, second) = (try_at(code, 0), try_at(code, 1));
    for byte in 0..8 {
        bytes.swap(first + byte, second + byte);
    }
    Planted::Fatal
}

fn tries_overlap(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let ranges: Vec<_> = code.tries().take(2).collect();
    let [first, second] = ranges.as_slice() else { return Planted::Nowhere };
    let Ok(count) = u16::try_from(second.start + u32::from(second.count) - first.start) else {
        return Planted::Nowhere;
    };
    put_u16(bytes, try_at(code, 0) + 4, count);
    Planted::Fatal
}

fn handlers_off(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    if code.tries_len() == 0 {
        return Planted::Nowhere;
    }
    let at = try_at(code, 0) + 6;
    put_u16(bytes, at, get_u16(bytes, at) + 1);
    Planted::Fatal
}

/// The probe's handler is the catch-all of the list's last entry or of another; the list ends with an address.
fn handler_off(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let all = instructions(code);
    let list = try_at(code, code.tries_len());
    let mut ends = Vec::new();
    for range in code.tries() {
        let Some(address) = code.handler(range.handler_off).ok().and_then(|it| it.catch_all) else {
            continue;
        };
        let mut at = list + usize::from(range.handler_off);
        let size = i32::from(bytes[at]);
        // A list of one catch-all: `0`, the address.
        if size == 0 {
            at += 1;
            ends.push((at, address));
        }
    }
    let Some((at, address)) = ends.first().copied() else { return Planted::Nowhere };
    // Where the first digit is full, another address would need another byte.
    if bytes[at] & 0x7f > 0x7d {
        return Planted::Nowhere;
    }
    // Past `move-exception`, and into what follows it.
    bytes[at] += 2;
    Planted::fatal_if(all.iter().all(|(unit, _)| *unit != address + 2))
}

fn lines_past_file(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let end = bytes.len() as u32;
    put_u32(bytes, code.offset as usize + 8, end - 1);
    Planted::Fatal
}

/// Skips a number in LEB128.
fn skip_leb(bytes: &[u8], at: &mut usize) {
    while bytes[*at] & 0x80 != 0 {
        *at += 1;
    }
    *at += 1;
}

/// Offsets of the number of parameters and of the end of a line program.
fn line_program(bytes: &[u8], code: &CodeItem<'_>) -> Option<(usize, usize)> {
    let mut at = code.debug_info_off as usize;
    if at == 0 {
        return None;
    }
    skip_leb(bytes, &mut at);
    let parameters = at;
    let names = bytes[at];
    skip_leb(bytes, &mut at);
    for _ in 0..names {
        skip_leb(bytes, &mut at);
    }
    loop {
        let opcode = bytes[at];
        at += 1;
        let operands = match opcode {
            0 => return Some((parameters, at - 1)),
            1 | 2 | 5 | 6 | 9 => 1,
            3 => 3,
            4 => 4,
            _ => 0,
        };
        for _ in 0..operands {
            skip_leb(bytes, &mut at);
        }
    }
}

/// The byte that ends a line program becomes another position; no fault of one method, for the program runs into
/// the next one.
pub(super) fn lines_without_end(bytes: &mut [u8], code: &CodeItem<'_>) {
    let (_, end) = line_program(bytes, code).expect("a line program");
    bytes[end] = 0xff;
}

fn lines_of_other(bytes: &mut [u8], _: &Dex<'_>, code: &CodeItem<'_>) -> Planted {
    let Some((parameters, _)) = line_program(bytes, code) else { return Planted::Nowhere };
    if bytes[parameters] >= 0x7f {
        return Planted::Nowhere;
    }
    bytes[parameters] += 1;
    Planted::Fatal
}
