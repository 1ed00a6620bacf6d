//! Puts instructions around a body without decoding it: what is not touched is copied, with the numbers of the written file.

use super::assemble::Assembled;
use super::encode::{Encoder, Position};
use super::instruction::Instruction;
use super::layout::Layout;
use super::patch_handlers::HandlerPatch;
use super::patch_lines::LinePatch;
use super::shifts::Shifts;
use super::wrapping::{Wrapping, grown};
use crate::cursor::Put;
use crate::decoded::{FILL_ARRAY, PACKED_SWITCH, SPARSE_SWITCH, length_at};
use crate::opcode_info::IndexKind;
use crate::opcode_table::Opcode;
use crate::remap::Remap;
use crate::unit_shape::UnitShape;
use crate::{CodeItem, Dex, Result, Section};

/// A place in a body that needs more than a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// Its first unit.
    pub(super) at: u32,
    pub(super) kind: MarkKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MarkKind {
    /// A return.
    Return,
    /// A branch: its target, the units that it takes in the source and those that it needs.
    Branch { target: u32, before: u32, now: u32 },
    /// A string whose new number needs the long form.
    LongString { index: u32 },
    /// An instruction with a payload at a unit.
    Payload { to: u32 },
}

/// Places of the parts of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    /// The end of the instructions.
    pub(super) code_end: u32,
    /// The beginning of the tables of switches and arrays; the end of a body without them.
    payloads: u32,
}

/// The source of a body and its place in the written file.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s, 'a> {
    pub(super) dex: &'s Dex<'a>,
    pub(super) item: &'s CodeItem<'a>,
    pub(super) remap: &'s Remap,
    /// The number of the method's parameters, without `this`.
    pub(super) parameters: usize,
}

/// Wraps bodies and keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(super) struct Patcher {
    /// The units of the source with new numbers and distances.
    units: Vec<u8>,
    pub(super) marks: Vec<Mark>,
    pub(super) shifts: Shifts,
    /// Payloads of switches.
    switches: Vec<u32>,
    /// Units of instructions that can throw.
    pub(super) throwing: Vec<u32>,
    entry: Vec<u8>,
    exit: Vec<u8>,
    handler: Vec<u8>,
    handlers: HandlerPatch,
}

/// New places that handlers and lines need.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewPlaces {
    /// The units of the instructions in front of the line of the start.
    pub(super) before_line: u32,
    /// The first unit of the body.
    pub(super) start: u32,
    /// The unit behind the body, which is the handler's first.
    pub(super) end: u32,
    /// The units in front of each return.
    pub(super) exit: u32,
    /// Whether there is a handler of everything.
    pub(super) handles: bool,
}

impl Patcher {
    /// Wraps a body. False where it is one of the few that have to be decoded for that: one whose distances outgrow
    /// their instructions, whose payloads are shared or lie among its instructions, or which is broken.
    pub(super) fn patch(
        &mut self,
        subject: &Subject<'_, '_>,
        wrapping: &Wrapping,
        layout: &Layout,
        out: &mut Assembled,
    ) -> Result<bool> {
        let item = subject.item;
        let Some(parts) = self.walk(subject)? else { return Ok(false) };
        out.registers = grown(item.registers, wrapping.gained)?;
        out.ins = item.ins;
        let outs = wrapping.instructions().map(Instruction::outs).max();
        out.outs = item.outs.max(outs.unwrap_or(0));
        let encoder = Encoder { layout, remap: subject.remap };
        let moves = wrapping.before_line.min(wrapping.entry.len());
        let (moves, rest) = wrapping.entry.split_at(moves);
        self.entry.clear();
        encode(&encoder, moves, &mut self.entry)?;
        let before_line = units(&self.entry);
        encode(&encoder, rest, &mut self.entry)?;
        self.exit.clear();
        encode(&encoder, &wrapping.exit, &mut self.exit)?;
        self.handler.clear();
        encode(&encoder, &wrapping.handler, &mut self.handler)?;
        if !self.lay_out() || !self.retarget(parts) {
            return Ok(false);
        }
        self.write_units(parts, &mut out.units);
        let places = NewPlaces {
            before_line,
            start: units(&self.entry),
            end: self.shifts.moved(parts.code_end),
            exit: units(&self.exit),
            handles: !self.handler.is_empty(),
        };
        let count = self.handlers.write(
            subject,
            (&self.marks, &self.shifts),
            (parts.code_end, places),
            &mut out.handlers,
        )?;
        let Some(count) = count else { return Ok(false) };
        out.tries = count;
        let lines = LinePatch { subject, shifts: &self.shifts, places, end: parts.payloads };
        lines.write(&self.throwing, &mut out.debug)?;
        Ok(true)
    }

    /// Copies the units with their new numbers and notes all that needs more. `None` where the body has to be decoded.
    fn walk(&mut self, subject: &Subject<'_, '_>) -> Result<Option<Parts>> {
        let item = subject.item;
        let source = item.units;
        self.units.clear();
        self.units.extend_from_slice(source.bytes());
        self.marks.clear();
        self.throwing.clear();
        let pins = item.debug_info_off == 0;
        let mut borders = item
            .tries()
            .flat_map(|range| [range.start, range.start.saturating_add(u32::from(range.count))])
            .peekable();
        let (mut at, mut last) = (0, None);
        while at < source.len() {
            let unit = source.get(at).unwrap_or(0);
            if unit as u8 == 0 && unit != 0 {
                break;
            }
            let shape = UnitShape::of(unit);
            let end = at + shape.length();
            let has_many = shape.lists_registers() && unit >> 12 > 5;
            if end == at || end > source.len() || has_many {
                return Ok(None);
            }
            while let Some(border) = borders.next_if(|border| *border <= at) {
                // One inside an instruction.
                if border < at {
                    return Ok(None);
                }
            }
            if shape.is_numbered() {
                self.renumber(subject, at, unit)?;
            }
            if shape.has_place() && !self.mark(subject, at, unit) {
                return Ok(None);
            }
            if pins && shape.can_throw() {
                self.throwing.push(at);
            }
            last = Some((at, unit, shape));
            at = end;
        }
        let mut parts = Parts { code_end: at, payloads: at };
        let has_payloads = at < source.len();
        match last {
            // In front of payloads a `nop` is padding.
            Some((before, 0, _)) if has_payloads => parts.code_end = before,
            Some((_, _, shape)) if !shape.can_continue() => {}
            _ => return Ok(None),
        }
        let inside = borders.all(|border| border >= parts.code_end && border <= source.len());
        Ok((inside && self.payloads_are_apart(subject, parts)).then_some(parts))
    }

    /// Whether what follows the instructions are payloads alone, at even units.
    fn payloads_are_apart(&self, subject: &Subject<'_, '_>, parts: Parts) -> bool {
        let units = subject.item.units;
        let mut at = parts.payloads;
        if at < units.len() && !at.is_multiple_of(2) {
            return false;
        }
        while at < units.len() {
            let unit = units.get(at).unwrap_or(0);
            let payload = matches!(unit, PACKED_SWITCH | SPARSE_SWITCH | FILL_ARRAY) || unit == 0;
            match length_at(units, at).filter(|_| payload) {
                Some(length) => at += length,
                None => return false,
            }
        }
        let end = parts.code_end;
        self.marks.iter().all(|mark| match mark.kind {
            MarkKind::Branch { target, .. } => target < end,
            MarkKind::Payload { to } => to >= parts.payloads && to < units.len(),
            _ => true,
        })
    }

    /// Gives an instruction of the copy its new numbers.
    fn renumber(&mut self, subject: &Subject<'_, '_>, at: u32, unit: u16) -> Result<()> {
        let (remap, units) = (subject.remap, subject.item.units);
        let place = (Section::CODE, subject.item.offset);
        let opcode = Opcode(unit as u8);
        let old = u32::from(units.get(at + 1).unwrap_or(0));
        let new = match opcode.info().map_or(IndexKind::None, |info| info.index) {
            IndexKind::String if opcode == Opcode::CONST_STRING_JUMBO => {
                let new = remap.string(units.get_u32(at + 1).unwrap_or(0), &place)?;
                self.put(at + 1, new as u16);
                self.put(at + 2, (new >> 16) as u16);
                return Ok(());
            }
            IndexKind::String => {
                let new = remap.string(old, &place)?;
                if new > 0xffff {
                    let kind = MarkKind::LongString { index: new };
                    self.marks.push(Mark { at, kind });
                    return Ok(());
                }
                new
            }
            IndexKind::Type => remap.ty(old, &place)?,
            IndexKind::Field => remap.field(old, &place)?,
            IndexKind::Method => remap.method(old, &place)?,
            IndexKind::Polymorphic => {
                let proto = u32::from(units.get(at + 3).unwrap_or(0));
                self.put(at + 3, remap.proto(proto, &place)? as u16);
                remap.method(old, &place)?
            }
            IndexKind::CallSite => remap.call_site(old, &place)?,
            IndexKind::MethodHandle => remap.handle(old, &place)?,
            IndexKind::Proto => remap.proto(old, &place)?,
            IndexKind::None => old,
        };
        // Of these tables no file has more entries than 16 bits can number.
        self.put(at + 1, new as u16);
        Ok(())
    }

    /// Notes a branch, a return or an instruction with a payload; false where it leads out of the body.
    fn mark(&mut self, subject: &Subject<'_, '_>, at: u32, unit: u16) -> bool {
        let units = subject.item.units;
        let opcode = Opcode(unit as u8);
        if opcode.is_return() {
            self.marks.push(Mark { at, kind: MarkKind::Return });
            return true;
        }
        let second = || units.get(at + 1).map(|unit| i32::from(unit.cast_signed()));
        let wide = || units.get_u32(at + 1).map(u32::cast_signed);
        let (distance, before) = match opcode {
            Opcode::GOTO => (Some(i32::from((unit >> 8) as u8 as i8)), 1),
            Opcode::GOTO_32 => (wide(), 3),
            _ if opcode.is_branch() => (second(), 2),
            _ => (wide(), 0),
        };
        let to = distance.and_then(|distance| at.checked_add_signed(distance));
        let Some(target) = to.filter(|to| *to < units.len()) else { return false };
        let kind = match before {
            0 => MarkKind::Payload { to: target },
            _ => MarkKind::Branch { target, before, now: before },
        };
        self.marks.push(Mark { at, kind });
        true
    }

    /// Finds the new places; false where a conditional branch no longer reaches.
    fn lay_out(&mut self) -> bool {
        loop {
            self.shifts.clear();
            self.shifts.add(0, units(&self.entry));
            let exit = units(&self.exit);
            for mark in &self.marks {
                let more = match mark.kind {
                    MarkKind::Return => exit,
                    MarkKind::LongString { .. } => 1,
                    MarkKind::Branch { before, now, .. } => now - before,
                    MarkKind::Payload { .. } => 0,
                };
                if more > 0 {
                    self.shifts.add(mark.at + 1, more);
                }
            }
            let mut grown = false;
            for mark in &mut self.marks {
                let MarkKind::Branch { target, now, .. } = &mut mark.kind else { continue };
                let distance = distance(&self.shifts, mark.at, *target);
                let is_goto = is_goto(&self.units, mark.at);
                let needed = match (i8::try_from(distance), i16::try_from(distance)) {
                    (Ok(1..=127 | -128..=-1), _) => 1,
                    (_, Ok(distance)) if distance != 0 => 2,
                    _ => 3,
                };
                if needed > *now {
                    if !is_goto {
                        return false;
                    }
                    *now = needed;
                    grown = true;
                }
            }
            if !grown {
                return true;
            }
        }
    }

    /// Writes new distances into the copy; false where switches share a payload or it is not of their kind.
    fn retarget(&mut self, parts: Parts) -> bool {
        self.switches.clear();
        let handler = units(&self.handler);
        let new_end = self.shifts.moved(parts.code_end) + handler;
        let new_payloads = new_end.next_multiple_of(2);
        for index in 0..self.marks.len() {
            let Some(&Mark { at, kind }) = self.marks.get(index) else { continue };
            match kind {
                MarkKind::Branch { target, before, now } if before == now => {
                    let distance = distance(&self.shifts, at, target);
                    match before {
                        1 => self.put(at, u16::from(Opcode::GOTO.0) | (distance as u16) << 8),
                        2 => self.put(at + 1, distance as u16),
                        _ => self.put_u32(at + 1, distance as u32),
                    }
                }
                MarkKind::Payload { to } => {
                    let new = new_payloads + (to - parts.payloads);
                    let distance = new.wrapping_sub(self.shifts.moved(at));
                    self.put_u32(at + 1, distance);
                    if !self.retarget_payload(at, to, parts.code_end) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Writes the new distances of a switch into its payload.
    fn retarget_payload(&mut self, at: u32, payload: u32, end: u32) -> bool {
        let unit = |units: &[u8], at: u32| get(units, at);
        let opcode = Opcode(unit(&self.units, at) as u8);
        let count = u32::from(unit(&self.units, payload + 1));
        let first = match (opcode, unit(&self.units, payload)) {
            (Opcode::FILL_ARRAY_DATA, FILL_ARRAY) => return true,
            (Opcode::PACKED_SWITCH, PACKED_SWITCH) => payload + 4,
            (Opcode::SPARSE_SWITCH, SPARSE_SWITCH) => payload + 2 + count * 2,
            _ => return false,
        };
        if self.switches.contains(&payload) {
            return false;
        }
        self.switches.push(payload);
        let from = self.shifts.moved(at);
        for case in 0..count {
            let place = first + case * 2;
            let (low, high) = (get(&self.units, place), get(&self.units, place + 1));
            let old = (u32::from(low) | u32::from(high) << 16).cast_signed();
            let Some(target) = at.checked_add_signed(old).filter(|to| *to < end) else {
                return false;
            };
            self.put_u32(place, self.shifts.moved(target).wrapping_sub(from));
        }
        true
    }

    /// Puts the units together.
    fn write_units(&self, parts: Parts, out: &mut Vec<u8>) {
        out.clear();
        let inserted = self.entry.len() + self.handler.len() + self.marks.len() * 8;
        out.reserve(self.units.len() + inserted);
        out.extend_from_slice(&self.entry);
        let mut from = 0;
        for mark in &self.marks {
            let at = mark.at;
            match mark.kind {
                MarkKind::Return => {
                    out.extend_from_slice(self.copied(from, at));
                    out.extend_from_slice(&self.exit);
                    from = at;
                }
                MarkKind::LongString { index } => {
                    out.extend_from_slice(self.copied(from, at));
                    let register = get(&self.units, at) & 0xff00;
                    out.put_u16(u16::from(Opcode::CONST_STRING_JUMBO.0) | register);
                    out.put_u32(index);
                    from = at + 2;
                }
                MarkKind::Branch { target, before, now } if before != now => {
                    out.extend_from_slice(self.copied(from, at));
                    let distance = distance(&self.shifts, at, target);
                    if now == 2 {
                        out.put_u16(u16::from(Opcode::GOTO_16.0));
                        out.put_u16(distance as u16);
                    } else {
                        out.put_u16(u16::from(Opcode::GOTO_32.0));
                        out.put_u32(distance as u32);
                    }
                    from = at + before;
                }
                _ => {}
            }
        }
        out.extend_from_slice(self.copied(from, parts.code_end));
        out.extend_from_slice(&self.handler);
        let rest = self.copied(parts.payloads, units(&self.units));
        if !rest.is_empty() {
            out.pad_to(4);
            out.extend_from_slice(rest);
        }
    }

    fn copied(&self, from: u32, to: u32) -> &[u8] {
        self.units.get(from as usize * 2..to as usize * 2).unwrap_or_default()
    }

    fn put(&mut self, unit: u32, value: u16) {
        let at = unit as usize * 2;
        if let Some(bytes) = self.units.get_mut(at..at + 2) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn put_u32(&mut self, unit: u32, value: u32) {
        self.put(unit, value as u16);
        self.put(unit + 1, (value >> 16) as u16);
    }
}

fn get(units: &[u8], unit: u32) -> u16 {
    let at = unit as usize * 2;
    units.get(at..at + 2).map_or(0, |pair| u16::from_le_bytes([pair[0], pair[1]]))
}

fn is_goto(units: &[u8], at: u32) -> bool {
    Opcode(get(units, at) as u8).is_goto()
}

fn distance(shifts: &Shifts, from: u32, to: u32) -> i64 {
    i64::from(shifts.moved(to)) - i64::from(shifts.moved(from))
}

fn units(bytes: &[u8]) -> u32 {
    (bytes.len() / 2) as u32
}

/// Appends instructions that name no labels.
fn encode(encoder: &Encoder<'_>, list: &[Instruction], out: &mut Vec<u8>) -> Result<()> {
    for instruction in list {
        let length = super::layout::first_length(instruction, encoder.remap)?;
        encoder.encode(instruction, Position { at: 0, length, payload: None }, out)?;
    }
    Ok(())
}
