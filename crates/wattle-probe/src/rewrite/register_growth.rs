//! Registers that probes may use.

use wattle_dex::{AccessFlags, Dex, DexError, MethodSite, Wrapping};

use super::argument_kinds;
use super::body_facts::BodyFacts;
use super::first_use::may_read_first;

/// Registers that `const`, `const-string` and `move-exception` can name.
const REACH: u16 = 256;

/// Registers that the probes around a body may use.
///
/// The one in which the receiver arrives is never among them: before Android 6 the verifier takes it for granted
/// that it keeps its type, and before Android 10 a debugger reads the receiver from it whatever the code does (R8,
/// `InternalOptions.canHaveThisTypeVerifierBug`, `canHaveThisJitCodeDebuggingBug`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// A register that is free at the start of the body; unspecified where none is needed.
    pub(super) entry: u16,
    /// A register that is free at all returns; unspecified where none is needed.
    pub(super) exit: u16,
    /// Registers that are free where everything is; unspecified where none is needed.
    pub(super) handler: [u16; 2],
    /// The register at the entry is one of the body's own.
    pub(super) is_own: bool,
}

/// The registers that the probes of a method need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// One register at the entry.
    pub(super) entry: bool,
    /// One register at each return, besides that of the result.
    pub(super) exit: bool,
    /// Registers in the handler of everything that is thrown, at most two.
    pub(super) handler: u16,
    /// So many registers that follow the frame's last, throughout the body.
    pub(super) throughout: u16,
}

impl Frame {
    /// Finds free registers; grows the frame where there are none.
    ///
    /// Locals hold nothing at the entry; at a return nothing but the result is needed any more; in the handler
    /// around everything nothing is.
    pub(super) fn new(
        (dex, site): (&Dex<'_>, &MethodSite<'_>),
        facts: BodyFacts,
        needs: Needs,
        wrapping: &mut Wrapping,
    ) -> Result<Self, DexError> {
        let (code, is_static) = (&site.code, site.access.contains(AccessFlags::STATIC));
        let old = code.registers;
        let locals = old.saturating_sub(code.ins);
        let receiver = (!is_static && code.ins > 0).then_some(locals);
        let mut others = (0..old.min(REACH)).filter(|&it| Some(it) != receiver);
        let mut entry = (locals > 0).then_some(0);
        if needs.entry && entry.is_none() {
            entry = others.clone().find(|&it| !may_read_first(code, it));
        }
        let exit = facts.free_at_returns(old, receiver);
        let handler = [others.next(), others.next()];
        let found = handler.iter().flatten().count() as u16;
        let missing = needs
            .throughout
            .max(u16::from(needs.entry && entry.is_none()))
            .max(u16::from(needs.exit && exit.is_none()))
            .max(needs.handler.saturating_sub(found));
        let mut frame = Self {
            entry: entry.unwrap_or(0),
            exit: exit.unwrap_or(0),
            handler: handler.map(|it| it.unwrap_or(0)),
            is_own: true,
        };
        if missing > 0 {
            // The receiver, and so all arguments, arrive past the registers gained and stay there untouched.
            let gained = missing + if is_static { 0 } else { code.ins };
            let arguments = argument_kinds(dex, site)?;
            let new = wrapping.grow((old, code.ins), gained, &arguments)?;
            if new.first + missing > REACH {
                return Err(DexError::Operand {
                    opcode: "const",
                    operand: "register",
                    found: i64::from(new.first),
                    limit: i64::from(REACH - 1),
                });
            }
            (frame.entry, frame.exit, frame.is_own) = (new.first, new.first, false);
            let own = handler.iter().flatten().copied();
            for (slot, register) in
                frame.handler.iter_mut().zip(own.chain(new.first..new.first + missing))
            {
                *slot = register;
            }
        }
        Ok(frame)
    }
}
