//! From the bytes of a method body to its model.

use super::{ArrayData, Code, Instruction, Label, Node, Operand, Switch, TryBlock};
use crate::decoded::{FILL_ARRAY, PACKED_SWITCH, SPARSE_SWITCH, length_at};
use crate::opcode_info::Format;
use crate::opcode_table::Opcode;
use crate::{CodeItem, DebugEvent, Decoded, Dex, DexError, Result, Units};

const NONE: u32 = u32::MAX;
/// Caught types of all ranges of a method, each list counted once a range. Ranges share lists in the file,
/// so a small file could ask for gigabytes.
const MAX_CAUGHT: usize = 1 << 20;

/// Which units begin an instruction or payload, and which have a label.
struct Places<'a> {
    code: CodeItem<'a>,
    units: Units<'a>,
    /// Per unit and one past the end: 0 inside, 1 instruction, 2 payload or end.
    kinds: Vec<u8>,
    labels: Vec<u32>,
    count: u32,
}

impl<'a> Places<'a> {
    fn new(code: CodeItem<'a>) -> Result<Self> {
        let units = code.units;
        let size = units.len() as usize + 1;
        let mut places =
            Self { code, units, kinds: vec![0; size], labels: vec![NONE; size], count: 0 };
        let mut at = 0;
        while at < units.len() {
            let length = length_at(units, at);
            let Some(length) = length else {
                return Err(places.defect(at, "an instruction that ends inside the code"));
            };
            let kind = if matches!(units.get(at), Some(PACKED_SWITCH | SPARSE_SWITCH | FILL_ARRAY))
            {
                2
            } else {
                1
            };
            if let Some(slot) = places.kinds.get_mut(at as usize) {
                *slot = kind;
            }
            at += length;
        }
        if let Some(end) = places.kinds.last_mut() {
            *end = 2;
        }
        Ok(places)
    }

    fn defect(&self, unit: u32, expected: &'static str) -> DexError {
        let found = u64::from(self.units.get(unit).unwrap_or(0));
        DexError::Instruction { offset: u64::from(self.code.offset), unit, expected, found }
    }

    fn kind(&self, at: u32) -> u8 {
        self.kinds.get(at as usize).copied().unwrap_or(0)
    }

    /// The label of a unit.
    fn label(&mut self, at: u32) -> Label {
        match self.labels.get_mut(at as usize) {
            Some(slot) => {
                if *slot == NONE {
                    *slot = self.count;
                    self.count += 1;
                }
                Label(*slot)
            }
            None => Label(NONE),
        }
    }

    /// The label of an instruction that is branched to.
    fn target(&mut self, from: u32, offset: i32) -> Result<Label> {
        match from.checked_add_signed(offset).filter(|&to| self.kind(to) == 1) {
            Some(to) => Ok(self.label(to)),
            None => Err(self.defect(from, "a branch to the start of an instruction")),
        }
    }

    /// The next start of an instruction or payload, or the end.
    fn boundary(&self, mut at: u32) -> u32 {
        at = at.min(self.units.len());
        while self.kind(at) == 0 && at < self.units.len() {
            at += 1;
        }
        at
    }

    fn payload(&mut self, from: u32, decoded: &Decoded) -> Result<Operand> {
        let defect = "an offset to a payload of the instruction's kind";
        let at = from.checked_add_signed(decoded.offset).filter(|&at| self.kind(at) == 2);
        let at = at.ok_or_else(|| self.defect(from, defect))?;
        let units = self.units;
        let unit = |at| units.get(at).unwrap_or(0);
        let int = |at| units.get_u32(at).unwrap_or(0) as i32;
        let count = u32::from(unit(at + 1));
        match (decoded.opcode, units.get(at)) {
            (Opcode::FILL_ARRAY_DATA, Some(FILL_ARRAY)) => {
                let width = unit(at + 1);
                let length = u64::from(width) * u64::from(units.get_u32(at + 2).unwrap_or(0));
                let start = (at as usize + 4) * 2;
                let bytes = units.bytes().get(start..start + length as usize);
                let bytes = bytes.ok_or_else(|| self.defect(from, defect))?.to_vec();
                Ok(Operand::Data(Box::new(ArrayData { width, bytes })))
            }
            (Opcode::PACKED_SWITCH, Some(PACKED_SWITCH)) => {
                let first = int(at + 2);
                let mut cases = Vec::with_capacity(count as usize);
                for case in 0..count {
                    let target = self.target(from, int(at + 4 + case * 2))?;
                    cases.push((first.wrapping_add(case as i32), target));
                }
                Ok(Operand::Switch(Box::new(Switch { cases })))
            }
            (Opcode::SPARSE_SWITCH, Some(SPARSE_SWITCH)) => {
                let mut cases = Vec::with_capacity(count as usize);
                for case in 0..count {
                    let target = self.target(from, int(at + 2 + count * 2 + case * 2))?;
                    cases.push((int(at + 2 + case * 2), target));
                }
                Ok(Operand::Switch(Box::new(Switch { cases })))
            }
            _ => Err(self.defect(from, defect)),
        }
    }
}

impl Code {
    /// Reads a method body, its try blocks and its line program.
    ///
    /// Debug events past the code's end are dropped: line programs that several methods share have them.
    /// An event inside an instruction moves to the next one.
    pub fn decode(dex: &Dex<'_>, item: &CodeItem<'_>) -> Result<Self> {
        Self::decode_lines(dex, item, false)
    }

    /// Like [`Code::decode`]. A body without line program gets one in which each line is the address of its
    /// instruction: that is what stack traces show since Android 8, so they stay the same when code is added.
    pub fn decode_with_lines(dex: &Dex<'_>, item: &CodeItem<'_>) -> Result<Self> {
        Self::decode_lines(dex, item, item.debug_info_off == 0)
    }

    fn decode_lines(dex: &Dex<'_>, item: &CodeItem<'_>, pin: bool) -> Result<Self> {
        let mut places = Places::new(*item)?;
        let mut code = Self::new(item.registers, item.ins);
        // An instruction has one to five units.
        let mut decoded = Vec::with_capacity(item.units.len() as usize / 2 + 1);
        for instruction in item.instructions() {
            let (at, instruction) = instruction?;
            let operand = match instruction.info().format {
                Format::F31t => Some(places.payload(at, &instruction)?),
                _ if instruction.opcode.is_branch() => {
                    Some(Operand::Label(places.target(at, instruction.offset)?))
                }
                _ => None,
            };
            decoded.push((at, instruction, operand));
        }
        code.tries = try_blocks(item, &mut places)?;

        let debug = dex.debug_info(item.debug_info_off)?;
        let mut events =
            debug.as_ref().map(crate::DebugInfo::events).into_iter().flatten().peekable();
        // Labels and events come on top, and often a few instructions more.
        code.nodes.reserve(decoded.len() * 3 / 2 + 8);
        let mut next_label = 0;
        let mut place_labels = |upto: u32, nodes: &mut Vec<Node>| {
            // Labels of payloads passed over and of the instruction itself.
            for at in next_label..=upto {
                if let Some(&label) = places.labels.get(at as usize).filter(|&&label| label != NONE)
                {
                    nodes.push(Node::Label(Label(label)));
                }
            }
            next_label = upto + 1;
        };
        for (at, instruction, operand) in decoded {
            place_labels(at, &mut code.nodes);
            while let Some(event) =
                events.next_if(|event| !matches!(event, Ok((unit, _)) if *unit > at))
            {
                code.nodes.push(Node::Debug(event?.1));
            }
            let is_padding = instruction.opcode == Opcode::NOP
                && !matches!(code.nodes.last(), Some(Node::Label(_)))
                && matches!(
                    item.units.get(at + 1),
                    Some(PACKED_SWITCH | SPARSE_SWITCH | FILL_ARRAY)
                );
            if is_padding {
                continue;
            }
            if pin && instruction.opcode.can_throw() {
                code.nodes.push(Node::Debug(DebugEvent::Line(at)));
            }
            let mut symbolic = Instruction::from_decoded(&instruction);
            if let Some(operand) = operand {
                symbolic.operand = operand;
            }
            code.nodes.push(Node::Instruction(symbolic));
        }
        place_labels(item.units.len(), &mut code.nodes);
        // What comes after the end is checked and dropped.
        for event in events {
            event?;
        }
        drop_superseded_lines(&mut code.nodes);
        code.parameter_names = debug.map(|debug| debug.parameter_names);
        code.labels = places.count;
        Ok(code)
    }
}

/// Of several lines in front of one instruction only the last holds.
fn drop_superseded_lines(nodes: &mut Vec<Node>) {
    let mut pending = false;
    let mut drop: Vec<usize> = Vec::new();
    for (index, node) in nodes.iter().enumerate().rev() {
        match node {
            Node::Instruction(_) => pending = false,
            Node::Debug(DebugEvent::Line(_)) if pending => drop.push(index),
            Node::Debug(DebugEvent::Line(_)) => pending = true,
            Node::Debug(_) | Node::Label(_) => {}
        }
    }
    if !drop.is_empty() {
        let mut index = 0;
        nodes.retain(|_| {
            index += 1;
            drop.binary_search_by(|other| (index - 1).cmp(other)).is_err()
        });
    }
}

fn try_blocks(item: &CodeItem<'_>, places: &mut Places<'_>) -> Result<Vec<TryBlock>> {
    let mut tries = Vec::with_capacity(item.tries_len());
    let mut total = 0;
    for range in item.tries() {
        let end = range.start.saturating_add(u32::from(range.count));
        if range.start >= item.units.len() || end > item.units.len() {
            return Err(places.defect(range.start, "a try range inside the code"));
        }
        let handler = item.handler(range.handler_off)?;
        total += handler.typed.len();
        if total > MAX_CAUGHT {
            return Err(places.defect(range.start, "fewer caught types in all ranges of a method"));
        }
        let (start, end) = (places.boundary(range.start), places.boundary(end));
        let mut typed = Vec::with_capacity(handler.typed.len());
        for (ty, unit) in handler.typed {
            typed.push((ty, places.target(unit, 0)?));
        }
        let catch_all = handler.catch_all.map(|unit| places.target(unit, 0)).transpose()?;
        tries.push(TryBlock {
            start: places.label(start),
            end: places.label(end),
            typed,
            catch_all,
        });
    }
    Ok(tries)
}
