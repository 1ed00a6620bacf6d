//! Try blocks to the format's disjoint ranges.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::layout::Layout;
use super::{Code, TryBlock};
use crate::code_item::CatchHandler;
use crate::code_item::handler_offset;
use crate::cursor::Put;
use crate::remap::Remap;
use crate::{DexError, Result, Section, TypeId};

/// Most try blocks, and most caught types, that all ranges of a method may have together, each counted once
/// a range. Compilers stay below ten thousand; broken code could ask for gigabytes.
const MAX_COVERED: usize = 1 << 20;

fn too_many(found: usize) -> DexError {
    DexError::TooMany { pool: Section::CODE, found: found as u64, limit: MAX_COVERED as u64 }
}

/// Writes try blocks, and keeps its memory from one body to the next.
#[derive(Debug, Default)]
pub(crate) struct TryEncoder {
    /// Starts (true) and ends of blocks.
    borders: Vec<(u32, bool, usize)>,
    /// The blocks that cover a place, first asked first.
    active: Vec<usize>,
    ranges: Vec<Covered>,
    /// The blocks of all ranges.
    blocks: Vec<usize>,
    /// The handlers of all ranges, one behind the other.
    encoded: Vec<u8>,
    /// The starts and ends of each range.
    spans: Vec<Range<usize>>,
    /// Handlers, each once.
    list: Vec<u8>,
}

/// A range of units under the same blocks.
#[derive(Debug)]
struct Covered {
    start: u32,
    end: u32,
    /// The blocks that cover it among those of all ranges, first asked first.
    blocks: Range<usize>,
}

impl TryEncoder {
    /// Makes `out` the `try_item`s and handlers that follow the instructions; returns the number of ranges.
    pub(crate) fn encode(
        &mut self,
        code: &Code,
        layout: &Layout,
        remap: &Remap,
        out: &mut Vec<u8>,
    ) -> Result<u16> {
        out.clear();
        self.flatten(code, layout)?;
        if self.ranges.is_empty() {
            return Ok(0);
        }
        self.handlers(code, layout, remap)?;
        self.list.clear();
        let mut known: FxHashMap<&[u8], u32> = FxHashMap::default();
        for span in &self.spans {
            let bytes = self.encoded.get(span.clone()).unwrap_or_default();
            known.entry(bytes).or_insert_with(|| {
                let at = self.list.len() as u32;
                self.list.extend_from_slice(bytes);
                at
            });
        }
        let mut length = Vec::with_capacity(5);
        length.put_uleb(known.len() as u32);
        let mut count = 0_u64;
        for (range, span) in self.ranges.iter().zip(&self.spans) {
            let bytes = self.encoded.get(span.clone()).unwrap_or_default();
            // The list begins with its length, which the offsets count from.
            let at = known.get(bytes).copied().unwrap_or(0) + length.len() as u32;
            // A range counts at most 65535 units.
            let mut start = range.start;
            while start < range.end {
                let units = (range.end - start).min(0xffff);
                out.put_u32(start);
                out.put_u16(units as u16);
                out.put_u16(handler_offset(at)?);
                start += units;
                count += 1;
            }
        }
        out.extend_from_slice(&length);
        out.extend_from_slice(&self.list);
        u16::try_from(count).map_err(|_| DexError::TooMany {
            pool: Section::CODE,
            found: count,
            limit: 0xffff,
        })
    }

    /// Writes the handlers of every range.
    fn handlers(&mut self, code: &Code, layout: &Layout, remap: &Remap) -> Result<()> {
        self.encoded.clear();
        self.spans.clear();
        let mut caught = 0;
        let mut handler = CatchHandler { typed: Vec::new(), catch_all: None };
        for range in &self.ranges {
            handler.typed.clear();
            handler.catch_all = None;
            for &block in self.blocks.get(range.blocks.clone()).unwrap_or_default() {
                let Some(block) = code.tries.get(block) else { continue };
                caught += block.typed.len();
                if caught > MAX_COVERED {
                    return Err(too_many(caught));
                }
                for (ty, label) in &block.typed {
                    let ty = TypeId(remap.ty(ty.0, &Section::CODE)?);
                    // A type that is caught already never reaches a second handler.
                    if handler.typed.iter().all(|(other, _)| *other != ty) {
                        handler.typed.push((ty, layout.label(*label)?));
                    }
                }
                if let Some(label) = block.catch_all {
                    handler.catch_all = Some(layout.label(label)?);
                    break;
                }
            }
            let start = self.encoded.len();
            handler.put(&mut self.encoded);
            self.spans.push(start..self.encoded.len());
        }
        Ok(())
    }

    /// Cuts overlapping blocks at each other's borders.
    fn flatten(&mut self, code: &Code, layout: &Layout) -> Result<()> {
        self.borders.clear();
        self.active.clear();
        self.ranges.clear();
        self.blocks.clear();
        for (index, block) in code.tries.iter().enumerate() {
            let (start, end) = (layout.label(block.start)?, layout.label(block.end)?);
            if start < end && (block.catch_all.is_some() || !block.typed.is_empty()) {
                self.borders.push((start, true, index));
                self.borders.push((end, false, index));
            }
        }
        self.borders.sort_unstable_by_key(|&(at, ..)| at);
        let mut last = 0;
        for &(at, begins, index) in &self.borders {
            if at > last && !self.active.is_empty() {
                let covered = self.blocks.len() + self.active.len();
                if covered > MAX_COVERED {
                    return Err(too_many(covered));
                }
                let before = self.ranges.last_mut().filter(|range| {
                    let blocks = self.blocks.get(range.blocks.clone()).unwrap_or_default();
                    range.end == last && same(code, blocks, &self.active)
                });
                if let Some(range) = before {
                    range.end = at;
                } else {
                    let first = self.blocks.len();
                    self.blocks.extend_from_slice(&self.active);
                    let blocks = first..self.blocks.len();
                    self.ranges.push(Covered { start: last, end: at, blocks });
                }
            }
            last = at;
            match self.active.binary_search(&index) {
                Err(place) if begins => self.active.insert(place, index),
                Ok(place) if !begins => {
                    self.active.remove(place);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn same(code: &Code, one: &[usize], other: &[usize]) -> bool {
    let handlers = |&index: &usize| {
        code.tries.get(index).map(|TryBlock { typed, catch_all, .. }| (typed, catch_all))
    };
    one.iter().map(handlers).eq(other.iter().map(handlers))
}
