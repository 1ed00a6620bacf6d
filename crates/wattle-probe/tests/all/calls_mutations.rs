//! Faults planted in the probes of calls: the verifier finds each of them.

use crate::support::{MovedMethods, Style, leaking_methods};
use wattle_dex::{
    AccessFlags, Body, Class, Code, CodeBuilder, Dex, DexFile, Instruction, Method, Node, Opcode,
    Operand, Registers, Verifier,
};
use wattle_probe::{CallSite, ProbeArgument, probe_calls};

/// `int m(int a)`: a call in a monitor, whose handlers read `v2`; its result goes to `v3`.
fn sample(file: &mut DexFile<'static>, moved: bool) -> (Class, Code) {
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let error = pool.ty("Ljava/io/IOException;");
    let get = pool.method("Lframework/F;", "get", "()Ljava/lang/Object;").unwrap();
    let take = pool.method("Lframework/F;", "take", "(I)I").unwrap();
    let id = pool.method("Lapp/T;", "m", "(I)I").unwrap();
    let mut code = CodeBuilder::new(7, 1);
    let (typed, all) = (code.label(), code.label());
    code.line(3).invoke(Opcode::INVOKE_STATIC, get, &[]);
    code.plain(Opcode::MOVE_RESULT_OBJECT, &[1]).const_int(2, 12345);
    code.plain(Opcode::MONITOR_ENTER, &[1]);
    let start = code.here();
    code.line(4).invoke(Opcode::INVOKE_STATIC, take, &[6]).plain(Opcode::MOVE_RESULT, &[3]);
    code.plain(Opcode::MONITOR_EXIT, &[1]);
    let end = code.here();
    code.plain(Opcode::RETURN, &[3]);
    code.place(typed).plain(Opcode::MOVE_EXCEPTION, &[4]);
    code.plain(Opcode::MONITOR_EXIT, &[1]).plain(Opcode::RETURN, &[2]);
    code.place(all).plain(Opcode::MOVE_EXCEPTION, &[5]);
    code.plain(Opcode::MONITOR_EXIT, &[1]).plain(Opcode::THROW, &[5]);
    code.try_block(start, end, vec![(error, typed)], Some(all));
    let class = Class::new(pool.ty("Lapp/T;"), Some(object), AccessFlags::PUBLIC);
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    let mut class = class;
    class.direct_methods.push(Method { id, access, body: Body::None });
    let mut code = code.finish().unwrap();
    let argument = Some(ProbeArgument::Id);
    let probes = Style { call: argument, back: argument, fail: true }.probes(file.pool_mut());
    let mut sites: Vec<_> = code
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| matches!(node, Node::Instruction(it) if it.opcode.is_invoke()))
        .map(|(node, _)| CallSite { node, probes })
        .collect();
    if moved {
        let methods = MovedMethods::known_to(file.pool_mut());
        sites[1].probes.moved = methods.by("(I)I");
    }
    let done = probe_calls(&mut code, &sites, None).unwrap();
    assert_eq!((done.probed, done.needs_registers), (2, 0));
    (class, code)
}

/// Whether the verifier objects after a change: to the code, or because a monitor can stay held.
#[track_caller]
fn check(is_found: bool, change: impl FnOnce(&mut Code)) {
    check_as(is_found, false, change);
}

/// The same; `moved`: the second call tells how many bytes it moved, which is its result.
#[track_caller]
fn check_as(is_found: bool, moved: bool, change: impl FnOnce(&mut Code)) {
    let mut file = DexFile::new(35);
    let (mut class, mut code) = sample(&mut file, moved);
    change(&mut code);
    class.direct_methods[0].body = Body::Code(Box::new(code));
    file.add_class(class);
    let bytes = file.write().unwrap();
    let dex = Dex::parse(&bytes).unwrap();
    let defects = Verifier::new(&dex).all(1).defects;
    let found = !defects.is_empty() || leaking_methods(&dex) > 0;
    assert_eq!(found, is_found, "{defects:?}");
}

/// Replaces the registers of some of the instructions with an opcode.
fn replace(code: &mut Code, opcode: Opcode, to: u16, which: impl Fn(usize) -> bool) {
    let mut seen = 0;
    for node in &mut code.nodes {
        if let Node::Instruction(it) = node
            && it.opcode == opcode
        {
            if which(seen) {
                it.registers = it.registers.map(|_| to);
            }
            seen += 1;
        }
    }
}

/// Positions of instructions with an opcode.
fn positions(code: &Code, opcode: Opcode) -> Vec<usize> {
    let is = |node: &Node| matches!(node, Node::Instruction(it) if it.opcode == opcode);
    (0..code.nodes.len()).filter(|&at| is(&code.nodes[at])).collect()
}

const CONST: Opcode = Opcode::CONST;

#[test]
fn sound() {
    check(false, |_| {});
}

/// The monitor's object is overwritten by what the `from_end`-th number, counted from the end, is loaded for.
#[track_caller]
fn check_overwritten(from_end: usize, call: usize) {
    check(true, |code| {
        let last = positions(code, CONST).len() - from_end;
        replace(code, CONST, 1, |seen| seen == last);
        let at = positions(code, Opcode::INVOKE_STATIC)[call];
        if let Node::Instruction(it) = &mut code.nodes[at] {
            it.registers = Registers::list(&[1]).unwrap();
        }
    });
}

#[test]
fn wrong_register_before_the_call() {
    check_overwritten(2, 3);
}

#[test]
fn wrong_register_behind_the_call() {
    check_overwritten(1, 5);
}

#[test]
fn landing_without_handlers() {
    check(true, |code| {
        let start = code.tries.iter().position(|block| !block.typed.is_empty()).unwrap();
        code.tries.remove(start);
    });
}

#[test]
fn landing_that_overwrites_what_a_handler_reads() {
    for register in [1, 2] {
        check(true, |code| {
            let last = positions(code, Opcode::THROW).len() - 1;
            replace(code, Opcode::THROW, register, |seen| seen == last);
            let last = positions(code, Opcode::MOVE_EXCEPTION).len() - 1;
            replace(code, Opcode::MOVE_EXCEPTION, register, |seen| seen == last);
        });
    }
}

#[test]
fn landing_without_its_exception() {
    check(true, |code| {
        let at = *positions(code, Opcode::MOVE_EXCEPTION).last().unwrap();
        code.nodes.remove(at);
    });
}

#[test]
fn landing_that_runs_on() {
    check(true, |code| {
        let at = *positions(code, Opcode::THROW).last().unwrap();
        code.nodes.remove(at);
    });
}

#[test]
fn one_landing_for_different_monitors() {
    check(true, |code| {
        // Calls come first among the try blocks, in order.
        code.tries[1].catch_all = code.tries[0].catch_all;
    });
}

#[test]
fn a_probe_between_a_call_and_its_result() {
    check(true, |code| {
        let at = positions(code, Opcode::MOVE_RESULT)[0];
        let probe = code.nodes[positions(code, Opcode::INVOKE_STATIC)[0]].clone();
        code.nodes.insert(at, Node::Instruction(load(4)));
        code.nodes.insert(at + 1, probe);
    });
}

/// The probe that is given the call's result stands last in the code before the monitor is left.
fn given(code: &mut Code) -> &mut Instruction {
    let calls = positions(code, Opcode::INVOKE_STATIC);
    let exit = positions(code, Opcode::MONITOR_EXIT)[0];
    let at = *calls.iter().rfind(|at| **at < exit).unwrap();
    match &mut code.nodes[at] {
        Node::Instruction(it) => it,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_number_of_bytes_from_another_register() {
    check_as(false, true, |code| {
        // The call's result is an `int`; so is what the handlers read.
        let found: Vec<u32> = given(code).registers.iter().collect();
        assert_eq!(found.len(), 1);
    });
    // The monitor's object, and a register in which nothing is.
    for register in [1, 4] {
        check_as(true, true, |code| {
            given(code).registers = Registers::list(&[register]).unwrap();
        });
    }
    // A second word that the method does not take, and none at all.
    for registers in [&[3, 4][..], &[]] {
        check_as(true, true, |code| given(code).registers = Registers::list(registers).unwrap());
    }
}

fn load(register: u16) -> Instruction {
    Instruction::new(CONST, Registers::list(&[register]).unwrap(), Operand::Literal(70_000))
}
