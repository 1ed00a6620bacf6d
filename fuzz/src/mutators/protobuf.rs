//! Messages field by field, at all depths: lengths fit again.

use super::Mutator;

/// Messages within messages that are gone into.
const DEEPEST: u32 = 8;

#[derive(Clone)]
enum Value {
    Varint(u64),
    /// Of eight or four bytes.
    Fixed(Vec<u8>),
    Bytes(Vec<u8>),
}

#[derive(Clone)]
struct Field {
    number: u64,
    value: Value,
}

pub fn mutated(mutator: &mut Mutator<'_>, bytes: &[u8], depth: u32) -> Option<Vec<u8>> {
    let mut fields = parse(bytes)?;
    if mutator.one_in(4) {
        mutator.rearrange(&mut fields);
    } else {
        let at = mutator.below(fields.len());
        let field = &mut fields[at];
        if mutator.one_in(12) {
            field.number = mutator.number(field.number).clamp(1, 1 << 28);
        } else {
            match &mut field.value {
                Value::Varint(value) => *value = mutator.number(*value),
                Value::Fixed(value) => mutator.word(value),
                Value::Bytes(value) => {
                    let deep = depth < DEEPEST && !mutator.one_in(6);
                    let inner = deep.then(|| mutated(mutator, value, depth + 1)).flatten();
                    match inner {
                        Some(inner) => *value = inner,
                        None => mutator.content(value),
                    }
                }
            }
        }
    }
    Some(write(&fields))
}

fn parse(mut bytes: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Value::Varint(varint(&mut bytes)?),
            1 => Value::Fixed(take(&mut bytes, 8)?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                Value::Bytes(take(&mut bytes, length)?)
            }
            5 => Value::Fixed(take(&mut bytes, 4)?),
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        fields.push(Field { number: key >> 3, value });
    }
    (!fields.is_empty()).then_some(fields)
}

fn take(bytes: &mut &[u8], length: usize) -> Option<Vec<u8>> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken.to_vec())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn write(fields: &[Field]) -> Vec<u8> {
    let mut all = Vec::new();
    for Field { number, value } in fields {
        match value {
            Value::Varint(value) => {
                put_varint(&mut all, number << 3);
                put_varint(&mut all, *value);
            }
            Value::Fixed(value) => {
                put_varint(&mut all, number << 3 | if value.len() == 8 { 1 } else { 5 });
                all.extend(value);
            }
            Value::Bytes(value) => {
                put_varint(&mut all, number << 3 | 2);
                put_varint(&mut all, value.len() as u64);
                all.extend(value);
            }
        }
    }
    all
}

fn put_varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}
