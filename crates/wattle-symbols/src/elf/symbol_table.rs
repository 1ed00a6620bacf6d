//! Functions by address.

use std::cmp::Reverse;

use object::{Architecture, Object as _, ObjectSection as _, ObjectSymbol, SymbolKind};

use super::segments::Segments;
use crate::java_method::JavaMethod;

/// `Elf64_Sym` of a function.
#[derive(Clone, Debug)]
struct Function {
    /// `st_value`.
    start: u64,
    /// `st_size`; 0 where the table does not say it, as for functions written in assembly.
    size: u64,
    /// The end of its section: what has no size ends there, if no other begins before.
    section_end: u64,
    /// Of several names of one address the best goes first: more is better.
    rank: u8,
    /// As the linker has it.
    name: Box<str>,
}

/// The functions of a file, from all its symbol tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolTable {
    /// In order of their starts, one each.
    functions: Vec<Function>,
}

/// A function may lie within another's range (aliases, code moved out of line): so many before an address are looked at.
const NESTED: usize = 8;

impl SymbolTable {
    /// Adds the functions of a file's `.symtab` and `.dynsym`.
    pub(crate) fn add(&mut self, file: &object::File<'_>) {
        let is_arm = file.architecture() == Architecture::Arm;
        for symbol in file.symbols() {
            self.functions.extend(function(file, &symbol, (4, is_arm)));
        }
        for symbol in file.dynamic_symbols() {
            self.functions.extend(function(file, &symbol, (0, is_arm)));
        }
    }

    /// Adds methods that were compiled ahead of time. They go before symbols: `dex2oat` gives methods that share code no name.
    pub(crate) fn add_methods(&mut self, methods: Vec<JavaMethod>) {
        const RANK: u8 = 8;
        self.functions.extend(methods.into_iter().map(|JavaMethod { start, size, name }| {
            Function { start, size, section_end: u64::MAX, rank: RANK, name: name.into() }
        }));
        self.finish();
    }

    /// Puts them in order.
    pub(crate) fn finish(&mut self) {
        let key = |it: &Function| (it.start, Reverse(it.rank), Reverse(it.size));
        self.functions.sort_by(|one, other| {
            key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
        });
        self.functions.dedup_by_key(|it| it.start);
        self.functions.shrink_to_fit();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The name of the function that an address is in.
    pub(crate) fn name(&self, address: u64, segments: &Segments) -> Option<&str> {
        let end = self.functions.partition_point(|it| it.start <= address);
        let before = self.functions.get(..end)?;
        let nearest = before.last()?;
        if nearest.size == 0 {
            // It goes on to the next, which is not before the address, or to the end of its section: behind `_init` are stubs.
            let limit = segments.code_end(nearest.start)?.min(nearest.section_end);
            return (address < limit).then_some(&*nearest.name);
        }
        let has = |it: &&Function| address - it.start < it.size;
        before.iter().rev().take(NESTED).find(has).map(|it| &*it.name)
    }
}

/// A symbol as a function, if it is one.
fn function<'a>(
    file: &object::File<'_>,
    symbol: &impl ObjectSymbol<'a>,
    (table, is_arm): (u8, bool),
) -> Option<Function> {
    let name = symbol.name().ok().filter(|name| !name.is_empty())?;
    let kind = match symbol.kind() {
        SymbolKind::Text => 2,
        // Assembly without `.type`. ARM's marks of code and data (`$a`, `$d`, `$t`, `$x`) are of the same type.
        SymbolKind::Unknown if !name.starts_with('$') && !name.starts_with(".L") => 0,
        _ => return None,
    };
    let section = symbol.section_index()?;
    // Nobody asks for the end of a section where the size is known.
    let section = Some(section).filter(|_| symbol.size() == 0);
    let section = section.and_then(|it| file.section_by_index(it).ok());
    let section_end = section.map(|it| it.address().saturating_add(it.size()));
    let global = u8::from(symbol.is_global() && !symbol.is_weak());
    // The lowest bit of an address on ARM says that the code is Thumb.
    let mask = if is_arm { !1 } else { !0 };
    let name = name.split('@').next().filter(|it| !it.is_empty()).unwrap_or(name);
    Some(Function {
        start: symbol.address() & mask,
        size: symbol.size(),
        section_end: section_end.filter(|end| *end > symbol.address()).unwrap_or(u64::MAX),
        rank: table + kind + global,
        name: name.into(),
    })
}
