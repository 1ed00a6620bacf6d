//! The forms in which a call's number of bytes comes, all but `int` itself, which each sink takes its own way.

use wattle_dex::{ClassAssembly, DexError, Opcode};

use super::member_access::STATIC;

const INT: &str = "Lwattle/probe/Probe;->moved(I)V";

/// Adds the methods that make an `int` of it: see [`ByteCount::METHODS`](crate::ByteCount::METHODS).
pub(super) fn add(class: &mut ClassAssembly<'_>) -> Result<(), DexError> {
    class.method("moved(J)V", STATIC, (3, 2), |a| {
        let bytes = a.argument(0);
        let fits = a.label();
        a.long(0, i32::MAX.into())
            .op(Opcode::CMP_LONG, &[2, bytes, 0])
            .branch(Opcode::IF_LEZ, &[2], fits)
            .op(Opcode::MOVE_WIDE, &[bytes, 0])
            .place(fits)
            .op(Opcode::LONG_TO_INT, &[0, bytes])
            .stat(INT, &[0])
            .end();
    })?;
    class.method("movedByte(I)V", STATIC, (1, 1), |a| {
        let byte = a.argument(0);
        let none = a.label();
        a.int(0, 0)
            .branch(Opcode::IF_LTZ, &[byte], none)
            .int(0, 1)
            .place(none)
            .stat(INT, &[0])
            .end();
    })?;
    class.method("moved([B)V", STATIC, (1, 1), |a| {
        let array = a.argument(0);
        let none = a.label();
        a.int(0, 0)
            .branch(Opcode::IF_EQZ, &[array], none)
            .op(Opcode::ARRAY_LENGTH, &[0, array])
            .place(none)
            .stat(INT, &[0])
            .end();
    })?;
    class.method("moved(Ljava/net/DatagramPacket;)V", STATIC, (1, 1), |a| {
        let packet = a.argument(0);
        let none = a.label();
        a.int(0, 0)
            .branch(Opcode::IF_EQZ, &[packet], none)
            .virt("Ljava/net/DatagramPacket;->getLength()I", &[packet])
            .result(0)
            .place(none)
            .stat(INT, &[0])
            .end();
    })
}
