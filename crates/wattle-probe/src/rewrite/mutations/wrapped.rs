//! A method as the rewriter yields it, and what a fault has to know of it.

use wattle_dex::{
    ArgumentKind, Code, Dex, Instruction, Liveness, MethodId, MethodSite, Node, Opcode, Operand,
    Registers,
};

use crate::rewrite::{MethodProbes, RuntimeCalls, argument_kinds, wrap};
use crate::{ProbeArgument, ProbeEvent, Sink};

/// A method as the rewriter yields it.
pub(super) struct Wrapped {
    /// With probes.
    pub(super) code: Code,
    /// Without.
    pub(super) body: Code,
    pub(super) arguments: Vec<ArgumentKind>,
    /// Descriptor of the result.
    pub(super) returns: String,
    pub(super) is_constructor: bool,
    sink: Sink,
    runtime: RuntimeCalls,
}

impl Wrapped {
    pub(super) fn new(
        dex: &Dex<'_>,
        site: &MethodSite<'_>,
        (sink, runtime): (Sink, &RuntimeCalls),
        probes: &MethodProbes,
    ) -> wattle_dex::Result<Self> {
        let method = dex.method(site.method)?;
        let returns = dex.descriptor_str(dex.proto(method.proto)?.return_type)?.into_owned();
        let body = Code::decode_with_lines(dex, &site.code)?;
        Ok(Self {
            code: wrap(dex, site, body.clone(), probes)?.code,
            body,
            arguments: argument_kinds(dex, site)?,
            returns,
            is_constructor: dex.string(method.name)?.to_str() == "<init>",
            sink,
            runtime: *runtime,
        })
    }

    /// Registers that the frame was given.
    pub(super) fn grown(&self) -> u16 {
        self.code.registers - self.body.registers
    }

    /// Registers in front of the body's arguments.
    pub(super) fn locals(&self) -> u16 {
        self.body.registers - self.body.ins
    }

    pub(super) fn method(&self, event: ProbeEvent) -> MethodId {
        self.runtime.method(event).expect("every sink has a word for methods")
    }

    pub(super) fn argument(&self, event: ProbeEvent) -> ProbeArgument {
        self.sink.argument(event).expect("every sink has a word for methods")
    }

    /// The calls of an event's probes, by node.
    pub(super) fn probes(&self, event: ProbeEvent) -> Vec<usize> {
        let method = Operand::Method(self.method(event));
        let calls = self.code.nodes.iter().enumerate();
        calls
            .filter(|(_, node)| matches!(node, Node::Instruction(it) if it.operand == method))
            .map(|(at, _)| at)
            .collect()
    }

    /// The call of an event's first probe, where it takes an argument: the instruction before is its constant.
    pub(super) fn probe_with_argument(&self, event: ProbeEvent) -> Option<usize> {
        let takes = self.argument(event) != ProbeArgument::None;
        self.probes(event).first().copied().filter(|_| takes)
    }

    /// Lets a probe use another register for its argument.
    pub(super) fn redirect(&mut self, call: usize, register: u16) {
        let constant = self.instruction(call - 1);
        constant.registers = Registers::list(&[register]).expect("one register");
        self.pass(call, &[register]);
    }

    /// Lets a probe pass other registers.
    pub(super) fn pass(&mut self, call: usize, registers: &[u16]) {
        let it = self.instruction(call);
        let operand = it.operand.clone();
        *it = Instruction::calling(Opcode::INVOKE_STATIC, operand, registers).expect("a call");
    }

    pub(super) fn instruction(&mut self, node: usize) -> &mut Instruction {
        match &mut self.code.nodes[node] {
            Node::Instruction(it) => it,
            other => panic!("{other:?} is no instruction"),
        }
    }

    /// The nodes with an instruction of an opcode.
    pub(super) fn find(&self, opcode: Opcode) -> Vec<usize> {
        let nodes = self.code.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| matches!(node, Node::Instruction(it) if it.opcode == opcode))
            .map(|(at, _)| at)
            .collect()
    }

    /// Whether the body reads what a register holds at its start.
    pub(super) fn needs_at_start(&self, register: u16) -> bool {
        let Ok(liveness) = Liveness::from_code(&self.body) else { return false };
        liveness.before(&self.body, 0).is_ok_and(|live| live.contains(u32::from(register)))
    }

    /// Whether some comparison, which takes numbers and references alike, reads a register.
    pub(super) fn compares(&self, register: u16) -> bool {
        self.body.instructions().any(|it| {
            matches!(it.opcode, Opcode::IF_EQ | Opcode::IF_NE | Opcode::IF_EQZ | Opcode::IF_NEZ)
                && it.registers.iter().any(|read| read == u32::from(register))
        })
    }

    /// The first register and the kind of each argument in the body's frame.
    pub(super) fn argument_places(&self) -> Vec<(u16, ArgumentKind)> {
        let mut at = self.locals();
        let place = |kind: &ArgumentKind| {
            let here = at;
            at += kind.words();
            (here, *kind)
        };
        self.arguments.iter().map(place).collect()
    }

    /// Whether something that can throw is done between a `monitor-enter` and what is next done to a monitor, in
    /// the order of the code and without a branch between, and something that can throw before it.
    pub(super) fn throws_in_monitor(&self) -> bool {
        let (mut before, mut held) = (false, false);
        for it in self.body.instructions() {
            match it.opcode {
                Opcode::MONITOR_ENTER => {
                    before = true;
                    held = true;
                }
                Opcode::MONITOR_EXIT => held = false,
                opcode if opcode.is_branch() || opcode.is_switch() || !opcode.can_continue() => {
                    held = false;
                }
                opcode if held && before && opcode.can_throw() => return true,
                _ => {}
            }
        }
        false
    }
}
