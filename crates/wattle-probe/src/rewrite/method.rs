//! Entry and exit.

use wattle_dex::{
    AccessFlags, Code, DebugEvent, Dex, DexError, Instruction, MethodSite, Node, Opcode, Operand,
    Registers, TryBlock,
};

use super::argument_kinds;
use super::method_entry::may_read_first;
use super::register_growth::{Frame, Needs};
use crate::calls::{CallSite, InsertedCalls, probe_calls};
use crate::{Probe, ProbeOperand};

/// The probes of one method.
#[derive(Clone, Debug)]
pub(crate) struct MethodProbes {
    /// Around the whole.
    pub(crate) around: Option<Around>,
    /// Around calls; their nodes are those of the body as it is decoded.
    pub(crate) calls: Vec<CallSite>,
}

/// The probes around a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// At the entry.
    pub(crate) enter: Option<Probe>,
    /// At each return.
    pub(crate) exit: Option<Probe>,
    /// The place at which an exception leaves the method.
    pub(crate) unwind: Option<Probe>,
}

/// A body with probes.
#[derive(Clone, Debug)]
pub(crate) struct Wrapped {
    pub(crate) code: Code,
    /// The outcome for the calls.
    pub(crate) calls: InsertedCalls,
    /// The body may read the register that the probe at the entry uses: in sound code it holds nothing there.
    pub(crate) entry_is_read: bool,
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
    mut code: Code,
    probes: &MethodProbes,
) -> Result<Wrapped, DexError> {
    let throws = code.instructions().any(|it| it.opcode.can_throw());
    let is_static = site.access.contains(AccessFlags::STATIC);
    let mut calls = InsertedCalls::default();
    if !probes.calls.is_empty() {
        let receiver = (!is_static).then(|| code.registers.saturating_sub(code.ins));
        calls = probe_calls(&mut code, &probes.calls, receiver)?;
    }
    let needs_register =
        |probe: Option<Probe>| probe.is_some_and(|probe| probe.operand != ProbeOperand::None);
    let around = probes.around.unwrap_or(Around { enter: None, exit: None, unwind: None });
    let handles = throws && around.unwind.is_some();
    let needs = Needs {
        entry: needs_register(around.enter),
        exit: needs_register(around.exit),
        handler: if handles { 1 + u16::from(needs_register(around.unwind)) } else { 0 },
        throughout: calls.needs_registers,
    };
    let arguments = argument_kinds(dex, site)?;
    let frame = Frame::new(&mut code, &arguments, is_static, needs)?;
    // A local of the body, where the frame did not grow.
    let entry_is_read = needs.entry && frame.moves == 0 && may_read_first(&code, frame.entry)?;
    if probes.around.is_some() {
        put_around(&mut code, &frame, around, handles)?;
    }
    Ok(Wrapped { code, calls, entry_is_read })
}

fn put_around(
    code: &mut Code,
    frame: &Frame,
    around: Around,
    handles: bool,
) -> Result<(), DexError> {
    let nodes = |probe: Option<Probe>, register: u16| -> Result<Vec<Node>, DexError> {
        probe.map_or(Ok(Vec::new()), |probe| Ok(probe.nodes(register)?.collect()))
    };
    let (start, end, handler) = (code.new_label(), code.new_label(), code.new_label());
    // The probe has the line of the method's start, for whoever looks at the stack from within.
    let mut enter: Vec<Node> = first_line(code, frame.moves).map(Node::Debug).into_iter().collect();
    enter.extend(nodes(around.enter, frame.entry)?);
    enter.push(Node::Label(start));
    let mut insertions = vec![(frame.moves, enter)];
    for (index, node) in code.nodes.iter().enumerate() {
        if let Node::Instruction(it) = node
            && it.opcode.is_return()
        {
            let register = frame.at_return(it, code.registers);
            insertions.push((index, nodes(around.exit, register)?));
        }
    }
    code.insert_outside_tries(insertions)?;
    if handles {
        let [exception, spare] = frame.handler;
        let one = |opcode| {
            let registers = Registers::list(&[exception]).unwrap_or(Registers::NONE);
            Node::Instruction(Instruction::new(opcode, registers, Operand::None))
        };
        code.nodes.push(Node::Label(end));
        code.nodes.push(Node::Label(handler));
        code.nodes.push(one(Opcode::MOVE_EXCEPTION));
        code.nodes.extend(nodes(around.unwind, spare)?);
        code.nodes.push(one(Opcode::THROW));
        code.tries.push(TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) });
    }
    Ok(())
}

/// The first line of a body, if its start has one.
fn first_line(code: &Code, moves: usize) -> Option<DebugEvent> {
    let start = code.nodes.iter().skip(moves);
    start.take_while(|node| !matches!(node, Node::Instruction(_))).find_map(|node| match node {
        Node::Debug(event @ DebugEvent::Line(_)) => Some(*event),
        _ => None,
    })
}
