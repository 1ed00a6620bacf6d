//! The rows of a report. Field names are the keys of the JSON form.

use std::borrow::Cow;
use std::sync::Arc;

use wattle_table::{Column, Free, Rows, describe};
use wattle_timeline::{ArtifactQuality, ClockAlignment, Note, Quality, Severity, Uid};
use wattle_units::Nanos;

use crate::Figure;

/// One component.
#[derive(Clone, Debug)]
pub struct ComponentRow {
    /// Its name (`cpu`).
    pub name: String,
    /// Its energy.
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// Mean power over the window, where a table shows it.
    pub mean_mw: Option<f64>,
}

describe!(
    ComponentRow,
    "component",
    "one component",
    [
        Column::text("name", "component", |row: &ComponentRow| &row.name)
            .label("component")
            .elastic(),
        Column::energy("", "what it drew", |row: &ComponentRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &ComponentRow| row.energy.0).label("90 % interval"),
        Column::power("mean_mw", "mean power over the covered time", |row: &ComponentRow| row
            .mean_mw)
        .hidden()
        .label("mean"),
        Column::share("share", "part of the whole, 0 to 1", |row: &ComponentRow| row.share)
            .label("share"),
        Column::bar(|row: &ComponentRow| row.share),
        Column::provenance(|row: &ComponentRow| row.energy.0).label("provenance"),
    ]
);

/// One account class and charge.
#[derive(Clone, Debug)]
pub struct AccountRow {
    /// The class (`threads`, `idle floor` …).
    pub name: String,
    /// Its charge (`core`, `shared` …).
    pub charge: String,
    /// Energy attributed to it.
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
}

describe!(
    AccountRow,
    "account",
    "one account class and charge",
    [
        Column::text("name", "class of the account", |row: &AccountRow| &row.name)
            .words(&[
                "threads",
                "apps",
                "interrupts",
                "idle floor",
                "profiling overhead",
                "unmetered",
                "unattributed"
            ])
            .label("consumer")
            .elastic(),
        Column::text("charge", "kind of its power (`core`, `shared` …)", |row: &AccountRow| &row
            .charge)
        .words(&["core", "shared", "wake-transition", "device", "tail"])
        .label("power")
        .with_spaces(),
        Column::energy("", "energy attributed to it", |row: &AccountRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &AccountRow| row.energy.0).label("90 % interval"),
        Column::share("share", "part of the whole, 0 to 1", |row: &AccountRow| row.share)
            .label("share"),
        Column::bar(|row: &AccountRow| row.share),
    ]
);

/// One interrupt handler.
#[derive(Clone, Debug)]
pub struct InterruptRow {
    /// The handler.
    pub name: String,
    /// Energy attributed to it.
    pub energy: Figure,
}

describe!(
    InterruptRow,
    "interrupt",
    "an interrupt handler",
    [
        Column::text("name", "handler; 'wake without a task' for those", |row: &InterruptRow| &row
            .name),
        Column::energy("", "energy attributed to it", |row: &InterruptRow| row.energy.0),
    ]
);

/// Energy of an app of which only the uid is known.
#[derive(Clone, Debug)]
pub struct AppUidRow {
    /// The uid.
    pub uid: Uid,
    /// Its packages, the platform's name of it, or as Android writes it.
    pub name: String,
    /// Its packages.
    pub packages: Vec<String>,
    /// Energy attributed to it.
    pub energy: Figure,
    /// Its part of the whole, only in views.
    pub share: Option<f64>,
}

describe!(
    AppUidRow,
    "app_uid",
    "an app of which only the uid is known",
    [
        Column::integer(
            "uid",
            "uid, as Android writes it: those of no process are negative",
            |row: &AppUidRow| { i64::from(row.uid.signed()) }
        )
        .label("uid")
        .soft(),
        Column::text(
            "name",
            "its packages, the platform's name of it, or as Android writes it",
            |row: &AppUidRow| { &row.name }
        )
        .label("app")
        .elastic(),
        Column::texts("packages", "its packages", |row: &AppUidRow| &row.packages),
        Column::energy("", "energy attributed to it", |row: &AppUidRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &AppUidRow| row.energy.0).label("90 % interval"),
        Column::share("share", "part of the whole", |row: &AppUidRow| row.share)
            .hidden()
            .label("share"),
    ]
);

/// One CPU.
#[derive(Clone, Debug)]
pub struct CpuRow {
    /// The kernel's number.
    pub cpu: u32,
    /// The core's own energy, idle included, without what cores share.
    pub core: Figure,
    /// Time it ran a task.
    pub busy: Option<Nanos>,
    /// That time by the length of the window, only in views.
    pub busy_share: Option<f64>,
    /// Whether it stands for any CPU of the device.
    pub is_virtual: bool,
}

describe!(
    CpuRow,
    "cpu",
    "one CPU",
    [
        Column::id("cpu", "the kernel's number", |row: &CpuRow| row.cpu).label("cpu"),
        Column::energy("core", "the core's own energy, idle included", |row: &CpuRow| row.core.0)
            .label("core energy")
            .strong(),
        Column::interval(|row: &CpuRow| row.core.0).label("90 % interval"),
        Column::maybe_time(
            "busy_s",
            "time it ran a task; null without a scheduler",
            |row: &CpuRow| row.busy
        )
        .label("busy"),
        Column::share("busy_share", "busy time by the length of the window", |row: &CpuRow| row
            .busy_share)
        .hidden()
        .label("busy share")
        .only_in_page(),
        Column::flag(
            "is_virtual",
            "it stands for any CPU of the device: the recording does not contain which one a thread ran on",
            |row: &CpuRow| row.is_virtual
        ),
        Column::maybe_text(
            "kind",
            "virtual CPUs stand for any CPU of the device: the recording does not contain which one a thread ran on",
            |row: &CpuRow| row.is_virtual.then_some("virtual")
        )
        .hidden()
        .label("kind")
        .rare(),
    ]
);

/// One process.
#[derive(Clone, Debug)]
pub struct ProcessRow {
    /// The kernel's number; `None` for threads whose process is not known.
    pub pid: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its package.
    pub package: Option<String>,
    /// Its uid.
    pub uid: Option<u32>,
    /// Energy attributed to its threads.
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// On-CPU time of its threads.
    pub cpu: Option<Nanos>,
    /// Whether it belongs to an app that was asked for.
    pub in_app: bool,
    /// Its threads, most energy first.
    pub threads: Vec<ThreadRow>,
}

impl ProcessRow {
    /// The name in views: threads whose process is not known are listed together.
    pub fn title(&self) -> Cow<'_, str> {
        Self::title_of(self.pid, &self.name)
    }

    /// The name in views of a process of that pid and name.
    pub(crate) fn title_of(pid: Option<u32>, name: &str) -> Cow<'_, str> {
        match (pid, name) {
            (None, "") => Cow::Borrowed("(unknown process)"),
            (Some(pid), "") => Cow::Owned(format!("process {pid}")),
            (_, name) => Cow::Borrowed(name),
        }
    }
}

describe!(
    ProcessRow,
    "process",
    "one process",
    [
        Column::maybe_id("pid", "the kernel's number; null where not known", |row: &ProcessRow| {
            row.pid
        })
        .label("pid")
        .soft(),
        Column::text("name", "process", |row: &ProcessRow| &row.name),
        Column::made("process", "name for views", |row: &ProcessRow| row.title().into_owned())
            .label("process")
            .elastic(),
        Column::maybe_text("package", "package", |row: &ProcessRow| row.package.as_deref()),
        Column::maybe_id("uid", "uid", |row: &ProcessRow| row.uid),
        Column::energy("", "what its threads pay", |row: &ProcessRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &ProcessRow| row.energy.0).label("90 % interval"),
        Column::share("share", "part of the whole, 0 to 1", |row: &ProcessRow| row.share),
        Column::power(
            "mean_mw",
            "mean power over the covered time, milliwatts",
            |row: &ProcessRow| row.mean_mw
        )
        .label("mean"),
        Column::share("share", "part of the whole", |row: &ProcessRow| row.share)
            .hidden()
            .label("share"),
        Column::maybe_time("cpu_s", "on-CPU time of its threads", |row: &ProcessRow| row.cpu)
            .label("CPU time"),
        Column::flag("in_app", "belongs to an app that was asked for", |row: &ProcessRow| row
            .in_app),
        Column::list::<ThreadRow>(
            "threads",
            "most energy first, then by tid",
            |row: &ProcessRow| &row.threads
        ),
    ]
);

/// One thread.
#[derive(Clone, Debug)]
pub struct ThreadRow {
    /// The kernel's number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// The process it belongs to, only in views.
    pub process: Arc<str>,
    /// The kernel's number of that process, only in views.
    pub pid: Option<u32>,
    /// Energy attributed to it.
    pub energy: Figure,
    /// Core energy, before the split of shared power and without wake transitions.
    pub cpu_core: Figure,
    /// Its part of the CPU's shared power.
    pub cpu_shared: Figure,
    /// Wake transitions it caused.
    pub wake_transition: Figure,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// On-CPU time, interrupts taken out.
    pub cpu: Option<Nanos>,
    /// Whether it belongs to what was asked for.
    pub(crate) in_app: bool,
    /// Whether it only ran to record.
    pub(crate) is_recorder: bool,
}

describe!(
    ThreadRow,
    "thread",
    "one thread",
    [
        Column::id("tid", "the kernel's number", |row: &ThreadRow| row.tid).label("tid").soft(),
        Column::text("name", "thread", |row: &ThreadRow| &row.name)
            .label("thread")
            .elastic()
            .leading(),
        Column::text("process", "process that the thread belongs to", |row: &ThreadRow| &row
            .process)
        .hidden()
        .label("process")
        .soft()
        .elastic(),
        Column::maybe_id("pid", "the kernel's number of the process", |row: &ThreadRow| row.pid)
            .hidden()
            .label("pid")
            .soft()
            .only_in_page(),
        Column::energy("", "energy attributed to it", |row: &ThreadRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &ThreadRow| row.energy.0).label("90 % interval").only_in_page(),
        Column::energy(
            "cpu_core",
            "core energy before the shared split and without wake transitions",
            |row: &ThreadRow| row.cpu_core.0
        )
        .label("core")
        .page_label("CPU core"),
        Column::energy("cpu_shared", "its part of the CPU's shared power", |row: &ThreadRow| row
            .cpu_shared
            .0)
        .label("shared")
        .page_label("CPU shared"),
        Column::energy("wake_transition", "wake transitions it caused", |row: &ThreadRow| row
            .wake_transition
            .0)
        .label("wake")
        .page_label("wake transition"),
        Column::power(
            "mean_mw",
            "mean power over the covered time, milliwatts",
            |row: &ThreadRow| row.mean_mw
        )
        .label("mean"),
        Column::maybe_time("cpu_s", "on-CPU time, interrupts taken out", |row: &ThreadRow| row.cpu)
            .label("CPU time"),
    ]
);

/// All call slices of one name on one thread.
#[derive(Clone, Debug)]
pub struct SliceRow {
    /// Its name.
    pub name: String,
    /// The thread's name.
    pub thread: String,
    /// The thread's number.
    pub tid: u32,
    /// The process's name.
    pub process: String,
    /// The process's number.
    pub pid: Option<u32>,
    /// Energy while it was innermost.
    pub own: Figure,
    /// Energy while it was open, callees included; a slice that calls itself counts once.
    pub total: Figure,
    /// Number of its entries; 0 if only samples contain it.
    pub calls: u64,
    /// Number of samples that found it on the stack; `None` if its calls were recorded from entry to exit.
    pub samples: Option<u64>,
    /// On-CPU time while it was innermost.
    pub own_cpu: Option<Nanos>,
    /// On-CPU time while it was open.
    pub cpu: Option<Nanos>,
    /// Wall time while it was open.
    pub wall: Nanos,
    /// Total energy by wall time.
    pub mean_mw: Option<f64>,
    /// Energy of components other than the CPU, in the order of the ledger's components.
    pub components: Vec<SliceComponent>,
    /// Whether its process belongs to an app that was asked for.
    pub(crate) in_app: bool,
}

impl SliceRow {
    /// Returns the number of its entries; samples do not contain that.
    fn known_calls(&self) -> Option<u64> {
        (self.calls > 0 || self.samples.is_none()).then_some(self.calls)
    }
}

describe!(SliceRow, "slice", "all call slices of one name on one thread", [
    Column::text("name", "slice", |row: &SliceRow| &row.name).label("slice").elastic(),
    Column::text("thread", "thread", |row: &SliceRow| &row.thread).label("thread").soft().elastic(),
    Column::id("tid", "thread", |row: &SliceRow| row.tid),
    Column::text("process", "process", |row: &SliceRow| &row.process).label("process").only_in_page(),
    Column::maybe_id("pid", "process", |row: &SliceRow| row.pid),
    Column::energy("self", "energy while it was innermost", |row: &SliceRow| row.own.0).label("self").strong(),
    Column::energy("total", "energy while it was open; recursion counts once", |row: &SliceRow| row.total.0).label("total").strong(),
    Column::interval(|row: &SliceRow| row.total.0).label("90 % interval").only_in_page(),
    Column::count("calls", "how often it was entered, recursive calls included", |row: &SliceRow| row.calls),
    Column::maybe_count("samples", "samples that found it on its thread's stack; absent where calls were recorded from entry to exit", |row: &SliceRow| row.samples).optional(),
    Column::maybe_time("self_cpu_s", "on-CPU time while it was innermost", |row: &SliceRow| row.own_cpu),
    Column::maybe_time("cpu_s", "on-CPU time while it was open", |row: &SliceRow| row.cpu),
    Column::time("wall_s", "wall time while it was open", |row: &SliceRow| row.wall),
    Column::power("mean_mw", "total energy by wall time, milliwatts", |row: &SliceRow| row.mean_mw).label("mean").page_label("mean while open"),
    Column::maybe_count("known_calls", "how often it was entered; unknown where only samples contain it", |row: &SliceRow| row.known_calls()).hidden().label("calls").ungrouped(),
    Column::maybe_count("known_samples", "samples that found it on its thread's stack", |row: &SliceRow| row.samples).hidden().label("samples").ungrouped().rare().not_in_page(),
    Column::maybe_time("page_cpu", "on-CPU time while it was open", |row: &SliceRow| row.cpu).hidden().label("CPU time").only_in_page(),
    Column::time("page_wall", "wall time while it was open", |row: &SliceRow| row.wall).hidden().label("wall time").only_in_page(),
    Column::maybe_list::<SliceComponent>("components", "what of it other components than the CPU drew; absent where none did", |row: &SliceRow| row.components.some()),
]);

/// Energy of one component for the slices of one name on one thread.
#[derive(Clone, Debug)]
pub struct SliceComponent {
    /// The component.
    pub name: String,
    /// For the slices themselves.
    pub own: Figure,
    /// For them and all that they called; a slice that calls itself counts once.
    pub total: Figure,
}

describe!(
    SliceComponent,
    "slice_component",
    "the energy of one component for the slices of one name on one thread",
    [
        Column::text("name", "component", |row: &SliceComponent| &row.name),
        Column::energy("self", "energy for the slices themselves", |row: &SliceComponent| row
            .own
            .0),
        Column::energy(
            "total",
            "energy for them and all that they called; recursion counts once",
            |row: &SliceComponent| row.total.0
        ),
    ]
);

/// Data that was lost, guessed or not understood.
#[derive(Clone, Debug)]
pub struct QualityReport {
    /// The gravest note.
    pub worst: Option<Severity>,
    /// Events that recorders say they lost.
    pub lost_events: u64,
    /// Entries of the ledger that point nowhere and were left out.
    pub dangling_entries: u64,
    /// By artifact, and what later stages have to say.
    pub quality: Quality,
}

describe!(
    QualityReport,
    "quality",
    "lost, guessed or unread input",
    [
        Column::word(
            "worst",
            "the gravest note",
            &["info", "warning", "error"],
            |row: &QualityReport| row.worst.as_ref().map(|it| it as &dyn Free)
        )
        .nullable(),
        Column::count("lost_events", "events recorders say they lost", |row: &QualityReport| row
            .lost_events),
        Column::count(
            "dangling_entries",
            "entries of the ledger that point nowhere and were left out",
            |row: &QualityReport| row.dangling_entries
        ),
        Column::list::<ArtifactQuality>("artifacts", "by input file", |row: &QualityReport| &row
            .quality
            .artifacts),
        Column::list::<Note>("notes", "notes of later stages", |row: &QualityReport| &row
            .quality
            .notes),
        Column::maybe_list::<ClockAlignment>(
            "alignments",
            "how clocks were aligned; absent where none had to be",
            |row: &QualityReport| row.quality.alignments.some()
        ),
    ]
);
