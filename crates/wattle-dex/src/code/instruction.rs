//! An instruction with symbolic operands.

use crate::effects::Effects;
use crate::opcode_info::{Format, IndexKind};
use crate::{
    ArgumentKind, CallSiteId, Decoded, DexError, FieldId, MethodHandleId, MethodId, Opcode,
    ProtoId, Registers, Result, StringId, TypeId,
};

/// A place in a method body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

/// An instruction with symbolic operands.
///
/// The forms of `goto` are one ([`Opcode::GOTO`]), and so are those of `const-string`
/// ([`Opcode::CONST_STRING`]): the assembler picks.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The opcode.
    pub opcode: Opcode,
    /// Its registers, in the order of the mnemonic's operands.
    pub registers: Registers,
    /// The operand besides registers.
    pub operand: Operand,
}

/// The operand of an instruction besides registers.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// Nothing.
    None,
    /// A number, with its sign and in its place (of `const/high16` too).
    Literal(i64),
    /// A string.
    String(StringId),
    /// A type.
    Type(TypeId),
    /// A field.
    Field(FieldId),
    /// A method.
    Method(MethodId),
    /// A method and the signature of the call.
    Polymorphic(MethodId, ProtoId),
    /// A call site.
    CallSite(CallSiteId),
    /// A method handle.
    MethodHandle(MethodHandleId),
    /// A signature.
    Proto(ProtoId),
    /// The target of a branch.
    Label(Label),
    /// Targets of a branch, by value.
    Switch(Box<Switch>),
    /// The content to fill an array with.
    Data(Box<ArrayData>),
}

/// `packed-switch-payload` or `sparse-switch-payload`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Values and targets, ascending by value. `packed-switch` needs values without gaps.
    pub cases: Vec<(i32, Label)>,
}

/// `fill-array-data-payload`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayData {
    /// Bytes of one element.
    pub width: u16,
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
}

impl Instruction {
    /// An instruction with registers alone.
    pub fn new(opcode: Opcode, registers: Registers, operand: Operand) -> Self {
        Self { opcode, registers, operand }
    }

    /// Loads an `int`, in the shortest form.
    pub fn const_int(register: u16, value: i32) -> Self {
        let opcode = if register < 16 && (-8..8).contains(&value) {
            Opcode::CONST_4
        } else if i16::try_from(value).is_ok() {
            Opcode::CONST_16
        } else if value.trailing_zeros() >= 16 {
            Opcode::CONST_HIGH16
        } else {
            Opcode::CONST
        };
        let registers = Registers::list(&[register]).unwrap_or(Registers::NONE);
        Self::new(opcode, registers, Operand::Literal(i64::from(value)))
    }

    /// A `move` of an argument's kind, in the form that its registers need.
    pub fn moving(kind: ArgumentKind, to: u16, from: u16) -> Self {
        let opcode = match kind {
            ArgumentKind::Single => Opcode::MOVE,
            ArgumentKind::Wide => Opcode::MOVE_WIDE,
            ArgumentKind::Reference => Opcode::MOVE_OBJECT,
        };
        moving(opcode, to, from)
    }

    /// A call, in the form that its registers need. `opcode` is a plain form such as
    /// [`Opcode::INVOKE_STATIC`]; an error where the registers fit neither it nor its range form.
    pub fn calling(opcode: Opcode, operand: Operand, arguments: &[u16]) -> Result<Self> {
        calling(opcode, operand, arguments)
    }

    /// Words of outgoing arguments.
    pub(crate) fn outs(&self) -> u16 {
        let is_call = self.opcode.is_invoke()
            || matches!(self.opcode, Opcode::FILLED_NEW_ARRAY | Opcode::FILLED_NEW_ARRAY_RANGE);
        if is_call { self.registers.len() as u16 } else { 0 }
    }

    /// The register that it writes, and whether the next one is the upper half of a pair.
    pub fn written(&self) -> Option<(u32, bool)> {
        Effects::from_opcode(self.opcode).written(&self.registers)
    }

    /// The registers that it reads, both halves of pairs.
    pub fn read(&self) -> Vec<u32> {
        let mut registers = Vec::new();
        Effects::from_opcode(self.opcode)
            .read(&self.registers, |register| registers.push(register));
        registers
    }

    /// Of a decoded instruction whose operand is no address.
    pub(crate) fn from_decoded(decoded: &Decoded) -> Self {
        let info = decoded.info();
        let index = decoded.index;
        let operand = match info.index {
            IndexKind::String => Operand::String(StringId(index)),
            IndexKind::Type => Operand::Type(TypeId(index)),
            IndexKind::Field => Operand::Field(FieldId(index)),
            IndexKind::Method => Operand::Method(MethodId(index)),
            IndexKind::Polymorphic => Operand::Polymorphic(MethodId(index), ProtoId(decoded.proto)),
            IndexKind::CallSite => Operand::CallSite(CallSiteId(index)),
            IndexKind::MethodHandle => Operand::MethodHandle(MethodHandleId(index)),
            IndexKind::Proto => Operand::Proto(ProtoId(index)),
            IndexKind::None => match info.format {
                Format::F11n
                | Format::F21s
                | Format::F21h
                | Format::F22b
                | Format::F22s
                | Format::F31i
                | Format::F51l => Operand::Literal(decoded.literal),
                _ => Operand::None,
            },
        };
        let opcode = match decoded.opcode {
            Opcode::CONST_STRING_JUMBO => Opcode::CONST_STRING,
            Opcode::GOTO_16 | Opcode::GOTO_32 => Opcode::GOTO,
            other => other,
        };
        Self { opcode, registers: decoded.registers, operand }
    }

    /// The label of a branch.
    pub fn target(&self) -> Option<Label> {
        match self.operand {
            Operand::Label(label) => Some(label),
            _ => None,
        }
    }

    /// All labels it can go to: of a branch or a switch.
    pub fn targets(&self) -> impl Iterator<Item = Label> + '_ {
        let cases = match &self.operand {
            Operand::Switch(switch) => switch.cases.as_slice(),
            _ => &[],
        };
        self.target().into_iter().chain(cases.iter().map(|&(_, label)| label))
    }
}

/// A `move` in the form that its registers need; `opcode` is the plain form.
pub(super) fn moving(opcode: Opcode, to: u16, from: u16) -> Instruction {
    // The forms follow each other: plain, /from16, /16.
    let form = if to < 16 && from < 16 {
        0
    } else if to < 256 {
        1
    } else {
        2
    };
    Instruction::new(Opcode(opcode.0 + form), Registers::two(to, from), Operand::None)
}

/// A call in the form that its registers need; `opcode` is the plain form.
pub(super) fn calling(opcode: Opcode, operand: Operand, arguments: &[u16]) -> Result<Instruction> {
    if arguments.iter().all(|&register| register < 16)
        && let Some(registers) = Registers::list(arguments)
    {
        return Ok(Instruction::new(opcode, registers, operand));
    }
    let range = match opcode {
        Opcode::INVOKE_POLYMORPHIC => Some(Opcode::INVOKE_POLYMORPHIC_RANGE),
        Opcode::INVOKE_CUSTOM => Some(Opcode::INVOKE_CUSTOM_RANGE),
        Opcode::FILLED_NEW_ARRAY => Some(Opcode::FILLED_NEW_ARRAY_RANGE),
        Opcode(code @ 0x6e..=0x72) => Some(Opcode(code + 6)),
        _ => None,
    };
    let contiguous = arguments.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let count = u8::try_from(arguments.len()).ok();
    match (range, count, arguments.first()) {
        (Some(range), Some(count), Some(&first)) if contiguous => {
            Ok(Instruction::new(range, Registers::range(first, count), operand))
        }
        _ => Err(DexError::Operand {
            opcode: opcode.name(),
            operand: "register outside a contiguous range",
            found: arguments.iter().copied().max().map_or(0, i64::from),
            limit: 15,
        }),
    }
}
