//! Who pays, before accounts have their final numbers.

use rustc_hash::FxHashMap;
use wattle_power::SourceId;
use wattle_timeline::{ThreadId, Window};
use wattle_units::CompensatedSum;

use crate::path_stretches::{PathStretch, PathStretches};
use crate::single_calls::PowerPieces;
use crate::spans::{SpanKey, SpanSums};
use crate::{Charge, ComponentId};

/// Who pays. In the order in which accounts are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// A call path, numbered over all threads ([`crate::call_tree::CallTrees`]).
    Path(u32),
    /// A call path of the recorder.
    Recorder(u32),
    /// The probes inside a call path.
    Probes(u32),
    /// An app by its uid.
    App(u32),
    /// An interrupt handler, by its number in [`crate::interrupts::Handlers`].
    Interrupts(u32),
    IdleFloor,
    Unmetered,
    Unattributed,
}

/// A line of the ledger without its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) payer: Payer,
    pub(crate) charge: Charge,
    pub(crate) source: SourceId,
}

/// A line and its component in one number, in the order of a ledger's bookings: from the top 3 bits of
/// the payer's kind, 32 of its index, 10 of component, 3 of charge, 16 of source. One number is hashed
/// and sorted several times faster than its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LineKey(u64);

impl LineKey {
    /// The most components that fit.
    pub(crate) const COMPONENTS: usize = 1 << 10;

    const COMPONENT: u32 = 19;
    const PAYER: u32 = 29;

    #[inline]
    fn new(line: Line) -> Self {
        let (kind, index) = match line.payer {
            Payer::Path(path) => (0, path),
            Payer::Recorder(path) => (1, path),
            Payer::Probes(path) => (2, path),
            Payer::App(uid) => (3, uid),
            Payer::Interrupts(handler) => (4, handler),
            Payer::IdleFloor => (5, 0),
            Payer::Unmetered => (6, 0),
            Payer::Unattributed => (7, 0),
        };
        let payer = kind << 32 | u64::from(index);
        Self(payer << Self::PAYER | (line.charge as u64) << 16 | u64::from(line.source.0))
    }

    /// The same line of a component.
    pub(crate) fn of(self, component: ComponentId) -> Self {
        Self(self.0 | u64::from(component.0) << Self::COMPONENT)
    }

    pub(crate) fn payer(self) -> Payer {
        let payer = self.0 >> Self::PAYER;
        let index = payer as u32;
        match payer >> 32 {
            0 => Payer::Path(index),
            1 => Payer::Recorder(index),
            2 => Payer::Probes(index),
            3 => Payer::App(index),
            4 => Payer::Interrupts(index),
            5 => Payer::IdleFloor,
            6 => Payer::Unmetered,
            _ => Payer::Unattributed,
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

/// Sums by line, and by the stretches of tests where there are any.
#[derive(Debug, Default)]
pub(crate) struct Sink<'a> {
    sums: FxHashMap<LineKey, CompensatedSum>,
    tests: Option<SpanSums<'a>>,
    pieces: Option<PowerPieces<'a>>,
    stretches: Option<PathStretches>,
}

impl<'a> Sink<'a> {
    /// One that also looks at the time of tests, at what cores drew for threads, and at what paths drew when.
    pub(crate) fn with(
        tests: Option<SpanSums<'a>>,
        pieces: Option<PowerPieces<'a>>,
        stretches: Option<PathStretches>,
    ) -> Self {
        Self { tests, pieces, stretches, ..Self::default() }
    }

    /// Books an energy in joules that was drawn evenly over the window.
    #[inline]
    pub(crate) fn add_over(&mut self, line: Line, window: Window, joules: f64) {
        self.add(line, joules);
        if let Some(tests) = &mut self.tests {
            tests.add(window, line.payer, line.source, joules);
        }
        if let Some(pieces) = &mut self.pieces {
            pieces.add(line, window, joules);
        }
        if let Some(stretches) = &mut self.stretches {
            stretches.add(line.payer, window, joules);
        }
    }

    /// Books an energy in joules.
    #[inline]
    pub(crate) fn add(&mut self, line: Line, joules: f64) {
        self.sums.entry(LineKey::new(line)).or_default().add(joules);
    }

    /// What was drawn in the time of tests, in order.
    pub(crate) fn take_tests(&mut self) -> Vec<(SpanKey, CompensatedSum)> {
        self.tests.take().map(SpanSums::into_sums).unwrap_or_default()
    }

    /// What cores drew for threads.
    pub(crate) fn take_pieces(&mut self) -> Vec<(ThreadId, Window, f64)> {
        self.pieces.take().map(PowerPieces::into_pieces).unwrap_or_default()
    }

    /// What paths drew when.
    pub(crate) fn take_stretches(&mut self) -> Vec<PathStretch> {
        self.stretches.take().map(PathStretches::into_stretches).unwrap_or_default()
    }

    /// The lines, in order.
    pub(crate) fn into_lines(self) -> Vec<(LineKey, CompensatedSum)> {
        let mut lines: Vec<_> = self.sums.into_iter().collect();
        lines.sort_unstable_by_key(|(key, _)| *key);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_parts_and_their_order() {
        let payers = [
            Payer::Path(0),
            Payer::Path(u32::MAX),
            Payer::Recorder(3),
            Payer::Probes(2),
            Payer::App(u32::MAX),
            Payer::Interrupts(7),
            Payer::IdleFloor,
            Payer::Unmetered,
            Payer::Unattributed,
        ];
        let mut last = None;
        for payer in payers {
            for component in [0, 5, 1023].map(ComponentId) {
                for charge in Charge::ALL {
                    for source in [0, u16::MAX].map(SourceId) {
                        let key = LineKey::new(Line { payer, charge, source }).of(component);
                        assert_eq!(
                            (key.payer(), key.component(), key.charge(), key.source()),
                            (payer, component, charge, source)
                        );
                        assert!(last < Some(key));
                        last = Some(key);
                    }
                }
            }
        }
    }
}
