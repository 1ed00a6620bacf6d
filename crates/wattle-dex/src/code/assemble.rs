//! From the model of a method body to its bytes.

use super::debug::encode_debug;
use super::encode::{Encoder, Position, encode_payload};
use super::layout::Layout;
use super::patch::{Patcher, Subject};
use super::tries::TryEncoder;
use super::{Code, Node, Operand, Wrapping};
use crate::chunk::Chunk;
use crate::cursor::Put;
use crate::remap::Remap;
use crate::{CodeItem, Dex, DexError, Result, Section};

/// Writes method bodies as bytes, with the numbers of the written file, and keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    layout: Layout,
    tries: TryEncoder,
    body: Assembled,
    patcher: Patcher,
}

/// A method body as bytes.
#[derive(Debug, Default)]
pub(crate) struct Assembled {
    pub(super) registers: u16,
    pub(super) ins: u16,
    pub(super) outs: u16,
    pub(super) tries: u16,
    pub(super) units: Vec<u8>,
    /// The try ranges and their handlers.
    pub(super) handlers: Vec<u8>,
    /// Its `debug_info_item`; without bytes where there is none.
    pub(super) debug: Vec<u8>,
}

impl Assembled {
    /// Its `debug_info_item`.
    pub(crate) fn debug(&self) -> Option<&[u8]> {
        Some(self.debug.as_slice()).filter(|bytes| !bytes.is_empty())
    }

    /// Appends the `code_item`, whose line program has a key.
    pub(crate) fn put_item(&self, out: &mut Chunk, debug: u32) {
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

    /// Appends the body to a chunk, which takes its line program along.
    pub(crate) fn put(&self, out: &mut Chunk) {
        let debug = self.debug().map_or(0, |bytes| out.put_debug(bytes));
        self.put_item(out, debug);
    }
}

impl Assembler {
    /// Lays the body of a method with `parameters` parameters out and writes it with the numbers of the
    /// written file.
    pub(crate) fn assemble(
        &mut self,
        code: &Code,
        remap: &Remap,
        parameters: usize,
    ) -> Result<&Assembled> {
        if code.ins > code.registers {
            return Err(DexError::Edit {
                subject: "method body",
                expected: format!("a frame of at least {} registers for the arguments", code.ins),
                found: format!("{} registers", code.registers),
            });
        }
        self.layout.lay_out(code, remap)?;
        let (layout, body) = (&self.layout, &mut self.body);
        body.units.clear();
        body.units.reserve(layout.len as usize * 2);
        body.outs = 0;
        let encoder = Encoder { layout, remap };
        let mut payloads = layout.payloads.iter();
        let ends = layout.addresses.iter().skip(1).chain(std::iter::once(&layout.code_end));
        for (node, (&at, end)) in code.nodes.iter().zip(layout.addresses.iter().zip(ends)) {
            let Node::Instruction(instruction) = node else { continue };
            let payload = match instruction.operand {
                Operand::Switch(_) | Operand::Data(_) => payloads.next().copied(),
                _ => None,
            };
            body.outs = body.outs.max(instruction.outs());
            let position = Position { at, length: end - at, payload };
            encoder.encode(instruction, position, &mut body.units)?;
        }
        if !layout.payloads.is_empty() {
            let mut payloads = layout.payloads.iter();
            for (node, &at) in code.nodes.iter().zip(&layout.addresses) {
                if let Node::Instruction(instruction) = node
                    && matches!(instruction.operand, Operand::Switch(_) | Operand::Data(_))
                {
                    let start = payloads.next().map_or(body.units.len(), |&at| at as usize * 2);
                    body.units.resize(start, 0);
                    encode_payload(instruction, at, layout, &mut body.units)?;
                }
            }
        }
        body.registers = code.registers;
        body.ins = code.ins;
        body.tries = self.tries.encode(code, layout, remap, &mut body.handlers)?;
        encode_debug(code, layout, remap, parameters, &mut body.debug)?;
        Ok(body)
    }

    /// Puts instructions around a body of the source, whose method has `parameters` parameters. A body without line program
    /// gets one as with [`Code::decode_with_lines`].
    pub(crate) fn wrap(
        &mut self,
        dex: &Dex<'_>,
        item: &CodeItem<'_>,
        wrapping: &Wrapping,
        (remap, parameters): (&Remap, usize),
    ) -> Result<&Assembled> {
        let subject = Subject { dex, item, remap, parameters };
        if !self.patcher.patch(&subject, wrapping, &self.layout, &mut self.body)? {
            let mut code = Code::decode_with_lines(dex, item)?;
            code.wrap(wrapping)?;
            self.assemble(&code, remap, parameters)?;
        }
        Ok(&self.body)
    }

    /// The body that was assembled last.
    pub(crate) fn body(&self) -> &Assembled {
        &self.body
    }

    /// Lays a body of the source out anew, which its strings' new numbers ask for.
    pub(crate) fn reassemble(
        dex: &Dex<'_>,
        item: &CodeItem<'_>,
        remap: &Remap,
        out: &mut Chunk,
    ) -> Result<()> {
        // A decoded body names its parameters if it has a line program at all.
        Self::default().assemble(&Code::decode(dex, item)?, remap, 0)?.put(out);
        Ok(())
    }
}
