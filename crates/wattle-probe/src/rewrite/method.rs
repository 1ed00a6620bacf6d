//! Entry and exit.

use wattle_dex::{
    Code, DebugEvent, Dex, DexError, Instruction, MethodSite, Node, Opcode, Registers, TryBlock,
};

use super::frame::{Frame, Needs};
use super::{Operand, RuntimeCalls, argument_kinds};
use crate::ProbeEvent;

/// The probes of one method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodProbes {
    /// What the entry hands over.
    pub(crate) enter: Operand,
    /// What a return hands over.
    pub(crate) exit: Operand,
    /// What an exception that leaves the method hands over.
    pub(crate) unwind: Operand,
}

/// The body with a probe at its entry, in front of every return, and where an exception leaves it.
///
/// ```text
///     moves of the arguments, where the frame was grown
///     enter
/// start:
///     the body, `exit` in front of each return
/// end:
/// handler:
///     move-exception, unwind, throw
/// ```
/// Everything between `start` and `end` is covered by a catch-all that is asked after the body's own handlers. It
/// covers the `exit` probes too: one that cannot be called, for want of stack, has told nothing yet.
pub(crate) fn wrap(
    dex: &Dex<'_>,
    site: &MethodSite<'_>,
    runtime: &RuntimeCalls,
    probes: MethodProbes,
) -> Result<Code, DexError> {
    let mut code = Code::decode_with_lines(dex, &site.code)?;
    let arguments = argument_kinds(dex, site)?;
    let throws = code.instructions().any(|it| it.opcode.can_throw());
    let unwinds = u16::from(runtime.needs_register(ProbeEvent::Unwind));
    let needs = Needs {
        entry: runtime.needs_register(ProbeEvent::Enter),
        exit: runtime.needs_register(ProbeEvent::Exit),
        handler: if throws { 1 + unwinds } else { 0 },
        throughout: 0,
    };
    let frame = Frame::of(&mut code, &arguments, needs)?;

    let (start, end, handler) = (code.new_label(), code.new_label(), code.new_label());
    // The probe has the line of the method's start, for whoever looks at the stack from within.
    let mut enter: Vec<Node> =
        first_line(&code, frame.moves).map(Node::Debug).into_iter().collect();
    enter.extend(runtime.probe(ProbeEvent::Enter, probes.enter, frame.entry)?);
    enter.push(Node::Label(start));
    let mut insertions = vec![(frame.moves, enter)];
    for (index, node) in code.nodes.iter().enumerate() {
        if let Node::Instruction(it) = node
            && it.opcode.is_return()
        {
            let register = frame.at_return(it, code.registers);
            insertions.push((index, runtime.probe(ProbeEvent::Exit, probes.exit, register)?));
        }
    }
    code.insert_outside_tries(insertions)?;
    if throws {
        let one = |opcode| {
            let registers = Registers::list(&[0]).unwrap_or_else(|| Registers::range(0, 1));
            Node::Instruction(Instruction::new(opcode, registers, wattle_dex::Operand::None))
        };
        code.nodes.push(Node::Label(end));
        code.nodes.push(Node::Label(handler));
        code.nodes.push(one(Opcode::MOVE_EXCEPTION));
        code.nodes.extend(runtime.probe(ProbeEvent::Unwind, probes.unwind, 1)?);
        code.nodes.push(one(Opcode::THROW));
        code.tries.push(TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) });
    }
    Ok(code)
}

/// The first line of a body, if its start has one.
fn first_line(code: &Code, moves: usize) -> Option<DebugEvent> {
    let start = code.nodes.iter().skip(moves);
    start.take_while(|node| !matches!(node, Node::Instruction(_))).find_map(|node| match node {
        Node::Debug(event @ DebugEvent::Line(_)) => Some(*event),
        _ => None,
    })
}
