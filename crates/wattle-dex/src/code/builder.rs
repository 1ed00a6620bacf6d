//! An assembler: method bodies written in Rust.

use super::instruction::{calling, moving};
use super::{ArrayData, Code, Instruction, Label, Node, Operand, Switch, TryBlock};
use crate::{
    CallSiteId, DebugEvent, DexError, FieldId, MethodId, Opcode, Registers, Result, StringId,
    TypeId,
};

/// Writes a method body instruction by instruction.
///
/// Registers are given by number: locals from 0, arguments at the end of the frame. Where the format has
/// several forms of an instruction, the shortest that fits is taken.
#[derive(Clone, Debug)]
pub struct CodeBuilder {
    code: Code,
    defect: Option<DexError>,
}

impl CodeBuilder {
    /// A body with a frame of `registers`, the last `ins` of which hold the arguments.
    pub fn new(registers: u16, ins: u16) -> Self {
        Self { code: Code::new(registers, ins), defect: None }
    }

    /// The register of an argument word: `this` is word 0 of an instance method.
    pub fn argument(&self, word: u16) -> u16 {
        self.code.registers.saturating_sub(self.code.ins).saturating_add(word)
    }

    /// The body; an error where an instruction could not be expressed.
    pub fn finish(self) -> Result<Code> {
        match self.defect {
            Some(defect) => Err(defect),
            None => Ok(self.code),
        }
    }

    /// A label to be placed with [`CodeBuilder::place`].
    pub fn label(&mut self) -> Label {
        self.code.new_label()
    }

    /// Places a label here.
    pub fn place(&mut self, label: Label) -> &mut Self {
        self.code.nodes.push(Node::Label(label));
        self
    }

    /// A label placed here.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// The source line of what follows.
    pub fn line(&mut self, line: u32) -> &mut Self {
        self.debug(DebugEvent::Line(line))
    }

    /// A debug event here.
    pub fn debug(&mut self, event: DebugEvent) -> &mut Self {
        self.code.nodes.push(Node::Debug(event));
        self
    }

    /// Any instruction.
    pub fn push(&mut self, instruction: Instruction) -> &mut Self {
        self.code.nodes.push(Node::Instruction(instruction));
        self
    }

    /// Any instruction of up to five named registers.
    pub fn op(&mut self, opcode: Opcode, registers: &[u16], operand: Operand) -> &mut Self {
        if let Some(list) = Registers::list(registers) {
            self.push(Instruction::new(opcode, list, operand))
        } else {
            self.defect.get_or_insert(DexError::Operand {
                opcode: opcode.name(),
                operand: "number of registers",
                found: registers.len() as i64,
                limit: 5,
            });
            self
        }
    }

    /// Loads an `int` (also `boolean`, `byte`, `short`, `char`, `float` bits and `null`).
    pub fn const_int(&mut self, register: u16, value: i32) -> &mut Self {
        self.push(Instruction::const_int(register, value))
    }

    /// Loads a `long` (also `double` bits) into a register and the next.
    pub fn const_wide(&mut self, register: u16, value: i64) -> &mut Self {
        let opcode = if i16::try_from(value).is_ok() {
            Opcode::CONST_WIDE_16
        } else if i32::try_from(value).is_ok() {
            Opcode::CONST_WIDE_32
        } else if value.trailing_zeros() >= 48 {
            Opcode::CONST_WIDE_HIGH16
        } else {
            Opcode::CONST_WIDE
        };
        self.op(opcode, &[register], Operand::Literal(value))
    }

    /// Loads a string.
    pub fn const_string(&mut self, register: u16, string: StringId) -> &mut Self {
        self.op(Opcode::CONST_STRING, &[register], Operand::String(string))
    }

    /// Copies an `int`, `float` or narrower.
    pub fn move_int(&mut self, to: u16, from: u16) -> &mut Self {
        self.push(moving(Opcode::MOVE, to, from))
    }

    /// Copies a `long` or `double`.
    pub fn move_wide(&mut self, to: u16, from: u16) -> &mut Self {
        self.push(moving(Opcode::MOVE_WIDE, to, from))
    }

    /// Copies a reference.
    pub fn move_object(&mut self, to: u16, from: u16) -> &mut Self {
        self.push(moving(Opcode::MOVE_OBJECT, to, from))
    }

    /// Calls a method; `opcode` is one of the five plain forms such as [`Opcode::INVOKE_STATIC`]. Wide
    /// arguments take two registers, each named. The range form is taken where the plain one cannot.
    pub fn invoke(&mut self, opcode: Opcode, method: MethodId, arguments: &[u16]) -> &mut Self {
        self.call(opcode, Operand::Method(method), arguments)
    }

    /// Calls a call site.
    pub fn invoke_custom(&mut self, site: CallSiteId, arguments: &[u16]) -> &mut Self {
        self.call(Opcode::INVOKE_CUSTOM, Operand::CallSite(site), arguments)
    }

    fn call(&mut self, opcode: Opcode, operand: Operand, arguments: &[u16]) -> &mut Self {
        match calling(opcode, operand, arguments) {
            Ok(instruction) => self.push(instruction),
            Err(defect) => {
                self.defect.get_or_insert(defect);
                self
            }
        }
    }

    /// Reads or writes a field: an `sget`, `sput` with one register, an `iget`, `iput` with two.
    pub fn field(&mut self, opcode: Opcode, registers: &[u16], field: FieldId) -> &mut Self {
        self.op(opcode, registers, Operand::Field(field))
    }

    /// An instruction that names a type: `new-instance`, `check-cast`, `const-class`, …
    pub fn with_type(&mut self, opcode: Opcode, registers: &[u16], ty: TypeId) -> &mut Self {
        self.op(opcode, registers, Operand::Type(ty))
    }

    /// Jumps.
    pub fn goto(&mut self, target: Label) -> &mut Self {
        self.op(Opcode::GOTO, &[], Operand::Label(target))
    }

    /// Branches: an `if-*` with two registers, an `if-*z` with one.
    pub fn branch(&mut self, opcode: Opcode, registers: &[u16], target: Label) -> &mut Self {
        self.op(opcode, registers, Operand::Label(target))
    }

    /// Branches by value: packed where the values have no gaps, else sparse.
    pub fn switch(&mut self, register: u16, mut cases: Vec<(i32, Label)>) -> &mut Self {
        cases.sort_unstable_by_key(|case| case.0);
        let gapless = cases.windows(2).all(|pair| pair[0].0.checked_add(1) == Some(pair[1].0));
        let opcode = if gapless { Opcode::PACKED_SWITCH } else { Opcode::SPARSE_SWITCH };
        self.op(opcode, &[register], Operand::Switch(Box::new(Switch { cases })))
    }

    /// Fills an array with elements of `width` bytes.
    pub fn fill_array(&mut self, register: u16, width: u16, bytes: Vec<u8>) -> &mut Self {
        let data = ArrayData { width, bytes };
        self.op(Opcode::FILL_ARRAY_DATA, &[register], Operand::Data(Box::new(data)))
    }

    /// Any instruction without further operand: arithmetic, `move-result`, `throw`, array access, …
    pub fn plain(&mut self, opcode: Opcode, registers: &[u16]) -> &mut Self {
        self.op(opcode, registers, Operand::None)
    }

    /// An instruction with a literal: `add-int/lit8`, …
    pub fn literal(&mut self, opcode: Opcode, registers: &[u16], value: i32) -> &mut Self {
        self.op(opcode, registers, Operand::Literal(i64::from(value)))
    }

    /// Returns nothing.
    pub fn return_void(&mut self) -> &mut Self {
        self.plain(Opcode::RETURN_VOID, &[])
    }

    /// A try block; inner ones are added before outer ones.
    pub fn try_block(
        &mut self,
        start: Label,
        end: Label,
        typed: Vec<(TypeId, Label)>,
        catch_all: Option<Label>,
    ) -> &mut Self {
        self.code.tries.push(TryBlock { start, end, typed, catch_all });
        self
    }
}
