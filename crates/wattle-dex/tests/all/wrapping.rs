//! Instructions around bodies: what is put around their bytes means the same as what is put around decoded code.

use std::fmt::Write as _;

use wattle_dex::{
    AccessFlags, ArgumentKind, Code, Dex, DexFile, Instruction, MethodId, MethodSite, NewCode,
    Opcode, Operand, Registers, Result, StringId, Verifier, Wrapping,
};
use wattle_testdata::requires;

use crate::support;
use crate::support::dump::dump;

/// The code that is put around each body.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// A text at the entry, calls without arguments elsewhere.
    Sections,
    /// Numbers at the entry and the exits, no handler.
    Numbers,
    /// The handler alone.
    Handler,
}

/// The numbers of what the inserted instructions name.
#[derive(Clone, Copy)]
struct Names {
    text: StringId,
    enter: MethodId,
    number: MethodId,
    exit: MethodId,
}

impl Names {
    fn new(file: &mut DexFile<'_>) -> Self {
        let pool = file.pool_mut();
        Self {
            text: pool.string("entry"),
            enter: pool.method("Laa/Runtime;", "enter", "(Ljava/lang/String;)V").unwrap(),
            number: pool.method("Laa/Runtime;", "number", "(I)V").unwrap(),
            exit: pool.method("Laa/Runtime;", "exit", "()V").unwrap(),
        }
    }

    /// Makes the wrapping of a method; false where the new registers are out of reach.
    fn fill(
        self,
        style: Style,
        dex: &Dex<'_>,
        site: &MethodSite<'_>,
        wrapping: &mut Wrapping,
    ) -> Result<bool> {
        let (first, gained) = (site.code.registers, 2);
        if first + gained > 256 {
            return Ok(false);
        }
        wrapping.gained = gained;
        let mut to = site.code.registers - site.code.ins;
        if !site.access.contains(AccessFlags::STATIC) {
            wrapping.entry.push(Instruction::moving(ArgumentKind::Reference, to, to + gained));
            to += 1;
        }
        for ty in dex.parameters(dex.method(site.method)?.proto)?.iter() {
            let kind = ArgumentKind::of_descriptor(dex.descriptor(ty)?.bytes());
            wrapping.entry.push(Instruction::moving(kind, to, to + gained));
            to += kind.words();
        }
        wrapping.before_line = wrapping.entry.len();
        let one =
            |opcode, operand| Instruction::new(opcode, Registers::list(&[first]).unwrap(), operand);
        let call = |method, arguments: &[u16]| {
            Instruction::calling(Opcode::INVOKE_STATIC, Operand::Method(method), arguments)
        };
        match style {
            Style::Sections => {
                wrapping.entry.push(one(Opcode::CONST_STRING, Operand::String(self.text)));
                wrapping.entry.push(call(self.enter, &[first])?);
                wrapping.exit.push(call(self.exit, &[])?);
            }
            Style::Numbers => {
                let number = Instruction::const_int(first, 70_000);
                wrapping.entry.extend([number.clone(), call(self.number, &[first])?]);
                wrapping.exit.extend([number, call(self.number, &[first])?]);
                return Ok(true);
            }
            Style::Handler => {}
        }
        wrapping.handler.extend([
            one(Opcode::MOVE_EXCEPTION, Operand::None),
            call(self.exit, &[])?,
            one(Opcode::THROW, Operand::None),
        ]);
        Ok(true)
    }
}

/// Whether a monitor can be left held by an exception: a handler of everything would be reached with and without it.
fn has_monitor(site: &MethodSite<'_>) -> bool {
    let mut instructions = site.code.instructions();
    instructions.any(|it| it.is_ok_and(|(_, it)| it.opcode == Opcode::MONITOR_ENTER))
}

/// A file with the wrapping around all bodies, decoded or not.
fn written(dex: &Dex<'_>, style: Style, strings: usize, decode: bool) -> Result<Vec<u8>> {
    let mut file = DexFile::edit(dex);
    let names = Names::new(&mut file);
    for n in 0..strings {
        file.pool_mut().string(&format!("\u{1}{n}"));
    }
    file.write_where_possible(
        &|site, wrapping| {
            if has_monitor(site) || !names.fill(style, dex, site, wrapping)? {
                return Ok(NewCode::Same);
            }
            if !decode {
                return Ok(NewCode::Wrapped);
            }
            let mut code = Code::decode_with_lines(dex, &site.code)?;
            code.wrap(wrapping)?;
            Ok(NewCode::Replaced(code))
        },
        &|_, _| {},
    )
}

/// The text of a class with each try range cut into its instructions: neighbours with the same handlers may be one.
fn without_borders(text: &str) -> String {
    let mut out = String::new();
    let mut ranges: Vec<(usize, usize, &str)> = Vec::new();
    for line in text.lines().chain(std::iter::once("")) {
        if let Some(range) = line.strip_prefix("  try ") {
            let (borders, handlers) = range.split_once(' ').unwrap();
            let (from, to) = borders.split_once("..").unwrap();
            let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
            match ranges.last_mut() {
                Some(last) if last.1 == from && last.2 == handlers => last.1 = to,
                _ if from == to => {}
                _ => ranges.push((from, to, handlers)),
            }
            continue;
        }
        for (from, to, handlers) in ranges.drain(..) {
            let _ = writeln!(out, "  try {from}..{to} {handlers}");
        }
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Compares both ways for all methods of a file. Returns whether it was written: a file that is full is refused either way.
fn check(name: &str, bytes: &[u8], style: Style, strings: usize) -> bool {
    let dex = Dex::parse(bytes).unwrap();
    let [fast, slow] = [false, true].map(|decode| written(&dex, style, strings, decode));
    let (fast, slow) = match (fast, slow) {
        (Ok(fast), Ok(slow)) => (fast, slow),
        (Err(fast), Err(slow)) => {
            assert_eq!(fast.to_string(), slow.to_string(), "{name}, {style:?}, {strings}");
            return false;
        }
        (fast, slow) => {
            panic!("{name}, {style:?}, {strings}: bytes {:?}, decoded {:?}", fast.err(), slow.err())
        }
    };
    let (fast, slow) = (Dex::parse(&fast).unwrap(), Dex::parse(&slow).unwrap());
    let (fast_classes, slow_classes) = (dump(&fast), dump(&slow));
    assert_eq!(fast_classes.len(), slow_classes.len(), "{name}, {style:?}, {strings}");
    for (fast, slow) in fast_classes.iter().zip(&slow_classes) {
        let (fast, slow) = (without_borders(fast), without_borders(slow));
        if fast == slow {
            continue;
        }
        let line = fast.lines().zip(slow.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let method = fast.lines().take(line).filter(|it| it.starts_with("method")).last();
        panic!(
            "{name}, {style:?}, {strings}: {method:?}\nbytes   {:?}\ndecoded {:?}",
            fast.lines().nth(line),
            slow.lines().nth(line)
        );
    }
    let old = Verifier::new(&dex).all(2).defects;
    let defects = Verifier::new(&fast).all(2).defects;
    assert!(defects.len() <= old.len(), "{name}, {style:?}, {strings}: {}", defects[0]);
    true
}

/// Compares both ways for files in some styles; at least three of four must be written.
fn check_all(files: &[(String, Vec<u8>)], styles: &[Style], strings: usize) {
    let mut written = 0;
    for (name, bytes) in files {
        for style in styles {
            written += usize::from(check(name, bytes, *style, strings));
        }
    }
    let all = files.len() * styles.len();
    assert!(written * 4 >= all * 3, "{written} of {all} were written");
}

const STYLES: [Style; 3] = [Style::Sections, Style::Numbers, Style::Handler];

#[test]
fn made_files_are_wrapped_alike() {
    let files = support::made_files();
    check_all(&files, &STYLES, 0);
    check_all(&files, &STYLES, 70_000);
}

/// Those that take seconds, not minutes.
fn real_files() -> Vec<(String, Vec<u8>)> {
    let mut files = support::real_files();
    files.retain(|(_, bytes)| bytes.len() <= 700_000);
    assert!(files.len() > 20, "{} files", files.len());
    files
}

#[requires(data)]
#[test]
fn real_files_are_wrapped_alike() {
    check_all(&real_files(), &STYLES, 0);
}

/// With so many strings nearly every text needs the long form, so all that follows moves.
#[requires(data)]
#[test]
fn real_files_with_many_strings_are_wrapped_alike() {
    check_all(&real_files(), &[Style::Sections], 70_000);
}
