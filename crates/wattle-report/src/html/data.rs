//! Data of the page's scripts.

use serde::Serialize;
use wattle_ledger::{Ledger, PowerSeries, TimeTracks};
use wattle_table::Json;
use wattle_units::{Joules, Nanos, Watts};

use super::code_details::Code;
use super::diagnosis_data::DiagnosisData;
use super::page_energies::Energies;
use super::page_time::CpuTime;
use super::page_tracks::{PageTracks, stretches};
use super::strings::{Strings, five_digits};
use super::suspects::{Suspects, SuspectsLists};
use super::tables::Tables;
use super::tree::Tree;
use crate::clean::{clean, clean_texts};
use crate::model::{chosen, device_title};
use crate::{Report, ReportError, SoftwareReport, SpansReport, TestsReport, WaitRow};

/// Points of a chart in all: more than twice the pixels of a wide screen for each of many components.
const POINTS: usize = 60_000;

/// The data of a page. Small tables are the rows of the JSON form; long ones are columns.
#[derive(Serialize)]
pub struct Data<'a> {
    /// The device in a few words.
    device: String,
    report: &'a serde_json::Value,
    tables: Tables,
    code: Option<Code>,
    /// Absent where lines are known over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Series<'a>>,
    tree: Tree,
    energies: Energies,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_time: Option<CpuTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tracks: Option<PageTracks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspects: Option<Suspects<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<&'a DiagnosisData>,
    names: Strings,
}

#[derive(Serialize)]
struct Series<'a> {
    /// From the start of the window.
    start_s: f64,
    bin_s: f64,
    /// End of the last bin, which may be shorter than the others.
    end_s: f64,
    count: usize,
    components: Vec<&'a str>,
    milliwatts: Vec<Vec<f64>>,
}

/// A report taken apart: what a page always has, and the lists that may have to be cut.
pub struct Lists<'a> {
    report: &'a Report,
    /// The report without its long lists.
    small: serde_json::Value,
    suspects: Option<SuspectsLists>,
    /// Of all threads, whatever the report is narrowed to: the page has a selection of its own.
    waits: Vec<WaitRow>,
}

impl<'a> Lists<'a> {
    /// Takes a report apart.
    pub fn new(ledger: &Ledger, report: &'a Report) -> Result<Self, ReportError> {
        let mut small = serde_json::to_value(Json(&short(report)))?;
        clean_texts(&mut small);
        if let Some(map) = small.as_object_mut() {
            // They are tables of their own.
            let off = report.tests.rows.iter().map(|row| row.uncertainty).max();
            map.insert("tests_uncertainty_s".to_owned(), off.map(Nanos::seconds).into());
            for key in ["slices", "tests", "cpus", "rails", "spread"] {
                map.remove(key);
            }
            map.insert("processes".to_owned(), report.software.processes.len().into());
            let code = report.software.code.as_ref();
            if let Some(coverage) = code.and_then(|code| code.api_coverage.as_ref()) {
                let mut coverage = serde_json::to_value(Json(coverage))?;
                clean_texts(&mut coverage);
                map.insert("api_coverage".to_owned(), coverage);
            }
        }
        let suspects = report.tests.suspects.clone().map(SuspectsLists::new).transpose()?;
        Ok(Self { report, small, suspects, waits: WaitRow::all(ledger) })
    }
}

/// A report without its long lists. Thousands of handlers and uids exist only in ledgers made to break us.
fn short(report: &Report) -> Report {
    const ROWS: usize = 200;
    let Report { recording, energy, hardware, software, tests, spans, trust } = report;
    let mut short = Report {
        recording: recording.clone(),
        energy: energy.clone(),
        hardware: hardware.clone(),
        software: SoftwareReport {
            app: software.app.clone(),
            // The page adds them up itself: for any selection.
            consumers: Vec::new(),
            processes: Vec::new(),
            slices: Vec::new(),
            code: None,
            runtime_tax: software.runtime_tax.clone(),
            sampling: software.sampling.clone(),
            sampled: software.sampled.clone(),
            waits: Vec::new(),
            no_waits: None,
            doubtful_waits: 0,
        },
        tests: TestsReport {
            rows: Vec::new(),
            suspects: None,
            coverage: tests.coverage.clone(),
            rating: tests.rating.clone(),
            upper_bounds: tests.upper_bounds.clone(),
        },
        // Sums alone: rows have tables.
        spans: SpansReport { sums: spans.sums.clone(), ..SpansReport::default() },
        trust: trust.clone(),
    };
    short.hardware.interrupts.truncate(ROWS);
    short.hardware.apps.truncate(ROWS);
    if let Some(sampled) = &mut short.software.sampled {
        sampled.threads.truncate(ROWS);
        sampled.functions.truncate(ROWS);
    }
    if let Some(tax) = &mut short.software.runtime_tax {
        tax.processes.truncate(ROWS);
    }
    short
}

impl<'a> Data<'a> {
    /// With at most that many nodes in the call tree; lists are cut in proportion.
    pub fn new(
        ledger: &'a Ledger,
        lists: &'a Lists<'a>,
        tracks: Option<&TimeTracks>,
        (diagnosis, nodes): (Option<&'a DiagnosisData>, usize),
    ) -> Self {
        let mut names = Strings::default();
        let tables = Tables::new(lists.report, &lists.waits, nodes, &mut names);
        let code = lists.report.software.code.as_ref();
        let code = code.map(|code| Code::new(code, nodes / 28, &mut names));
        let tree = Tree::new(ledger, nodes * 2, &mut names);
        let asked = lists.report.software.app.as_ref();
        let asked = asked.map(|app| chosen(ledger, &app.packages).processes).unwrap_or_default();
        let energies = Energies::new(ledger, &asked, &tree, nodes * 12);
        let cpu_time = tracks.and_then(|of| CpuTime::new(ledger, &of.cpu_time, &tree, nodes * 6));
        let tracks =
            tracks.map(|of| PageTracks::new(ledger, of, (&tree, stretches(nodes)), &mut names));
        let suspects = lists.suspects.as_ref();
        let suspects = suspects.map(|lists| Suspects::new(lists, nodes / 7, &mut names));
        let device = &lists.report.recording.device;
        let device = clean(&device_title(device));
        let series = (!energies.have_time()).then(|| Series::new(ledger));
        Self {
            device,
            report: &lists.small,
            tables,
            code,
            series,
            tree,
            energies,
            cpu_time,
            tracks,
            suspects,
            diagnosis,
            names,
        }
    }
}

impl<'a> Series<'a> {
    /// Bins are joined until the chart has no more than [`POINTS`].
    fn new(ledger: &'a Ledger) -> Self {
        let bins = ledger.over_time.bins;
        let longest =
            ledger.over_time.series.iter().map(|series| series.power.len()).max().unwrap_or(0);
        let join = (longest * ledger.over_time.series.len()).div_ceil(POINTS).max(1);
        let length = ledger.recording.window.end - bins.start;
        // Energy of a stretch of bins by its time: the last bin ends with the window.
        let time = |bin: usize| {
            (length - Nanos::new(bins.width.value().saturating_mul(bin as i64))).min(bins.width)
        };
        let joined = |series: &PowerSeries| {
            let mean = |(nth, powers): (usize, &[Watts])| {
                let span: Nanos = (0..powers.len()).map(|bin| time(nth * join + bin)).sum();
                let bins = powers.iter().enumerate();
                let energy: Joules = bins.map(|(bin, power)| *power * time(nth * join + bin)).sum();
                if span > Nanos::ZERO { five_digits((energy / span).milliwatts()) } else { 0.0 }
            };
            series.power.chunks(join).enumerate().map(mean).collect()
        };
        Self {
            start_s: (bins.start - ledger.recording.window.start).seconds(),
            bin_s: bins.width.seconds() * join as f64,
            end_s: (ledger.recording.window.end - ledger.recording.window.start).seconds(),
            count: longest.div_ceil(join),
            components: ledger
                .over_time
                .series
                .iter()
                .map(|series| series.component.name())
                .collect(),
            milliwatts: ledger.over_time.series.iter().map(joined).collect(),
        }
    }
}
