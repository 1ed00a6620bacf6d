//! The report.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{ArtifactEntry, Charge, Ledger, TransferEntry};
use wattle_power::ModelFacts;
use wattle_timeline::{DeviceFacts, Severity};
use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance};

use super::figure::{named, seconds};
use super::gathered::{CLASSES, Gathered};
use super::watched::Watched;
use super::{
    AccountRow, AppReport, AppUidRow, BatteryReport, CallTree, CodeReport, ComponentRow,
    CoverageReport, CpuRow, Estimator, Figure, InterruptRow, OverheadReport, ProcessRow,
    QualityReport, RailRow, RuntimeTaxReport, SampledReport, SamplingReport, SliceRow, SpreadRow,
    SuspectsReport, Tally, TestRow, UpperBoundsReport, app, overhead, processes, runtime_tax,
    slices, test_runs,
};
use crate::rating::Rated;
use crate::{HumanFigure, HumanUnits, RatingReport, ReportOptions};

/// The name and version of the JSON form. It changes with any change that a script could trip over.
pub const SCHEMA: &str = "wattle-report/1";

/// The normal quantile of a two-sided 90 % interval.
const NORMAL_90: f64 = 1.644_853_626_951_472_2;

/// The summary of a ledger. Fields are the keys of the JSON form, see `docs/report-json.md`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// What the recording was made of.
    pub artifacts: Vec<ArtifactEntry>,
    /// The device that made it.
    pub device: DeviceFacts,
    /// Length of the window.
    #[serde(rename = "duration_s", serialize_with = "seconds::of")]
    pub duration: Nanos,
    /// The model behind the CPU's figures.
    pub model: Option<ModelFacts>,
    /// How shared power was divided.
    pub shared_policy: String,
    /// Whether there was a scheduler trace; without one there is no CPU time.
    pub has_scheduler: bool,
    /// The plain number of [`Report::total`].
    pub total_joules: Option<Joules>,
    /// Everything.
    pub total: Figure,
    /// The total in human units; `None` without one.
    pub human: Option<HumanFigure>,
    /// What energies are converted to human units by.
    pub human_units: Option<HumanUnits>,
    /// Why there is no total; `None` when there is one.
    pub no_energy_reason: Option<String>,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// The largest relative difference between booked and integrated energy of any component.
    pub closure_error: Option<f64>,
    /// By component, most energy first.
    pub components: Vec<ComponentRow>,
    /// By account class and charge.
    pub accounts: Vec<AccountRow>,
    /// By interrupt handler, most energy first.
    pub interrupts: Vec<InterruptRow>,
    /// Apps of which only the uid is known, most energy first.
    pub apps: Vec<AppUidRow>,
    /// By CPU.
    pub cpus: Vec<CpuRow>,
    /// Power that cores share, whoever pays it.
    #[serde(flatten, serialize_with = "named::cpu_shared")]
    pub cpu_shared: Figure,
    /// Processes that paid or ran, most energy first.
    pub processes: Vec<ProcessRow>,
    /// Call slices by name and thread, most total energy first.
    pub slices: Vec<SliceRow>,
    /// What spent it in words of the app's code; `None` where the recording knows no place in it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeReport>,
    /// Rails.
    pub rails: Vec<RailRow>,
    /// Other models' word.
    pub spread: Vec<SpreadRow>,
    /// The battery.
    pub battery: Option<BatteryReport>,
    /// The apps that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<AppReport>,
    /// Tests that ran, in order of time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestRow>,
    /// Methods that ran in tests of more than the mean power; `None` where it is not known which methods ran in which test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspects: Option<SuspectsReport>,
    /// How much of the probed code ran; `None` where no probe map is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageReport>,
    /// How the energy stands among others, where somebody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingReport>,
    /// Bytes of interfaces and disks, and what calls were given of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferEntry>,
    /// The most that calls can have cost of which only the CPUs' clocks are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_bounds: Option<UpperBoundsReport>,
    /// What was drawn only because somebody recorded; `None` where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<OverheadReport>,
    /// What threads drew for the runtime: collecting garbage, compiling, loading classes, starting the app; `None` where no call
    /// path is of such a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_tax: Option<RuntimeTaxReport>,
    /// The samples that call paths were made from; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingReport>,
    /// What samples found, where there is no energy; only on the terminal.
    #[serde(skip)]
    pub sampled: Option<SampledReport>,
    /// What was lost, guessed or not understood.
    pub quality: QualityReport,
}

impl Report {
    /// Sums a ledger up.
    pub fn new(ledger: &Ledger, options: &ReportOptions) -> Self {
        let estimator = Estimator::new(ledger);
        let gathered = Gathered::new(ledger);
        let watched = Watched::new(ledger, &gathered);
        let tree = CallTree::new(ledger);
        let duration = ledger.window.duration();
        let total = if ledger.components.is_empty() {
            Figure::NO_DATA
        } else {
            let provenance = ledger.components.iter().map(|component| component.provenance).max();
            estimator.total(provenance)
        };
        let chosen = app::chosen(ledger, &options.apps);
        let human_units = HumanUnits::new(ledger, &options.human);
        let human = |figure: Figure| human_units.as_ref()?.of(figure);
        let coverage = CoverageReport::new(ledger);
        let processes = processes::rows(ledger, &gathered, &estimator, &chosen, watched, total);
        let app = (!options.apps.is_empty()).then(|| {
            let mut app =
                app::report(ledger, &gathered, &estimator, &chosen, &processes, watched, total);
            app.human = human(app.energy);
            app
        });
        let of_app = app.as_ref().filter(|_| chosen.processes.contains(&true));
        let whole = of_app.map_or(total, |app| app.energy);
        let asked = (ledger, options);
        let code = CodeReport::new(asked, &gathered, &estimator, &tree, &chosen, watched, whole);
        let mut report = Self {
            schema: SCHEMA,
            code,
            artifacts: ledger.artifacts.clone(),
            device: ledger.device.clone(),
            duration,
            model: ledger.model.clone(),
            shared_policy: ledger.shared_policy.clone(),
            has_scheduler: ledger.has_scheduler,
            total_joules: total.joules(),
            total,
            human: human(total),
            no_energy_reason: total.0.is_none().then(|| why_no_energy(ledger)),
            mean_mw: total.mean_milliwatts(duration),
            closure_error: ledger.closure.iter().map(|closure| closure.error).reduce(f64::max),
            components: components(ledger, &gathered, &estimator, total),
            accounts: accounts(&gathered, &estimator, total),
            interrupts: interrupts(&gathered, &estimator),
            apps: apps(ledger, &gathered, &estimator),
            cpus: cpus(ledger, &estimator, watched),
            cpu_shared: estimator.figure(&gathered.cpu_shared, watched.shared),
            slices: slices::rows(ledger, &gathered, &estimator, &tree, &chosen, watched),
            rails: ledger.rails.iter().map(|rail| rail_row(ledger, rail)).collect(),
            spread: ledger
                .spread
                .iter()
                .map(|spread| SpreadRow {
                    model: spread.model.clone(),
                    cpu: Figure(Some(spread.cpu)),
                })
                .collect(),
            battery: battery(ledger),
            app,
            processes,
            tests: {
                let mut tests = test_runs::rows(ledger, &estimator, watched);
                for test in &mut tests {
                    test.human = human(test.energy);
                }
                tests
            },
            suspects: SuspectsReport::of(ledger, &gathered, &estimator, watched),
            rating: None,
            coverage,
            human_units,
            transfers: ledger.transfers.clone(),
            upper_bounds: ledger.upper_bounds.as_ref().map(UpperBoundsReport::new),
            runtime_tax: runtime_tax::report(
                ledger, &gathered, &estimator, &chosen, watched, whole,
            ),
            overhead: overhead::report(ledger, &gathered, &estimator, watched, total),
            sampling: SamplingReport::new(ledger, &gathered, &estimator, watched),
            sampled: total.0.is_none().then(|| SampledReport::of(ledger)).flatten(),
            quality: QualityReport {
                worst: ledger.quality.worst(),
                lost_events: ledger
                    .quality
                    .artifacts
                    .iter()
                    .fold(0, |sum, artifact| sum.saturating_add(artifact.lost_events)),
                dangling_entries: gathered.dangling,
                quality: ledger.quality.clone(),
            },
        };
        report.rating = options.category.as_ref().map(|category| {
            let rated = Rated::of(&report, category.measure);
            let ran = report.coverage.as_ref().and_then(CoverageReport::rated);
            RatingReport::new(category, &rated, ran)
        });
        report
    }
}

/// Why there is no energy, in a sentence: what models have to say of it, else the gravest note.
fn why_no_energy(ledger: &Ledger) -> String {
    /// Codes of the notes that say so, the most telling first.
    const CODES: [&str; 3] = ["no-device-model", "cpu-activity-unknown", "cpu-without-model"];
    let quality = &ledger.quality;
    let has_samples = ledger.paths.iter().any(|path| path.samples > 0);
    if has_samples && ledger.window.duration() == Nanos::ZERO {
        return "the recording holds sampled stacks without times: how often each was found, and not when, from which no energy follows"
            .to_owned();
    }
    let told = CODES.iter().find_map(|code| quality.notes.iter().find(|note| note.code == *code));
    let of_artifacts = quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let gravest = quality
        .notes
        .iter()
        .chain(of_artifacts)
        .filter(|note| note.severity > Severity::Info)
        .reduce(|worst, note| if note.severity > worst.severity { note } else { worst });
    told.or(gravest).map_or_else(
        || "nothing in the recording was metered, and no device model applies".to_owned(),
        |note| note.text.clone(),
    )
}

fn components(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    total: Figure,
) -> Vec<ComponentRow> {
    let row = |(component, tally): (&wattle_ledger::ComponentEntry, &Tally)| {
        let energy = estimator.figure(tally, Some(component.provenance));
        ComponentRow { name: component.name.to_string(), energy, share: energy.share_of(total) }
    };
    let mut rows: Vec<_> = ledger.components.iter().zip(&gathered.components).map(row).collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn accounts(gathered: &Gathered, estimator: &Estimator<'_>, total: Figure) -> Vec<AccountRow> {
    let row = |((class, charge), tally): (&(usize, Charge), &Tally)| {
        let energy = estimator.figure(tally, None);
        AccountRow {
            name: CLASSES[*class].to_owned(),
            charge: charge.name().to_owned(),
            energy,
            share: energy.share_of(total),
        }
    };
    gathered.accounts.iter().map(row).collect()
}

fn interrupts(gathered: &Gathered, estimator: &Estimator<'_>) -> Vec<InterruptRow> {
    let row = |(name, tally): (&String, &Tally)| InterruptRow {
        name: name.clone(),
        energy: estimator.figure(tally, None),
    };
    let mut rows: Vec<_> = gathered.interrupts.iter().map(row).collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn apps(ledger: &Ledger, gathered: &Gathered, estimator: &Estimator<'_>) -> Vec<AppUidRow> {
    let row = |(uid, components): (&u32, &BTreeMap<usize, Tally>)| {
        let mut tally = Tally::default();
        for component in components.values() {
            tally.merge(component);
        }
        let of_uid = ledger.processes.iter().filter(|process| process.uid == Some(*uid));
        let mut packages: Vec<_> = of_uid.filter_map(|process| process.package.clone()).collect();
        let named = ledger.packages.iter().filter(|package| package.uid == *uid);
        packages.extend(named.map(|package| package.name.clone()));
        packages.sort();
        packages.dedup();
        AppUidRow { uid: *uid, packages, energy: estimator.figure(&tally, None) }
    };
    let mut rows: Vec<_> = gathered.uids.iter().map(row).collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.uid.cmp(&b.uid)));
    rows
}

fn cpus(ledger: &Ledger, estimator: &Estimator<'_>, watched: Watched) -> Vec<CpuRow> {
    let row = |entry: &wattle_ledger::CpuEntry| {
        let mut tally = Tally::default();
        for (source, joules) in &entry.joules_by_source {
            tally.add(*source, *joules);
        }
        let watched = watched.cores.filter(|_| !entry.joules_by_source.is_empty());
        CpuRow { cpu: entry.cpu, core: estimator.figure(&tally, watched), busy: entry.busy }
    };
    ledger.cpus.iter().map(row).collect()
}

fn rail_row(ledger: &Ledger, rail: &wattle_power::RailSummary) -> RailRow {
    let joules = rail.joules;
    let meter = ledger.errors.meters.iter().find(|meter| meter.name == rail.name);
    let half = joules * (meter.map_or(0.0, |meter| meter.error) * NORMAL_90);
    let interval = Interval { low: joules - half.abs(), high: joules + half.abs() };
    RailRow {
        name: rail.name.clone(),
        label: rail.label.clone(),
        component: rail.component.to_string(),
        energy: Figure(Some(Estimate { joules, interval, provenance: Provenance::Measured })),
        modelled: Figure(rail.modelled),
        disagreement: rail
            .modelled
            .filter(|_| joules.value() != 0.0)
            .map(|modelled| (modelled.joules - joules) / joules),
        covered_s: rail.covered_s,
        samples: rail.samples,
        mended: rail.mended,
        booked: rail.booked,
    }
}

fn battery(ledger: &Ledger) -> Option<BatteryReport> {
    let battery = ledger.battery.as_ref()?;
    // Nothing is known of a battery that was never seen to discharge.
    let known = battery.discharging > Nanos::ZERO;
    let drained = battery.drained.joules;
    Some(BatteryReport {
        by: battery.by,
        drained: Figure(known.then_some(battery.drained)),
        accounted: Figure(known.then_some(battery.accounted)),
        disagreement: (known && drained.value() != 0.0)
            .then(|| (battery.accounted.joules - drained) / drained),
        discharging: battery.discharging,
        covered: battery.covered,
        reading: battery.reading.clone(),
    })
}

/// Most energy first, no data last.
pub(super) fn by_energy(a: Figure, b: Figure) -> std::cmp::Ordering {
    b.rank().total_cmp(&a.rank())
}
