//! A method and what it is made of, for the checks of its code.

use super::hierarchy::Hierarchy;
use super::types::{Class, Kind};
use crate::{AccessFlags, CodeItem, Dex, FieldId, MethodId, ProtoId, Result, TypeId};

/// What is wrong with a method's code.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) rule: &'static str,
    pub(crate) unit: u32,
    pub(crate) expected: String,
    pub(crate) found: String,
}

pub(crate) type Check<T> = std::result::Result<T, Problem>;

pub(crate) fn problem<T>(
    rule: &'static str,
    unit: u32,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> Check<T> {
    Err(Problem { rule, unit, expected: expected.into(), found: found.into() })
}

/// Turns what cannot be read into a problem of an instruction.
pub(crate) fn read<T>(unit: u32, result: Result<T>) -> Check<T> {
    result.map_err(|error| Problem {
        rule: "index",
        unit,
        expected: "a number that its table has".into(),
        found: error.to_string(),
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
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Operand>,
    pub(crate) result: Operand,
}

impl Signature {
    /// Registers that the parameters take.
    pub(crate) fn words(&self) -> u32 {
        self.parameters.iter().map(|parameter| if parameter.kind.is_wide() { 2 } else { 1 }).sum()
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
        let descriptor = read(unit, self.dex.descriptor(ty))?;
        match Kind::of_descriptor(descriptor.bytes()) {
            Some(kind) => Ok(Operand { kind, ty }),
            None => problem("descriptor", unit, "a type descriptor", descriptor.to_str()),
        }
    }

    pub(crate) fn signature(&self, unit: u32, proto: ProtoId) -> Check<Signature> {
        let result = read(unit, self.dex.proto(proto))?.return_type;
        let mut parameters = Vec::new();
        for ty in read(unit, self.dex.parameters(proto))?.iter() {
            parameters.push(self.operand(unit, ty)?);
        }
        Ok(Signature { parameters, result: self.operand(unit, result)? })
    }

    pub(crate) fn field(&self, unit: u32, field: u32) -> Check<(TypeId, Operand)> {
        let field = read(unit, self.dex.field(FieldId(field)))?;
        Ok((field.class, self.operand(unit, field.ty)?))
    }

    pub(crate) fn own_signature(&self) -> Check<Signature> {
        let method = read(0, self.dex.method(self.method))?;
        self.signature(0, method.proto)
    }

    pub(crate) fn is_static(&self) -> bool {
        self.access.contains(AccessFlags::STATIC)
    }

    /// Whether it is a constructor of instances (`<init>`).
    pub(crate) fn is_constructor(&self) -> bool {
        let name = self.dex.method(self.method).and_then(|method| self.dex.string(method.name));
        name.is_ok_and(|name| name.bytes() == b"<init>")
    }

    pub(crate) fn type_name(&self, ty: TypeId) -> String {
        self.dex
            .descriptor_str(ty)
            .map_or_else(|_| format!("type {ty}"), std::borrow::Cow::into_owned)
    }
}
