//! Encoded values, arrays and annotations.

use crate::cursor::{Cursor, Put};
use crate::{Dex, FieldId, MethodHandleId, MethodId, ProtoId, Result, Section, StringId, TypeId};

/// `encoded_value`. Floating-point numbers are kept as bits, so that every NaN survives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the format's own: VALUE_BYTE, VALUE_SHORT, …")]
pub enum Value {
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    MethodType(ProtoId),
    MethodHandle(MethodHandleId),
    String(StringId),
    Type(TypeId),
    Field(FieldId),
    Method(MethodId),
    Enum(FieldId),
    Array(Vec<Self>),
    Annotation(EncodedAnnotation),
    Null,
    Boolean(bool),
}

/// `encoded_annotation`: a type and its elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EncodedAnnotation {
    /// The annotation's type.
    pub ty: TypeId,
    /// Names and values of the elements; sorted by name when written.
    pub elements: Vec<(StringId, Value)>,
}

/// `annotation_item`: an annotation and who can see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Annotation {
    /// 0 build, 1 runtime, 2 system.
    pub visibility: u8,
    /// The annotation itself.
    pub annotation: EncodedAnnotation,
}

pub(crate) const VALUE_BYTE: u8 = 0x00;
pub(crate) const VALUE_SHORT: u8 = 0x02;
pub(crate) const VALUE_CHAR: u8 = 0x03;
pub(crate) const VALUE_INT: u8 = 0x04;
pub(crate) const VALUE_LONG: u8 = 0x06;
pub(crate) const VALUE_FLOAT: u8 = 0x10;
pub(crate) const VALUE_DOUBLE: u8 = 0x11;
pub(crate) const VALUE_METHOD_TYPE: u8 = 0x15;
pub(crate) const VALUE_METHOD_HANDLE: u8 = 0x16;
pub(crate) const VALUE_STRING: u8 = 0x17;
pub(crate) const VALUE_TYPE: u8 = 0x18;
pub(crate) const VALUE_FIELD: u8 = 0x19;
pub(crate) const VALUE_METHOD: u8 = 0x1a;
pub(crate) const VALUE_ENUM: u8 = 0x1b;
pub(crate) const VALUE_ARRAY: u8 = 0x1c;
pub(crate) const VALUE_ANNOTATION: u8 = 0x1d;
pub(crate) const VALUE_NULL: u8 = 0x1e;
pub(crate) const VALUE_BOOLEAN: u8 = 0x1f;

/// Most levels to which arrays and annotations may nest; compilers stay below ten.
const MAX_DEPTH: u32 = 64;

/// The first byte of a value: its kind and what its upper bits say.
#[derive(Clone, Copy)]
pub(crate) struct Tag {
    pub(crate) kind: u8,
    pub(crate) argument: u8,
}

impl Tag {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let at = cursor.at();
        let byte = cursor.u8()?;
        let tag = Self { kind: byte & 0x1f, argument: byte >> 5 };
        let limit = match tag.kind {
            VALUE_BYTE | VALUE_ARRAY | VALUE_ANNOTATION | VALUE_NULL => 0,
            VALUE_SHORT | VALUE_CHAR | VALUE_BOOLEAN => 1,
            VALUE_LONG | VALUE_DOUBLE => 7,
            VALUE_INT | VALUE_FLOAT | VALUE_METHOD_TYPE..=VALUE_ENUM => 3,
            _ => return Err(cursor.malformed_at(at, "a known kind of value", u64::from(byte))),
        };
        if tag.argument > limit {
            return Err(cursor.malformed_at(
                at,
                "a value that is not longer than its kind",
                u64::from(byte),
            ));
        }
        Ok(tag)
    }

    /// Bytes that follow, for the kinds that are a plain number.
    pub(crate) fn payload(self) -> usize {
        match self.kind {
            VALUE_NULL | VALUE_BOOLEAN | VALUE_ARRAY | VALUE_ANNOTATION => 0,
            _ => usize::from(self.argument) + 1,
        }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

pub(crate) fn nested(cursor: &Cursor<'_>, depth: u32) -> Result<u32> {
    if depth >= MAX_DEPTH {
        return Err(cursor.malformed("values nested at most 64 deep", u64::from(depth)));
    }
    Ok(depth + 1)
}

impl Value {
    pub(crate) fn parse(cursor: &mut Cursor<'_>, depth: u32) -> Result<Self> {
        let tag = Tag::read(cursor)?;
        let bytes = cursor.bytes(tag.payload())?;
        let number = little_endian(bytes);
        let shift = 64 - 8 * bytes.len() as u32;
        let signed = if bytes.is_empty() { 0 } else { ((number << shift) as i64) >> shift };
        // Floating-point numbers lose zero bytes at the low end.
        let high = if bytes.is_empty() { 0 } else { number << shift };
        let index = number as u32;
        Ok(match tag.kind {
            VALUE_BYTE => Self::Byte(signed as i8),
            VALUE_SHORT => Self::Short(signed as i16),
            VALUE_CHAR => Self::Char(number as u16),
            VALUE_INT => Self::Int(signed as i32),
            VALUE_LONG => Self::Long(signed),
            VALUE_FLOAT => Self::Float((high >> 32) as u32),
            VALUE_DOUBLE => Self::Double(high),
            VALUE_METHOD_TYPE => Self::MethodType(ProtoId(index)),
            VALUE_METHOD_HANDLE => Self::MethodHandle(MethodHandleId(index)),
            VALUE_STRING => Self::String(StringId(index)),
            VALUE_TYPE => Self::Type(TypeId(index)),
            VALUE_FIELD => Self::Field(FieldId(index)),
            VALUE_METHOD => Self::Method(MethodId(index)),
            VALUE_ENUM => Self::Enum(FieldId(index)),
            VALUE_ARRAY => Self::Array(parse_array(cursor, depth)?),
            VALUE_ANNOTATION => Self::Annotation(EncodedAnnotation::parse(cursor, depth)?),
            VALUE_BOOLEAN => Self::Boolean(tag.argument == 1),
            _ => Self::Null,
        })
    }

    /// Writes the shortest form.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Byte(value) => out.extend([VALUE_BYTE, *value as u8]),
            Self::Short(value) => put_signed(out, VALUE_SHORT, i64::from(*value)),
            Self::Char(value) => put_unsigned(out, VALUE_CHAR, u32::from(*value)),
            Self::Int(value) => put_signed(out, VALUE_INT, i64::from(*value)),
            Self::Long(value) => put_signed(out, VALUE_LONG, *value),
            Self::Float(bits) => put_float(out, VALUE_FLOAT, &bits.to_le_bytes()),
            Self::Double(bits) => put_float(out, VALUE_DOUBLE, &bits.to_le_bytes()),
            Self::MethodType(id) => put_unsigned(out, VALUE_METHOD_TYPE, id.0),
            Self::MethodHandle(id) => put_unsigned(out, VALUE_METHOD_HANDLE, id.0),
            Self::String(id) => put_unsigned(out, VALUE_STRING, id.0),
            Self::Type(id) => put_unsigned(out, VALUE_TYPE, id.0),
            Self::Field(id) => put_unsigned(out, VALUE_FIELD, id.0),
            Self::Method(id) => put_unsigned(out, VALUE_METHOD, id.0),
            Self::Enum(id) => put_unsigned(out, VALUE_ENUM, id.0),
            Self::Array(values) => {
                out.push(VALUE_ARRAY);
                put_array(out, values);
            }
            Self::Annotation(annotation) => {
                out.push(VALUE_ANNOTATION);
                annotation.put(out);
            }
            Self::Null => out.push(VALUE_NULL),
            Self::Boolean(value) => out.push(VALUE_BOOLEAN | u8::from(*value) << 5),
        }
    }
}

pub(crate) fn parse_array(cursor: &mut Cursor<'_>, depth: u32) -> Result<Vec<Value>> {
    let depth = nested(cursor, depth)?;
    let mut values = Vec::new();
    for _ in 0..cursor.uleb()? {
        values.push(Value::parse(cursor, depth)?);
    }
    Ok(values)
}

pub(crate) fn put_array(out: &mut Vec<u8>, values: &[Value]) {
    out.put_uleb(values.len() as u32);
    for value in values {
        value.put(out);
    }
}

impl EncodedAnnotation {
    pub(crate) fn parse(cursor: &mut Cursor<'_>, depth: u32) -> Result<Self> {
        let depth = nested(cursor, depth)?;
        let ty = TypeId(cursor.uleb()?);
        let mut elements = Vec::new();
        for _ in 0..cursor.uleb()? {
            elements.push((StringId(cursor.uleb()?), Value::parse(cursor, depth)?));
        }
        Ok(Self { ty, elements })
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        out.put_uleb(self.ty.0);
        out.put_uleb(self.elements.len() as u32);
        for (name, value) in &self.elements {
            out.put_uleb(name.0);
            value.put(out);
        }
    }
}

impl Annotation {
    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self { visibility: cursor.u8()?, annotation: EncodedAnnotation::parse(cursor, 0)? })
    }
}

fn put_signed(out: &mut Vec<u8>, kind: u8, value: i64) {
    let bits = 65 - if value < 0 { value.leading_ones() } else { value.leading_zeros() };
    let count = bits.div_ceil(8).max(1) as usize;
    out.push(kind | (count as u8 - 1) << 5);
    out.extend(value.to_le_bytes().iter().take(count));
}

pub(crate) fn put_unsigned(out: &mut Vec<u8>, kind: u8, value: u32) {
    let count = (32 - value.leading_zeros()).div_ceil(8).max(1) as usize;
    out.push(kind | (count as u8 - 1) << 5);
    out.extend(value.to_le_bytes().iter().take(count));
}

fn put_float(out: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count().min(bytes.len() - 1);
    out.push(kind | ((bytes.len() - zeros - 1) as u8 * 0x20));
    out.extend(bytes.iter().skip(zeros));
}

impl Dex<'_> {
    /// The `encoded_array_item` at an offset; none at 0.
    pub fn encoded_array(&self, at: u32) -> Result<Vec<Value>> {
        if at == 0 {
            return Ok(Vec::new());
        }
        parse_array(&mut Cursor::new(self.data(), at, Section::ENCODED_ARRAYS), 0)
    }

    /// The `annotation_item` at an offset.
    pub fn annotation(&self, at: u32) -> Result<Annotation> {
        Annotation::parse(&mut Cursor::new(self.data(), at, Section::ANNOTATIONS))
    }
}
