//! Probes in bodies that are made for one difficulty each.

use crate::support::{Style, leaking_methods};
use wattle_dex::{
    AccessFlags, Body, Class, Code, CodeBuilder, Dex, DexFile, Method, MethodId, Node, Opcode,
    Operand, Pool, TypeId, Verifier,
};
use wattle_probe::{
    CallProbes, CallRefusal, CallSite, CallValue, InsertedCalls, Probe, ProbeArgument,
    ProbeOperand, Runtime, Sink, probe_calls,
};

/// Names that bodies use.
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
    probed_by((registers, signature), &|pool| style.probes(pool), build)
}

/// The same with any probes.
#[track_caller]
fn probed_by(
    (registers, signature): (u16, &str),
    probes: &dyn Fn(&mut Pool<'static>) -> CallProbes,
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
    let probes = probes(file.pool_mut());
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
    let (inserted, code) = probed((4, "()V"), Style::from_sink(Sink::Trace), &|names, code| {
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
    for (register, style) in [(0, EVERYTHING), (2, EVERYTHING), (0, Style::from_sink(Sink::Orka))] {
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
        (true, true, Style::from_sink(Sink::Orka)),
        (true, false, Style::from_sink(Sink::Trace)),
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

/// A body with one call that is asked for a value: the registers that the probe behind it is given, `None` where it is given
/// nothing; and how many registers the frame gained.
#[track_caller]
fn told(
    frame: (u16, &str),
    (value, signature): (CallValue, &str),
    (call, fail): (bool, bool),
    build: &dyn Fn(&mut Names<'_>, &mut CodeBuilder),
) -> (Option<Vec<u32>>, u16) {
    let moved = std::cell::Cell::new(None);
    let (inserted, code) = probed_by(
        frame,
        &|pool| {
            let call = call.then_some(ProbeArgument::Id);
            let style = Style { call, back: Some(ProbeArgument::None), fail };
            let method = pool.method(Runtime::DESCRIPTOR, "moved", signature).unwrap();
            moved.set(Some(method));
            let probe = Probe { method, operand: ProbeOperand::Value(value) };
            CallProbes { moved: Some(probe), ..style.probes(pool) }
        },
        build,
    );
    assert_eq!((inserted.probed, inserted.left_out), (1, vec![]));
    let is_it =
        |operand: Operand| matches!(operand, Operand::Method(id) if Some(id) == moved.get());
    let mut given = code.instructions().filter(|it| is_it(it.operand.clone()));
    let registers = given.next().map(|it| it.registers.iter().collect());
    assert!(given.next().is_none());
    (registers, inserted.needs_registers)
}

const INT: (CallValue, &str) = (CallValue::Result(Opcode::MOVE_RESULT), "(I)V");
const LONG: (CallValue, &str) = (CallValue::Result(Opcode::MOVE_RESULT_WIDE), "(J)V");

/// Results that nobody takes: every register below the second number is read behind the call.
#[test]
fn results_that_nobody_takes() {
    for (value, result, registers, live, expected, gained) in [
        (INT, "I", 3, 2, Some(vec![2]), 0),
        (INT, "I", 2, 2, Some(vec![2]), 1),
        (LONG, "J", 4, 2, Some(vec![2, 3]), 0),
        // One is free, two are needed.
        (LONG, "J", 3, 2, Some(vec![3, 4]), 2),
        (LONG, "J", 0, 0, Some(vec![0, 1]), 2),
        (LONG, "J", 254, 254, Some(vec![254, 255]), 2),
        // Nothing is within reach: the call is told of without its bytes.
        (LONG, "J", 255, 255, None, 0),
        (INT, "I", 256, 256, None, 0),
        (INT, "I", 300, 255, Some(vec![255]), 0),
        (LONG, "J", 300, 255, None, 0),
    ] {
        let found = told((registers, "()V"), value, (false, false), &|names, code| {
            let call = names.call("f", &format!("(){result}"));
            for register in 0..live {
                code.const_int(register, 77);
            }
            code.invoke(Opcode::INVOKE_STATIC, call, &[]);
            (0..live).for_each(|register| code.read(register));
            code.return_void();
        });
        assert_eq!(found, (expected, gained), "{result} {registers} {live}");
    }
}

/// Results where they are, also in the register in which they wait while a monitor's handler covers the probe.
#[test]
fn results_that_are_taken() {
    for (value, result, opcode, register) in [
        (INT, "I", Opcode::MOVE_RESULT, 1),
        (LONG, "J", Opcode::MOVE_RESULT_WIDE, 20),
        (INT, "I", Opcode::MOVE_RESULT, 200),
    ] {
        let found = told((210, "()V"), value, (true, true), &|names, code| {
            let call = names.call("f", &format!("(){result}"));
            code.invoke(Opcode::INVOKE_STATIC, call, &[]).plain(opcode, &[register]).return_void();
        });
        let words = if result == "J" { 2 } else { 1 };
        let register = u32::from(register);
        assert_eq!(found, (Some((register..register + words).collect()), 0));
    }
    let (given, _) = told((6, "(Ljava/lang/Object;)V"), INT, (true, true), &|names, code| {
        let take = names.call("take", "()I");
        let lock = code.argument(0);
        let (handler, end) = (code.label(), code.label());
        code.const_int(2, 12345).plain(Opcode::MONITOR_ENTER, &[lock]);
        let start = code.here();
        code.invoke(Opcode::INVOKE_STATIC, take, &[]).plain(Opcode::MOVE_RESULT, &[2]);
        code.place(end).plain(Opcode::MONITOR_EXIT, &[lock]).return_void();
        code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[3]);
        code.literal(Opcode::ADD_INT_LIT8, &[2, 2], 1);
        code.plain(Opcode::MONITOR_EXIT, &[lock]).plain(Opcode::THROW, &[3]);
        code.try_block(start, end, Vec::new(), Some(handler));
    });
    assert!(given.is_some_and(|given| given != [2]), "the handler still reads register 2");
}

/// Arguments as they are behind the call, unless its result is where they were.
#[test]
fn arguments_behind_the_call() {
    let third = (CallValue::Argument(2), "(I)V");
    for (opcode, arguments, result, taken, expected) in [
        (Opcode::INVOKE_STATIC, [1, 2, 3], "V", None, Some(vec![3])),
        (Opcode::INVOKE_STATIC, [17, 18, 19], "V", None, Some(vec![19])),
        (Opcode::INVOKE_STATIC, [1, 2, 3], "I", Some(4), Some(vec![3])),
        (Opcode::INVOKE_STATIC, [1, 2, 3], "I", Some(3), None),
        (Opcode::INVOKE_STATIC, [1, 2, 3], "J", Some(2), None),
    ] {
        let (found, _) = told((24, "()V"), third, (true, true), &|names, code| {
            let call = names.call("f", &format!("(III){result}"));
            for register in arguments {
                code.const_int(register, 5);
            }
            code.invoke(opcode, call, &arguments);
            let take = if result == "J" { Opcode::MOVE_RESULT_WIDE } else { Opcode::MOVE_RESULT };
            if let Some(register) = taken {
                code.plain(take, &[register]);
            }
            code.return_void();
        });
        assert_eq!(found, expected, "{opcode:?} {result} {taken:?}");
    }
    // `this` comes before the first argument; a call that names fewer arguments is none of the table's.
    for (word, expected) in [(0, Some(vec![6])), (1, None)] {
        let value = (CallValue::Argument(word), "(I)V");
        let (found, _) = told((8, "()V"), value, (true, true), &|names, code| {
            let get = names.pool.field("Lframework/F;", "it", "Lframework/F;");
            let call = names.call("f", "(I)V");
            code.field(Opcode::SGET_OBJECT, &[5], get).const_int(6, 5);
            code.invoke(Opcode::INVOKE_VIRTUAL, call, &[5, 6]).return_void();
        });
        assert_eq!(found, expected, "{word}");
    }
}

#[test]
fn a_branch_to_a_call_runs_through_its_probe() {
    let (_, code) = probed((2, "(I)V"), Style::from_sink(Sink::Trace), &|names, code| {
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
