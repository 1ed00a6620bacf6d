//! The lines of a body.

use wattle_dex::{CodeItem, Dex};

/// Bytes of a line program that are read for each unit of code. Compilers write fewer than four.
const BYTES_PER_UNIT: usize = 16;
/// Bytes that are read of each besides: its start and what small methods say of their variables.
const BYTES_AT_LEAST: usize = 64;
/// Bytes of a number, and so of a parameter's name.
const MAX_NUMBER: usize = 5;

/// The first line of a method.
pub(super) fn first_line(dex: &Dex<'_>, code: &CodeItem<'_>) -> Option<u32> {
    Program::new(dex, code)?.number().filter(|&line| line > 0)
}

/// The lines of a body.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Addresses with the line that begins there, ascending.
    lines: Vec<(u32, u32)>,
}

impl Lines {
    /// A program that cannot be read, and an address behind the end of the code, give no line. Methods may share a line program;
    /// of each no more is read than its code accounts for.
    pub(crate) fn new(dex: &Dex<'_>, code: &CodeItem<'_>) -> Self {
        let mut lines = Self::default();
        if let Some(program) = Program::new(dex, code) {
            let _ = program.run(code.units.len(), &mut lines.lines);
        }
        lines
    }

    /// The line of an address.
    pub(crate) fn at(&self, address: u32) -> Option<u32> {
        let after = self.lines.partition_point(|&(at, _)| at <= address);
        self.lines.get(after.checked_sub(1)?).map(|&(_, line)| line)
    }
}

/// The rest of a `debug_info_item`, see "debug_info_item" in "Dalvik executable format".
struct Program<'a> {
    rest: &'a [u8],
}

impl<'a> Program<'a> {
    fn new(dex: &Dex<'a>, code: &CodeItem<'_>) -> Option<Self> {
        let start = Some(code.debug_info_off as usize).filter(|&at| at != 0)?;
        let bytes = dex.data().get(start..)?;
        let length = BYTES_AT_LEAST
            + MAX_NUMBER * usize::from(code.ins)
            + BYTES_PER_UNIT * code.units.len() as usize;
        Some(Self { rest: bytes.get(..length).unwrap_or(bytes) })
    }

    /// Notes the lines up to an address; `None` where the program breaks off.
    fn run(mut self, end: u32, lines: &mut Vec<(u32, u32)>) -> Option<()> {
        let mut line = self.number()?;
        let mut address = 0_u32;
        for _ in 0..self.number()? {
            self.number()?;
        }
        while address < end {
            let operands = match self.byte()? {
                0 => return Some(()),
                1 => {
                    address = address.checked_add(self.number()?)?;
                    0
                }
                2 => {
                    line = line.wrapping_add_signed(self.signed()?);
                    0
                }
                3 => 3,
                4 => 4,
                5 | 6 | 9 => 1,
                7 | 8 => 0,
                special => {
                    let adjusted = u32::from(special - 10);
                    line = line.wrapping_sub(4).wrapping_add(adjusted % 15);
                    address = address.checked_add(adjusted / 15)?;
                    lines.push((address, line));
                    0
                }
            };
            for _ in 0..operands {
                self.number()?;
            }
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// A number in LEB128 and how many bits it was given.
    fn leb(&mut self) -> Option<(u32, u32)> {
        let mut value = 0;
        for shift in (0..).step_by(7).take(MAX_NUMBER) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some((value, shift + 7));
            }
        }
        None
    }

    fn number(&mut self) -> Option<u32> {
        self.leb().map(|(value, _)| value)
    }

    fn signed(&mut self) -> Option<i32> {
        let (value, bits) = self.leb()?;
        let unused = 32_u32.saturating_sub(bits);
        Some((value << unused).cast_signed() >> unused)
    }
}

#[cfg(test)]
mod tests {
    use wattle_testdata::requires;

    use wattle_dex::{
        AccessFlags, Body, Class, CodeBuilder, DebugEvent, DebugInfo, Dex, DexFile, Member, Method,
    };

    use super::{BYTES_AT_LEAST, BYTES_PER_UNIT, Lines, first_line};

    /// The lines of all methods are those that the other reader of this workspace finds.
    fn check(bytes: &[u8]) -> usize {
        let dex = Dex::parse(bytes).unwrap();
        let mut found = 0;
        for class in dex.class_defs().filter_map(|(_, class)| class.ok()) {
            let members = dex.class_data(&class).unwrap();
            let methods = members.into_iter().flatten().filter_map(|it| it.unwrap().method());
            for method in methods.filter(|it: &wattle_dex::MethodItem| it.code_off != 0) {
                let code = dex.code(method.code_off).unwrap();
                let info = dex.debug_info(code.debug_info_off).unwrap();
                let first = info.as_ref().map(|info| info.line_start).filter(|&line| line > 0);
                assert_eq!(first_line(&dex, &code), first);
                let events = info.iter().flat_map(DebugInfo::events).map(Result::unwrap);
                let expected: Vec<_> = events
                    .filter_map(|(at, event)| match event {
                        DebugEvent::Line(line) => Some((at, line)),
                        _ => None,
                    })
                    .collect();
                let lines = Lines::new(&dex, &code);
                for at in 0..code.units.len() {
                    let last = expected.iter().rev().find(|(start, _)| *start <= at);
                    assert_eq!(lines.at(at), last.map(|(_, line)| *line));
                    found += usize::from(last.is_some());
                }
            }
        }
        found
    }

    #[requires(data)]
    #[test]
    fn real_files() {
        let mut found = 0;
        for name in ["dex/smali-accessorTest.dex", "dex/dex038.dex", "dex/dex039.dex"] {
            found += check(&wattle_testdata::bytes(name));
        }
        assert!(found > 0, "lines");
    }

    /// A hundred thousand lines of one instruction.
    #[test]
    fn no_more_is_read_than_the_code_accounts_for() {
        let mut file = DexFile::new(35);
        let id = file.pool_mut().method("Lapp/Main;", "run", "()V").unwrap();
        let mut class = Class::new(file.pool_mut().ty("Lapp/Main;"), None, AccessFlags::PUBLIC);
        let mut code = CodeBuilder::new(0, 0);
        for line in 1..100_000 {
            code.line(line);
        }
        code.return_void();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        class.direct_methods.push(Method { id, access: AccessFlags::STATIC, body });
        file.add_class(class);
        let bytes = file.write().unwrap();
        let dex = Dex::parse(&bytes).unwrap();
        let (_, class) = dex.class_defs().next().unwrap();
        let mut members = dex.class_data(&class.unwrap()).unwrap().unwrap();
        let item = members.next().unwrap().map(Member::method).unwrap().unwrap();
        let lines = Lines::new(&dex, &dex.code(item.code_off).unwrap());
        assert!(!lines.lines.is_empty() && lines.lines.len() <= BYTES_AT_LEAST + BYTES_PER_UNIT);
    }
}
