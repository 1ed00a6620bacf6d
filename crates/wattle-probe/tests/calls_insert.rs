//! Probes in bodies that are made for one difficulty each.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod calls_common;

use calls_common::{Style, leaking_methods};
use wattle_dex::{
    AccessFlags, Body, Class, Code, CodeBuilder, Dex, DexFile, Method, MethodId, Node, Opcode,
    Pool, TypeId, Verifier,
};
use wattle_probe::{CallRefusal, CallSite, InsertedCalls, ProbeArgument, Sink, probe_calls};

/// What bodies name.
struct Names<'p> {
    pool: &'p mut Pool<'static>,
}

impl Names<'_> {
    fn call(&mut self, name: &str, signature: &str) -> MethodId {
        self.pool.method("Lframework/F;", name, signature).unwrap()
    }

    fn error(&mut self) -> TypeId {
        self.pool.ty("Ljava/io/IOException;")
    }
}

const EVERYTHING: Style =
    Style { call: Some(ProbeArgument::Id), back: Some(ProbeArgument::Text), fail: true };

/// A static method with probes around all of its calls: what became of them, and the code. The verifier finds
/// nothing before and after, and no more monitors that can stay held.
#[track_caller]
fn probed(
    (registers, signature): (u16, &str),
    style: Style,
    build: &dyn Fn(&mut Names<'_>, &mut CodeBuilder),
) -> (InsertedCalls, Code) {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("Lapp/T;"), Some(object), AccessFlags::PUBLIC);
    let proto = pool.proto(signature).unwrap();
    let words = pool.argument_words(proto).unwrap() as u16;
    let id = pool.method("Lapp/T;", "m", signature).unwrap();
    let mut code = CodeBuilder::new(registers + words, words);
    build(&mut Names { pool }, &mut code);
    let mut code = code.finish().unwrap();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    class.direct_methods.push(Method { id, access, body: Body::Code(Box::new(code.clone())) });
    let before = with(&file, class.clone());
    let probes = style.probes(file.pool_mut());
    let sites: Vec<_> = code
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| matches!(node, Node::Instruction(it) if it.opcode.is_invoke()))
        .map(|(node, _)| CallSite { node, probes })
        .collect();
    let inserted = probe_calls(&mut code, &sites, None).unwrap();
    if inserted.needs_registers > 0 {
        let kinds = vec![wattle_dex::ArgumentKind::Single; words.into()];
        code.grow_frame(inserted.needs_registers, &kinds).unwrap();
    }
    class.direct_methods[0].body = Body::Code(Box::new(code.clone()));
    let after = with(&file, class);
    let (before, after) = (Dex::parse(&before).unwrap(), Dex::parse(&after).unwrap());
    assert_eq!(Verifier::new(&before).all(1).defects, [], "before");
    assert_eq!(Verifier::new(&after).all(1).defects, [], "after");
    assert_eq!(leaking_methods(&before), leaking_methods(&after));
    (inserted, code)
}

fn with(file: &DexFile<'static>, class: Class) -> Vec<u8> {
    let mut file = file.clone();
    file.add_class(class);
    file.write().unwrap()
}

fn count(code: &Code, opcode: Opcode) -> usize {
    code.instructions().filter(|it| it.opcode == opcode).count()
}

#[test]
fn one_landing_for_all_calls_with_the_same_handlers() {
    let (inserted, code) = probed((4, "()V"), Style::of(Sink::Trace), &|names, code| {
        let (call, error) = (names.call("f", "()V"), names.error());
        code.invoke(Opcode::INVOKE_STATIC, call, &[]).invoke(Opcode::INVOKE_STATIC, call, &[]);
        let (handler, end) = (code.label(), code.label());
        let start = code.here();
        code.invoke(Opcode::INVOKE_STATIC, call, &[]).invoke(Opcode::INVOKE_STATIC, call, &[]);
        let between = code.here();
        code.const_int(0, 1);
        let again = code.here();
        code.invoke(Opcode::INVOKE_STATIC, call, &[]).place(end).return_void();
        code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[0]).return_void();
        code.try_block(start, between, vec![(error, handler)], None);
        code.try_block(again, end, vec![(error, handler)], None);
    });
    assert_eq!(inserted.probed, 5);
    assert_eq!(count(&code, Opcode::THROW), 2);
}

/// The result's register is read by the handler of the exception, as another type.
#[test]
fn a_handler_that_reads_what_the_result_overwrites() {
    for (register, style) in [(0, EVERYTHING), (2, EVERYTHING), (0, Style::of(Sink::Orka))] {
        let (inserted, _) = probed((4, "()V"), style, &|names, code| {
            let call = names.call("get", "()Ljava/lang/Object;");
            let (handler, end) = (code.label(), code.label());
            code.const_int(register, 12345);
            let start = code.here();
            code.invoke(Opcode::INVOKE_STATIC, call, &[]);
            code.plain(Opcode::MOVE_RESULT_OBJECT, &[register]).place(end).return_void();
            code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[3]);
            code.literal(Opcode::ADD_INT_LIT8, &[register, register], 1).return_void();
            code.try_block(start, end, Vec::new(), Some(handler));
        });
        assert_eq!(inserted.left_out, []);
    }
}

/// Whether the call's try block ends before or behind its `move-result`, the monitor's handler covers the probe;
/// where that handler reads the result's register too, the result takes a detour.
#[test]
fn calls_in_monitors() {
    for (is_short, reads, style) in [
        (false, false, EVERYTHING),
        (true, false, EVERYTHING),
        (false, true, EVERYTHING),
        (true, true, EVERYTHING),
        (true, true, Style::of(Sink::Orka)),
        (true, false, Style::of(Sink::Trace)),
    ] {
        let (inserted, code) = probed((6, "(I)V"), style, &|names, code| {
            let get = names.call("get", "()Ljava/lang/Object;");
            let (handler, behind) = (code.label(), code.label());
            code.invoke(Opcode::INVOKE_STATIC, get, &[]).plain(Opcode::MOVE_RESULT_OBJECT, &[1]);
            code.const_int(2, 12345).plain(Opcode::MONITOR_ENTER, &[1]);
            let start = code.here();
            code.invoke(Opcode::INVOKE_STATIC, get, &[]);
            let end = if is_short { code.here() } else { behind };
            code.plain(Opcode::MOVE_RESULT_OBJECT, &[2]).place(behind);
            code.plain(Opcode::MONITOR_EXIT, &[1]).return_void();
            code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[3]);
            if reads {
                code.literal(Opcode::ADD_INT_LIT8, &[2, 2], 1);
            }
            code.plain(Opcode::MONITOR_EXIT, &[1]).plain(Opcode::THROW, &[3]);
            code.try_block(start, end, Vec::new(), Some(handler));
        });
        assert_eq!((inserted.probed, inserted.left_out), (2, vec![]));
        assert_eq!(count(&code, Opcode::MOVE_OBJECT), usize::from(reads));
    }
}

/// A pair has no detour.
#[test]
fn a_pair_that_a_monitors_handler_reads_is_left_out() {
    let (inserted, _) = probed((6, "(I)V"), EVERYTHING, &|names, code| {
        let get = names.call("get", "()Ljava/lang/Object;");
        let long = names.call("getLong", "()J");
        let (handler, end) = (code.label(), code.label());
        code.invoke(Opcode::INVOKE_STATIC, get, &[]).plain(Opcode::MOVE_RESULT_OBJECT, &[0]);
        code.const_int(3, 12345).plain(Opcode::MONITOR_ENTER, &[0]);
        let start = code.here();
        code.invoke(Opcode::INVOKE_STATIC, long, &[]).plain(Opcode::MOVE_RESULT_WIDE, &[2]);
        code.place(end).plain(Opcode::MONITOR_EXIT, &[0]).return_void();
        code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[4]);
        code.literal(Opcode::ADD_INT_LIT8, &[3, 3], 1);
        code.plain(Opcode::MONITOR_EXIT, &[0]).plain(Opcode::THROW, &[4]);
        code.try_block(start, end, Vec::new(), Some(handler));
    });
    assert_eq!(inserted.probed, 1);
    assert_eq!(inserted.left_out.iter().map(|it| it.1).collect::<Vec<_>>(), [CallRefusal::Monitor]);
}

/// Every register below the second number is read behind the call.
#[test]
fn frames_and_what_is_free_in_them() {
    for (registers, live, grows, left_out) in [
        (3, 2, false, None),
        (2, 2, true, None),
        (0, 0, true, None),
        (17, 16, false, None),
        (255, 255, true, None),
        (256, 256, false, Some(CallRefusal::Registers)),
        (300, 255, false, None),
        (300, 256, false, Some(CallRefusal::Registers)),
    ] {
        let (inserted, code) = probed((registers, "()V"), EVERYTHING, &|names, code| {
            let call = names.call("f", "()V");
            for register in 0..live {
                code.const_int(register, 77);
            }
            code.invoke(Opcode::INVOKE_STATIC, call, &[]);
            (0..live).for_each(|register| code.read(register));
            code.return_void();
        });
        assert_eq!(inserted.needs_registers > 0, grows, "{registers} {live}");
        assert_eq!(inserted.left_out.first().map(|it| it.1), left_out, "{registers} {live}");
        assert_eq!(count(&code, Opcode::THROW), usize::from(left_out.is_none()));
    }
}

/// Reads a register without writing one.
trait Reads {
    fn read(&mut self, register: u16);
}

impl Reads for CodeBuilder {
    fn read(&mut self, register: u16) {
        let next = self.label();
        self.branch(Opcode::IF_EQZ, &[register], next).place(next);
    }
}

#[test]
fn a_branch_to_a_call_runs_through_its_probe() {
    let (_, code) = probed((2, "(I)V"), Style::of(Sink::Trace), &|names, code| {
        let call = names.call("f", "()V");
        let turn = code.here();
        code.invoke(Opcode::INVOKE_STATIC, call, &[]);
        let argument = code.argument(0);
        code.branch(Opcode::IF_EQZ, &[argument], turn).return_void();
    });
    let at = |wanted: &dyn Fn(&Node) -> bool| code.nodes.iter().position(wanted).unwrap();
    let label = at(&|node| matches!(node, Node::Label(_)));
    let text =
        at(&|node| matches!(node, Node::Instruction(it) if it.opcode == Opcode::CONST_STRING));
    assert!(label < text, "{:?}", code.nodes);
}

#[test]
fn what_is_no_call_is_refused() {
    let mut code = CodeBuilder::new(1, 0);
    code.const_int(0, 1).return_void();
    let mut code = code.finish().unwrap();
    let mut pool = Pool::new();
    let probes = EVERYTHING.probes(&mut pool);
    for nodes in [&[0][..], &[7], &[1, 0], &[0, 0]] {
        let sites: Vec<_> = nodes.iter().map(|&node| CallSite { node, probes }).collect();
        probe_calls(&mut code, &sites, None).unwrap_err();
    }
}

/// Straight code with more calls than one method can have.
#[test]
fn too_many_calls() {
    let (inserted, _) = probed((1, "()V"), EVERYTHING, &|names, code| {
        let call = names.call("f", "()V");
        for _ in 0..16_001 {
            code.invoke(Opcode::INVOKE_STATIC, call, &[]);
        }
        code.return_void();
    });
    assert_eq!(inserted.probed, 0);
    assert!(inserted.left_out.iter().all(|it| it.1 == CallRefusal::TooMany));
}
