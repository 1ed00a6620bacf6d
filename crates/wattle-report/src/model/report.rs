//! The report.

use serde::{Serialize, Serializer};
use wattle_ledger::Ledger;
use wattle_table::{Column, Declared, describe};

use super::basis::Basis;
use super::chosen::chosen;
use super::gathered::Gathered;
use super::watched::Watched;
use super::{
    CallTree, CodeReport, CoverageReport, EnergyCoverageReport, EnergySummary, Estimator,
    HardwareReport, NoEnergy, ProvenanceShares, QualityReport, RecordingFacts, SampledReport,
    SamplingReport, SoftwareReport, SpansReport, StatementRow, SuspectsReport, TestsReport,
    TrustReport, UpperBoundsReport, WaitRow, app, consumers, hardware, no_energy, overhead,
    processes, runtime_tax, slices, test_runs,
};
use crate::rating::Rated;
use crate::{By, Figure};
use crate::{HumanUnits, RatingReport, ReportOptions};

/// The name and version of the JSON form. It changes with any change that a script could trip over.
pub const SCHEMA: &str = "wattle-report/1";

/// The summary of a ledger, from which all views are made. `docs/report-json.md` explains its JSON form.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The recording and how it was evaluated.
    pub recording: RecordingFacts,
    /// The energy of the whole window.
    pub energy: EnergySummary,
    /// Energy by hardware and by consumer class.
    pub hardware: HardwareReport,
    /// Energy by process, thread and place in the code.
    pub software: SoftwareReport,
    /// Tests, and what their energies show.
    pub tests: TestsReport,
    /// Frames, app starts, user journeys, foreground and background.
    pub spans: SpansReport,
    /// Trustworthiness of the figures.
    pub trust: TrustReport,
}

describe!(
    Report,
    "report",
    "The JSON form of a report. Words are explained in docs/report-json.md.",
    [
        Column::text("schema", "name and version of the JSON form", |_: &Report| SCHEMA)
            .words(&[SCHEMA]),
        Column::flat::<RecordingFacts>(|row: &Report| &row.recording),
        Column::flat::<EnergySummary>(|row: &Report| &row.energy),
        Column::flat::<HardwareReport>(|row: &Report| &row.hardware),
        Column::flat::<SoftwareReport>(|row: &Report| &row.software),
        Column::flat::<TestsReport>(|row: &Report| &row.tests),
        Column::flat::<SpansReport>(|row: &Report| &row.spans),
        Column::flat::<TrustReport>(|row: &Report| &row.trust),
    ]
);

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}

impl Report {
    /// Sums a ledger up.
    pub fn new(ledger: &Ledger, options: &ReportOptions) -> Self {
        let estimator = Estimator::new(ledger);
        let gathered = Gathered::new(ledger);
        let watched = Watched::new(ledger, &gathered);
        let tree = CallTree::new(ledger);
        let mut chosen = chosen(ledger, &options.apps);
        chosen.narrow(ledger, options.processes.as_ref(), options.threads.as_ref());
        let total = total(ledger, &estimator);
        let basis = Basis {
            ledger,
            gathered: &gathered,
            estimator: &estimator,
            watched,
            chosen: &chosen,
            total,
        };
        let hardware = hardware::report(basis);
        let energy = energy_summary(basis, &hardware, options);
        let human = |figure: Figure| energy.human_units.as_ref()?.of(figure);
        let mut software = software(basis, options, &tree);
        if let Some(app) = &mut software.app {
            app.human = human(app.energy);
        }
        let mut tests = TestsReport {
            rows: test_runs::rows(ledger, &estimator, watched),
            suspects: SuspectsReport::for_ledger(ledger, &gathered, &estimator, watched),
            coverage: CoverageReport::new(ledger),
            rating: None,
            upper_bounds: ledger.sheets.upper_bounds.as_ref().map(UpperBoundsReport::new),
        };
        for test in &mut tests.rows {
            test.human = human(test.energy);
        }
        let mut report = Self {
            recording: recording(ledger),
            energy,
            hardware,
            software,
            tests,
            spans: SpansReport::new(basis),
            trust: TrustReport {
                overhead: overhead::report(ledger, &gathered, &estimator, watched, total),
                quality: quality(ledger, gathered.dangling),
            },
        };
        report.tests.rating = options.category.as_ref().map(|category| {
            let rated = Rated::from_report(&report, category.measure);
            let ran = report.tests.coverage.as_ref().and_then(CoverageReport::rated);
            RatingReport::new(category, &rated, ran)
        });
        report
    }
}

/// The whole window's energy; no data where nothing was metered or modelled.
fn total(ledger: &Ledger, estimator: &Estimator<'_>) -> Figure {
    if ledger.rows.components.is_empty() {
        return Figure::NO_DATA;
    }
    let provenance = ledger.rows.components.iter().map(|component| component.provenance).max();
    estimator.total(provenance)
}

fn recording(ledger: &Ledger) -> RecordingFacts {
    RecordingFacts {
        artifacts: ledger.recording.artifacts.clone(),
        device: ledger.recording.device.clone(),
        duration: ledger.recording.window.duration(),
        model: ledger.power.model.clone(),
        shared_policy: ledger.power.shared_policy.clone(),
        has_scheduler: ledger.recording.has_scheduler,
    }
}

fn energy_summary(
    basis: Basis<'_>,
    hardware: &HardwareReport,
    options: &ReportOptions,
) -> EnergySummary {
    let Basis { ledger, total, .. } = basis;
    let human_units = HumanUnits::new(ledger, &options.human);
    EnergySummary {
        total,
        provenance_shares: total
            .0
            .and_then(|_| ProvenanceShares::new(&ledger.power.errors, basis.estimator.totals())),
        human: human_units.as_ref().and_then(|units| units.of(total)),
        human_units,
        no_energy_reason: total.0.is_none().then(|| NoEnergy::new(ledger).to_string()),
        assumption: total.0.and_then(|_| no_energy::assumption(ledger)),
        mean_mw: mean_power(hardware),
        coverage: EnergyCoverageReport::new(ledger, &hardware.components),
        statements: ledger.power.statements.iter().map(StatementRow::new).collect(),
        closure_error: ledger.closure.iter().map(|closure| closure.error).reduce(f64::max),
    }
}

/// The sum of the components' means in milliwatts: each over the time for which it is covered. `None` where none is known.
fn mean_power(hardware: &HardwareReport) -> Option<f64> {
    let means = hardware.components.iter().filter_map(|row| row.mean_mw);
    means.reduce(|sum, mean| sum + mean)
}

fn software(basis: Basis<'_>, options: &ReportOptions, tree: &CallTree) -> SoftwareReport {
    let Basis { ledger, gathered, estimator, watched, chosen, total } = basis;
    let processes = processes::rows(basis);
    let app = chosen.is_asked.then(|| app::report(basis, &processes));
    let of_app = app.as_ref().filter(|_| chosen.processes.contains(&true));
    let whole = of_app.map_or(total, |app| app.energy);
    SoftwareReport {
        code: CodeReport::new(basis, options, tree, whole),
        slices: slices::rows(basis, tree),
        runtime_tax: runtime_tax::report(basis, whole),
        sampling: SamplingReport::new(ledger, gathered, estimator, watched),
        sampled: total.0.is_none().then(|| SampledReport::new(ledger)).flatten(),
        app,
        consumers: consumers::rows(basis),
        no_waits: ledger.sheets.no_waits,
        doubtful_waits: ledger.sheets.doubtful_waits,
        waits: if options.by == Some(By::Wait) {
            WaitRow::chosen(ledger, chosen)
        } else {
            Vec::new()
        },
        processes,
    }
}

fn quality(ledger: &Ledger, dangling_entries: u64) -> QualityReport {
    let lost = ledger.quality.artifacts.iter().map(|artifact| artifact.lost_events);
    QualityReport {
        worst: ledger.quality.worst(),
        lost_events: lost.fold(0, u64::saturating_add),
        dangling_entries,
        quality: ledger.quality.clone(),
    }
}
