//! The rows of the ART overhead.

use wattle_ledger::RuntimeClass;
use wattle_table::{Column, describe};
use wattle_units::{Estimate, Nanos};

use super::ComponentRow;
use crate::Figure;

/// One class of the runtime tax.
#[derive(Clone, Debug)]
pub struct RuntimeClassRow {
    /// Which.
    pub class: RuntimeClass,
    /// Energy of its call paths.
    pub energy: Figure,
    /// Its part of the app's total, of everything where no app was asked for; in a process of the process's threads.
    pub share: Option<f64>,
    /// Time on a CPU.
    pub cpu: Option<Nanos>,
    /// By component, most energy first; the share is of the class.
    pub components: Vec<ComponentRow>,
}

describe!(
    RuntimeClassRow,
    "runtime_class",
    "what the call paths of one class drew",
    [
        Column::word(
            "class",
            "which",
            &["garbage-collection", "jit-compilation", "class-loading", "app-start"],
            |row: &RuntimeClassRow| Some(&row.class)
        ),
        Column::energy("", "what its call paths drew", |row: &RuntimeClassRow| row.energy.0),
        Column::share(
            "share",
            "its part of the app's total, of everything where no app was asked for; in a process of the process's threads",
            |row: &RuntimeClassRow| row.share
        ),
        Column::maybe_time("cpu_s", "time on a CPU", |row: &RuntimeClassRow| row.cpu),
        Column::list::<ComponentRow>("components", "most energy first", |row: &RuntimeClassRow| {
            &row.components
        }),
    ]
);

/// The runtime tax of a process.
#[derive(Clone, Debug)]
pub struct RuntimeProcessRow {
    /// The kernel's number.
    pub pid: Option<u32>,
    /// Its name.
    pub name: String,
    /// Total energy of all classes.
    pub energy: Figure,
    /// Energy of its threads.
    pub threads: Figure,
    /// Their energy for the app itself.
    pub rest: Figure,
    /// Whether calls (sections, probes, method traces) were recorded in it.
    pub has_calls: bool,
    /// Whether stacks were sampled in it.
    pub has_samples: bool,
    /// Classes that occur in it, most energy first.
    pub classes: Vec<RuntimeClassRow>,
}

/// There are energies of classes.
pub(crate) const WITH_ENERGY: &str = "with-energy";
/// There are only times of classes.
pub(crate) const WITHOUT_ENERGY: &str = "without-energy";

impl RuntimeProcessRow {
    fn class(&self, class: RuntimeClass) -> Option<&RuntimeClassRow> {
        self.classes.iter().find(|row| row.class == class)
    }

    fn energy_of(&self, class: RuntimeClass) -> Option<Estimate> {
        self.class(class)?.energy.0
    }

    fn time_of(&self, class: RuntimeClass) -> Option<Nanos> {
        self.class(class)?.cpu
    }
}

describe!(
    RuntimeProcessRow,
    "runtime_process",
    "the ART overhead of a process",
    [
        Column::maybe_id("pid", "the kernel's number", |row: &RuntimeProcessRow| row.pid)
            .label("pid")
            .soft(),
        Column::text("name", "process", |row: &RuntimeProcessRow| &row.name)
            .label("process")
            .elastic()
            .leading(),
        Column::energy("", "energy of all classes", |row: &RuntimeProcessRow| row.energy.0)
            .label("ART overhead")
            .strong(),
        Column::energy("", "garbage collection", |row: &RuntimeProcessRow| row
            .energy_of(RuntimeClass::GarbageCollection))
        .hidden()
        .label("GC")
        .page_label("garbage collection")
        .blank()
        .case(WITH_ENERGY),
        Column::energy("", "JIT compilation", |row: &RuntimeProcessRow| row
            .energy_of(RuntimeClass::JitCompilation))
        .hidden()
        .label("JIT")
        .page_label("JIT compilation")
        .blank()
        .case(WITH_ENERGY),
        Column::energy("", "class loading", |row: &RuntimeProcessRow| row
            .energy_of(RuntimeClass::ClassLoading))
        .hidden()
        .label("classes")
        .page_label("class loading")
        .blank()
        .case(WITH_ENERGY),
        Column::energy("", "app start", |row: &RuntimeProcessRow| row
            .energy_of(RuntimeClass::AppStart))
        .hidden()
        .label("app start")
        .blank()
        .case(WITH_ENERGY),
        Column::maybe_time("", "garbage collection", |row: &RuntimeProcessRow| row
            .time_of(RuntimeClass::GarbageCollection))
        .hidden()
        .label("GC")
        .not_in_page()
        .blank()
        .case(WITHOUT_ENERGY),
        Column::maybe_time("", "JIT compilation", |row: &RuntimeProcessRow| row
            .time_of(RuntimeClass::JitCompilation))
        .hidden()
        .label("JIT")
        .not_in_page()
        .blank()
        .case(WITHOUT_ENERGY),
        Column::maybe_time("", "class loading", |row: &RuntimeProcessRow| row
            .time_of(RuntimeClass::ClassLoading))
        .hidden()
        .label("classes")
        .not_in_page()
        .blank()
        .case(WITHOUT_ENERGY),
        Column::maybe_time("", "app start", |row: &RuntimeProcessRow| row
            .time_of(RuntimeClass::AppStart))
        .hidden()
        .label("app start")
        .not_in_page()
        .blank()
        .case(WITHOUT_ENERGY),
        Column::energy("threads", "what its threads drew", |row: &RuntimeProcessRow| row.threads.0),
        Column::energy("rest", "what they drew for the app itself", |row: &RuntimeProcessRow| row
            .rest
            .0)
        .label("its own"),
        Column::flag(
            "has_calls",
            "whether calls (sections, probes, method traces) were recorded in it",
            |row: &RuntimeProcessRow| row.has_calls
        ),
        Column::flag(
            "has_samples",
            "whether stacks were sampled in it",
            |row: &RuntimeProcessRow| row.has_samples
        ),
        Column::list::<RuntimeClassRow>(
            "classes",
            "classes that occur in it, most energy first",
            |row: &RuntimeProcessRow| &row.classes
        ),
    ]
);
