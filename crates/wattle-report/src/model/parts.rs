//! The parts of a report. In JSON their columns stand side by side.

use wattle_ledger::{ArtifactEntry, NoWaits, TransferEntry};
use wattle_power::ModelFacts;
use wattle_table::{Column, Row, Rows, describe};
use wattle_timeline::DeviceFacts;
use wattle_units::{Joules, Nanos};

use super::{
    AccountRow, ApiCoverage, ApiRow, AppReport, AppUidRow, BatteryReport, ClassRow, CodePackageRow,
    CodeReport, ComponentRow, ConsumerRow, CoverageReport, CpuRow, EnergyCoverageReport,
    InterruptRow, LineRow, MethodRow, OverheadReport, ProcessRow, ProvenanceShares, QualityReport,
    RailRow, RuntimeTaxReport, SampledReport, SamplingReport, SliceRow, SpreadRow, StatementRow,
    SuspectsReport, TestRow, UpperBoundsReport, WaitRow,
};
use crate::Figure;
use crate::{HumanFigure, HumanUnits, RatingReport};

/// The recording and how it was evaluated.
#[derive(Clone, Debug)]
pub struct RecordingFacts {
    /// The input files.
    pub artifacts: Vec<ArtifactEntry>,
    /// The device that made it.
    pub device: DeviceFacts,
    /// Length of the window.
    pub duration: Nanos,
    /// The model behind the CPU's figures.
    pub model: Option<ModelFacts>,
    /// Policy by which shared power was divided.
    pub shared_policy: String,
    /// Whether there was a scheduler trace; without one there is no CPU time.
    pub has_scheduler: bool,
}

describe!(
    RecordingFacts,
    "recording",
    "the recording and how it was evaluated",
    [
        Column::list::<ArtifactEntry>(
            "artifacts",
            "input files of the recording",
            |row: &RecordingFacts| { &row.artifacts }
        ),
        Column::facts(
            "device",
            "what the recording contains of the device; unknown keys are absent",
            |row: &RecordingFacts| { Some(&row.device) }
        ),
        Column::time("duration_s", "length of the window", |row: &RecordingFacts| row.duration),
        Column::maybe_object::<ModelFacts>(
            "model",
            "the model behind the CPU's figures",
            |row: &RecordingFacts| { row.model.as_ref().map(|it| it as &dyn Row) }
        ),
        Column::text("shared_policy", "how shared power was divided", |row: &RecordingFacts| &row
            .shared_policy),
        Column::flag("has_scheduler", "whether there is CPU time", |row: &RecordingFacts| row
            .has_scheduler),
    ]
);

/// The energy of the whole window.
#[derive(Clone, Debug)]
pub struct EnergySummary {
    /// Everything.
    pub total: Figure,
    /// The parts of the total by their provenance; `None` without a total.
    pub provenance_shares: Option<ProvenanceShares>,
    /// The total in human units; `None` without one.
    pub human: Option<HumanFigure>,
    /// Conversion of energies to human units.
    pub human_units: Option<HumanUnits>,
    /// Why there is no total; `None` when there is one.
    pub no_energy_reason: Option<String>,
    /// The assumption that the CPU's energy rests on, where nothing recorded when the device's CPUs were busy.
    pub assumption: Option<String>,
    /// Mean power: the sum over all components, each over the time for which it is covered.
    pub mean_mw: Option<f64>,
    /// The components and the time that the total covers; `None` without energy, and for ledgers of earlier versions.
    pub coverage: Option<EnergyCoverageReport>,
    /// Energies that the input itself states.
    pub statements: Vec<StatementRow>,
    /// The largest relative difference between attributed and integrated energy of any component.
    pub closure_error: Option<f64>,
}

describe!(
    EnergySummary,
    "energy",
    "the energy of the whole window",
    [
        Column::maybe_number("total_joules", "the number of total", |row: &EnergySummary| {
            row.total.joules().map(Joules::value)
        }),
        Column::object::<Figure>("total", "the whole window", |row: &EnergySummary| &row.total),
        Column::maybe_object::<ProvenanceShares>(
            "provenance_shares",
            "the parts of the total by their provenance; null without a total",
            |row: &EnergySummary| row.provenance_shares.as_ref().map(|it| it as &dyn Row)
        ),
        Column::maybe_object::<HumanFigure>(
            "human",
            "the total in human units",
            |row: &EnergySummary| { row.human.as_ref().map(|it| it as &dyn Row) }
        ),
        Column::maybe_object::<HumanUnits>(
            "human_units",
            "what energies are converted to human units by",
            |row: &EnergySummary| row.human_units.as_ref().map(|it| it as &dyn Row)
        ),
        Column::maybe_text(
            "no_energy_reason",
            "why there is no total; null when there is one",
            |row: &EnergySummary| row.no_energy_reason.as_deref()
        ),
        Column::maybe_text(
            "assumption",
            "what the CPU's energy rests on where nothing recorded when the device's CPUs were busy; null where that was recorded",
            |row: &EnergySummary| row.assumption.as_deref()
        ),
        Column::power(
            "mean_mw",
            "mean power, milliwatts: the sum over all components, each over the time for which it is covered",
            |row: &EnergySummary| row.mean_mw
        ),
        Column::maybe_object::<EnergyCoverageReport>(
            "energy_coverage",
            "the components and the time that the total covers; absent without energy, and for ledgers of earlier versions",
            |row: &EnergySummary| row.coverage.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::maybe_list::<StatementRow>(
            "statements",
            "energies that the input itself states: rails, battery discharge, Android's own estimate, power meter; absent where there are none",
            |row: &EnergySummary| row.statements.some()
        ),
        Column::maybe_number(
            "closure_error",
            "largest relative difference between attributed and integrated energy of any component",
            |row: &EnergySummary| row.closure_error
        ),
    ]
);

/// Energy by hardware and by consumer class.
#[derive(Clone, Debug)]
pub struct HardwareReport {
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
    /// Power that cores share, whoever its consumer is.
    pub cpu_shared: Figure,
    /// Rails.
    pub rails: Vec<RailRow>,
    /// Totals according to the other applicable models.
    pub spread: Vec<SpreadRow>,
    /// The battery.
    pub battery: Option<BatteryReport>,
    /// Bytes of interfaces and disks, and what calls were given of them.
    pub transfers: Vec<TransferEntry>,
}

describe!(
    HardwareReport,
    "hardware",
    "energy by hardware and by consumer class",
    [
        Column::list::<ComponentRow>(
            "components",
            "by component, most energy first",
            |row: &HardwareReport| { &row.components }
        ),
        Column::list::<AccountRow>(
            "accounts",
            "by class and charge; they add up to total",
            |row: &HardwareReport| { &row.accounts }
        ),
        Column::list::<InterruptRow>("interrupts", "by handler", |row: &HardwareReport| &row
            .interrupts),
        Column::list::<AppUidRow>(
            "apps",
            "apps of which only the uid is known",
            |row: &HardwareReport| &row.apps
        ),
        Column::list::<CpuRow>("cpus", "by CPU", |row: &HardwareReport| &row.cpus),
        Column::energy(
            "cpu_shared",
            "power that cores share, whoever its consumer is",
            |row: &HardwareReport| { row.cpu_shared.0 }
        ),
        Column::list::<RailRow>("rails", "power rails", |row: &HardwareReport| &row.rails),
        Column::list::<SpreadRow>(
            "spread",
            "totals according to the other applicable models",
            |row: &HardwareReport| { &row.spread }
        ),
        Column::maybe_object::<BatteryReport>("battery", "the battery", |row: &HardwareReport| {
            row.battery.as_ref().map(|it| it as &dyn Row)
        }),
        Column::maybe_list::<TransferEntry>(
            "transfers",
            "bytes of interfaces and disks, and what calls were given of them; absent where there are none",
            |row: &HardwareReport| row.transfers.some()
        ),
    ]
);

/// Energy by process, thread and place in the code.
#[derive(Clone, Debug)]
pub struct SoftwareReport {
    /// The apps that were asked for.
    pub app: Option<AppReport>,
    /// Apps and programs with all that they drew, most energy first.
    pub consumers: Vec<ConsumerRow>,
    /// Processes that consumed or ran, most energy first.
    pub processes: Vec<ProcessRow>,
    /// Call slices by name and thread, most total energy first.
    pub slices: Vec<SliceRow>,
    /// Energy by method, API, class, package and line; `None` where the recording knows no place in the app's code.
    pub code: Option<CodeReport>,
    /// ART overhead (GC, JIT, class loading, startup); `None` where no call path is of such a class.
    pub runtime_tax: Option<RuntimeTaxReport>,
    /// The samples that call paths were made from; `None` where there are none.
    pub sampling: Option<SamplingReport>,
    /// Results of sampling without energy.
    pub sampled: Option<SampledReport>,
    /// Why threads did not run, most time first, where that was asked for.
    pub waits: Vec<WaitRow>,
    /// Waits that are not counted, because events of some CPU are missing meanwhile.
    pub doubtful_waits: u64,
    /// Why nothing is known of waits, where that was asked for.
    pub no_waits: Option<NoWaits>,
}

describe!(SoftwareReport, "software", "energy by process, thread and place in the code", [
    Column::maybe_object::<AppReport>("app", "the apps selected with --app; absent without", |row: &SoftwareReport| {
        row.app.as_ref().map(|it| it as &dyn Row)
    })
    .optional(),
    Column::list::<ConsumerRow>(
        "consumers",
        "apps and programs with all their processes, most energy first",
        |row: &SoftwareReport| &row.consumers
    ),
    Column::list::<ProcessRow>(
        "processes",
        "all that ran or consumed, most energy first, then by pid",
        |row: &SoftwareReport| &row.processes
    ),
    Column::list::<SliceRow>("slices", "by name and thread, most total energy first", |row: &SoftwareReport| {
        &row.slices
    }),
    Column::maybe_list::<MethodRow>(
        "methods",
        "most total energy first, or as --sort says; absent where no place in the app's code is known",
        |row: &SoftwareReport| row.code.as_ref().map(|code| &code.methods as &dyn Rows)
    ),
    Column::maybe_list::<ApiRow>(
        "apis",
        "methods outside of the app that it calls; absent where none was called",
        |row: &SoftwareReport| row.code.as_ref().and_then(|code| code.apis.some())
    ),
    Column::maybe_list::<ClassRow>("classes", "by class; absent like methods", |row: &SoftwareReport| {
        row.code.as_ref().map(|code| &code.classes as &dyn Rows)
    }),
    Column::maybe_list::<CodePackageRow>(
        "packages",
        "by package of classes; absent like methods",
        |row: &SoftwareReport| row.code.as_ref().map(|code| &code.packages as &dyn Rows)
    ),
    Column::maybe_list::<LineRow>(
        "lines",
        "source lines of all methods; absent like methods",
        |row: &SoftwareReport| row.code.as_ref().map(|code| code.lines() as &dyn Rows)
    ),
    Column::maybe_object::<ApiCoverage>(
        "api_coverage",
        "how much the tables of costs know; absent where nothing outside of the app was called",
        |row: &SoftwareReport| row.code.as_ref()?.api_coverage.as_ref().map(|it| it as &dyn Row)
    )
    .optional(),
    Column::maybe_object::<RuntimeTaxReport>(
        "runtime_tax",
        "ART overhead (GC, JIT, class loading, startup); absent where no call path is of such a class",
        |row: &SoftwareReport| row.runtime_tax.as_ref().map(|it| it as &dyn Row)
    )
    .optional(),
    Column::maybe_object::<SamplingReport>(
        "sampling",
        "the samples that call paths were made from; absent where there are none",
        |row: &SoftwareReport| row.sampling.as_ref().map(|it| it as &dyn Row)
    )
    .optional(),
    Column::maybe_object::<SampledReport>(
        "sampled",
        "results of sampling without energy; absent where there is an energy figure",
        |row: &SoftwareReport| row.sampled.as_ref().map(|it| it as &dyn Row)
    )
    .optional(),
    Column::maybe_list::<WaitRow>(
        "waits",
        "why threads did not run, and what woke them, most time first; absent without --by waits",
        |row: &SoftwareReport| row.waits.some()
    ),
]);

/// Tests, and what their energies show.
#[derive(Clone, Debug)]
pub struct TestsReport {
    /// Tests that ran, in order of time.
    pub rows: Vec<TestRow>,
    /// Methods that ran in tests of more than the mean power; `None` where it is not known which methods ran in which test.
    pub suspects: Option<SuspectsReport>,
    /// Coverage of the probed code; `None` if no probe map is known.
    pub coverage: Option<CoverageReport>,
    /// Comparison of the energy with a category, if one was requested.
    pub rating: Option<RatingReport>,
    /// Upper bounds of calls of which only the CPUs' clocks are known.
    pub upper_bounds: Option<UpperBoundsReport>,
}

describe!(
    TestsReport,
    "tests",
    "tests, and what their energies show",
    [
        Column::maybe_list::<TestRow>(
            "tests",
            "in order of time; absent where none ran",
            |row: &TestsReport| { row.rows.some() }
        ),
        Column::maybe_object::<SuspectsReport>(
            "suspects",
            "absent where it is not known which methods ran in which test",
            |row: &TestsReport| row.suspects.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::maybe_object::<CoverageReport>(
            "coverage",
            "how much of the probed code ran; absent where no probe map is known",
            |row: &TestsReport| row.coverage.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::maybe_object::<RatingReport>(
            "rating",
            "absent without --category",
            |row: &TestsReport| { row.rating.as_ref().map(|it| it as &dyn Row) }
        )
        .optional(),
        Column::maybe_object::<UpperBoundsReport>(
            "upper_bounds",
            "absent where no call is known by its CPUs' clocks alone",
            |row: &TestsReport| row.upper_bounds.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
    ]
);

/// Trustworthiness of the figures.
#[derive(Clone, Debug)]
pub struct TrustReport {
    /// The energy of recording itself; `None` where there was none.
    pub overhead: Option<OverheadReport>,
    /// Lost, guessed or unread input.
    pub quality: QualityReport,
}

describe!(
    TrustReport,
    "trust",
    "how far the figures can be trusted",
    [
        Column::maybe_object::<OverheadReport>(
            "overhead",
            "the energy of recording itself; absent where there was none",
            |row: &TrustReport| row.overhead.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::object::<QualityReport>(
            "quality",
            "lost, guessed or unread input",
            |row: &TrustReport| &row.quality
        ),
    ]
);
