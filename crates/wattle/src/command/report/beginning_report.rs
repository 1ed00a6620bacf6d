//! Figures of the beginning of a long recording while the rest is read, for the program that asked for progress as lines.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use wattle_jobs::{FirstConsumer, FirstFigures};
use wattle_report::{ConsumerRow, Report, ReportOptions};
use wattle_timeline::{Timeline, Window};
use wattle_units::Nanos;

use crate::command::analysis::{self, AnalysisPlan};

/// Files of fewer bytes are read before anybody could look at first figures.
const LEAST_BYTES: u64 = 32 << 20;
/// The part of a file that is read for them: of 64 parts one, within these bounds.
const PART: u64 = 64;
/// The bounds of that part, in bytes.
const BOUNDS: [u64; 2] = [4 << 20, 16 << 20];
/// Consumers that are stated.
const CONSUMERS: usize = 5;
/// Characters of a name that are stated.
const LETTERS: usize = 60;
/// The first byte of a Perfetto trace: a packet. What is compressed, or has its parts elsewhere, begins otherwise.
const PACKET: u8 = 0x0a;
/// The time cut off at the end of the beginning: other CPUs and processes may not have written yet what they did then.
const UNSURE: Nanos = Nanos::new(1_000_000_000);

/// The beginning of a trace that is worth a first look.
#[derive(Debug)]
pub struct BeginningReport {
    path: PathBuf,
    /// Bytes of the whole file.
    bytes: u64,
    plan: AnalysisPlan,
}

impl BeginningReport {
    /// Those of a recording of one long trace, if somebody asked for progress as lines; else there are none.
    pub fn new(paths: &[PathBuf], plan: &AnalysisPlan) -> Option<Self> {
        let ([path], true) = (paths, crate::progress::are_lines_wanted()) else { return None };
        let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
        let mut first = [0];
        File::open(path).ok()?.read_exact(&mut first).ok()?;
        let plan = AnalysisPlan { modelling: plan.modelling.clone(), ..AnalysisPlan::default() };
        let is_long = bytes >= LEAST_BYTES && first == [PACKET];
        is_long.then(|| Self { path: path.clone(), bytes, plan })
    }

    /// Writes them to standard error as a line `wattle-first JSON`. A beginning of which nothing can be said is no error.
    pub fn write(&self) {
        if let Some(json) = self.stated().and_then(|it| serde_json::to_string(&it).ok()) {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "wattle-first {json}");
        }
    }

    fn stated(&self) -> Option<FirstFigures> {
        let most = (self.bytes / PART).clamp(BOUNDS[0], BOUNDS[1]);
        let mut beginning = Vec::new();
        File::open(&self.path).ok()?.take(most).read_to_end(&mut beginning).ok()?;
        let name = self.path.file_name().unwrap_or(Path::new("trace").as_os_str());
        let timeline = wattle_ingest::read_bytes(&name.to_string_lossy(), &beginning).ok()?;
        let is_perfetto = timeline.quality.artifacts.iter().all(|it| it.format == "perfetto");
        let window = sure_part(&timeline).filter(|_| is_perfetto)?;
        let ledger = analysis::ledger(&timeline, &[], &self.plan, Some(window)).ok()?;
        let report = Report::new(&ledger, &ReportOptions::default());
        let total = report.energy.total.0;
        let components = &report.hardware.components;
        Some(FirstFigures {
            format: "Perfetto trace".to_owned(),
            device: ledger.recording.device.model.as_deref().map(shortened),
            read_bytes: beginning.len() as u64,
            of_bytes: self.bytes,
            seconds: window.duration().seconds(),
            joules: total.map(|it| it.joules.value()),
            interval: total.map(|it| [it.interval.low.value(), it.interval.high.value()]),
            components: components.iter().map(|it| shortened(&it.name)).collect(),
            consumers: consumers(&report.software.consumers),
        })
    }
}

/// The part of a beginning that is not at its ragged end.
fn sure_part(timeline: &Timeline) -> Option<Window> {
    let whole = timeline.window;
    let unsure = UNSURE.min(Nanos::new(whole.duration().value() / 4));
    let part = Window::new(whole.start, whole.end - unsure);
    (part.duration() > Nanos::ZERO).then_some(part)
}

/// The first of them: they are in order of energy, then of CPU time.
fn consumers(rows: &[ConsumerRow]) -> Vec<FirstConsumer> {
    let rows = rows.iter().filter(|row| !row.is_recorder).take(CONSUMERS);
    let stated = |row: &ConsumerRow| FirstConsumer {
        name: shortened(&row.name),
        joules: row.energy.0.map(|it| it.joules.value()),
        cpu_s: row.cpu.map(Nanos::seconds),
    };
    rows.map(stated).collect()
}

/// The beginning of a name of others.
fn shortened(name: &str) -> String {
    name.chars().filter(|it| !it.is_control()).take(LETTERS).collect()
}
