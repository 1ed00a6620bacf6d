//! Try ranges and handlers of a body around which instructions are put.

use super::patch::{Mark, MarkKind, NewPlaces, Subject};
use super::shifts::Shifts;
use crate::Result;
use crate::code_item::{CatchHandler, handler_offset};
use crate::cursor::Put;

/// Stands for the handler of everything alone.
const CATCH_ALL: u32 = u32::MAX;
/// Units that one range can cover.
const MAX_RANGE: u32 = 0xffff;

/// Moves try ranges and handlers, and keeps its memory from one body to the next.
#[derive(Debug, Default)]
pub(super) struct HandlerPatch {
    /// First unit, unit behind the last, and offset of the handlers in the source.
    ranges: Vec<(u32, u32, u32)>,
    /// Offsets of handlers in the source and in what is written.
    moved: Vec<(u32, u32)>,
    list: Vec<u8>,
}

impl HandlerPatch {
    /// Makes `out` the ranges and handlers; returns the number of ranges. `None` where the source is broken.
    pub(super) fn write(
        &mut self,
        subject: &Subject<'_, '_>,
        (marks, shifts): (&[Mark], &Shifts),
        (code_end, places): (u32, NewPlaces),
        out: &mut Vec<u8>,
    ) -> Result<Option<u16>> {
        out.clear();
        if !self.cut(subject, (marks, shifts), (code_end, places)) {
            return Ok(None);
        }
        if self.ranges.is_empty() {
            return Ok(Some(0));
        }
        let count: u32 = self.ranges.iter().map(|(from, to, _)| pieces(*from, *to)).sum();
        let Ok(count) = u16::try_from(count) else { return Ok(None) };
        self.handlers(subject, shifts, places)?;
        for &(mut from, to, handlers) in &self.ranges {
            let found = self.moved.binary_search_by_key(&handlers, |&(old, _)| old);
            let Some(&(_, new)) = found.ok().and_then(|index| self.moved.get(index)) else {
                return Ok(None);
            };
            while from < to {
                let units = (to - from).min(MAX_RANGE);
                out.put_u32(from);
                out.put_u16(units as u16);
                out.put_u16(handler_offset(new)?);
                from += units;
            }
        }
        out.extend_from_slice(&self.list);
        Ok(Some(count))
    }

    /// Finds the new ranges; false where those of the source overlap.
    fn cut(
        &mut self,
        subject: &Subject<'_, '_>,
        (marks, shifts): (&[Mark], &Shifts),
        (code_end, places): (u32, NewPlaces),
    ) -> bool {
        self.ranges.clear();
        let mut covered = Covered { ranges: &mut self.ranges, places, end: places.start };
        let mut returns = marks
            .iter()
            .filter_map(|mark| matches!(mark.kind, MarkKind::Return).then_some(mark.at))
            .peekable();
        let mut last = 0;
        for range in subject.item.tries() {
            let end = range.start.saturating_add(u32::from(range.count)).min(code_end);
            if range.start < last || end <= range.start {
                return false;
            }
            last = end;
            let handlers = u32::from(range.handler_off);
            while returns.next_if(|at| *at < range.start).is_some() {}
            let mut from = shifts.moved(range.start);
            while let Some(at) = returns.next_if(|at| *at < end && places.exit > 0) {
                let probe = shifts.moved(at);
                covered.add(from, probe, handlers);
                from = probe + places.exit;
            }
            covered.add(from, shifts.moved(end), handlers);
        }
        covered.finish();
        true
    }

    /// Writes all handlers of the source, with the handler of everything behind, then that alone.
    fn handlers(
        &mut self,
        subject: &Subject<'_, '_>,
        shifts: &Shifts,
        places: NewPlaces,
    ) -> Result<()> {
        self.list.clear();
        self.moved.clear();
        let catch_all = places.handles.then_some(places.end);
        let alone = self.ranges.iter().any(|(_, _, handlers)| *handlers == CATCH_ALL);
        let has_handlers = subject.item.tries_len() > 0;
        let mut cursor = subject.item.handlers();
        let base = cursor.at();
        let count = if has_handlers { cursor.uleb()? } else { 0 };
        self.list.put_uleb(count.saturating_add(u32::from(alone)));
        for _ in 0..count {
            self.moved.push((cursor.at() - base, self.list.len() as u32));
            let mut handler = CatchHandler::parse(&mut cursor)?;
            for (ty, at) in &mut handler.typed {
                ty.0 = subject.remap.ty(ty.0, &cursor)?;
                *at = shifts.moved(*at);
            }
            handler.catch_all = match handler.catch_all {
                Some(at) => Some(shifts.moved(at)),
                None => catch_all,
            };
            handler.put(&mut self.list);
        }
        if alone {
            self.moved.push((CATCH_ALL, self.list.len() as u32));
            CatchHandler { typed: Vec::new(), catch_all }.put(&mut self.list);
        }
        Ok(())
    }
}

/// The number of ranges that so many units need.
fn pieces(from: u32, to: u32) -> u32 {
    to.saturating_sub(from).div_ceil(MAX_RANGE)
}

/// Ranges in ascending order, and the handler of everything between them.
struct Covered<'c> {
    ranges: &'c mut Vec<(u32, u32, u32)>,
    places: NewPlaces,
    /// The end of what is covered.
    end: u32,
}

impl Covered<'_> {
    fn add(&mut self, from: u32, to: u32, handlers: u32) {
        if from < to {
            self.fill(from);
            self.ranges.push((from, to, handlers));
            self.end = to;
        }
    }

    fn fill(&mut self, to: u32) {
        if self.places.handles && self.end < to {
            self.ranges.push((self.end, to, CATCH_ALL));
            self.end = to;
        }
    }

    fn finish(mut self) {
        self.fill(self.places.end);
    }
}
