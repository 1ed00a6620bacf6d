//! pprof: `perftools.profiles.Profile` of github.com/google/pprof, `proto/profile.proto`, gzipped.
//!
//! Sample types: energy of all components (the default), energy of each component, time on a CPU, calls, samples. Process and
//! thread are labels. A frame that a compiler put in the place of its call is a line of its caller's location, as pprof has it.
//! Energy that no call path drew is a stack of its own (`[idle floor]`), so that the sum of the samples is the ledger's
//! total.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use rustc_hash::FxHashMap;
use wattle_ledger::Ledger;
use wattle_wire::Writer;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::stack_frames::{FrameId, Frames};
use crate::{EnergyUnit, ExportError, Extract, Payer, Sheet, display_names, remarks};

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

/// Locations: a frame with those that were inlined into it, the innermost first. Numbers count from 1.
#[derive(Default)]
struct Locations {
    numbers: FxHashMap<Vec<FrameId>, u64>,
    lines: Vec<Vec<FrameId>>,
}

impl Locations {
    /// Of a stack from the outermost frame: location numbers from the innermost.
    fn of(&mut self, frames: &Frames<'_>, stack: &[FrameId]) -> Vec<u64> {
        let mut numbers = Vec::with_capacity(stack.len());
        let mut rest = stack;
        while let Some((last, _)) = rest.split_last() {
            // Inlined frames and the one that they are in. The outermost frame may say that it is inlined: it stays alone.
            let mut start = rest.len() - 1;
            while start > 0 && frames.get(rest[start]).is_inlined {
                start -= 1;
            }
            let group: Vec<FrameId> = if start + 1 == rest.len() {
                vec![*last]
            } else {
                rest[start..].iter().rev().copied().collect()
            };
            rest = &rest[..start];
            let next = self.lines.len() as u64 + 1;
            let number = *self.numbers.entry(group).or_insert_with_key(|group| {
                self.lines.push(group.clone());
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
    unit: Some(EnergyUnit::Nanojoules),
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
    write_head(extract, unit, &mut strings, &mut message);
    let frames = Frames::new(ledger);
    let mut locations = Locations::default();
    let labels = Labels::new(ledger, &mut strings);
    let sheet = Sheet::new(extract, unit);
    let mut has_row = vec![false; ledger.rows.paths.len()];
    let mut stack = Vec::new();
    let mut values = Vec::new();
    let mut sample = |payer: Payer, values: &[i64], message: &mut Writer| {
        frames.stack(payer, &mut stack);
        let ids = locations.of(&frames, &stack);
        message.message(field::SAMPLE, |sample| {
            sample.packed(1, ids);
            sample.packed(2, values.iter().map(|value| *value as u64));
            labels.write(payer, ledger, sample);
        });
    };
    for row in sheet.rows() {
        values.clear();
        values.push(row.sum());
        values.resize(ledger.rows.components.len() + 1, 0);
        for (component, amount) in row.amounts {
            if let Some(value) = values.get_mut(usize::from(component.0) + 1) {
                *value += amount;
            }
        }
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
    for path in (0..).zip(&has_row).filter(|(_, seen)| !**seen).map(|(path, _): (u32, _)| path) {
        let counts = counts(ledger, Some(path));
        if counts.iter().any(|count| *count != 0) {
            values.clear();
            values.resize(ledger.rows.components.len() + 1, 0);
            values.extend(counts);
            sample(Payer::Path(path), &values, &mut message);
            flush(&mut message, &mut gzip, CHUNK)?;
        }
    }
    write_places(&frames, &locations, &mut strings, &mut message);
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
    unit: EnergyUnit,
    strings: &mut Strings,
    message: &mut Writer,
) {
    let ledger = extract.ledger();
    let mut types = vec![("energy".to_owned(), unit.name())];
    for component in &ledger.rows.components {
        types.push((format!("energy_{}", component.name.name()), unit.name()));
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
    message.varint(field::DEFAULT_SAMPLE_TYPE, strings.number("energy"));
}

/// Mappings, locations and functions of all stacks.
fn write_places(
    frames: &Frames<'_>,
    locations: &Locations,
    strings: &mut Strings,
    message: &mut Writer,
) {
    let mut mappings: Vec<&str> = Vec::new();
    let mut mapping_numbers: FxHashMap<&str, u64> = FxHashMap::default();
    for frame in frames.frames() {
        if let Some(mapping) = frame.mapping.filter(|name| !mapping_numbers.contains_key(name)) {
            mappings.push(mapping);
            mapping_numbers.insert(mapping, mappings.len() as u64);
        }
    }
    for (number, mapping) in (1..).zip(&mappings) {
        let name = strings.number(mapping);
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
    let mut functions: Vec<(&str, Option<&str>)> = Vec::new();
    let mut function_numbers: FxHashMap<(&str, Option<&str>), u64> = FxHashMap::default();
    for (number, lines) in (1..).zip(&locations.lines) {
        let outermost = lines.last().map(|frame| frames.get(*frame));
        let mapping = outermost.and_then(|frame| frame.mapping).map(|name| mapping_numbers[name]);
        message.message(field::LOCATION, |to| {
            to.varint(1, number);
            if let Some(mapping) = mapping {
                to.varint(2, mapping);
            }
            for frame in lines.iter().map(|frame| frames.get(*frame)) {
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
