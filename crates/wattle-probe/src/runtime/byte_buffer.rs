//! The one place where a block or a line is put together, under the lock of the drain.

use wattle_dex::{DexError, DexFile, Opcode};

use super::member_access::STATIC;
use wattle_dex::{Assembly, ClassAssembly};

pub(super) const DATA: &str = "Lwattle/probe/Bytes;->data:[B";
pub(super) const AT: &str = "Lwattle/probe/Bytes;->at:I";

/// Bytes of a buffer's whole content in the longest form there is, and then some.
pub(super) const CAPACITY: i32 = 0x8000;

const COPY: &str = "Ljava/lang/System;->arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V";

/// The class with what both sinks need.
pub(super) fn add(file: &mut DexFile<'static>, binary: bool) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Bytes;", "Ljava/lang/Object;");
    class.field("data:[B", STATIC);
    class.field("at:I", STATIC);
    class.method("u8(I)V", STATIC, (2, 1), byte)?;
    if binary {
        class.method("u32(I)V", STATIC, (1, 1), |a| repeated(a, 4, "u8", 8))?;
        class.method("u16(I)V", STATIC, (1, 1), |a| repeated(a, 2, "u8", 8))?;
        class.method("i64(J)V", STATIC, (2, 2), long)?;
        class.method("varint(J)V", STATIC, (7, 2), varint)?;
        class.method("named([BI)V", STATIC, (5, 2), named)?;
    } else {
        class.method("text(Ljava/lang/String;I)V", STATIC, (5, 2), text)?;
        class.method("number(JI)V", STATIC, (10, 3), number)?;
    }
    class.finish();
    Ok(())
}

fn byte(a: &mut Assembly<'_>) {
    let value = a.argument(0);
    a.get(&[0], DATA)
        .get(&[1], AT)
        .op(Opcode::INT_TO_BYTE, &[value, value])
        .op(Opcode::APUT_BYTE, &[value, 0, 1])
        .literal(Opcode::ADD_INT_LIT8, &[1, 1], 1)
        .put(&[1], AT)
        .end();
}

fn repeated(a: &mut Assembly<'_>, times: u16, part: &str, bits: i32) {
    let value = a.argument(0);
    for _ in 0..times {
        a.stat(&format!("Lwattle/probe/Bytes;->{part}(I)V"), &[value]).literal(
            Opcode::USHR_INT_LIT8,
            &[value, value],
            bits,
        );
    }
    a.end();
}

fn long(a: &mut Assembly<'_>) {
    let value = a.argument(0);
    a.op(Opcode::LONG_TO_INT, &[0, value])
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[0])
        .int(0, 32)
        .op(Opcode::USHR_LONG_2ADDR, &[value, 0])
        .op(Opcode::LONG_TO_INT, &[0, value])
        .stat("Lwattle/probe/Bytes;->u32(I)V", &[0])
        .end();
}

/// Seven bits a byte, the lowest first, the top bit where more follow.
fn varint(a: &mut Assembly<'_>) {
    let value = a.argument(0);
    let (data, at, byte, limit, scratch) = (0, 1, 2, 3, 5);
    let (next, last) = (a.label(), a.label());
    a.get(&[data], DATA)
        .get(&[at], AT)
        .long(limit, 0x7f)
        .place(next)
        .op(Opcode::LONG_TO_INT, &[byte, value])
        .op(Opcode::CMP_LONG, &[scratch, value, limit])
        .branch(Opcode::IF_LEZ, &[scratch], last)
        .literal(Opcode::OR_INT_LIT16, &[byte, byte], 0x80)
        .op(Opcode::INT_TO_BYTE, &[byte, byte])
        .op(Opcode::APUT_BYTE, &[byte, data, at])
        .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
        .int(scratch, 7)
        .op(Opcode::USHR_LONG_2ADDR, &[value, scratch])
        .goto(next)
        .place(last)
        .op(Opcode::INT_TO_BYTE, &[byte, byte])
        .op(Opcode::APUT_BYTE, &[byte, data, at])
        .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
        .put(&[at], AT)
        .end();
}

/// The length, and at most so many of the bytes.
fn named(a: &mut Assembly<'_>) {
    let (bytes, limit) = (a.argument(0), a.argument(1));
    let short = a.label();
    a.op(Opcode::ARRAY_LENGTH, &[0, bytes])
        .branch(Opcode::IF_LE, &[0, limit], short)
        .op(Opcode::MOVE, &[0, limit])
        .place(short)
        .stat("Lwattle/probe/Bytes;->u16(I)V", &[0])
        .int(1, 0)
        .get(&[2], DATA)
        .get(&[3], AT)
        .stat(COPY, &[bytes, 1, 2, 3, 0])
        .op(Opcode::ADD_INT_2ADDR, &[3, 0])
        .put(&[3], AT)
        .end();
}

/// At most so many characters; what is not printable ASCII becomes `?`, so that a line stays one line.
fn text(a: &mut Assembly<'_>) {
    let (text, limit) = (a.argument(0), a.argument(1));
    let (length, at, character, bound) = (0, 1, 2, 3);
    let (short, next, odd, write, done) = (a.label(), a.label(), a.label(), a.label(), a.label());
    a.virt("Ljava/lang/String;->length()I", &[text])
        .result(length)
        .branch(Opcode::IF_LE, &[length, limit], short)
        .op(Opcode::MOVE, &[length, limit])
        .place(short)
        .int(at, 0)
        .place(next)
        .branch(Opcode::IF_GE, &[at, length], done)
        .virt("Ljava/lang/String;->charAt(I)C", &[text, at])
        .result(character)
        .int(bound, 32)
        .branch(Opcode::IF_LT, &[character, bound], odd)
        .int(bound, 127)
        .branch(Opcode::IF_LT, &[character, bound], write)
        .place(odd)
        .int(character, i32::from(b'?'))
        .place(write)
        .stat("Lwattle/probe/Bytes;->u8(I)V", &[character])
        .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
        .goto(next)
        .place(done)
        .end();
}

/// A number in a base up to 36.
fn number(a: &mut Assembly<'_>) {
    let (value, base) = (a.argument(0), a.argument(2));
    let (data, at, digit, start, wide, zero, other) = (0, 1, 2, 3, 4, 6, 8);
    let (positive, next, decimal, swap, done) =
        (a.label(), a.label(), a.label(), a.label(), a.label());
    a.get(&[data], DATA)
        .get(&[at], AT)
        .long(zero, 0)
        .op(Opcode::CMP_LONG, &[digit, value, zero])
        .branch(Opcode::IF_GEZ, &[digit], positive)
        .int(digit, i32::from(b'-'))
        .op(Opcode::APUT_BYTE, &[digit, data, at])
        .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
        .op(Opcode::NEG_LONG, &[value, value])
        .place(positive)
        .op(Opcode::MOVE, &[start, at])
        .place(next)
        .op(Opcode::INT_TO_LONG, &[wide, base])
        .op(Opcode::REM_LONG, &[wide, value, wide])
        .op(Opcode::LONG_TO_INT, &[digit, wide])
        .literal(Opcode::ADD_INT_LIT8, &[digit, digit], i32::from(b'0'))
        .int(other, i32::from(b'9'))
        .branch(Opcode::IF_LE, &[digit, other], decimal)
        .literal(Opcode::ADD_INT_LIT8, &[digit, digit], i32::from(b'a' - b'0') - 10)
        .place(decimal)
        .op(Opcode::INT_TO_BYTE, &[digit, digit])
        .op(Opcode::APUT_BYTE, &[digit, data, at])
        .literal(Opcode::ADD_INT_LIT8, &[at, at], 1)
        .op(Opcode::INT_TO_LONG, &[wide, base])
        .op(Opcode::DIV_LONG_2ADDR, &[value, wide])
        .op(Opcode::CMP_LONG, &[digit, value, zero])
        .branch(Opcode::IF_NEZ, &[digit], next)
        .put(&[at], AT)
        // The digits came lowest first.
        .place(swap)
        .literal(Opcode::ADD_INT_LIT8, &[at, at], -1)
        .branch(Opcode::IF_LE, &[at, start], done)
        .op(Opcode::AGET_BYTE, &[digit, data, at])
        .op(Opcode::AGET_BYTE, &[other, data, start])
        .op(Opcode::APUT_BYTE, &[digit, data, start])
        .op(Opcode::APUT_BYTE, &[other, data, at])
        .literal(Opcode::ADD_INT_LIT8, &[start, start], 1)
        .goto(swap)
        .place(done)
        .end();
}
