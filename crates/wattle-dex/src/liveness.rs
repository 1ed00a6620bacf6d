//! Which registers hold a value that is still needed.

use crate::effects::Effects;
use crate::{Code, DexError, Instruction, Label, Node, Result, Section};

/// Registers of a frame as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSet {
    bits: Vec<u64>,
}

impl RegisterSet {
    fn new(registers: u32) -> Self {
        Self { bits: vec![0; registers.div_ceil(64) as usize] }
    }

    /// Whether a register is in it.
    pub fn contains(&self, register: u32) -> bool {
        self.bits.get(register as usize / 64).is_some_and(|word| word >> (register % 64) & 1 != 0)
    }

    fn insert(&mut self, register: u32) {
        if let Some(word) = self.bits.get_mut(register as usize / 64) {
            *word |= 1 << (register % 64);
        }
    }

    fn remove(&mut self, register: u32) {
        if let Some(word) = self.bits.get_mut(register as usize / 64) {
            *word &= !(1 << (register % 64));
        }
    }

    /// Adds all of another; true where that changed something.
    fn union(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (word, other) in self.bits.iter_mut().zip(&other.bits) {
            changed |= other & !*word != 0;
            *word |= other;
        }
        changed
    }
}

/// For each node of a body, the registers whose values are needed from there on.
///
/// A register that is not needed may be overwritten. Debuggers may still show it as a variable.
#[derive(Clone, Debug)]
pub struct Liveness {
    registers: u32,
    /// Per node, what is needed before it; kept for block starts only.
    starts: Vec<Option<RegisterSet>>,
    handlers: Vec<Vec<usize>>,
    labels: Vec<Option<usize>>,
}

/// Words of sets that an analysis may hold: 32 MiB.
const MAX_WORDS: usize = 1 << 22;
/// Nodes that an analysis may visit; a body of the largest size seen needs a thousandth.
const MAX_WORK: usize = 1 << 28;

fn too_large(found: usize, limit: usize) -> DexError {
    DexError::TooMany { pool: Section::CODE, found: found as u64, limit: limit as u64 }
}

impl Liveness {
    /// Analyses a body. An error where a label is placed nowhere or the body is too large to analyse.
    pub fn from_code(code: &Code) -> Result<Self> {
        let labels = label_nodes(code);
        let words = u32::from(code.registers).div_ceil(64) as usize;
        let cells = (labels.iter().flatten().count() + 1).saturating_mul(words);
        if cells > MAX_WORDS {
            return Err(too_large(cells, MAX_WORDS));
        }
        let mut liveness = Self {
            registers: u32::from(code.registers),
            starts: vec![None; code.nodes.len() + 1],
            handlers: handlers_of_nodes(code, &labels)?,
            labels,
        };
        let empty = RegisterSet::new(liveness.registers);
        for &node in std::iter::once(&0).chain(liveness.labels.iter().flatten()) {
            if let Some(slot) = liveness.starts.get_mut(node) {
                *slot = Some(empty.clone());
            }
        }
        let mut work = 0;
        loop {
            work += code.nodes.len() * words.max(1);
            if work > MAX_WORK {
                return Err(too_large(work, MAX_WORK));
            }
            let mut changed = false;
            let mut live = empty.clone();
            for node in (0..code.nodes.len()).rev() {
                liveness.step(code, node, &mut live)?;
                if let Some(Some(start)) = liveness.starts.get_mut(node) {
                    changed |= start.union(&live);
                }
            }
            if !changed {
                return Ok(liveness);
            }
        }
    }

    /// Registers that are needed before a node, from those that are needed behind it.
    fn step(&self, code: &Code, node: usize, live: &mut RegisterSet) -> Result<()> {
        let Some(Node::Instruction(instruction)) = code.nodes.get(node) else { return Ok(()) };
        let opcode = instruction.opcode;
        if !opcode.can_continue() {
            *live = RegisterSet::new(self.registers);
        }
        for target in instruction.targets() {
            if let Some(Some(start)) = self.starts.get(place(&self.labels, target)?) {
                live.union(start);
            }
        }
        transfer(instruction, live);
        if opcode.can_throw() {
            for &handler in self.handlers.get(node).into_iter().flatten() {
                if let Some(Some(start)) = self.starts.get(handler) {
                    live.union(start);
                }
            }
        }
        Ok(())
    }

    /// Registers that are needed just before a node of the analysed body.
    pub fn before(&self, code: &Code, node: usize) -> Result<RegisterSet> {
        // The next block start or the end behind the node, then back.
        let mut end = node;
        while end < code.nodes.len()
            && (end == node || !matches!(self.starts.get(end), Some(Some(_))))
        {
            end += 1;
        }
        let start = self.starts.get(end).cloned().flatten();
        let mut live = start.unwrap_or_else(|| RegisterSet::new(self.registers));
        for at in (node..end).rev() {
            self.step(code, at, &mut live)?;
        }
        Ok(live)
    }

    /// Registers below `limit` that are free just before a node: nothing that is there is read later.
    ///
    /// At a `return` the returned registers count as needed. Arguments that are never read are free too.
    pub fn free_before(&self, code: &Code, node: usize, limit: u16) -> Result<Vec<u16>> {
        let live = self.before(code, node)?;
        Ok((0..code.registers.min(limit))
            .filter(|&register| !live.contains(u32::from(register)))
            .collect())
    }

    /// Registers below `limit` that are free at the start of the body and hold no argument.
    pub fn free_at_entry(&self, code: &Code, limit: u16) -> Result<Vec<u16>> {
        let locals = code.registers.saturating_sub(code.ins);
        self.free_before(code, 0, limit.min(locals))
    }
}

fn transfer(instruction: &Instruction, live: &mut RegisterSet) {
    let effects = Effects::from_opcode(instruction.opcode);
    if let Some((register, wide)) = effects.written(&instruction.registers) {
        live.remove(register);
        if wide {
            live.remove(register + 1);
        }
    }
    effects.read(&instruction.registers, |register| live.insert(register));
}

/// The node where a label is placed.
fn place(labels: &[Option<usize>], label: Label) -> Result<usize> {
    let found = labels.get(label.0 as usize).copied().flatten();
    found.ok_or(DexError::Label { label: label.0, found: "placed nowhere" })
}

/// The node of each label.
fn label_nodes(code: &Code) -> Vec<Option<usize>> {
    let mut nodes = vec![None; code.labels as usize];
    for (index, node) in code.nodes.iter().enumerate() {
        if let Node::Label(label) = node
            && let Some(slot) = nodes.get_mut(label.0 as usize)
        {
            *slot = Some(index);
        }
    }
    nodes
}

/// For each node, the nodes of the handlers that cover it.
fn handlers_of_nodes(code: &Code, labels: &[Option<usize>]) -> Result<Vec<Vec<usize>>> {
    if code.tries.is_empty() {
        return Ok(Vec::new());
    }
    let mut handlers: Vec<Vec<usize>> = vec![Vec::new(); code.nodes.len()];
    let mut total = 0;
    for block in &code.tries {
        let (start, end) = (place(labels, block.start)?, place(labels, block.end)?);
        let mut targets = Vec::new();
        for label in block.typed.iter().map(|(_, label)| label).chain(&block.catch_all) {
            targets.push(place(labels, *label)?);
        }
        for (node, list) in handlers.iter_mut().enumerate().take(end).skip(start) {
            if matches!(code.nodes.get(node), Some(Node::Instruction(it)) if it.opcode.can_throw())
            {
                total += targets.len();
                list.extend(&targets);
            }
        }
        if total > MAX_WORDS {
            return Err(too_large(total, MAX_WORDS));
        }
    }
    Ok(handlers)
}
