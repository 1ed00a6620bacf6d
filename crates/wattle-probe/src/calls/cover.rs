//! The handlers of exceptions that a node throws.

use rustc_hash::FxHashMap;
use wattle_dex::{Code, DexError, Label, Liveness, Node, Result};

use super::scratch::LowRegisters;

/// Try blocks of all sets of a body together, and handlers of a body. Real methods stay below a thousandth.
const MAX_BLOCKS: usize = 1 << 18;

/// Try blocks that cover a node, by their position, first asked first. Sets of one body have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CoverId(usize);

impl CoverId {
    /// No try block.
    pub(super) const NONE: Self = Self(0);
}

/// One such set.
#[derive(Clone, Debug, Default)]
pub(super) struct Cover {
    /// Positions among the body's try blocks.
    pub(super) blocks: Vec<usize>,
    /// The first handler of everything.
    pub(super) catch_all: Option<Label>,
    /// Registers that the handlers read.
    pub(super) needed: LowRegisters,
    /// Registers that the handler of everything reads.
    pub(super) catch_all_needs: LowRegisters,
}

/// The sets that cover the nodes of a body.
#[derive(Debug)]
pub(super) struct Covers {
    sets: Vec<Cover>,
    numbers: FxHashMap<Vec<usize>, usize>,
    /// Per try block, the first that catches the same.
    alike: Vec<usize>,
}

impl Covers {
    /// The sets of some nodes, in ascending order. `None` where there are too many to handle.
    pub(super) fn new(code: &Code, nodes: &[usize]) -> Result<Option<(Self, Vec<CoverId>)>> {
        let alike = alike(code);
        let mut covers =
            Self { sets: vec![Cover::default()], numbers: FxHashMap::default(), alike };
        covers.numbers.insert(Vec::new(), 0);
        if code.tries.is_empty() {
            return Ok(Some((covers, vec![CoverId::NONE; nodes.len()])));
        }
        let mut borders = borders(code)?.into_iter().peekable();
        let mut active: Vec<usize> = Vec::new();
        let mut known = Some(0);
        let mut ids = Vec::with_capacity(nodes.len());
        let mut total = 0;
        for &node in nodes {
            while let Some((_, begins, block)) = borders.next_if(|&(at, ..)| at < node) {
                known = None;
                match active.binary_search(&block) {
                    Err(place) if begins => active.insert(place, block),
                    Ok(place) if !begins => drop(active.remove(place)),
                    _ => {}
                }
            }
            let id = if let Some(id) = known {
                id
            } else {
                total += active.len();
                if total > MAX_BLOCKS {
                    return Ok(None);
                }
                covers.number(code, &active)
            };
            known = Some(id);
            ids.push(CoverId(id));
        }
        Ok(Some((covers, ids)))
    }

    fn number(&mut self, code: &Code, active: &[usize]) -> usize {
        if let Some(&id) = self.numbers.get(active) {
            return id;
        }
        let id = self.sets.len();
        let blocks = active.iter().filter_map(|&block| code.tries.get(block));
        let catch_all = blocks.map(|block| block.catch_all).find(Option::is_some).flatten();
        self.sets.push(Cover { blocks: active.to_vec(), catch_all, ..Cover::default() });
        self.numbers.insert(active.to_vec(), id);
        id
    }

    pub(super) fn get(&self, id: CoverId) -> Option<&Cover> {
        self.sets.get(id.0)
    }

    /// The types that a set catches: sets with equal lists are interchangeable.
    pub(super) fn catches(&self, cover: &Cover) -> Vec<usize> {
        cover.blocks.iter().filter_map(|&block| self.alike.get(block).copied()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sets.len() <= 1
    }

    /// Finds out what the handlers read; everything, where the body was too large to be analysed.
    pub(super) fn analyse(&mut self, code: &Code, liveness: Option<&Liveness>) -> Result<()> {
        let places = label_places(code);
        let mut needs: FxHashMap<Label, LowRegisters> = FxHashMap::default();
        let mut of = |label: Label| -> Result<LowRegisters> {
            if let Some(&known) = needs.get(&label) {
                return Ok(known);
            }
            let (Some(liveness), Some(&node)) = (liveness, places.get(&label)) else {
                return Ok(LowRegisters::ALL);
            };
            let live = LowRegisters::new(&liveness.before(code, node)?, code.registers);
            needs.insert(label, live);
            Ok(live)
        };
        let mut by_block = Vec::with_capacity(code.tries.len());
        for block in &code.tries {
            let mut needed = LowRegisters::default();
            for label in block.typed.iter().map(|(_, label)| label).chain(&block.catch_all) {
                needed.add(of(*label)?);
            }
            by_block.push(needed);
        }
        for set in &mut self.sets {
            for &needed in set.blocks.iter().filter_map(|&block| by_block.get(block)) {
                set.needed.add(needed);
            }
            if let Some(label) = set.catch_all {
                set.catch_all_needs = of(label)?;
            }
        }
        Ok(())
    }
}

/// Starts and ends of try blocks, in order: node, whether it begins, block.
fn borders(code: &Code) -> Result<Vec<(usize, bool, usize)>> {
    let places = label_places(code);
    let place = |label: Label| match places.get(&label) {
        Some(&place) => Ok(place),
        None => Err(DexError::Edit {
            subject: "method body",
            expected: "try blocks between labels that are placed".into(),
            found: format!("{label:?}"),
        }),
    };
    let mut borders = Vec::with_capacity(code.tries.len() * 2);
    for (index, block) in code.tries.iter().enumerate() {
        let (start, end) = (place(block.start)?, place(block.end)?);
        if start < end {
            borders.extend([(start, true, index), (end, false, index)]);
        }
    }
    borders.sort_unstable();
    Ok(borders)
}

fn label_places(code: &Code) -> FxHashMap<Label, usize> {
    let labels = code.nodes.iter().enumerate().filter_map(|(index, node)| match node {
        Node::Label(label) => Some((*label, index)),
        Node::Instruction(_) | Node::Debug(_) => None,
    });
    labels.collect()
}

/// Per try block, the first that catches the same.
fn alike(code: &Code) -> Vec<usize> {
    let mut first = FxHashMap::default();
    let mut alike = Vec::with_capacity(code.tries.len());
    for (index, block) in code.tries.iter().enumerate() {
        let catches = (block.typed.as_slice(), block.catch_all);
        alike.push(*first.entry(catches).or_insert(index));
    }
    alike
}
