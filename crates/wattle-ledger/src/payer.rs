//! Who pays, before accounts have their final numbers.

use wattle_power::SourceId;

use crate::Charge;

/// Who pays. In the order in which accounts are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Payer {
    /// A call path, numbered over all threads ([`crate::call_tree::CallTrees`]).
    Path(u32),
    /// An app by its uid.
    App(u32),
    /// An interrupt handler, by its number in [`crate::interrupts::Handlers`].
    Interrupts(u32),
    IdleFloor,
    ProfilingOverhead,
    Unmetered,
    Unattributed,
}

/// A line of the ledger without its sum and component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Line {
    pub(crate) payer: Payer,
    pub(crate) charge: Charge,
    pub(crate) source: SourceId,
}

impl Line {
    /// One number for it: hashing a number is several times cheaper than hashing the parts.
    #[inline]
    fn key(self) -> u64 {
        let (kind, index) = match self.payer {
            Payer::Path(path) => (0, path),
            Payer::App(uid) => (1, uid),
            Payer::Interrupts(handler) => (2, handler),
            Payer::IdleFloor => (3, 0),
            Payer::ProfilingOverhead => (4, 0),
            Payer::Unmetered => (5, 0),
            Payer::Unattributed => (6, 0),
        };
        u64::from(index) << 24 | u64::from(self.source.0) << 8 | (self.charge as u64) << 4 | kind
    }
}

/// Sums by line.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    slots: rustc_hash::FxHashMap<u64, u32>,
    lines: Vec<(Line, wattle_units::CompensatedSum)>,
}

impl Sink {
    /// Books an energy in joules.
    #[inline]
    pub(crate) fn add(&mut self, line: Line, joules: f64) {
        let Self { slots, lines } = self;
        let slot = *slots.entry(line.key()).or_insert_with(|| {
            lines.push((line, wattle_units::CompensatedSum::default()));
            (lines.len() - 1) as u32
        });
        if let Some((_, sum)) = lines.get_mut(slot as usize) {
            sum.add(joules);
        }
    }

    /// The lines in the order in which they were first booked.
    pub(crate) fn into_lines(self) -> Vec<(Line, wattle_units::CompensatedSum)> {
        self.lines
    }
}
