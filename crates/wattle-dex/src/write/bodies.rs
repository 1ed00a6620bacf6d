//! Copies the items of a section, method bodies with what replaces them.

use rustc_hash::FxHashSet;

use super::blob::{Blob, DROPPED, too_large};
use super::inventory::{Inventory, SectionItems};
use super::item_source::Source;
use super::parallel::Piece;
use super::write_plan::Plan;
use crate::class_slot::Slot;
use crate::code::Assembler;
use crate::cursor::Put;
use crate::{
    AccessFlags, ClassIndex, CodeItem, Dex, MethodId, MethodSite, NewCode, Result, Section,
    Wrapping,
};

/// Bytes that one piece of work may write. It copies a quarter of a megabyte or one body; many methods that
/// share one large body and are all given new code are no work of a compiler.
const MAX_PIECE: usize = 1 << 26;

/// Copies items that carry no code.
pub(super) fn plain(
    source: &Source<'_, '_>,
    items: &SectionItems,
    range: std::ops::Range<usize>,
    gone: Option<&[bool]>,
) -> Result<Piece> {
    let mut piece = Piece::default();
    piece.chunk.bytes.reserve(items.bytes(&range));
    for index in range {
        let Some(&at) = items.items.get(index) else { continue };
        if gone.is_some_and(|gone| gone.get(index).copied().unwrap_or(false)) {
            piece.places.push(DROPPED);
            continue;
        }
        piece.chunk.bytes.pad_to(items.section.alignment());
        piece.places.push(piece.chunk.bytes.len() as u32);
        source.emit(items.section, at, items.limit(index), &mut piece.chunk)?;
        piece.count += 1;
    }
    Ok(piece)
}

/// A method of the source with code.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    code_off: u32,
    class: ClassIndex,
    method: MethodId,
    access: AccessFlags,
}

/// The users of each code item, sorted by its offset.
pub(super) fn owners(dex: &Dex<'_>, slots: &[Slot]) -> Result<Vec<Owner>> {
    let mut owners = Vec::new();
    let mut seen = FxHashSet::default();
    for slot in slots {
        let Slot::Source(class) = slot else { continue };
        let item = dex.class_def(*class)?;
        // Classes cannot share members: only broken files have that, and it would add up without bound.
        if !seen.insert(item.class_data_off) {
            continue;
        }
        let Some(members) = dex.class_data(&item)? else { continue };
        for member in members {
            if let Some(item) = member?.method().filter(|item| item.code_off != 0) {
                owners.push(Owner {
                    code_off: item.code_off,
                    class: *class,
                    method: item.method,
                    access: item.access,
                });
            }
        }
    }
    owners.sort_by_key(|owner| owner.code_off);
    Ok(owners)
}

/// The method bodies of the source, and what replaces them.
pub(super) struct Bodies<'b, 'a> {
    pub(super) source: Source<'b, 'a>,
    pub(super) items: &'b SectionItems,
    pub(super) owners: &'b [Owner],
    pub(super) plan: &'b Plan<'b, 'a>,
    /// Bodies that are not written.
    pub(super) gone: Option<&'b [bool]>,
}

impl Bodies<'_, '_> {
    /// Copies a range of bodies, new ones in the place of those they replace.
    pub(super) fn write(&self, range: std::ops::Range<usize>) -> Result<Piece> {
        let Self { source, items, owners, plan, gone } = *self;
        let mut piece = Piece::default();
        let (mut assembler, mut wrapping) = (Assembler::default(), Wrapping::default());
        // Room for what is put into bodies: what is not needed is given back untouched, and growing would copy.
        let room =
            if plan.rewrites { items.bytes(&range).saturating_mul(2) } else { items.bytes(&range) };
        piece.chunk.bytes.reserve(room);
        for index in range {
            let Some(&at) = items.items.get(index) else { continue };
            if gone.is_some_and(|gone| gone.get(index).copied().unwrap_or(false)) {
                piece.places.push(DROPPED);
                continue;
            }
            let first = owners.partition_point(|owner| owner.code_off < at);
            let users = owners.get(first..).unwrap_or_default();
            let users = users.iter().take_while(|owner| owner.code_off == at);
            let (mut kept, mut place) = (users.clone().next().is_none(), DROPPED);
            for owner in users {
                let code: CodeItem<'_> = source.dex.code(at)?;
                let site = MethodSite {
                    class: owner.class,
                    method: owner.method,
                    access: owner.access,
                    code,
                };
                let parameters = || {
                    let proto = source.dex.method(owner.method)?.proto;
                    Ok(source.dex.parameters(proto)?.len())
                };
                wrapping.clear();
                let made = (plan.rewrite)(&site, &mut wrapping).and_then(|new| match new {
                    NewCode::Replaced(new) => {
                        assembler.assemble(&new, source.remap, parameters()?).map(|_| true)
                    }
                    NewCode::Wrapped => {
                        let target = (source.remap, parameters()?);
                        assembler.wrap(source.dex, &site.code, &wrapping, target).map(|_| true)
                    }
                    NewCode::Same => Ok(false),
                });
                match (made, plan.refused) {
                    (Ok(false), _) => kept = true,
                    (Err(error), Some(refused)) => {
                        refused(&site, error);
                        kept = true;
                    }
                    (Err(error), None) => return Err(error),
                    (Ok(true), _) => {
                        if piece.chunk.bytes.len() > MAX_PIECE {
                            return Err(too_large(Section::CODE, piece.chunk.bytes.len() as u64));
                        }
                        piece.chunk.bytes.pad_to(4);
                        let start = piece.chunk.bytes.len() as u32;
                        assembler.body().put(&mut piece.chunk);
                        piece.apart.push((owner.method, start));
                        piece.count += 1;
                    }
                }
            }
            if kept {
                piece.chunk.bytes.pad_to(4);
                place = piece.chunk.bytes.len() as u32;
                source.emit(Section::CODE, at, items.limit(index), &mut piece.chunk)?;
                piece.count += 1;
            }
            piece.places.push(place);
        }
        piece.debug = std::mem::take(&mut piece.chunk.debug);
        Ok(piece)
    }
}

/// Line programs that only bodies used which are no longer written.
pub(super) fn dead_debug(
    dex: &Dex<'_>,
    inventory: &Inventory,
    items: &SectionItems,
    blob: &Blob,
) -> Result<Vec<bool>> {
    let Some(debug) = inventory.get(Section::DEBUG_INFO) else { return Ok(Vec::new()) };
    let (mut was, mut is) = (vec![false; debug.items.len()], vec![false; debug.items.len()]);
    for (&at, &place) in items.items.iter().zip(&blob.old) {
        let off = dex.code(at)?.debug_info_off;
        let Some(index) = debug.position(off) else { continue };
        if let (Some(was), Some(is)) = (was.get_mut(index), is.get_mut(index)) {
            *was = true;
            *is |= place != DROPPED;
        }
    }
    Ok(was.into_iter().zip(is).map(|(was, is)| was && !is).collect())
}
