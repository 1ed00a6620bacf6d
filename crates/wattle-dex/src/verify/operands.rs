//! A method and what it is made of, for the checks of its code.

use super::class_hierarchy::Hierarchy;
use super::facts::Role;
use super::types::{Class, Kind};
use crate::{AccessFlags, CodeItem, Dex, FieldId, MethodId, ProtoId, Result, TypeId, TypeList};

/// A problem of a method's code.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) rule: &'static str,
    pub(crate) unit: u32,
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// The problem is boxed, so that what is sound, nearly everything, comes back in registers.
pub(crate) type Check<T> = std::result::Result<T, Box<Problem>>;

pub(crate) fn problem<T>(
    rule: &'static str,
    unit: u32,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> Check<T> {
    Err(Box::new(Problem { rule, unit, expected: expected.into(), found: found.into() }))
}

/// Turns what cannot be read into a problem of an instruction.
pub(crate) fn read<T>(unit: u32, result: Result<T>) -> Check<T> {
    result.map_err(|error| {
        Box::new(Problem {
            rule: "index",
            unit,
            expected: "a number that its table has".into(),
            found: error.to_string(),
        })
    })
}

/// A type as code sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) kind: Kind,
    pub(crate) ty: TypeId,
}

impl Operand {
    pub(crate) fn class(self) -> Class {
        Class::Of(self.ty)
    }
}

/// A signature as code sees it.
#[derive(Clone, Copy)]
pub(crate) struct Signature<'s, 'v, 'a> {
    subject: &'s Subject<'v, 'a>,
    /// The instruction that asks for it.
    unit: u32,
    types: TypeList<'a>,
    pub(crate) result: Operand,
    /// Registers that the parameters take, where it is known.
    words: Option<u32>,
}

impl Signature<'_, '_, '_> {
    /// The number of parameters.
    pub(crate) fn len(&self) -> usize {
        self.types.len()
    }

    pub(crate) fn parameters(&self) -> impl Iterator<Item = Check<Operand>> + '_ {
        self.types.iter().map(|ty| self.subject.operand(self.unit, ty))
    }

    /// Registers that the parameters take.
    pub(crate) fn words(&self) -> Check<u32> {
        if let Some(words) = self.words {
            return Ok(words);
        }
        let mut words = 0;
        for parameter in self.parameters() {
            words += if parameter?.kind.is_wide() { 2 } else { 1 };
        }
        Ok(words)
    }
}

/// A method whose code is verified.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'v, 'a> {
    pub(crate) dex: &'v Dex<'a>,
    pub(crate) hierarchy: &'v Hierarchy<'v, 'a>,
    pub(crate) class: TypeId,
    pub(crate) method: MethodId,
    pub(crate) access: AccessFlags,
    pub(crate) code: CodeItem<'a>,
}

impl Subject<'_, '_> {
    pub(crate) fn operand(&self, unit: u32, ty: TypeId) -> Check<Operand> {
        if let Some(kind) = self.hierarchy.facts.kind(ty) {
            return Ok(Operand { kind, ty });
        }
        let descriptor = read(unit, self.dex.descriptor(ty))?;
        problem("descriptor", unit, "a type descriptor", descriptor.to_str())
    }

    pub(crate) fn signature(&self, unit: u32, proto: ProtoId) -> Check<Signature<'_, '_, '_>> {
        if let Some(known) = self.hierarchy.facts.proto(proto) {
            let result = self.operand(unit, known.result)?;
            let (types, words) = (known.types, known.words);
            return Ok(Signature { subject: self, unit, types, result, words });
        }
        // Gives the error: what can be read is known.
        let proto = read(unit, self.dex.proto(proto))?;
        let types = read(unit, self.dex.type_list(proto.parameters_off))?;
        let result = self.operand(unit, proto.return_type)?;
        Ok(Signature { subject: self, unit, types, result, words: None })
    }

    pub(crate) fn field(&self, unit: u32, field: u32) -> Check<(TypeId, Operand)> {
        let field = read(unit, self.dex.field(FieldId(field)))?;
        Ok((field.class, self.operand(unit, field.ty)?))
    }

    pub(crate) fn own_signature(&self) -> Check<Signature<'_, '_, '_>> {
        self.signature(0, self.method_at(0, self.method)?.1)
    }

    /// The class and the signature that a method names.
    pub(crate) fn method_at(&self, unit: u32, method: MethodId) -> Check<(TypeId, ProtoId)> {
        match self.hierarchy.facts.method(method) {
            Some(known) => Ok(known),
            // Gives the error: what can be read is known.
            None => read(unit, self.dex.method(method)).map(|it| (it.class, it.proto)),
        }
    }

    pub(crate) fn is_static(&self) -> bool {
        self.access.contains(AccessFlags::STATIC)
    }

    /// Whether it is a constructor of instances (`<init>`).
    pub(crate) fn is_constructor(&self) -> bool {
        self.hierarchy.facts.role(self.method) == Role::Constructor
    }

    pub(crate) fn type_name(&self, ty: TypeId) -> String {
        self.dex
            .descriptor_str(ty)
            .map_or_else(|_| format!("type {ty}"), std::borrow::Cow::into_owned)
    }
}
