//! Moving classes to another file where the references of the probes do not fit.

use std::borrow::Cow;

use wattle_dex::{ClassIndex, Dex, DexFile, Importer, MethodId, References, Result, Section};

use crate::plan::Exclusions;
use crate::{ByteCount, Options, ProbeEvent, SkipReason};

/// Entries that instructions can number of types, signatures, fields and methods.
const LIMIT: u32 = 1 << 16;

/// Entries that probes may add to each table: the runtime class, `int`, `String` and `void`; a signature for each
/// [`ProbeArgument`](crate::ProbeArgument); a method for each event. They name no fields.
const NEEDED: [(Section, u32); 3] = [
    (Section::TYPE_IDS, 4),
    (Section::PROTO_IDS, 3),
    (Section::METHOD_IDS, ProbeEvent::ALL.len() as u32),
];

/// Table entries for methods that tell how many bytes a call moved: `long`, `byte[]` and `DatagramPacket`, with a signature for
/// each; a method for each form of the number.
const NEEDED_FOR_BYTES: [u32; 3] = [3, 3, ByteCount::METHODS.len() as u32];

/// The room that probes need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room([(Section, u32); 3]);

impl Room {
    pub(super) fn from_options(options: &Options) -> Self {
        let mut needed = NEEDED;
        if options.mode.apis() && options.sink.counts_bytes() {
            for ((_, needed), more) in needed.iter_mut().zip(NEEDED_FOR_BYTES) {
                *needed += more;
            }
        }
        Self(needed)
    }

    fn is_left(self, count: impl Fn(Section) -> u32) -> bool {
        self.0.into_iter().all(|(table, needed)| count(table) + needed <= LIMIT)
    }
}

/// The file as one or several, each a single Dalvik executable with room for the references of probes.
///
/// A container of version 041 becomes its files. Of a file that is too full the last classes go to a new one: code
/// refers to classes by name, so it does not matter to it where they are.
pub(super) fn divide(bytes: &[u8], room: Room) -> Result<Vec<Cow<'_, [u8]>>> {
    let files = Dex::parse_container(bytes)?;
    if let [only] = files.as_slice()
        && room.is_left(|table| only.count(table))
    {
        return Ok(vec![Cow::Borrowed(bytes)]);
    }
    let mut parts = Vec::new();
    for dex in &files {
        let single = DexFile::edit(dex).write()?;
        parts.extend(divide_file(single, room)?.into_iter().map(Cow::Owned));
    }
    Ok(parts)
}

/// The methods of files that have no room for probes: files of one class that alone fills a table.
pub(super) fn without_room(files: &[Dex<'_>], room: Room) -> Exclusions {
    let mut exclusions = Exclusions::default();
    for (file, dex) in files.iter().enumerate() {
        if room.is_left(|table| dex.count(table)) {
            continue;
        }
        let methods = (0..dex.count(Section::METHOD_IDS)).map(MethodId);
        exclusions.methods.extend(methods.map(|method| ((file, method), SkipReason::TooLarge)));
    }
    exclusions
}

fn divide_file(bytes: Vec<u8>, room: Room) -> Result<Vec<Vec<u8>>> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    loop {
        let dex = Dex::parse(&rest)?;
        if room.is_left(|table| dex.count(table)) || dex.count(Section::CLASS_DEFS) < 2 {
            parts.push(rest);
            return Ok(parts);
        }
        // A class that fills a table alone gets a file of its own, without probes.
        let first = first_that_moves(&dex, room)?.max(1);
        let (stay, moved) = split(&dex, first)?;
        parts.push(stay);
        // Where only entries that nothing needs were too many, no class had to move.
        if first >= dex.count(Section::CLASS_DEFS) {
            return Ok(parts);
        }
        rest = moved;
    }
}

/// The first class that finds no room with all before it.
fn first_that_moves(dex: &Dex<'_>, room: Room) -> Result<u32> {
    let mut needed: Option<References> = None;
    for index in 0..dex.count(Section::CLASS_DEFS) {
        let references = References::of_class(dex, ClassIndex(index))?;
        let all = match needed.take() {
            Some(mut needed) => {
                needed.absorb(&references);
                needed
            }
            None => references,
        };
        if !room.is_left(|table| all.count(table)) {
            return Ok(index);
        }
        needed = Some(all);
    }
    // Nothing needs the entries that are too many: all classes fit when these are left out.
    Ok(dex.count(Section::CLASS_DEFS))
}

fn split(dex: &Dex<'_>, first: u32) -> Result<(Vec<u8>, Vec<u8>)> {
    let classes = dex.count(Section::CLASS_DEFS);
    let mut stay = DexFile::edit(dex);
    stay.set_prune(true);
    let mut moved = DexFile::new(dex.header().version);
    let mut importer = Importer::new(dex, moved.pool_mut());
    let mut imported = Vec::new();
    for index in (first..classes).map(ClassIndex) {
        imported.push(importer.class(index)?);
        stay.remove_class(index)?;
    }
    for class in imported {
        moved.add_class(class);
    }
    Ok((stay.write()?, moved.write()?))
}
