//! Faults of probes, of handlers, and of what surrounds them.

use wattle_dex::{Code, CodeBuilder, Node, Opcode, Operand, TryBlock};

use super::injected_fault::{Fault, Plant, Planted};
use super::wrapped::Wrapped;
use crate::ProbeArgument::{Id, Text};
use crate::ProbeEvent::{self, Enter, Exit, Unwind};

pub(super) const FAULTS: &[Fault] = &[
    Fault { name: "probe passes a register never written", plant: Plant::Code(no_constant) },
    Fault { name: "entry probe overwrites an argument", plant: Plant::Code(argument_overwritten) },
    Fault { name: "exit probe overwrites the result", plant: Plant::Code(result_overwritten) },
    Fault {
        name: "exit probe overwrites half of the result",
        plant: Plant::Code(half_overwritten),
    },
    Fault { name: "probe passes nothing", plant: Plant::Code(no_argument) },
    Fault { name: "probe passes one too many", plant: Plant::Code(extra_argument) },
    Fault { name: "probe called as a virtual method", plant: Plant::Code(virtual_probe) },
    Fault { name: "probe passes `this` before it is made", plant: Plant::Code(unmade_this) },
    Fault { name: "probe between a call and its result", plant: Plant::Code(result_cut_off) },
    Fault { name: "probe in front of move-exception", plant: Plant::Code(before_exception) },
    Fault { name: "handler without move-exception", plant: Plant::Code(no_exception) },
    Fault { name: "handler enters behind move-exception", plant: Plant::Code(behind_exception) },
    Fault { name: "exception overwritten before throw", plant: Plant::Code(exception_lost) },
    Fault { name: "wrong register thrown", plant: Plant::Code(wrong_throw) },
    Fault { name: "handler runs off the end", plant: Plant::Code(no_throw) },
    Fault { name: "catch-all asked before the body's own", plant: Plant::Code(asked_first) },
    Fault { name: "handlers of a monitor lost", plant: Plant::Code(own_handlers_lost) },
    Fault { name: "handler of a monitor lost behind a probe", plant: Plant::Code(cut_and_lost) },
    Fault { name: "exit probe left out", plant: Plant::Code(exit_left_out) },
    Fault { name: "number of another method", plant: Plant::Code(other_number) },
    Fault { name: "label placed nowhere", plant: Plant::Code(label_nowhere) },
];

/// Whether what a probe hands over can never be taken for a value of a type.
fn clashes(wrapped: &Wrapped, event: ProbeEvent, descriptor: &str) -> bool {
    let is_reference = descriptor.starts_with(['L', '[']);
    match wrapped.argument(event) {
        // A number that is not 0; constants pass for `float`s.
        Id => is_reference || matches!(descriptor, "J" | "D"),
        Text => !is_reference,
        crate::ProbeArgument::None => false,
    }
}

fn no_constant(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Enter) else { return Planted::Nowhere };
    wrapped.code.nodes.remove(call - 1);
    // In a frame without locals an argument stands where the constant should.
    Planted::fatal_if(wrapped.grown() == 0 && wrapped.locals() > 0)
}

fn argument_overwritten(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Enter) else { return Planted::Nowhere };
    let takes = wrapped.argument(Enter);
    let needed = wrapped.argument_places().into_iter().find(|&(register, kind)| {
        let clashes = match kind {
            wattle_dex::ArgumentKind::Wide => true,
            wattle_dex::ArgumentKind::Reference => takes == Id,
            wattle_dex::ArgumentKind::Single => takes == Text,
        };
        register < 256 && clashes && wrapped.needs_at_start(register) && !wrapped.compares(register)
    });
    let Some((register, _)) = needed else { return Planted::Nowhere };
    wrapped.redirect(call, register);
    Planted::Fatal
}

/// The call of an exit probe and the first register of the result that is returned behind it.
fn exit_with_result(wrapped: &Wrapped, opcodes: &[Opcode]) -> Option<(usize, u16)> {
    wrapped.probe_with_argument(Exit)?;
    wrapped.probes(Exit).into_iter().find_map(|call| {
        let next = wrapped.code.nodes[call + 1..].iter().find_map(|node| match node {
            Node::Instruction(it) => Some(it),
            _ => None,
        });
        let it = next.filter(|it| opcodes.contains(&it.opcode))?;
        let register = u16::try_from(it.registers.get(0)).ok().filter(|it| *it < 255)?;
        Some((call, register))
    })
}

fn result_overwritten(wrapped: &mut Wrapped) -> Planted {
    let returns = [Opcode::RETURN, Opcode::RETURN_OBJECT, Opcode::RETURN_WIDE];
    let Some((call, register)) = exit_with_result(wrapped, &returns) else {
        return Planted::Nowhere;
    };
    wrapped.redirect(call, register);
    Planted::fatal_if(clashes(wrapped, Exit, &wrapped.returns))
}

fn half_overwritten(wrapped: &mut Wrapped) -> Planted {
    let Some((call, register)) = exit_with_result(wrapped, &[Opcode::RETURN_WIDE]) else {
        return Planted::Nowhere;
    };
    wrapped.redirect(call, register + 1);
    Planted::Fatal
}

fn no_argument(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Enter) else { return Planted::Nowhere };
    wrapped.pass(call, &[]);
    Planted::Fatal
}

fn extra_argument(wrapped: &mut Wrapped) -> Planted {
    let Some(&call) = wrapped.probes(Exit).first() else { return Planted::Nowhere };
    let had: Vec<u16> =
        wrapped.instruction(call).registers.iter().map(|it| it as u16).chain([0]).collect();
    if had.len() > 1 && had[0] > 14 || wrapped.code.registers == 0 {
        return Planted::Nowhere;
    }
    wrapped.pass(call, &had);
    Planted::Fatal
}

fn virtual_probe(wrapped: &mut Wrapped) -> Planted {
    let call = wrapped.probes(Enter)[0];
    let it = wrapped.instruction(call);
    it.opcode =
        if it.registers.is_range() { Opcode::INVOKE_VIRTUAL_RANGE } else { Opcode::INVOKE_VIRTUAL };
    Planted::Fatal
}

fn unmade_this(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Enter) else { return Planted::Nowhere };
    if !wrapped.is_constructor {
        return Planted::Nowhere;
    }
    let this = wrapped.locals();
    wrapped.pass(call, &[this]);
    Planted::Fatal
}

/// Nodes of a call of the entry probe's method, with its argument in a register.
fn probe_in(wrapped: &Wrapped, register: u16) -> Vec<Node> {
    let call = wrapped.probes(Enter)[0];
    let mut nodes = Vec::new();
    if wrapped.probe_with_argument(Enter).is_some() {
        nodes.push(wrapped.code.nodes[call - 1].clone());
    }
    nodes.push(wrapped.code.nodes[call].clone());
    let mut code = CodeBuilder::new(0, 0);
    for node in nodes {
        let Node::Instruction(it) = node else { continue };
        if it.opcode.is_invoke() {
            let Operand::Method(method) = it.operand else { continue };
            let registers = if it.registers.is_empty() { vec![] } else { vec![register] };
            code.invoke(Opcode::INVOKE_STATIC, method, &registers);
        } else {
            code.op(it.opcode, &[register], it.operand);
        }
    }
    code.finish().expect("a probe").nodes
}

fn result_cut_off(wrapped: &mut Wrapped) -> Planted {
    let at = wrapped
        .code
        .nodes
        .iter()
        .position(|node| matches!(node, Node::Instruction(it) if it.opcode.is_move_result()));
    let Some(at) = at else { return Planted::Nowhere };
    let probe = probe_in(wrapped, 0);
    wrapped.code.nodes.splice(at..at, probe);
    Planted::Fatal
}

fn before_exception(wrapped: &mut Wrapped) -> Planted {
    let Some(&at) = wrapped.find(Opcode::MOVE_EXCEPTION).first() else { return Planted::Nowhere };
    let probe = probe_in(wrapped, 0);
    wrapped.code.nodes.splice(at..at, probe);
    Planted::Fatal
}

/// The `move-exception` of the probe's handler.
fn own_exception(wrapped: &Wrapped) -> Option<usize> {
    wrapped.probes(Unwind).first()?;
    wrapped.find(Opcode::MOVE_EXCEPTION).last().copied()
}

/// The first register of an instruction.
fn register_at(wrapped: &Wrapped, node: usize) -> Option<u16> {
    match &wrapped.code.nodes[node] {
        Node::Instruction(it) => u16::try_from(it.registers.get(0)).ok(),
        _ => None,
    }
}

/// Whether the body's first instruction throws with a number where the handler has the exception.
fn throws_with_a_number(wrapped: &Wrapped) -> bool {
    let exception = own_exception(wrapped).and_then(|at| register_at(wrapped, at));
    let first_throws = wrapped.body.instructions().next().is_some_and(|it| it.opcode.can_throw());
    let entry = wrapped.probe_with_argument(Enter).and_then(|call| register_at(wrapped, call));
    first_throws && entry.is_some() && entry == exception && wrapped.argument(Enter) == Id
}

fn no_exception(wrapped: &mut Wrapped) -> Planted {
    let Some(at) = own_exception(wrapped) else { return Planted::Nowhere };
    let fatal = throws_with_a_number(wrapped);
    wrapped.code.nodes.remove(at);
    Planted::fatal_if(fatal)
}

fn behind_exception(wrapped: &mut Wrapped) -> Planted {
    let Some(at) = own_exception(wrapped) else { return Planted::Nowhere };
    let end = wrapped.code.new_label();
    wrapped.code.nodes.insert(at + 1, Node::Label(end));
    if let Some(last) = wrapped.code.tries.last_mut() {
        last.catch_all = Some(end);
    }
    Planted::fatal_if(throws_with_a_number(wrapped))
}

fn exception_lost(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Unwind) else { return Planted::Nowhere };
    let exception = own_exception(wrapped).and_then(|at| register_at(wrapped, at));
    wrapped.redirect(call, exception.expect("a handler"));
    // A `String` is no `Throwable`, which a verifier that knows no class outside the file cannot tell.
    Planted::fatal_if(wrapped.argument(Unwind) == Id)
}

fn wrong_throw(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Unwind) else { return Planted::Nowhere };
    let other = register_at(wrapped, call).expect("an argument");
    let Some(&at) = wrapped.find(Opcode::THROW).last() else { return Planted::Nowhere };
    let it = wrapped.instruction(at);
    it.registers = it.registers.map(|_| other);
    Planted::fatal_if(wrapped.argument(Unwind) == Id)
}

fn no_throw(wrapped: &mut Wrapped) -> Planted {
    if wrapped.probes(Unwind).is_empty() {
        return Planted::Nowhere;
    }
    wrapped.code.nodes.pop();
    Planted::Fatal
}

fn asked_first(wrapped: &mut Wrapped) -> Planted {
    if wrapped.body.tries.is_empty() || wrapped.probes(Unwind).is_empty() {
        return Planted::Nowhere;
    }
    let Some(own) = wrapped.code.tries.pop() else { return Planted::Nowhere };
    wrapped.code.tries.insert(0, own);
    Planted::fatal_if(wrapped.throws_in_monitor())
}

fn own_handlers_lost(wrapped: &mut Wrapped) -> Planted {
    if wrapped.body.tries.is_empty() || wrapped.probes(Unwind).is_empty() {
        return Planted::Nowhere;
    }
    let tries = wrapped.code.tries.split_off(wrapped.code.tries.len() - 1);
    wrapped.code.tries = tries;
    Planted::fatal_if(wrapped.throws_in_monitor())
}

/// A probe inside of a held monitor whose second half of the try block is forgotten.
fn cut_and_lost(wrapped: &mut Wrapped) -> Planted {
    if !wrapped.throws_in_monitor() {
        return Planted::Nowhere;
    }
    let Some(&enter) = wrapped.find(Opcode::MONITOR_ENTER).first() else {
        return Planted::Nowhere;
    };
    let own = wrapped.code.tries.len() - 1;
    let cut = wrapped.code.new_label();
    let place = |code: &Code, label| {
        code.nodes.iter().position(|node| *node == Node::Label(label)).expect("a placed label")
    };
    let code = &wrapped.code;
    let covers = |block: &TryBlock| place(code, block.end) > enter && block.catch_all.is_some();
    let Some(at) = code.tries[..own].iter().position(covers) else { return Planted::Nowhere };
    let start = place(code, code.tries[at].start).max(enter + 1);
    let end = place(code, code.tries[at].end);
    let throws = code.nodes[start..end].iter().any(
        |node| matches!(node, Node::Instruction(it) if it.opcode.can_throw() && it.opcode != Opcode::MONITOR_EXIT),
    );
    // The block's first instruction, or the first in the monitor, is where the probe would be.
    wrapped.code.nodes.insert(start, Node::Label(cut));
    wrapped.code.tries[at].end = cut;
    let others = wrapped.code.tries[..own].iter().enumerate().any(|(other, block)| {
        let code = &wrapped.code;
        other != at
            && block.catch_all.is_some()
            && place(code, block.start) < end
            && place(code, block.end) > start
    });
    Planted::fatal_if(throws && !others)
}

/// The method is entered and never left: sound code, which only the events of a run betray.
fn exit_left_out(wrapped: &mut Wrapped) -> Planted {
    let Some(&call) = wrapped.probes(Exit).first() else { return Planted::Nowhere };
    wrapped.code.nodes.remove(call);
    Planted::Harmless
}

/// The events are another method's: sound code too.
fn other_number(wrapped: &mut Wrapped) -> Planted {
    let Some(call) = wrapped.probe_with_argument(Enter).filter(|_| wrapped.argument(Enter) == Id)
    else {
        return Planted::Nowhere;
    };
    if let Operand::Literal(number) = &mut wrapped.instruction(call - 1).operand {
        *number += 1;
    }
    Planted::Harmless
}

fn label_nowhere(wrapped: &mut Wrapped) -> Planted {
    if wrapped.code.tries.is_empty() {
        return Planted::Nowhere;
    }
    let label = wrapped.code.new_label();
    if let Some(last) = wrapped.code.tries.last_mut() {
        last.end = label;
    }
    Planted::Fatal
}
