//! pprof: `perftools.profiles.Profile` of github.com/google/pprof, `proto/profile.proto`, gzipped.
//!
//! Sample types: energy of all components, energy of each component, energy in nanojoules, time on a CPU, calls, samples. pprof scales
//! units of time and memory alone and shows any other as it is, so energy is in millijoules (`1234mJ`), and once more in nanojoules,
//! which is the default where a recording drew so little that millijoules would round it away. Both are there in every profile, so that
//! profiles of any two recordings can be compared (`-diff_base`).
//!
//! Process and thread are labels. A frame that a compiler put in the place of its call is a line of its caller's location, as pprof has it.
//! Energy that no call path drew is a stack of its own (`[idle floor]`), so that the sum of the samples is the ledger's
//! total. The first mapping, which pprof shows as the file of the profile, is the app that was recorded; a call that was recorded
//! without a file is in the mapping of its process.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use rustc_hash::FxHashMap;
use wattle_ledger::Ledger;
use wattle_wire::Writer;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::stack_frames::{FrameId, FrameKind, Frames};
use crate::{EnergyUnit, ExportError, Extract, Payer, Sheet, display_names, remarks};

/// The default unit of energies.
const UNIT: EnergyUnit = EnergyUnit::Millijoules;
/// The sample type of energy in [`EXACT_UNIT`].
const EXACT: &str = "energy_exact";
const EXACT_UNIT: EnergyUnit = EnergyUnit::Nanojoules;
/// Energy from which on its unit is fine enough to be the default: a thousandth of it is one.
const LEAST_UNITS: i64 = 1000;

/// Fields of `Profile`.
mod field {
    pub const SAMPLE_TYPE: u32 = 1;
    pub const SAMPLE: u32 = 2;
    pub const MAPPING: u32 = 3;
    pub const LOCATION: u32 = 4;
    pub const FUNCTION: u32 = 5;
    pub const STRING_TABLE: u32 = 6;
    pub const DURATION_NANOS: u32 = 10;
    pub const COMMENT: u32 = 13;
    pub const DEFAULT_SAMPLE_TYPE: u32 = 14;
}

/// Number of bytes gathered before they are compressed.
const CHUNK: usize = 1 << 16;

/// Texts by number; the first is empty, as the format asks.
#[derive(Default)]
struct Strings {
    texts: Vec<String>,
    numbers: FxHashMap<String, u64>,
}

impl Strings {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u64;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// A location: a frame with those that were inlined into it, the innermost first.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Location {
    lines: Vec<FrameId>,
    /// The process that it is in, where no file is known: an index into [`wattle_ledger::LedgerRows::processes`].
    process: Option<u32>,
}

/// All locations. Numbers count from 1.
#[derive(Default)]
struct Locations {
    numbers: FxHashMap<Location, u64>,
    all: Vec<Location>,
}

impl Locations {
    /// Of a stack from the outermost frame: location numbers from the innermost.
    fn of(&mut self, frames: &Frames<'_>, stack: &[FrameId], process: Option<u32>) -> Vec<u64> {
        let mut numbers = Vec::with_capacity(stack.len());
        let mut rest = stack;
        while let Some((last, _)) = rest.split_last() {
            // Inlined frames and the one that they are in. The outermost frame may say that it is inlined: it stays alone.
            let mut start = rest.len() - 1;
            while start > 0 && frames.get(rest[start]).is_inlined {
                start -= 1;
            }
            let outermost = frames.get(rest[start]);
            let is_apart = outermost.mapping.is_none() && outermost.kind == FrameKind::Call;
            let lines: Vec<FrameId> = if start + 1 == rest.len() {
                vec![*last]
            } else {
                rest[start..].iter().rev().copied().collect()
            };
            rest = &rest[..start];
            let next = self.all.len() as u64 + 1;
            let location = Location { lines, process: process.filter(|_| is_apart) };
            let number = *self.numbers.entry(location).or_insert_with_key(|location| {
                self.all.push(location.clone());
                next
            });
            numbers.push(number);
        }
        numbers
    }
}

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "pprof",
    endings: &[".pb.gz", ".pprof"],
    endings_note: None,
    description: "go tool pprof",
    content_type: "application/vnd.google.protobuf+gzip",
    is_binary: true,
    times: Times::None,
    unit: Some(UNIT),
    write: FormatWriter::Whole(|extract, options, to| write(extract, FORMAT.unit(options), to)),
};

/// Writes it.
pub fn write(
    extract: &Extract<'_>,
    unit: EnergyUnit,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let mut gzip = GzEncoder::new(to, Compression::default());
    let mut strings = Strings::default();
    strings.number("");
    let mut message = Writer::new();
    let sheet = Sheet::new(extract, unit);
    // The same consumers in the same order.
    let exact = (unit != EXACT_UNIT).then(|| Sheet::new(extract, EXACT_UNIT));
    write_head(extract, &sheet, exact.is_some(), &mut strings, &mut message);
    let frames = Frames::new(ledger);
    let mut locations = Locations::default();
    let labels = Labels::new(ledger, &mut strings);
    let mut has_row = vec![false; ledger.rows.paths.len()];
    let mut stack = Vec::new();
    let mut values = Vec::new();
    let mut sample = |payer: Payer, values: &[i64], message: &mut Writer| {
        frames.stack(payer, &mut stack);
        let thread = payer.thread(ledger).and_then(|it| ledger.rows.threads.get(it as usize));
        let ids = locations.of(&frames, &stack, thread.map(|thread| thread.process));
        message.message(field::SAMPLE, |sample| {
            sample.packed(1, ids);
            sample.packed(2, values.iter().map(|value| *value as u64));
            labels.write(payer, ledger, sample);
        });
    };
    let mut exact_rows = exact.iter().flat_map(Sheet::rows);
    for row in sheet.rows() {
        values.clear();
        values.push(row.sum());
        values.resize(ledger.rows.components.len() + 1, 0);
        for (component, amount) in row.amounts {
            if let Some(value) = values.get_mut(usize::from(component.0) + 1) {
                *value += amount;
            }
        }
        values.extend(exact_rows.next().map(|exact| exact.sum()));
        let path = match row.payer {
            Payer::Path(path) => Some(path),
            _ => None,
        };
        if let Some(seen) = path.and_then(|path| has_row.get_mut(path as usize)) {
            *seen = true;
        }
        values.extend(counts(ledger, path));
        if values.iter().any(|value| *value != 0) {
            sample(row.payer, &values, &mut message);
        }
        flush(&mut message, &mut gzip, CHUNK)?;
    }
    // Paths that drew nothing that is known, but ran or were called.
    let energies = ledger.rows.components.len() + 1 + usize::from(exact.is_some());
    for path in (0..).zip(&has_row).filter(|(_, seen)| !**seen).map(|(path, _): (u32, _)| path) {
        let counts = counts(ledger, Some(path));
        if counts.iter().any(|count| *count != 0) {
            values.clear();
            values.resize(energies, 0);
            values.extend(counts);
            sample(Payer::Path(path), &values, &mut message);
            flush(&mut message, &mut gzip, CHUNK)?;
        }
    }
    let files = Mappings::new(ledger, &sheet, &frames, &locations);
    files.write(&mut strings, &mut message);
    write_places(&frames, &locations, &files, &mut strings, &mut message);
    flush(&mut message, &mut gzip, CHUNK)?;
    for text in &strings.texts {
        message.string(field::STRING_TABLE, text);
        flush(&mut message, &mut gzip, CHUNK)?;
    }
    flush(&mut message, &mut gzip, 0)?;
    gzip.finish()?;
    Ok(())
}

fn flush(message: &mut Writer, to: &mut dyn Write, above: usize) -> Result<(), ExportError> {
    if message.len() > above {
        to.write_all(message.as_bytes())?;
        message.clear();
    }
    Ok(())
}

/// Time on a CPU, calls and samples of a path.
fn counts(ledger: &Ledger, path: Option<u32>) -> [i64; 3] {
    let path = path.and_then(|path| ledger.rows.paths.get(path as usize));
    path.map_or([0; 3], |path| {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        [path.self_cpu.value(), count(path.calls), count(path.samples)]
    })
}

/// Sample types, duration and comments.
fn write_head(
    extract: &Extract<'_>,
    sheet: &Sheet,
    has_exact: bool,
    strings: &mut Strings,
    message: &mut Writer,
) {
    let ledger = extract.ledger();
    let unit = sheet.unit.symbol();
    let mut types = vec![("energy".to_owned(), unit)];
    for component in &ledger.rows.components {
        types.push((format!("energy_{}", component.name.name()), unit));
    }
    if has_exact {
        types.push((EXACT.to_owned(), EXACT_UNIT.symbol()));
    }
    let others = [("cpu", "nanoseconds"), ("calls", "count"), ("samples", "count")];
    types.extend(others.map(|(name, unit)| (name.to_owned(), unit)));
    for (name, unit) in types {
        let (name, unit) = (strings.number(&name), strings.number(unit));
        message.message(field::SAMPLE_TYPE, |value_type| {
            value_type.varint(1, name);
            value_type.varint(2, unit);
        });
    }
    message.int(field::DURATION_NANOS, ledger.recording.window.duration().value());
    for remark in remarks::remarks(extract) {
        message.varint(field::COMMENT, strings.number(&remark));
    }
    let is_fine = has_exact && sheet.total() < LEAST_UNITS;
    let default = if is_fine { EXACT } else { "energy" };
    message.varint(field::DEFAULT_SAMPLE_TYPE, strings.number(default));
}

/// The files that locations are in. Numbers count from 1.
struct Mappings<'a> {
    ledger: &'a Ledger,
    names: Vec<&'a str>,
    numbers: FxHashMap<&'a str, u64>,
}

impl<'a> Mappings<'a> {
    /// The app first, then what locations are in.
    fn new(
        ledger: &'a Ledger,
        sheet: &Sheet,
        frames: &'a Frames<'a>,
        locations: &Locations,
    ) -> Self {
        let mut mappings = Self { ledger, names: Vec::new(), numbers: FxHashMap::default() };
        mappings.add(executable(ledger, sheet));
        for frame in frames.frames() {
            if let Some(name) = frame.mapping {
                mappings.add(name);
            }
        }
        let processes = locations.all.iter().filter_map(|location| location.process);
        for name in processes.filter_map(|process| process_name(ledger, process)) {
            mappings.add(name);
        }
        mappings
    }

    fn add(&mut self, name: &'a str) {
        if !self.numbers.contains_key(name) {
            self.names.push(name);
            self.numbers.insert(name, self.names.len() as u64);
        }
    }

    /// The number of the file that a location is in.
    fn of(&self, location: &Location, frames: &Frames<'_>) -> Option<u64> {
        let outermost = location.lines.last().map(|frame| frames.get(*frame))?;
        let process = || process_name(self.ledger, location.process?);
        self.numbers.get(outermost.mapping.or_else(process)?).copied()
    }

    fn write(&self, strings: &mut Strings, message: &mut Writer) {
        for (number, name) in (1..).zip(&self.names) {
            let name = strings.number(name);
            message.message(field::MAPPING, |to| {
                to.varint(1, number);
                to.varint(5, name);
                // Names are found already: pprof need not look for the file.
                to.bool(7, true);
                to.bool(8, true);
                to.bool(9, true);
                to.bool(10, true);
            });
        }
    }
}

/// The name of a process, if it has one.
fn process_name(ledger: &Ledger, process: u32) -> Option<&str> {
    let name = ledger.rows.processes.get(process as usize)?.name.as_str();
    (!name.is_empty()).then_some(name)
}

/// The app that was recorded, else the process that drew the most energy.
fn executable<'a>(ledger: &'a Ledger, sheet: &Sheet) -> &'a str {
    if let Some(app) = ledger.recording.apps.iter().find(|app| !app.is_empty()) {
        return app;
    }
    let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
    for row in sheet.rows() {
        let thread = row.payer.thread(ledger).and_then(|it| ledger.rows.threads.get(it as usize));
        if let Some(thread) = thread {
            *sums.entry(thread.process).or_default() += row.sum();
        }
    }
    let named = sums.into_iter().filter_map(|(id, sum)| Some((sum, process_name(ledger, id)?)));
    // Of equals the first.
    let most = named.reduce(|most, it| if it.0 > most.0 { it } else { most });
    most.map_or("all processes", |(_, name)| name)
}

/// Locations and functions of all stacks.
fn write_places(
    frames: &Frames<'_>,
    locations: &Locations,
    files: &Mappings<'_>,
    strings: &mut Strings,
    message: &mut Writer,
) {
    let mut functions: Vec<(&str, Option<&str>)> = Vec::new();
    let mut function_numbers: FxHashMap<(&str, Option<&str>), u64> = FxHashMap::default();
    for (number, location) in (1..).zip(&locations.all) {
        let mapping = files.of(location, frames);
        message.message(field::LOCATION, |to| {
            to.varint(1, number);
            if let Some(mapping) = mapping {
                to.varint(2, mapping);
            }
            for frame in location.lines.iter().map(|frame| frames.get(*frame)) {
                let key = (&*frame.name, frame.file);
                let function = *function_numbers.entry(key).or_insert_with(|| {
                    functions.push(key);
                    functions.len() as u64
                });
                to.message(4, |line| {
                    line.varint(1, function);
                    if let Some(number) = frame.line {
                        line.varint(2, number.into());
                    }
                });
            }
        });
    }
    for (number, (name, file)) in (1..).zip(&functions) {
        let (name, file) = (strings.number(name), file.map(|file| strings.number(file)));
        message.message(field::FUNCTION, |to| {
            to.varint(1, number);
            to.varint(2, name);
            to.varint(3, name);
            if let Some(file) = file {
                to.varint(4, file);
            }
        });
    }
}

/// The labels of each thread.
struct Labels {
    process_key: u64,
    thread_key: u64,
    pid_key: u64,
    tid_key: u64,
    texts: Vec<(u64, u64)>,
}

impl Labels {
    fn new(ledger: &Ledger, strings: &mut Strings) -> Self {
        let texts = ledger.rows.threads.iter().map(|thread| {
            let process =
                ledger.rows.processes.get(thread.process as usize).map(display_names::process);
            let process = process.unwrap_or_else(|| "unknown process".to_owned());
            (strings.number(&process), strings.number(&display_names::thread(thread)))
        });
        Self {
            texts: texts.collect(),
            process_key: strings.number("process"),
            thread_key: strings.number("thread"),
            pid_key: strings.number("pid"),
            tid_key: strings.number("tid"),
        }
    }

    fn write(&self, payer: Payer, ledger: &Ledger, sample: &mut Writer) {
        let Some(id) = payer.thread(ledger).map(|thread| thread as usize) else { return };
        let (Some(thread), Some((process, name))) =
            (ledger.rows.threads.get(id), self.texts.get(id))
        else {
            return;
        };
        let pid =
            ledger.rows.processes.get(thread.process as usize).and_then(|process| process.pid);
        let mut label = |key: u64, text: Option<u64>, number: Option<u32>| {
            sample.message(3, |label| {
                label.varint(1, key);
                if let Some(text) = text {
                    label.varint(2, text);
                }
                if let Some(number) = number {
                    label.varint(3, number.into());
                }
            });
        };
        label(self.process_key, Some(*process), None);
        label(self.thread_key, Some(*name), None);
        if pid.is_some() {
            label(self.pid_key, None, pid);
        }
        label(self.tid_key, None, Some(thread.tid));
    }
}
