//! Entry and exit.

use wattle_dex::{
    AccessFlags, Code, Dex, DexError, Instruction, MethodSite, Opcode, Operand, Registers, Wrapping,
};

use super::body_facts::BodyFacts;
use super::first_use::may_read_first;
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
#[derive(Clone, Copy, Debug, Default)]
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

impl Around {
    /// The probe at the entry, in front of every return, and where an exception leaves a body, whose decoded form is not needed
    /// for it.
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
    ///
    /// `throughout` is a number of registers that the frame has to gain in any case. Returns whether the body may read the
    /// register that the probe at the entry uses: in sound code it holds nothing there.
    pub(crate) fn fill(
        self,
        dex: &Dex<'_>,
        site: &MethodSite<'_>,
        throughout: u16,
        wrapping: &mut Wrapping,
    ) -> Result<bool, DexError> {
        let facts = BodyFacts::scan(&site.code)?;
        let needs_register =
            |probe: Option<Probe>| probe.is_some_and(|probe| probe.operand != ProbeOperand::None);
        let handles = facts.throws && self.unwind.is_some();
        let needs = Needs {
            entry: needs_register(self.enter),
            exit: needs_register(self.exit),
            handler: if handles { 1 + u16::from(needs_register(self.unwind)) } else { 0 },
            throughout,
        };
        let frame = Frame::new((dex, site), facts, needs, wrapping)?;
        if let Some(probe) = self.enter {
            wrapping.entry.extend(probe.instructions(frame.entry)?);
        }
        if let Some(probe) = self.exit {
            wrapping.exit.extend(probe.instructions(frame.exit)?);
        }
        if let Some(probe) = self.unwind.filter(|_| handles) {
            let [exception, spare] = frame.handler;
            let registers = Registers::list(&[exception]).unwrap_or(Registers::NONE);
            let one = |opcode| Instruction::new(opcode, registers, Operand::None);
            wrapping.handler.push(one(Opcode::MOVE_EXCEPTION));
            wrapping.handler.extend(probe.instructions(spare)?);
            wrapping.handler.push(one(Opcode::THROW));
        }
        Ok(needs.entry && frame.is_own && may_read_first(&site.code, frame.entry))
    }
}

/// The body with probes around its calls and around the whole.
pub(crate) fn wrap(
    dex: &Dex<'_>,
    site: &MethodSite<'_>,
    mut code: Code,
    probes: &MethodProbes,
) -> Result<Wrapped, DexError> {
    let mut calls = InsertedCalls::default();
    if !probes.calls.is_empty() {
        let is_static = site.access.contains(AccessFlags::STATIC);
        let receiver = (!is_static).then(|| code.registers.saturating_sub(code.ins));
        calls = probe_calls(&mut code, &probes.calls, receiver)?;
    }
    let around = probes.around.unwrap_or_default();
    let mut wrapping = Wrapping::default();
    let entry_is_read = around.fill(dex, site, calls.needs_registers, &mut wrapping)?;
    if wrapping != Wrapping::default() {
        code.wrap(&wrapping)?;
    }
    Ok(Wrapped { code, calls, entry_is_read })
}
