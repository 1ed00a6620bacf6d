//! Liveness of registers, and frames that grow.

use wattle_dex::*;

use crate::support::sample::{self, Names, broken_rules, code_offset, method};

fn decoded(bytes: &[u8]) -> Code {
    let dex = Dex::parse(bytes).unwrap();
    Code::decode(&dex, &dex.code(code_offset(bytes) as u32).unwrap()).unwrap()
}

/// Grows the only method's frame and uses the new registers at once.
#[track_caller]
fn check_growth(signature: &str, arguments: &[ArgumentKind], registers: u16, count: u16) {
    use ArgumentKind::{Reference, Single, Wide};
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("LT;"), Some(object), AccessFlags::PUBLIC);
    let id = pool.method("LT;", "m", signature).unwrap();
    let words: u16 = arguments.iter().map(|kind| kind.words()).sum();
    let mut code = CodeBuilder::new(registers, words);
    let top = code.here();
    // Each argument is used as what it is, in the register where the body expects it.
    let mut word = 0;
    for kind in arguments {
        let register = code.argument(word);
        match kind {
            Single => code.push(Instruction::new(
                Opcode::MOVE_16,
                Registers::list(&[register, register]).unwrap(),
                Operand::None,
            )),
            Wide => code.push(Instruction::new(
                Opcode::MOVE_WIDE_16,
                Registers::list(&[register, register]).unwrap(),
                Operand::None,
            )),
            Reference => code.push(Instruction::new(
                Opcode::MOVE_OBJECT_16,
                Registers::list(&[register, register]).unwrap(),
                Operand::None,
            )),
        };
        word += kind.words();
    }
    code.goto(top);
    let body = code.finish().unwrap();
    let mut grown = body.clone();
    let new = grown.grow_frame(count, arguments).unwrap();
    assert_eq!(new, NewRegisters { first: registers, count });
    assert_eq!(grown.registers, registers + count);
    assert!(grown.nodes.ends_with(&body.nodes), "the body is not touched");
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    class.direct_methods.push(Method { id, access, body: Body::Code(Box::new(grown)) });
    file.add_class(class);
    assert_eq!(broken_rules(&file.write().unwrap()), [""; 0]);
}

#[test]
fn frames_grow_below_and_above_all_limits() {
    use ArgumentKind::{Reference, Single, Wide};
    let all = [Single, Wide, Reference, Wide, Single];
    for registers in [7, 8, 14, 15, 16, 17, 100, 250, 255, 256, 257, 1000, 65_000] {
        for count in [0, 1, 2, 3, 20] {
            check_growth("(IJLjava/lang/String;DF)V", &all, registers, count);
        }
    }
}

#[test]
fn a_constructor_keeps_its_uninitialised_this() {
    let bytes = sample::member(35, "<init>", "(J)V", false, |names, code| {
        let (this, init) = (code.argument(0), names.call("Ljava/lang/Object;", "<init>", "()V"));
        code.invoke(Opcode::INVOKE_DIRECT, init, &[this]).return_void();
    });
    let dex = Dex::parse(&bytes).unwrap();
    let written = DexFile::edit(&dex)
        .write_with(&|site| {
            let mut code = Code::decode(&dex, &site.code)?;
            code.grow_frame(2, &[ArgumentKind::Reference, ArgumentKind::Wide])?;
            Ok(Some(code))
        })
        .unwrap();
    assert_eq!(broken_rules(&written), [""; 0]);
    assert_eq!(decoded(&written).registers, decoded(&bytes).registers + 2);
}

#[test]
fn arguments_must_fill_the_incoming_words() {
    let mut code = Code::new(4, 2);
    assert!(code.grow_frame(1, &[ArgumentKind::Single]).is_err());
    assert!(code.grow_frame(u16::MAX, &[ArgumentKind::Wide]).is_err());
}

/// The registers below 16 that are free before each instruction.
#[track_caller]
fn check_free(build: impl FnOnce(&mut CodeBuilder), expected: &[&[u16]]) {
    let mut builder = CodeBuilder::new(6, 2);
    build(&mut builder);
    let code = builder.finish().unwrap();
    let liveness = Liveness::from_code(&code).unwrap();
    let found: Vec<Vec<u16>> = (0..code.nodes.len())
        .filter(|&node| matches!(code.nodes[node], Node::Instruction(_)))
        .map(|node| liveness.free_before(&code, node, 16).unwrap())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn registers_are_free_until_written_and_after_the_last_read() {
    // v4 and v5 are the arguments.
    check_free(
        |code| {
            code.const_int(0, 1).plain(Opcode::ADD_INT, &[1, 0, 4]).plain(Opcode::RETURN, &[1]);
        },
        &[&[0, 1, 2, 3, 5], &[1, 2, 3, 5], &[0, 2, 3, 4, 5]],
    );
}

#[test]
fn pairs_live_and_die_together() {
    check_free(
        |code| {
            code.plain(Opcode::INT_TO_LONG, &[0, 4]).plain(Opcode::RETURN_WIDE, &[0]);
        },
        &[&[0, 1, 2, 3, 5], &[2, 3, 4, 5]],
    );
}

#[test]
fn a_loop_keeps_what_its_next_turn_reads() {
    check_free(
        |code| {
            code.const_int(0, 9);
            let top = code.here();
            code.plain(Opcode::ADD_INT, &[1, 0, 4]).branch(Opcode::IF_NEZ, &[1], top).return_void();
        },
        &[&[0, 1, 2, 3, 5], &[1, 2, 3, 5], &[2, 3, 5], &[0, 1, 2, 3, 4, 5]],
    );
}

#[test]
fn a_handler_keeps_what_it_reads() {
    check_free(
        |code| {
            let handler = code.label();
            let start = code.here();
            code.plain(Opcode::DIV_INT, &[0, 4, 5]);
            let end = code.here();
            code.plain(Opcode::RETURN, &[0]);
            code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[1]).plain(Opcode::RETURN, &[4]);
            code.try_block(start, end, Vec::new(), Some(handler));
        },
        &[&[0, 1, 2, 3], &[1, 2, 3, 4, 5], &[0, 1, 2, 3, 5], &[0, 1, 2, 3, 5]],
    );
}

#[test]
fn locals_at_entry_are_free() {
    let mut builder = CodeBuilder::new(20, 3);
    builder.return_void();
    let code = builder.finish().unwrap();
    let liveness = Liveness::from_code(&code).unwrap();
    assert_eq!(liveness.free_at_entry(&code, 256).unwrap(), (0..17).collect::<Vec<u16>>());
    assert_eq!(liveness.free_at_entry(&code, 4).unwrap(), [0, 1, 2, 3]);
}

/// A handler that only throws is followed, too, though it needs nothing of the registers.
#[test]
fn handler_that_throws_what_is_not_there() {
    let with = |thrown: u16| {
        move |names: &mut Names<'_>, code: &mut CodeBuilder| {
            let call = names.call("LOther;", "run", "()V");
            let handler = code.label();
            let start = code.here();
            code.invoke(Opcode::INVOKE_STATIC, call, &[]);
            let end = code.here();
            code.const_int(0, 5).return_void();
            code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[1]);
            code.invoke(Opcode::INVOKE_STATIC, call, &[]).plain(Opcode::THROW, &[thrown]);
            code.try_block(start, end, Vec::new(), Some(handler));
        }
    };
    assert_eq!(broken_rules(&method("()V", with(0))), ["register-type"]);
    assert_eq!(broken_rules(&method("()V", with(1))), Vec::<&str>::new());
}
