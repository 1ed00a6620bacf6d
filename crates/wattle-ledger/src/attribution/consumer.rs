//! The consumer of an energy, before accounts have their final numbers.

use wattle_power::SourceId;

use crate::{Charge, ComponentId};

/// The consumer that an energy is attributed to. In the order in which accounts are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consumer {
    /// A call path, numbered over all threads by the call trees.
    Path(u32),
    /// A call path of the recorder.
    Recorder(u32),
    /// The probes inside a call path.
    Probes(u32),
    /// An app by its uid.
    App(u32),
    /// An interrupt handler, by its number among the handlers.
    Interrupts(u32),
    IdleFloor,
    Unmetered,
    Unattributed,
}

/// A line of the ledger without its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) consumer: Consumer,
    pub(crate) charge: Charge,
    pub(crate) source: SourceId,
}

/// A line and its component in one number, in the order of a ledger's bookings: from the top 3 bits of
/// the consumer's kind, 32 of its index, 10 of component, 3 of charge, 16 of source. One number is hashed
/// and sorted several times faster than its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LineKey(u64);

impl LineKey {
    /// The most components that fit.
    pub(crate) const COMPONENTS: usize = 1 << 10;

    const COMPONENT: u32 = 19;
    const PAYER: u32 = 29;

    #[inline]
    pub(crate) fn new(line: Line) -> Self {
        let (kind, index) = match line.consumer {
            Consumer::Path(path) => (0, path),
            Consumer::Recorder(path) => (1, path),
            Consumer::Probes(path) => (2, path),
            Consumer::App(uid) => (3, uid),
            Consumer::Interrupts(handler) => (4, handler),
            Consumer::IdleFloor => (5, 0),
            Consumer::Unmetered => (6, 0),
            Consumer::Unattributed => (7, 0),
        };
        let consumer = kind << 32 | u64::from(index);
        Self(consumer << Self::PAYER | (line.charge as u64) << 16 | u64::from(line.source.0))
    }

    /// The same line of a component.
    pub(crate) fn of(self, component: ComponentId) -> Self {
        Self(self.0 | u64::from(component.0) << Self::COMPONENT)
    }

    pub(crate) fn consumer(self) -> Consumer {
        let consumer = self.0 >> Self::PAYER;
        let index = consumer as u32;
        match consumer >> 32 {
            0 => Consumer::Path(index),
            1 => Consumer::Recorder(index),
            2 => Consumer::Probes(index),
            3 => Consumer::App(index),
            4 => Consumer::Interrupts(index),
            5 => Consumer::IdleFloor,
            6 => Consumer::Unmetered,
            _ => Consumer::Unattributed,
        }
    }

    pub(crate) fn component(self) -> ComponentId {
        ComponentId((self.0 >> Self::COMPONENT) as u16 & (Self::COMPONENTS as u16 - 1))
    }

    pub(crate) fn charge(self) -> Charge {
        let number = (self.0 >> 16 & 7) as usize;
        Charge::ALL.get(number).copied().unwrap_or(Charge::Tail)
    }

    pub(crate) fn source(self) -> SourceId {
        SourceId(self.0 as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_parts_and_their_order() {
        let consumers = [
            Consumer::Path(0),
            Consumer::Path(u32::MAX),
            Consumer::Recorder(3),
            Consumer::Probes(2),
            Consumer::App(u32::MAX),
            Consumer::Interrupts(7),
            Consumer::IdleFloor,
            Consumer::Unmetered,
            Consumer::Unattributed,
        ];
        let mut last = None;
        for consumer in consumers {
            for component in [0, 5, 1023].map(ComponentId) {
                for charge in Charge::ALL {
                    for source in [0, u16::MAX].map(SourceId) {
                        let key = LineKey::new(Line { consumer, charge, source }).of(component);
                        assert_eq!(
                            (key.consumer(), key.component(), key.charge(), key.source()),
                            (consumer, component, charge, source)
                        );
                        assert!(last < Some(key));
                        last = Some(key);
                    }
                }
            }
        }
    }
}
