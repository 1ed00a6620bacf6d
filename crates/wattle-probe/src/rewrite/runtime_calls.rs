//! Calls of the runtime class.

use wattle_dex::{CodeBuilder, DexError, MethodId, Node, Opcode, Pool, StringId};

use crate::{ProbeArgument, ProbeEvent, Runtime, Sink};

/// The runtime class's methods, by their numbers in one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuntimeCalls {
    methods: [Option<(MethodId, ProbeArgument)>; ProbeEvent::ALL.len()],
}

/// What a probe hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// Nothing.
    None,
    /// A probe's number.
    Id(u32),
    /// A text.
    Text(StringId),
}

impl RuntimeCalls {
    /// Makes the methods known to a file.
    pub(crate) fn intern(
        pool: &mut Pool<'_>,
        sink: Sink,
        events: &[ProbeEvent],
    ) -> Result<Self, DexError> {
        let mut methods = [None; ProbeEvent::ALL.len()];
        for (slot, event) in methods.iter_mut().zip(ProbeEvent::ALL) {
            let Some(argument) = sink.argument(event).filter(|_| events.contains(&event)) else {
                continue;
            };
            let id = pool.method(Runtime::DESCRIPTOR, event.method(), argument.signature())?;
            *slot = Some((id, argument));
        }
        Ok(Self { methods })
    }

    /// The method of an event and what it takes; `None` where the sink has no word for it.
    pub(crate) fn of(&self, event: ProbeEvent) -> Option<(MethodId, ProbeArgument)> {
        let at = ProbeEvent::ALL.iter().position(|it| *it == event)?;
        self.methods.get(at).copied().flatten()
    }

    /// Whether the probe of an event needs a register.
    pub(crate) fn needs_register(&self, event: ProbeEvent) -> bool {
        self.of(event).is_some_and(|(_, argument)| argument != ProbeArgument::None)
    }

    /// The instructions of a probe; none where the sink has no word for the event. `register` must be below
    /// 256, and free.
    pub(crate) fn probe(
        &self,
        event: ProbeEvent,
        operand: Operand,
        register: u16,
    ) -> Result<Vec<Node>, DexError> {
        let Some((method, _)) = self.of(event) else { return Ok(Vec::new()) };
        let mut code = CodeBuilder::new(0, 0);
        match operand {
            Operand::None => code.invoke(Opcode::INVOKE_STATIC, method, &[]),
            Operand::Id(id) => code.const_int(register, id.cast_signed()).invoke(
                Opcode::INVOKE_STATIC,
                method,
                &[register],
            ),
            Operand::Text(text) => {
                code.const_string(register, text).invoke(Opcode::INVOKE_STATIC, method, &[register])
            }
        };
        Ok(code.finish()?.nodes)
    }
}
