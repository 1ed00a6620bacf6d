//! The content of all registers of a frame at one place of the code.

use super::types::{Class, RegType, Wide};
use crate::TypeId;

/// A frame: types of the registers, monitors that are held.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    registers: Vec<RegType>,
    /// Registers that were written since the handlers saw the frame, possibly several times.
    written: Vec<u32>,
    /// Whether `written` is not all that has changed.
    more_written: bool,
    /// Whether a constructor has called another one.
    pub(crate) this_ready: bool,
    /// The number of monitors held.
    pub(crate) depth: u32,
    /// Which of them each register holds, as bits.
    locks: Vec<(u32, u32)>,
}

/// The part of a frame that a path brings along and that has not come the same way before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All of it.
    Everything,
    /// Registers written since the last time.
    Written,
    /// No register.
    Nothing,
}

/// Most monitors that one method may hold at a time.
const MAX_MONITORS: u32 = 32;
/// Most written registers that are listed; merging all of a frame is cheaper than a longer list.
const MAX_WRITTEN: usize = 32;

impl State {
    /// Makes it a frame of registers that nothing has written.
    pub(crate) fn clear(&mut self, registers: u16) {
        self.registers.clear();
        self.registers.resize(registers.into(), RegType::Unusable);
        self.this_ready = true;
        self.depth = 0;
        self.locks.clear();
        self.forget_written();
    }

    /// Makes it equal to another one, without its list of written registers.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.registers.clear();
        self.registers.extend_from_slice(&other.registers);
        self.this_ready = other.this_ready;
        self.depth = other.depth;
        self.locks.clear();
        self.locks.extend_from_slice(&other.locks);
        self.forget_written();
    }

    /// Makes it a frame of as many registers, of which nothing is known, with as many monitors held.
    pub(crate) fn copy_shape(&mut self, other: &Self) {
        self.registers.clear();
        self.registers.resize(other.registers.len(), RegType::Unusable);
        self.this_ready = other.this_ready;
        self.depth = other.depth;
        self.locks.clear();
        self.forget_written();
    }

    /// The handlers have seen the frame.
    pub(crate) fn forget_written(&mut self) {
        self.written.clear();
        self.more_written = false;
    }

    /// Whether anything has changed since the handlers have seen the frame.
    pub(crate) fn has_changed(&self) -> bool {
        self.more_written || !self.written.is_empty()
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
            self.more_written = true;
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
            if *slot == value {
                return;
            }
            *slot = value;
            if self.written.len() < MAX_WRITTEN {
                self.written.push(register);
            } else {
                self.more_written = true;
            }
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
            self.more_written = true;
        }
    }

    /// Replaces every register of one value.
    pub(crate) fn replace(&mut self, old: RegType, new: RegType) {
        for slot in self.registers.iter_mut().filter(|slot| **slot == old) {
            *slot = new;
            self.more_written = true;
        }
    }

    /// False where too many monitors are held.
    pub(crate) fn enter(&mut self, register: u32) -> bool {
        if self.depth >= MAX_MONITORS {
            return false;
        }
        let bit = 1 << self.depth;
        self.more_written = true;
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
        self.more_written = true;
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
        reach: Reach,
        join: &dyn Fn(TypeId, TypeId) -> Class,
    ) -> Option<bool> {
        if self.depth != other.depth {
            return None;
        }
        let mut changed = false;
        let mut each = |mine: &mut RegType, theirs: RegType| {
            // Nothing that comes makes anything of it.
            if *mine != RegType::Unusable && *mine != theirs {
                let merged = mine.merge(theirs, join);
                changed |= merged != *mine;
                *mine = merged;
            }
        };
        if reach == Reach::Nothing {
            // What is known of them says nothing as it is.
        } else if reach == Reach::Written && !other.more_written {
            for &register in &other.written {
                if let Some(mine) = self.registers.get_mut(register as usize) {
                    each(mine, other.get(register));
                }
            }
        } else {
            for (mine, &theirs) in self.registers.iter_mut().zip(&other.registers) {
                each(mine, theirs);
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
