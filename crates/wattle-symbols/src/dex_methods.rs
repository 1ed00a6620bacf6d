//! Dalvik executables: which instruction is of which method.
//!
//! ART interprets code where it lies: in a `.dex` file, in a package that stores it unpacked, in the `.vdex` file that `dex2oat`
//! copied it to, or in memory. An unwinder writes where the instruction is in that.

use wattle_dex::{DebugEvent, Dex, Member, MethodItem, Result, StringId};
use wattle_timeline::{FrameAddress, FrameKind};

use crate::Place;
use crate::dotted_name::java_class;

/// `DexFile::kDexMagic`.
const MAGIC: &[u8] = b"dex\n0";
/// A `.vdex` file aligns what it holds to this.
const ALIGNMENT: usize = 4;
/// Header of a `code_item`, before its instructions.
const CODE_HEADER: u64 = 16;
/// An executable cannot refer to more methods and fields than 65536 each; those of several may be merged in a container.
const MOST_MEMBERS: u32 = 1 << 22;

/// The instructions of a method.
struct Body {
    /// First byte, from the start of the file.
    start: u64,
    /// Byte behind the last.
    end: u64,
    /// Which of the executables.
    file: usize,
    /// Which method.
    item: MethodItem,
    /// The source file of its class.
    source: Option<StringId>,
}

/// The methods of all executables in a file.
pub struct DexMethods<'a> {
    files: Vec<Dex<'a>>,
    /// In order.
    bodies: Vec<Body>,
}

impl<'a> DexMethods<'a> {
    /// Of a `.dex` or `.vdex` file, or of any bytes with executables in them: they are found by their magic, so it does not matter
    /// which of its versions a `.vdex` file has. Compact ones (`cdex`, Android 9 to 11) are not understood.
    pub fn find(bytes: &'a [u8]) -> Self {
        let mut found = Self { files: Vec::new(), bodies: Vec::new() };
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(bytes.get(from..).unwrap_or_default(), MAGIC) {
            let at = from + at;
            from = at + 1;
            let rest = bytes.get(at..).unwrap_or_default();
            if !at.is_multiple_of(ALIGNMENT) {
                continue;
            }
            for dex in Dex::parse_container(rest).unwrap_or_default() {
                from = from.max(at + dex.header().file_size as usize);
                found.add(at, dex);
            }
        }
        found.bodies.sort_by_key(|it| (it.start, it.end));
        found
    }

    /// Whether there is no executable in the file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn add(&mut self, at: usize, dex: Dex<'a>) {
        let file = self.files.len();
        // Damaged classes may all have the same members.
        let mut left = MOST_MEMBERS;
        for (_, class) in dex.class_defs() {
            let Ok(class) = class else { continue };
            let data = dex.class_data(&class).ok().flatten();
            // What cannot be read ends a class, not the file.
            for member in data.into_iter().flatten().map_while(Result::ok) {
                if left == 0 {
                    break;
                }
                left -= 1;
                let found = body(at, &dex, member);
                self.bodies.extend(found.map(|(start, end, item)| Body {
                    start,
                    end,
                    file,
                    item,
                    source: class.source_file,
                }));
            }
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
        let dex = self.files.get(body.file)?;
        let method = dex.method(body.item.method).ok()?;
        let class = java_class(&dex.descriptor_str(method.class).ok()?);
        let name = dex.string(method.name).ok()?.to_str();
        let unit = ((offset - body.start) / 2) as u32;
        let line = line(dex, body.item.code_off, unit).ok().flatten();
        Some(Place {
            function: format!("{class}.{name}"),
            file: body.source.and_then(|it| dex.string(it).ok()).map(|it| it.to_str().into_owned()),
            line,
            pc: line.is_none().then_some(unit),
            kind: Some(FrameKind::Java),
        })
    }
}

/// The range of a method's instructions, if it has any.
fn body(at: usize, dex: &Dex<'_>, member: Member) -> Option<(u64, u64, MethodItem)> {
    let item = member.method().filter(|it| it.code_off > 0)?;
    let code = dex.code(item.code_off).ok()?;
    let start = at as u64 + u64::from(item.code_off) + CODE_HEADER;
    Some((start, start + 2 * u64::from(code.units.len()), item))
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
