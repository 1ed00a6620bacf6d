//! From the model of a method body to its bytes.

use super::debug::encode_debug;
use super::encode::{encode, encode_payload};
use super::layout::Layout;
use super::tries::encode_tries;
use super::{Code, Node, Operand};
use crate::cursor::Put;
use crate::write::{Chunk, Remap};
use crate::{CodeItem, Dex, DexError, Result, Section};

/// A method body as bytes, with the numbers of the written file.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) item: AssembledItem,
    /// Its `debug_info_item`.
    pub(crate) debug: Option<Vec<u8>>,
}

/// A `code_item` but for the offset of its line program.
#[derive(Debug)]
pub(crate) struct AssembledItem {
    registers: u16,
    ins: u16,
    outs: u16,
    tries: u16,
    units: Vec<u8>,
    handlers: Vec<u8>,
}

impl AssembledItem {
    pub(crate) fn put(&self, out: &mut Chunk, debug: u32) {
        out.bytes.put_u16(self.registers);
        out.bytes.put_u16(self.ins);
        out.bytes.put_u16(self.outs);
        out.bytes.put_u16(self.tries);
        out.put_offset(Section::DEBUG_INFO, debug);
        out.bytes.put_u32((self.units.len() / 2) as u32);
        out.bytes.extend_from_slice(&self.units);
        if self.tries > 0 {
            out.bytes.pad_to(4);
            out.bytes.extend_from_slice(&self.handlers);
        }
    }
}

impl Assembled {
    /// Appends the body to a chunk, which takes its line program along.
    pub(crate) fn put(self, out: &mut Chunk) {
        let debug = self.debug.map_or(0, |bytes| out.put_debug(bytes));
        self.item.put(out, debug);
    }
}

impl Code {
    /// Lays the body of a method with `parameters` parameters out and writes it with the numbers of the
    /// written file.
    pub(crate) fn assemble(&self, remap: &Remap, parameters: usize) -> Result<Assembled> {
        if self.ins > self.registers {
            return Err(DexError::Edit {
                subject: "method body",
                expected: format!("a frame of at least {} registers for the arguments", self.ins),
                found: format!("{} registers", self.registers),
            });
        }
        let layout = Layout::of(self, remap)?;
        let mut units = Vec::with_capacity(layout.len as usize * 2);
        let mut payloads = layout.payloads.iter();
        for (index, node) in self.nodes.iter().enumerate() {
            let Node::Instruction(instruction) = node else { continue };
            let at = layout.addresses.get(index).copied().unwrap_or(0);
            let end = layout.addresses.get(index + 1).copied().unwrap_or(layout.code_end);
            let payload = match instruction.operand {
                Operand::Switch(_) | Operand::Data(_) => payloads.next().copied(),
                _ => None,
            };
            encode(instruction, at, end - at, payload, &layout, remap, &mut units)?;
        }
        let mut payloads = layout.payloads.iter();
        for (node, &at) in self.nodes.iter().zip(&layout.addresses) {
            if let Node::Instruction(instruction) = node
                && matches!(instruction.operand, Operand::Switch(_) | Operand::Data(_))
            {
                units.resize(payloads.next().map_or(units.len(), |&start| start as usize * 2), 0);
                encode_payload(instruction, at, &layout, &mut units)?;
            }
        }
        let (tries, handlers) = encode_tries(self, &layout, remap)?;
        let item = AssembledItem {
            registers: self.registers,
            ins: self.ins,
            outs: self.outs(),
            tries,
            units,
            handlers,
        };
        Ok(Assembled { item, debug: encode_debug(self, &layout, remap, parameters)? })
    }

    /// Lays a body of the source out anew, which its strings' new numbers ask for.
    pub(crate) fn reassemble(
        dex: &Dex<'_>,
        item: &CodeItem<'_>,
        remap: &Remap,
        out: &mut Chunk,
    ) -> Result<()> {
        // A decoded body names its parameters if it has a line program at all.
        Self::decode(dex, item)?.assemble(remap, 0)?.put(out);
        Ok(())
    }
}
