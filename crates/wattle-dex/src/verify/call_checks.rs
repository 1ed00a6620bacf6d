//! Calls, their results, and returns.

use super::code_checks::{signature_of_call, takes_this};
use super::facts::Role;
use super::operands::{Check, problem};
use super::register_state::State;
use super::register_transfer::Transfer;
use super::types::{Class, Kind, RegType};
use crate::opcode_info::IndexKind;
use crate::{MethodId, Opcode, TypeId};

impl Transfer<'_, '_, '_> {
    pub(super) fn call(&self, state: &mut State) -> Check<()> {
        let signature = signature_of_call(self.subject, self.at, self.decoded)?;
        let mut registers = self.decoded.registers.iter();
        let mut made = None;
        if takes_this(self.decoded.opcode) {
            let register = registers.next().unwrap_or(0);
            made = self.receiver(state, register)?;
        }
        for parameter in signature.parameters() {
            let parameter = parameter?;
            let register = registers.next().unwrap_or(0);
            self.operand(state, register, parameter, true)?;
            if parameter.kind.is_wide() && registers.next() != Some(register + 1) {
                return problem(
                    "argument-pair",
                    self.at,
                    format!("v{} behind v{register}", register + 1),
                    "another",
                );
            }
        }
        match made {
            Some(RegType::NewThis) => {
                state.replace(RegType::NewThis, RegType::Reference(Class::Of(self.subject.class)));
                state.this_ready = true;
            }
            Some(value @ RegType::New(_, ty)) => {
                state.replace(value, RegType::Reference(Class::Of(ty)));
            }
            _ => {}
        }
        Ok(())
    }

    /// The receiver of a call; what a constructor call initialises.
    fn receiver(&self, state: &State, register: u32) -> Check<Option<RegType>> {
        let (at, subject) = (self.at, self.subject);
        if self.decoded.info().index == IndexKind::Polymorphic {
            return self.ready_reference(state, register).map(|_| None);
        }
        let (class, _) = subject.method_at(at, MethodId(self.decoded.index))?;
        if subject.hierarchy.facts.role(MethodId(self.decoded.index)) != Role::Constructor {
            return self.assignable(state, register, class).map(|()| None);
        }
        let value = state.get(register);
        let fits = match value {
            RegType::New(_, ty) => ty == class,
            RegType::NewThis => {
                class == subject.class || subject.hierarchy.superclass(subject.class) == Some(class)
            }
            _ => {
                return problem(
                    "init",
                    at,
                    format!("an uninitialised object in v{register}"),
                    self.show(value),
                );
            }
        };
        if !fits {
            let expected = format!("an uninitialised {} in v{register}", subject.type_name(class));
            return problem("init", at, expected, self.show(value));
        }
        Ok(Some(value))
    }

    pub(super) fn move_result(&self, state: &mut State) -> Check<()> {
        let before = self.position.checked_sub(1).and_then(|before| self.shape.list.get(before));
        let Some((at, call)) = before else {
            return problem("move-result", self.at, "a call right in front", "nothing");
        };
        let result = if call.opcode.is_invoke() {
            signature_of_call(self.subject, *at, call)?.result
        } else {
            self.subject.operand(*at, TypeId(call.index))?
        };
        let fits = match self.decoded.opcode {
            Opcode::MOVE_RESULT_OBJECT => result.kind == Kind::Reference,
            Opcode::MOVE_RESULT_WIDE => result.kind.is_wide(),
            _ => !result.kind.is_wide() && !matches!(result.kind, Kind::Reference | Kind::Void),
        };
        if !fits {
            return problem(
                "move-result",
                self.at,
                format!("the form for {}", result.kind.name()),
                self.decoded.opcode.name(),
            );
        }
        Self::put_operand(state, self.decoded.registers.get(0), result);
        Ok(())
    }

    pub(super) fn returns(&self, state: &State) -> Check<()> {
        if state.depth > 0 {
            return problem(
                "monitor-on-return",
                self.at,
                "no monitor held",
                state.depth.to_string(),
            );
        }
        if !state.this_ready {
            return problem(
                "constructor",
                self.at,
                "a call of another constructor before",
                "none on some path",
            );
        }
        let result = self.subject.own_signature()?.result;
        let fits = match self.decoded.opcode {
            Opcode::RETURN_VOID => result.kind == Kind::Void,
            Opcode::RETURN_OBJECT => result.kind == Kind::Reference,
            Opcode::RETURN_WIDE => result.kind.is_wide(),
            _ => !result.kind.is_wide() && !matches!(result.kind, Kind::Reference | Kind::Void),
        };
        if !fits {
            return problem(
                "return",
                self.at,
                format!("the form for {}", result.kind.name()),
                self.decoded.opcode.name(),
            );
        }
        if result.kind == Kind::Void {
            return Ok(());
        }
        self.operand(state, self.decoded.registers.get(0), result, false)
    }
}
