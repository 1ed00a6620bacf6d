//! What all registers of a frame hold at one place of the code.

use super::types::{Class, RegType, Wide};
use crate::TypeId;

/// A frame: types of the registers, monitors that are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    registers: Vec<RegType>,
    /// Whether a constructor has called another one.
    pub(crate) this_ready: bool,
    /// How many monitors are held.
    pub(crate) depth: u32,
    /// Which of them each register holds, as bits.
    locks: Vec<(u32, u32)>,
}

/// How many monitors one method may hold at a time.
const MAX_MONITORS: u32 = 32;

impl State {
    pub(crate) fn new(registers: u16) -> Self {
        Self {
            registers: vec![RegType::Unusable; registers.into()],
            this_ready: true,
            depth: 0,
            locks: Vec::new(),
        }
    }

    pub(crate) fn get(&self, register: u32) -> RegType {
        self.registers.get(register as usize).copied().unwrap_or(RegType::Unusable)
    }

    /// Writes one register and what it breaks: the other half of a pair.
    pub(crate) fn set(&mut self, register: u32, value: RegType) {
        match self.get(register) {
            RegType::Low(_) => self.put(register + 1, RegType::Unusable),
            RegType::High(_) => self.put(register.wrapping_sub(1), RegType::Unusable),
            _ => {}
        }
        self.put(register, value);
        if !self.locks.is_empty() {
            self.locks.retain(|&(holder, _)| holder != register);
        }
    }

    pub(crate) fn set_pair(&mut self, register: u32, wide: Wide) {
        self.set(register, RegType::Unusable);
        self.set(register + 1, RegType::Unusable);
        self.put(register, RegType::Low(wide));
        self.put(register + 1, RegType::High(wide));
    }

    fn put(&mut self, register: u32, value: RegType) {
        if let Some(slot) = self.registers.get_mut(register as usize) {
            *slot = value;
        }
    }

    /// Copies a register; monitors that it holds go along.
    pub(crate) fn copy(&mut self, to: u32, from: u32) {
        let held = self.locks.iter().find(|&&(holder, _)| holder == from).map(|&(_, held)| held);
        if to == from {
            return;
        }
        self.set(to, self.get(from));
        if let Some(held) = held {
            self.locks.push((to, held));
        }
    }

    /// Replaces every register of one value.
    pub(crate) fn replace(&mut self, old: RegType, new: RegType) {
        for slot in self.registers.iter_mut().filter(|slot| **slot == old) {
            *slot = new;
        }
    }

    /// False where too many monitors are held.
    pub(crate) fn enter(&mut self, register: u32) -> bool {
        if self.depth >= MAX_MONITORS {
            return false;
        }
        let bit = 1 << self.depth;
        match self.locks.iter_mut().find(|(holder, _)| *holder == register) {
            Some((_, held)) => *held |= bit,
            None => self.locks.push((register, bit)),
        }
        self.depth += 1;
        true
    }

    /// False where the register does not hold the monitor that was entered last.
    pub(crate) fn exit(&mut self, register: u32) -> bool {
        let Some(depth) = self.depth.checked_sub(1) else { return false };
        let bit = 1 << depth;
        let holds = self.locks.iter().any(|&(holder, held)| holder == register && held & bit != 0);
        self.depth = depth;
        for (_, held) in &mut self.locks {
            *held &= !bit;
        }
        self.locks.retain(|&(_, held)| held != 0);
        holds
    }

    /// Merges a path into this one. `None`: the paths hold different numbers of monitors.
    pub(crate) fn merge(
        &mut self,
        other: &Self,
        join: &dyn Fn(TypeId, TypeId) -> Class,
    ) -> Option<bool> {
        if self.depth != other.depth {
            return None;
        }
        let mut changed = false;
        for (mine, &theirs) in self.registers.iter_mut().zip(&other.registers) {
            if *mine != theirs {
                let merged = mine.merge(theirs, join);
                changed |= merged != *mine;
                *mine = merged;
            }
        }
        if self.this_ready && !other.this_ready {
            self.this_ready = false;
            changed = true;
        }
        for (holder, held) in &mut self.locks {
            let theirs =
                other.locks.iter().find(|(other, _)| other == holder).map_or(0, |&(_, held)| held);
            changed |= *held & !theirs != 0;
            *held &= theirs;
        }
        self.locks.retain(|&(_, held)| held != 0);
        Some(changed)
    }
}
