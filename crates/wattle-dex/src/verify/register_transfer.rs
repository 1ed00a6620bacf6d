//! Effect of one instruction on the types of the registers.

use super::code_checks::Shape;
use super::facts::Facts;
use super::operands::{Check, Operand, Subject, problem};
use super::register_state::State;
use super::types::{Class, Kind, RegType, Wide};
use crate::{Decoded, TypeId};

/// One instruction of a method.
pub(crate) struct Transfer<'t, 'v, 'a> {
    pub(crate) subject: &'t Subject<'v, 'a>,
    pub(crate) shape: &'t Shape,
    pub(crate) position: usize,
    pub(crate) at: u32,
    pub(crate) decoded: &'t Decoded,
}

/// Kinds by the order plain, wide, object, boolean, byte, char, short; plain is `int` or `float`.
const SEVEN: [Kind; 7] =
    [Kind::Int, Kind::Long, Kind::Reference, Kind::Boolean, Kind::Byte, Kind::Char, Kind::Short];

impl<'a> Transfer<'_, '_, 'a> {
    #[expect(clippy::match_same_arms, reason = "the arms follow the order of the opcodes")]
    pub(crate) fn apply(&self, state: &mut State) -> Check<()> {
        let code = self.decoded.opcode.0;
        let register = |position: usize| self.decoded.registers.get(position);
        match code {
            0x01..=0x03 => {
                let value = state.get(register(1));
                if !matches!(value, RegType::Int { .. } | RegType::Float) {
                    return self.wrong(register(1), "a number of 32 bits", value);
                }
                state.copy(register(0), register(1));
            }
            0x04..=0x06 => {
                let wide = self.pair(state, register(1), None)?;
                state.set_pair(register(0), wide);
            }
            0x07..=0x09 => {
                let value = state.get(register(1));
                if !value.is_reference() {
                    return self.wrong(register(1), "a reference", value);
                }
                state.copy(register(0), register(1));
            }
            0x0a..=0x0c => return self.move_result(state),
            0x0d => {
                let Some(class) = self.shape.exception(self.position) else {
                    return problem(
                        "move-exception",
                        self.at,
                        "the start of a handler",
                        "other code",
                    );
                };
                state.set(register(0), RegType::Reference(class));
            }
            0x0e..=0x11 => return self.returns(state),
            0x12..=0x15 => {
                let value = self.decoded.literal as i32;
                state.set(register(0), RegType::Int { low: value, high: value, constant: true });
            }
            0x16..=0x19 => state.set_pair(register(0), Wide::Constant),
            0x1a | 0x1b => self.reference(state, self.facts().string),
            0x1c => self.reference(state, self.facts().class),
            0xfe => self.reference(state, self.facts().method_handle),
            0xff => self.reference(state, self.facts().method_type),
            0x1d => {
                self.any_reference(state, register(0))?;
                if !state.enter(register(0)) {
                    return problem("monitor", self.at, "at most 32 monitors at a time", "more");
                }
            }
            0x1e => {
                self.any_reference(state, register(0))?;
                if !state.exit(register(0)) {
                    return problem(
                        "monitor",
                        self.at,
                        "the monitor that was entered last",
                        "another one",
                    );
                }
            }
            0x1f => {
                self.ready_reference(state, register(0))?;
                state.set(register(0), RegType::Reference(Class::Of(TypeId(self.decoded.index))));
            }
            0x20 => {
                self.ready_reference(state, register(1))?;
                state.set(register(0), Kind::Boolean.register());
            }
            0x21 => {
                self.array(state, register(1))?;
                state.set(register(0), Kind::Int.register());
            }
            0x22 => {
                let value = RegType::New(self.at, TypeId(self.decoded.index));
                // What an earlier turn of a loop left without a constructor call is lost.
                state.replace(value, RegType::Unusable);
                state.set(register(0), value);
            }
            0x23 => {
                self.number(state, register(1), Kind::Int, false)?;
                state.set(register(0), RegType::Reference(Class::Of(TypeId(self.decoded.index))));
            }
            0x24 | 0x25 => return self.filled_array(state),
            0x26 => return self.fill_array(state),
            0x27 => self.ready_reference(state, register(0)).map(drop)?,
            0x2b | 0x2c => self.number(state, register(0), Kind::Int, false)?,
            0x2d..=0x31 => {
                let kind = [Kind::Float, Kind::Float, Kind::Double, Kind::Double, Kind::Long];
                let kind = kind.get(usize::from(code - 0x2d)).copied().unwrap_or(Kind::Int);
                self.number(state, register(1), kind, false)?;
                self.number(state, register(2), kind, false)?;
                state.set(register(0), Kind::Int.register());
            }
            0x32 | 0x33 => {
                let (a, b) = (state.get(register(0)), state.get(register(1)));
                let references = a.is_reference() && b.is_reference();
                let numbers = a.is(Kind::Int, false) && b.is(Kind::Int, false);
                if !references && !numbers {
                    return self.wrong(register(1), "two numbers or two references", b);
                }
            }
            0x34..=0x37 => {
                self.number(state, register(0), Kind::Int, false)?;
                self.number(state, register(1), Kind::Int, false)?;
            }
            0x38 | 0x39 => {
                let value = state.get(register(0));
                if !value.is_reference() && !value.is(Kind::Int, false) {
                    return self.wrong(register(0), "a number or a reference", value);
                }
            }
            0x3a..=0x3d => self.number(state, register(0), Kind::Int, false)?,
            0x44..=0x4a => return self.array_get(state, seventh(code, 0x44)),
            0x4b..=0x51 => return self.array_put(state, seventh(code, 0x4b)),
            0x52..=0x58 | 0x60..=0x66 => return self.field_get(state),
            0x59..=0x5f | 0x67..=0x6d => return self.field_put(state),
            0x6e..=0x72 | 0x74..=0x78 | 0xfa..=0xfd => return self.call(state),
            0x7b..=0xe2 => return self.arithmetic(state),
            _ => {}
        }
        Ok(())
    }

    fn facts(&self) -> &Facts<'a> {
        &self.subject.hierarchy.facts
    }

    fn reference(&self, state: &mut State, class: Class) {
        state.set(self.decoded.registers.get(0), RegType::Reference(class));
    }

    pub(super) fn wrong<T>(&self, register: u32, expected: &str, found: RegType) -> Check<T> {
        let rule = match found {
            RegType::New(..) | RegType::NewThis => "uninitialised",
            _ => "register-type",
        };
        problem(rule, self.at, format!("{expected} in v{register}"), self.show(found))
    }

    pub(super) fn show(&self, value: RegType) -> String {
        match value {
            RegType::Unusable => "nothing usable".into(),
            RegType::Int { low, high, constant: true } if low == high => {
                format!("the constant {low}")
            }
            RegType::Int { low, high, .. } => format!("a number from {low} to {high}"),
            RegType::Float => "float".into(),
            RegType::Low(wide) => format!("the lower half of a {wide:?}"),
            RegType::High(wide) => format!("the upper half of a {wide:?}"),
            RegType::Reference(Class::Of(ty)) => self.subject.type_name(ty),
            RegType::Reference(Class::Unknown) => "a reference".into(),
            RegType::New(unit, ty) => {
                format!(
                    "a {} from unit {unit:#x} without constructor call",
                    self.subject.type_name(ty)
                )
            }
            RegType::NewThis => "this before the constructor of the superclass".into(),
        }
    }

    /// A pair, of a kind if one is given.
    fn pair(&self, state: &State, register: u32, kind: Option<Kind>) -> Check<Wide> {
        let low = state.get(register);
        let fits = kind.is_none_or(|kind| low.is(kind, false));
        match (low, low.upper()) {
            (RegType::Low(wide), Some(upper)) if fits && state.get(register + 1) == upper => {
                Ok(wide)
            }
            (RegType::Low(_), _) if fits => {
                self.wrong(register + 1, "the upper half of the pair", state.get(register + 1))
            }
            _ => self.wrong(register, kind.map_or("a pair", Kind::name), low),
        }
    }

    /// A number of a kind, one register or a pair.
    pub(super) fn number(
        &self,
        state: &State,
        register: u32,
        kind: Kind,
        exact: bool,
    ) -> Check<()> {
        if kind.is_wide() {
            return self.pair(state, register, Some(kind)).map(drop);
        }
        let value = state.get(register);
        if value.is(kind, exact) { Ok(()) } else { self.wrong(register, kind.name(), value) }
    }

    fn any_reference(&self, state: &State, register: u32) -> Check<()> {
        let value = state.get(register);
        if value.is_reference() { Ok(()) } else { self.wrong(register, "a reference", value) }
    }

    /// A reference to an object whose constructor has been called.
    pub(super) fn ready_reference(&self, state: &State, register: u32) -> Check<Class> {
        match state.get(register) {
            RegType::Reference(class) => Ok(class),
            value if value.is_null() => Ok(Class::Unknown),
            value => self.wrong(register, "an initialised reference", value),
        }
    }

    /// A reference that can stand where a type is asked for.
    pub(super) fn assignable(&self, state: &State, register: u32, to: TypeId) -> Check<()> {
        if let Class::Of(from) = self.ready_reference(state, register)?
            && !self.subject.hierarchy.may_be(from, to)
        {
            let expected = format!("{} in v{register}", self.subject.type_name(to));
            return problem("reference-type", self.at, expected, self.subject.type_name(from));
        }
        Ok(())
    }

    /// A value that is used where an operand of a type is asked for.
    pub(super) fn operand(
        &self,
        state: &State,
        register: u32,
        operand: Operand,
        exact: bool,
    ) -> Check<()> {
        match operand.kind {
            Kind::Reference => self.assignable(state, register, operand.ty),
            kind => self.number(state, register, kind, exact),
        }
    }

    pub(super) fn put_operand(state: &mut State, register: u32, operand: Operand) {
        match (operand.kind, operand.kind.wide()) {
            (_, Some(wide)) => state.set_pair(register, wide),
            (Kind::Reference, _) => state.set(register, RegType::Reference(operand.class())),
            (kind, _) => state.set(register, kind.register()),
        }
    }

    /// The element type of an array; unknown for `null` and where the type is not known.
    fn array(&self, state: &State, register: u32) -> Check<Option<(Kind, Class)>> {
        let Class::Of(ty) = self.ready_reference(state, register)? else { return Ok(None) };
        match self.facts().element(ty) {
            Some((Some(kind), class)) => Ok(Some((kind, class))),
            _ => problem(
                "array",
                self.at,
                format!("an array in v{register}"),
                self.subject.type_name(ty),
            ),
        }
    }

    fn array_of(&self, state: &State, register: u32, kind: Kind) -> Check<Option<(Kind, Class)>> {
        let element = self.array(state, register)?;
        let fits = |found: Kind| {
            found == kind
                || (kind == Kind::Int && found == Kind::Float)
                || (kind == Kind::Long && found == Kind::Double)
        };
        match element {
            Some((found, _)) if !fits(found) => problem(
                "array",
                self.at,
                format!("an array of {} in v{register}", kind.name()),
                found.name(),
            ),
            other => Ok(other),
        }
    }

    fn array_get(&self, state: &mut State, kind: Kind) -> Check<()> {
        let [to, array, index] = [0, 1, 2].map(|position| self.decoded.registers.get(position));
        self.number(state, index, Kind::Int, false)?;
        let is_null = state.get(array).is_null();
        let element = self.array_of(state, array, kind)?;
        match element {
            // Nothing comes back from `null`, so anything may be made of it.
            None if is_null && kind.is_wide() => state.set_pair(to, Wide::Constant),
            None if is_null => state.set(to, RegType::ZERO),
            None if kind.is_wide() => state.set_pair(to, Wide::Constant),
            None if kind == Kind::Int => state.set(to, RegType::ANY_NUMBER),
            None => state.set(to, kind.register()),
            Some((Kind::Reference, class)) => state.set(to, RegType::Reference(class)),
            Some((found, _)) => match found.wide() {
                Some(wide) => state.set_pair(to, wide),
                None => state.set(to, found.register()),
            },
        }
        Ok(())
    }

    fn array_put(&self, state: &State, kind: Kind) -> Check<()> {
        let [from, array, index] = [0, 1, 2].map(|position| self.decoded.registers.get(position));
        self.number(state, index, Kind::Int, false)?;
        match self.array_of(state, array, kind)? {
            // The elements' class is checked when it runs.
            Some((Kind::Reference, _)) => self.ready_reference(state, from).map(drop),
            Some((found, _)) => self.number(state, from, found, false),
            None => match kind {
                Kind::Reference => self.ready_reference(state, from).map(drop),
                Kind::Long => self.pair(state, from, None).map(drop),
                Kind::Int if state.get(from) == RegType::Float => Ok(()),
                kind => self.number(state, from, kind, false),
            },
        }
    }

    fn filled_array(&self, state: &State) -> Check<()> {
        let element = self.facts().element(TypeId(self.decoded.index));
        let (kind, class) = element.unwrap_or((None, Class::Unknown));
        let kind = kind.unwrap_or(Kind::Void);
        for register in self.decoded.registers.iter() {
            match (kind, class) {
                (Kind::Reference, Class::Of(ty)) => self.assignable(state, register, ty)?,
                (Kind::Reference, Class::Unknown) => drop(self.ready_reference(state, register)?),
                (Kind::Void | Kind::Long | Kind::Double, _) => {
                    return problem("array", self.at, "elements of one register", kind.name());
                }
                (kind, _) => self.number(state, register, kind, false)?,
            }
        }
        Ok(())
    }

    fn fill_array(&self, state: &State) -> Check<()> {
        let element = self.array(state, self.decoded.registers.get(0))?;
        let payload = self.at.checked_add_signed(self.decoded.offset).unwrap_or(0);
        let width = self.subject.code.units.get(payload.saturating_add(1)).unwrap_or(0);
        let needed = match element {
            None => return Ok(()),
            Some((Kind::Boolean | Kind::Byte, _)) => 1,
            Some((Kind::Short | Kind::Char, _)) => 2,
            Some((Kind::Int | Kind::Float, _)) => 4,
            Some((Kind::Long | Kind::Double, _)) => 8,
            Some(_) => {
                return problem("array", self.at, "an array of numbers", "an array of references");
            }
        };
        if width == needed {
            return Ok(());
        }
        problem("payload", self.at, format!("elements of {needed} bytes"), width.to_string())
    }

    fn is_static_field(&self) -> bool {
        self.decoded.opcode.0 >= 0x60
    }

    /// The field of an access, after a look at its object; the kind must be the instruction's.
    fn accessed(&self, state: &State, base: u8) -> Check<Operand> {
        let (class, operand) = self.subject.field(self.at, self.decoded.index)?;
        let kind = seventh(self.decoded.opcode.0, base);
        let fits = operand.kind == kind
            || (kind == Kind::Int && operand.kind == Kind::Float)
            || (kind == Kind::Long && operand.kind == Kind::Double);
        if !fits {
            return problem(
                "field-kind",
                self.at,
                format!("a field of {}", kind.name()),
                operand.kind.name(),
            );
        }
        if !self.is_static_field() {
            let register = self.decoded.registers.get(1);
            let is_put = base == 0x59;
            // Fields of its own class may be set before the constructor of the superclass is called.
            let early =
                is_put && state.get(register) == RegType::NewThis && class == self.subject.class;
            if !early {
                self.assignable(state, register, class)?;
            }
        }
        Ok(operand)
    }

    fn field_get(&self, state: &mut State) -> Check<()> {
        let operand = self.accessed(state, if self.is_static_field() { 0x60 } else { 0x52 })?;
        Self::put_operand(state, self.decoded.registers.get(0), operand);
        Ok(())
    }

    fn field_put(&self, state: &State) -> Check<()> {
        let operand = self.accessed(state, if self.is_static_field() { 0x67 } else { 0x59 })?;
        self.operand(state, self.decoded.registers.get(0), operand, false)
    }
}

fn seventh(code: u8, base: u8) -> Kind {
    SEVEN.get(usize::from(code.wrapping_sub(base))).copied().unwrap_or(Kind::Void)
}
