//! Dalvik executables: which instruction is of which method.
//!
//! ART interprets code where it lies: in a `.dex` file, in a package that stores it unpacked, in the `.vdex` file that `dex2oat`
//! copied it to, or in memory. An unwinder writes where the instruction is in that.

use wattle_dex::{DebugEvent, Dex, Result};
use wattle_timeline::{FrameAddress, FrameKind};

use crate::Place;
use crate::dex_tables::{ClassMethod, DexTables};

/// Header of a `code_item`, before its instructions.
const CODE_HEADER: u64 = 16;
/// An executable cannot refer to more methods than 65536; those of several may be merged in a container, and damaged classes may all
/// have the same ones.
const MOST_METHODS: usize = 1 << 22;

/// The instructions of a method.
struct Body {
    /// First byte, from the start of the file.
    start: u64,
    /// Byte behind the last.
    end: u64,
    /// Which of the executables.
    file: usize,
    /// Its class.
    class: u32,
    /// Which method.
    method: ClassMethod,
}

/// An executable; compact ones have no lines here.
struct DexFile<'a> {
    tables: DexTables<'a>,
    standard: Option<Dex<'a>>,
}

/// The methods of all executables in a file.
pub struct DexMethods<'a> {
    files: Vec<DexFile<'a>>,
    /// In order.
    bodies: Vec<Body>,
}

impl<'a> DexMethods<'a> {
    /// Of a `.dex` or `.vdex` file, or of any bytes with executables in them: they are found by their magic, so it does not matter
    /// which of its versions a `.vdex` file has. Of compact ones (`cdex`, Android 9 to 13) methods are known, and no lines.
    pub fn find(bytes: &'a [u8]) -> Self {
        let mut found = Self { files: Vec::new(), bodies: Vec::new() };
        for tables in DexTables::find(bytes) {
            let (base, _, header) = tables.bytes();
            let standard =
                if tables.is_compact() { None } else { Dex::parse_at(base, header).ok() };
            if tables.is_compact() || standard.is_some() {
                found.add(DexFile { tables, standard });
            }
        }
        found.bodies.sort_by_key(|it| (it.start, it.end));
        found
    }

    /// Whether there is no executable in the file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn add(&mut self, dex: DexFile<'a>) {
        let file = self.files.len();
        let mut left = MOST_METHODS;
        for class in 0..dex.tables.classes() {
            let methods = dex.tables.class_methods(class, left);
            left -= methods.len();
            let bodies = methods.into_iter().filter(|it| it.code > 0).filter_map(|method| {
                let std::ops::Range { start, end } = dex.instructions(method.code)?;
                Some(Body { start, end, file, class, method })
            });
            self.bodies.extend(bodies);
        }
        self.files.push(dex);
    }

    /// The method that an offset in the file is in.
    pub fn place(&self, address: FrameAddress) -> Option<Place> {
        let (FrameAddress::InFile(offset) | FrameAddress::InElf(offset)) = address else {
            return None;
        };
        let behind = self.bodies.partition_point(|it| it.start <= offset);
        let body = self.bodies.get(behind.checked_sub(1)?).filter(|it| offset < it.end)?;
        let DexFile { tables, standard } = self.files.get(body.file)?;
        let unit = ((offset - body.start) / 2) as u32;
        let line = standard.as_ref().and_then(|dex| line(dex, body.method.code, unit).ok()?);
        Some(Place {
            function: tables.method_name(body.method.method)?,
            file: tables.source_file(body.class),
            line,
            pc: line.is_none().then_some(unit),
            kind: Some(FrameKind::Java),
        })
    }
}

impl DexFile<'_> {
    /// The instructions of a method, in bytes of the file.
    fn instructions(&self, code: u32) -> Option<std::ops::Range<u64>> {
        let Some(dex) = &self.standard else { return self.tables.compact_code(code) };
        let (_, base, _) = self.tables.bytes();
        let start = base as u64 + u64::from(code) + CODE_HEADER;
        Some(start..start + 2 * u64::from(dex.code(code).ok()?.units.len()))
    }
}

/// The line of a unit of a method's code; `None` where the method has none.
fn line(dex: &Dex<'_>, code_off: u32, unit: u32) -> Result<Option<u32>> {
    let Some(info) = dex.debug_info(dex.code(code_off)?.debug_info_off)? else { return Ok(None) };
    let events = info.events().map_while(Result::ok).take_while(|(from, _)| *from <= unit);
    let lines = events.filter_map(|(_, event)| match event {
        DebugEvent::Line(line) => Some(line),
        _ => None,
    });
    Ok(lines.last())
}
