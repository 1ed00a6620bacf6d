//! Registers that a probe may overwrite.

use wattle_dex::{Code, DexError, Liveness, Node, RegisterSet, Result};

/// Registers that `const`, `const-string`, `move-exception` and `throw` can name.
const REACH: u16 = 256;
/// Nodes that the searches of one body may visit; afterwards the register that the frame gains is taken. The
/// search for one place runs to the next label, so straight code with many calls could take hours.
const MAX_VISITED: usize = 1 << 18;

/// A set of the registers below 256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LowRegisters([u64; 4]);

impl LowRegisters {
    pub(super) const ALL: Self = Self([u64::MAX; 4]);

    pub(super) fn new(set: &RegisterSet, registers: u16) -> Self {
        let mut low = Self::default();
        for register in (0..registers.min(REACH)).filter(|&it| set.contains(u32::from(it))) {
            low.insert(register);
        }
        low
    }

    pub(super) fn insert(&mut self, register: u16) {
        if let Some(word) = self.0.get_mut(usize::from(register / 64)) {
            *word |= 1 << (register % 64);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    /// Whether a register is in it; said of every one past 255 too.
    pub(super) fn contains(self, register: u32) -> bool {
        self.0.get(register as usize / 64).is_none_or(|word| word >> (register % 64) & 1 != 0)
    }
}

/// Finds registers to overwrite in one body.
#[derive(Debug)]
pub(super) struct Scratch {
    liveness: Option<Liveness>,
    /// Per node, how many nodes a search from there visits.
    distances: Vec<u32>,
    visited: usize,
    registers: u16,
    /// A register that is never taken.
    receiver: Option<u16>,
    /// The number of registers taken of those that the frame can gain.
    pub(super) gained: u16,
}

impl Scratch {
    /// `analyse`: whether anything is going to be asked that needs the flow of the values.
    pub(super) fn new(code: &Code, receiver: Option<u16>, analyse: bool) -> Result<Self> {
        let liveness = match analyse.then(|| Liveness::from_code(code)) {
            Some(Ok(liveness)) => Some(liveness),
            // Everything counts as needed then.
            None | Some(Err(DexError::TooMany { .. })) => None,
            Some(Err(error)) => return Err(error),
        };
        let mut distances = Vec::new();
        if liveness.is_some() {
            distances.resize(code.nodes.len(), 0);
            let mut distance = 0;
            for (slot, node) in distances.iter_mut().zip(&code.nodes).rev() {
                distance += 1;
                *slot = distance;
                if matches!(node, Node::Label(_)) {
                    distance = 0;
                }
            }
        }
        Ok(Self { liveness, distances, visited: 0, registers: code.registers, receiver, gained: 0 })
    }

    pub(super) fn liveness(&self) -> Option<&Liveness> {
        self.liveness.as_ref()
    }

    /// A register that is free before a node and not in a set.
    pub(super) fn before(
        &mut self,
        code: &Code,
        node: usize,
        besides: LowRegisters,
    ) -> Result<Option<u16>> {
        let needed = self.needed_before(code, node, besides)?;
        Ok(self.outside(needed))
    }

    /// The lower one of two such registers.
    pub(super) fn pair_before(
        &mut self,
        code: &Code,
        node: usize,
        besides: LowRegisters,
    ) -> Result<Option<u16>> {
        let needed = self.needed_before(code, node, besides)?;
        let is_free = |&it: &u16| Some(it) != self.receiver && !needed.contains(u32::from(it));
        let last = self.registers.min(REACH).saturating_sub(1);
        let own = (0..last).find(|it| is_free(it) && is_free(&(it + 1)));
        Ok(own.or_else(|| self.gain(2)))
    }

    fn needed_before(
        &mut self,
        code: &Code,
        node: usize,
        besides: LowRegisters,
    ) -> Result<LowRegisters> {
        let distance = self.distances.get(node).map_or(0, |&distance| distance as usize);
        self.visited = self.visited.saturating_add(distance);
        let mut needed = match &self.liveness {
            Some(liveness) if self.visited <= MAX_VISITED => {
                LowRegisters::new(&liveness.before(code, node)?, self.registers)
            }
            _ => LowRegisters::ALL,
        };
        needed.add(besides);
        Ok(needed)
    }

    /// A register that is not in a set.
    pub(super) fn outside(&mut self, needed: LowRegisters) -> Option<u16> {
        let own = (0..self.registers.min(REACH))
            .find(|&it| Some(it) != self.receiver && !needed.contains(u32::from(it)));
        own.or_else(|| self.gain(1))
    }

    /// The first of the registers that the frame gains.
    fn gain(&mut self, count: u16) -> Option<u16> {
        let first = self.registers;
        let is_within = first.checked_add(count).is_some_and(|end| end <= REACH);
        is_within.then(|| {
            self.gained = self.gained.max(count);
            first
        })
    }
}
