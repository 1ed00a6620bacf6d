//! Try blocks to the format's disjoint ranges.

use rustc_hash::FxHashMap;

use super::layout::Layout;
use super::{Code, TryBlock};
use crate::code_item::CatchHandler;
use crate::cursor::Put;
use crate::write::{Remap, handler_offset, put_handler};
use crate::{DexError, Result, Section, TypeId};

/// How many try blocks, and how many caught types, all ranges of a method may have together, each counted once
/// a range. Compilers stay below ten thousand; broken code could ask for gigabytes.
const MAX_COVERED: usize = 1 << 20;

fn too_many(found: usize) -> DexError {
    DexError::TooMany { pool: Section::CODE, found: found as u64, limit: MAX_COVERED as u64 }
}

/// The number of ranges, and the `try_item`s and handlers that follow the instructions.
pub(crate) fn encode_tries(code: &Code, layout: &Layout, remap: &Remap) -> Result<(u16, Vec<u8>)> {
    let ranges = flatten(code, layout)?;
    if ranges.is_empty() {
        return Ok((0, Vec::new()));
    }
    let mut list = Vec::new();
    let mut known: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    let mut items = Vec::new();
    let mut count = 0_u64;
    let mut handlers = Vec::new();
    let mut caught = 0;
    for range in &ranges {
        let mut handler = CatchHandler { typed: Vec::new(), catch_all: None };
        for &block in &range.blocks {
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
        let mut bytes = Vec::new();
        put_handler(&mut bytes, &handler);
        handlers.push(bytes);
    }
    // The list begins with its length, which the offsets count from.
    let distinct = {
        let mut distinct: Vec<&Vec<u8>> = handlers.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.len() as u32
    };
    list.put_uleb(distinct);
    for (range, bytes) in ranges.iter().zip(handlers) {
        let at = *known.entry(bytes).or_insert_with_key(|bytes| {
            let at = list.len() as u32;
            list.extend_from_slice(bytes);
            at
        });
        // A range counts at most 65535 units.
        let mut start = range.start;
        while start < range.end {
            let units = (range.end - start).min(0xffff);
            items.put_u32(start);
            items.put_u16(units as u16);
            items.put_u16(handler_offset(at)?);
            start += units;
            count += 1;
        }
    }
    items.extend(list);
    let count = u16::try_from(count).map_err(|_| DexError::TooMany {
        pool: Section::CODE,
        found: count,
        limit: 0xffff,
    })?;
    Ok((count, items))
}

struct Range {
    start: u32,
    end: u32,
    /// The blocks that cover it, first asked first.
    blocks: Vec<usize>,
}

/// Cuts overlapping blocks at each other's borders.
fn flatten(code: &Code, layout: &Layout) -> Result<Vec<Range>> {
    let mut borders = Vec::with_capacity(code.tries.len() * 2);
    for (index, block) in code.tries.iter().enumerate() {
        let (start, end) = (layout.label(block.start)?, layout.label(block.end)?);
        if start < end && (block.catch_all.is_some() || !block.typed.is_empty()) {
            borders.push((start, true, index));
            borders.push((end, false, index));
        }
    }
    borders.sort_unstable_by_key(|&(at, ..)| at);
    let mut active: Vec<usize> = Vec::new();
    let mut ranges: Vec<Range> = Vec::new();
    let (mut last, mut covered) = (0, 0);
    for (at, begins, index) in borders {
        if at > last && !active.is_empty() {
            covered += active.len();
            if covered > MAX_COVERED {
                return Err(too_many(covered));
            }
            match ranges.last_mut() {
                Some(range) if range.end == last && same(code, &range.blocks, &active) => {
                    range.end = at;
                }
                _ => ranges.push(Range { start: last, end: at, blocks: active.clone() }),
            }
        }
        last = at;
        match active.binary_search(&index) {
            Err(place) if begins => active.insert(place, index),
            Ok(place) if !begins => {
                active.remove(place);
            }
            _ => {}
        }
    }
    Ok(ranges)
}

fn same(code: &Code, one: &[usize], other: &[usize]) -> bool {
    let handlers = |&index: &usize| {
        code.tries.get(index).map(|TryBlock { typed, catch_all, .. }| (typed, catch_all))
    };
    one.iter().map(handlers).eq(other.iter().map(handlers))
}
