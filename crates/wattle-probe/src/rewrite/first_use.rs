//! The first use of a register by a body.

use wattle_dex::{CodeItem, Decoded, Format};

/// Whether a body may read a register before it writes it, on any path. Code that cannot be read counts as reading it.
pub(super) fn may_read_first(code: &CodeItem<'_>, register: u16) -> bool {
    let mut search = Search {
        code,
        register: u32::from(register),
        seen: Vec::new(),
        waiting: Vec::new(),
        ranges: Vec::new(),
    };
    search.run()
}

/// Follows all paths until each has written the register.
struct Search<'s, 'a> {
    code: &'s CodeItem<'a>,
    register: u32,
    /// Which units were come to; empty before the first branch.
    seen: Vec<bool>,
    /// Units that are still to be followed.
    waiting: Vec<u32>,
    /// Try ranges: first unit, unit past the last, offset of the handlers; those whose handlers are followed already have none.
    ranges: Vec<(u32, u32, Option<u16>)>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> bool {
        let ranges = self.code.tries();
        self.ranges = ranges
            .map(|it| (it.start, it.start + u32::from(it.count), Some(it.handler_off)))
            .collect();
        let mut at = 0;
        loop {
            match self.path(at) {
                Some(false) => {}
                Some(true) | None => return true,
            }
            match self.waiting.pop() {
                Some(next) => at = next,
                None => return false,
            }
        }
    }

    /// Follows one path; whether it reads the register. `None` where it leads to what cannot be read.
    fn path(&mut self, mut at: u32) -> Option<bool> {
        let units = self.code.units;
        loop {
            if let Some(seen) = self.seen.get_mut(at as usize)
                && std::mem::replace(seen, true)
            {
                return Some(false);
            }
            let it = Decoded::at(units, at)?;
            if it.reads(self.register) {
                return Some(true);
            }
            let opcode = it.opcode;
            if opcode.can_throw() && !self.ranges.is_empty() {
                self.handlers(at)?;
            }
            let writes =
                |(first, wide)| self.register == first || (wide && self.register == first + 1);
            if it.written().is_some_and(writes) {
                return Some(false);
            }
            if opcode.is_branch() {
                self.follow(at.checked_add_signed(it.offset)?);
            } else if opcode.is_switch() && it.info().format == Format::F31t {
                self.cases(at, at.checked_add_signed(it.offset)?)?;
            }
            if !opcode.can_continue() {
                return Some(false);
            }
            at += it.units;
        }
    }

    fn follow(&mut self, unit: u32) {
        if self.seen.is_empty() {
            // What was come to without a branch may be come to again, once.
            self.seen.resize(self.code.units.len() as usize, false);
        }
        if self.seen.get(unit as usize) == Some(&false) {
            self.waiting.push(unit);
        }
    }

    /// Follows the handlers of a unit.
    fn handlers(&mut self, at: u32) -> Option<()> {
        let index = self.ranges.partition_point(|(_, end, _)| *end <= at);
        let range = self.ranges.get_mut(index).filter(|(start, ..)| *start <= at);
        let Some(handlers) = range.and_then(|(.., handlers)| handlers.take()) else {
            return Some(());
        };
        let handler = self.code.handler(handlers).ok()?;
        for unit in handler.typed.iter().map(|(_, unit)| *unit).chain(handler.catch_all) {
            self.follow(unit);
        }
        Some(())
    }

    /// Follows the cases of a switch.
    fn cases(&mut self, at: u32, payload: u32) -> Option<()> {
        let units = self.code.units;
        let count = u32::from(units.get(payload.checked_add(1)?)?);
        // The targets of `packed-switch` follow its first value, those of `sparse-switch` all values.
        let first = match units.get(payload)? {
            0x0100 => payload.checked_add(4)?,
            0x0200 => payload.checked_add(2 + count * 2)?,
            _ => return None,
        };
        for case in 0..count {
            let distance = units.get_u32(first.checked_add(case * 2)?)?.cast_signed();
            self.follow(at.checked_add_signed(distance)?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use wattle_dex::{Code, Dex, Liveness};
    use wattle_testdata::requires;

    use super::may_read_first;

    /// The analysis of decoded code says the same of every register of every body.
    #[requires(data)]
    #[test]
    fn first_uses_are_those_of_the_flow_of_values() {
        let bytes = wattle_testdata::bytes("apk/androguard-androidTest-3dex.apk");
        let apk = wattle_apk::Apk::open(&bytes).unwrap();
        let (mut read, mut unread) = (0, 0);
        for entry in apk.code_entries() {
            let file = apk.read(entry.name()).unwrap();
            let dex = Dex::parse(&file).unwrap();
            for (_, class) in dex.class_defs() {
                let members = dex.class_data(&class.unwrap()).unwrap();
                for member in members.into_iter().flatten() {
                    let Some(method) = member.unwrap().method().filter(|it| it.code_off != 0)
                    else {
                        continue;
                    };
                    let item = dex.code(method.code_off).unwrap();
                    let code = Code::decode(&dex, &item).unwrap();
                    let live = Liveness::from_code(&code).unwrap().before(&code, 0).unwrap();
                    for register in 0..item.registers {
                        let needed = live.contains(u32::from(register));
                        let name = dex.method_name(method.method).unwrap();
                        assert_eq!(may_read_first(&item, register), needed, "{name}, v{register}");
                        *if needed { &mut read } else { &mut unread } += 1;
                    }
                }
            }
        }
        assert!(read > 1000 && unread > 1000, "{read}, {unread}");
    }
}
