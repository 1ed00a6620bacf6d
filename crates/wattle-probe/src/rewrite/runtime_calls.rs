//! Calls of the runtime class.

use wattle_dex::{DexError, MethodId, Pool};

use crate::{ByteCount, Probe, ProbeArgument, ProbeEvent, ProbeOperand, Runtime, Sink};

/// The runtime class's methods, by their numbers in one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuntimeCalls {
    methods: [Option<(MethodId, ProbeArgument)>; ProbeEvent::ALL.len()],
    moved: [Option<MethodId>; ByteCount::METHODS.len()],
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
        Ok(Self { methods, moved: [None; ByteCount::METHODS.len()] })
    }

    /// Makes the method known that is given such a number of bytes.
    pub(crate) fn intern_moved(
        &mut self,
        pool: &mut Pool<'_>,
        count: ByteCount,
    ) -> Result<(), DexError> {
        let at = count.method();
        if let (Some(slot @ None), Some((name, signature))) =
            (self.moved.get_mut(at), ByteCount::METHODS.get(at))
        {
            *slot = Some(pool.method(Runtime::DESCRIPTOR, name, signature)?);
        }
        Ok(())
    }

    /// The probe that hands over how many bytes a call moved.
    pub(crate) fn moved(&self, count: ByteCount) -> Option<Probe> {
        let method = self.moved.get(count.method()).copied().flatten()?;
        Some(Probe { method, operand: count.operand() })
    }

    fn of(&self, event: ProbeEvent) -> Option<(MethodId, ProbeArgument)> {
        let at = ProbeEvent::ALL.iter().position(|it| *it == event)?;
        self.methods.get(at).copied().flatten()
    }

    /// The probe of an event; `None` where the sink has no word for it.
    pub(crate) fn probe(&self, event: ProbeEvent, operand: ProbeOperand) -> Option<Probe> {
        self.of(event).map(|(method, _)| Probe { method, operand })
    }

    /// The method of an event that hands over nothing.
    pub(crate) fn method(&self, event: ProbeEvent) -> Option<MethodId> {
        self.of(event).map(|(method, _)| method)
    }
}
