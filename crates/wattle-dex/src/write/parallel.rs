//! Writes the items of one section with several threads; the result does not depend on their number.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::blob::{Blob, DROPPED};
use super::inventory::SectionItems;
use crate::chunk::{Chunk, Fixup, NEW, Programs};
use crate::{MethodId, Result, Section};

/// Bytes of the source that one piece of work covers.
const PIECE: u32 = 1 << 18;

/// The output of one piece of work.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) chunk: Chunk,
    /// Offset of each item in the chunk.
    pub(crate) places: Vec<u32>,
    /// Bodies written beside a shared one, for single methods.
    pub(crate) apart: Vec<(MethodId, u32)>,
    /// New line programs; bodies of the piece name them by position.
    pub(crate) debug: Programs,
    /// Items written.
    pub(crate) count: u32,
}

/// The output of a whole section besides its bytes.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) apart: Vec<(MethodId, u32)>,
    /// New line programs, piece by piece.
    pub(crate) debug: Vec<Programs>,
}

pub(crate) fn emit_section(
    items: &SectionItems,
    threads: usize,
    emit: &(dyn Fn(Range<usize>) -> Result<Piece> + Sync),
) -> Result<(Blob, Written)> {
    let pieces = pieces(items);
    let next = AtomicUsize::new(0);
    let work = || -> Vec<(usize, Result<Piece>)> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = pieces.get(index) else { return done };
            let piece = emit(range.clone());
            let failed = piece.is_err();
            done.push((index, piece));
            if failed {
                return done;
            }
        }
    };
    let threads = threads.clamp(1, pieces.len().max(1));
    let mut done: Vec<_> = wattle_workers::together(threads, work).into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    let mut blob = Blob::new(items.section);
    blob.old.reserve_exact(items.items.len());
    let mut written = Written::default();
    for (_, piece) in done {
        join(&mut blob, &mut written, piece?)?;
    }
    Ok((blob, written))
}

fn join(blob: &mut Blob, written: &mut Written, mut piece: Piece) -> Result<()> {
    let first_debug = written.debug.iter().map(Programs::len).sum::<usize>() as u32;
    for fixup in &mut piece.chunk.fixups {
        *fixup = with_debug_base(*fixup, first_debug);
    }
    piece.chunk.bytes.shrink_to_fit();
    let start = blob.push(piece.chunk)?;
    let placed = |place: u32| if place == DROPPED { DROPPED } else { start + place };
    blob.old.extend(piece.places.into_iter().map(placed));
    blob.count += piece.count;
    written.apart.extend(piece.apart.into_iter().map(|(method, place)| (method, start + place)));
    written.debug.push(piece.debug);
    Ok(())
}

fn with_debug_base(fixup: Fixup, base: u32) -> Fixup {
    if fixup.section == Section::DEBUG_INFO && fixup.key & NEW != 0 {
        return Fixup { key: fixup.key + base, ..fixup };
    }
    fixup
}

/// Ranges of items of about equal size.
fn pieces(items: &SectionItems) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for index in 0..items.items.len() {
        let first = items.items.get(start).copied().unwrap_or(0);
        if items.limit(index).saturating_sub(first) >= PIECE || index + 1 == items.items.len() {
            pieces.push(start..index + 1);
            start = index + 1;
        }
    }
    pieces
}
