//! Building a timeline.
//!
//! Readers of any format push what they find, in the order in which they find it, under the kernel's own
//! numbers (pid, tid, cpu) and in boot time. Streams of one CPU are in order; nothing else is assumed.
//! [`TimelineBuilder::finish`] finds out who bore which number when, merges what belongs to
//! one thread, closes what is open and makes the columns.
//!
//! Events are added through one builder for each part of the timeline ([`TimelineBuilder::tasks`],
//! [`TimelineBuilder::cpus`] …). Such a part borrows its own log and, because nearly every event also mentions a thread
//! and a time, the log of tasks and the extent of the recording:
//!
//! ```text
//!  tasks()     TaskLog ◄────────┬──────┬────────┬─── mentions of threads
//!              Extent  ◄────────┼──────┼────────┼─── times of events
//!                               │      │        │
//!  cpus()      CpuLogs          ┘      │        │
//!  code()      slices, sites, tests    ┘        │
//!  samples()   stacks                           ┘
//!  energy(), hardware(), system()                    … likewise
//! ```

mod code_log;
mod counter_log;
mod cpu_log;
mod cpu_logs;
mod energy_log;
mod extent;
mod hardware_log;
mod hotplug;
mod inferred_schedule;
mod method_log;
mod one_cpu;
mod process_packages;
mod rail_log;
mod run_log;
mod samples;
mod scope;
mod site_log;
mod slice_log;
mod source_spans;
mod stack_sites;
mod suspend;
mod system_log;
mod task_builder;
mod task_lives;
mod task_log;
mod thread_clocks;
mod virtual_cpus;

use wattle_units::BootNanos;

pub use code_log::CodeBuilder;
pub use counter_log::CounterKey;
pub use cpu_log::MAX_CPUS;
pub use cpu_logs::CpuBuilder;
pub use energy_log::{EnergyBuilder, RailKey};
pub use hardware_log::HardwareBuilder;
pub use method_log::{MethodCalls, MethodThread};
pub use samples::SampleBuilder;
pub use scope::RawScope;
pub use site_log::ProbedName;
pub use slice_log::{Overlap, SliceTrackKey};
pub use source_spans::SourceSpans;
pub use suspend::SuspendStep;
pub use system_log::SystemBuilder;
pub use task_builder::TaskBuilder;
pub use task_log::{NameRank, ProcessFacts};

use crate::{
    ArtifactQuality, ClockAlignment, DeviceFacts, NameId, Names, Note, OperatingSystem, Quality,
    SocModel, Timeline, Window,
};
use code_log::CodeLog;
use cpu_logs::CpuLogs;
use energy_log::EnergyLog;
use extent::Extent;
use hardware_log::HardwareLog;
use samples::SampleLog;
use scope::ScopeResolver;
use system_log::SystemLog;
use task_builder::PackageLog;
use task_lives::TaskLives;
use task_log::TaskLog;

/// Makes a [`Timeline`] out of what readers find. Several input files can be read into one builder.
#[derive(Debug, Default)]
pub struct TimelineBuilder {
    /// All strings.
    pub names: Names,
    /// Facts about the device, filled in by readers.
    pub device: DeviceFacts,
    soc_models: Vec<SocModel>,
    extent: Extent,
    tasks: TaskLog,
    packages: PackageLog,
    cpus: CpuLogs,
    code: CodeLog,
    samples: SampleLog,
    energy: EnergyLog,
    hardware: HardwareLog,
    system: SystemLog,
    quality: Quality,
}

impl TimelineBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Something happened at this time: the window of the timeline reaches at least to it.
    #[inline]
    pub fn extend_to(&mut self, time: BootNanos) {
        self.extent.reach(time);
    }

    /// The streams of all CPUs are complete only from this time on; what began on one of them before may
    /// have ended on another that was not recorded yet. Switches, wake-ups, interrupts and slices
    /// from before are left out and the window begins here; states and counters from before hold.
    pub fn complete_from(&mut self, time: BootNanos) {
        self.extent.complete_from(time);
    }

    /// The streams of all CPUs are complete only until this time: of some of them what came later is missing. The window ends here.
    pub fn complete_until(&mut self, time: BootNanos) {
        self.extent.complete_until(time);
    }

    /// From the first to the last event so far; `None` before the first.
    pub fn span(&self) -> Option<(BootNanos, BootNanos)> {
        self.extent.span()
    }

    /// From the first to the last event since this was asked last: asked between files, by the file before. `None` if there was none.
    pub fn take_span(&mut self) -> Option<Window> {
        self.extent.take_span()
    }

    /// When the scheduler and rails were recorded since this was asked last: asked between files, by the file before.
    pub fn take_source_spans(&mut self) -> SourceSpans {
        SourceSpans { scheduler: self.cpus.take_switch_span(), rails: self.energy.take_rail_span() }
    }

    /// Adds the quality of one input file that was read.
    pub fn artifact(&mut self, quality: ArtifactQuality) {
        self.quality.artifacts.push(quality);
    }

    /// Notes the conversion of an input file's clock to boot time.
    pub fn alignment(&mut self, alignment: ClockAlignment) {
        self.quality.alignments.push(alignment);
    }

    /// A note on the recording as a whole.
    pub fn note(&mut self, note: Note) {
        self.quality.notes.push(note);
    }

    /// Adds a power model of the device's SoC. One that was added before is left out.
    pub fn soc_model(&mut self, model: SocModel) {
        model.add_to(&mut self.soc_models);
    }

    /// When processes were seen to begin so far: pid and time.
    pub fn process_starts(&self) -> impl Iterator<Item = (u32, BootNanos)> + '_ {
        self.tasks.process_starts().map(|(pid, time)| (pid, BootNanos::new(time)))
    }

    /// Number of statements about tasks so far, from which [`Self::process_names`] goes on.
    pub fn task_entries(&self) -> usize {
        self.tasks.len()
    }

    /// Names of processes by command line, from a number of statements about tasks on: pid and name.
    pub fn process_names(&self, from: usize) -> impl Iterator<Item = (u32, NameId)> + '_ {
        self.tasks.process_names(from)
    }

    /// Whether any event so far says which thread was on a CPU.
    pub fn has_scheduler(&self) -> bool {
        self.cpus.has_scheduler()
    }

    /// The thread on the CPU after the events so far.
    pub fn current(&self, cpu: u32) -> Option<u32> {
        self.cpus.current(cpu)
    }

    /// Number of events that named a CPU that is taken not to exist (see [`MAX_CPUS`]).
    pub fn refused_cpus(&self) -> u64 {
        self.cpus.refused()
    }

    /// Whether any battery was polled so far.
    pub fn has_batteries(&self) -> bool {
        self.energy.has_batteries()
    }
}

/// Parts.
impl TimelineBuilder {
    /// Adds processes, threads and packages.
    #[inline]
    pub fn tasks(&mut self) -> TaskBuilder<'_> {
        TaskBuilder { names: &mut self.names, log: &mut self.tasks, packages: &mut self.packages }
    }

    /// Adds events of CPUs: scheduling, clocks, idle states, interrupts, suspend.
    #[inline]
    pub fn cpus(&mut self) -> CpuBuilder<'_> {
        CpuBuilder { extent: &mut self.extent, tasks: &mut self.tasks, log: &mut self.cpus }
    }

    /// Adds sections, calls, places in code and tests.
    #[inline]
    pub fn code(&mut self) -> CodeBuilder<'_> {
        CodeBuilder {
            extent: &mut self.extent,
            tasks: &mut self.tasks,
            names: &mut self.names,
            log: &mut self.code,
        }
    }

    /// Adds sampled stacks.
    #[inline]
    pub fn samples(&mut self) -> SampleBuilder<'_> {
        SampleBuilder { extent: &mut self.extent, tasks: &mut self.tasks, log: &mut self.samples }
    }

    /// Adds readings of energy, power and batteries.
    pub fn energy(&mut self) -> EnergyBuilder<'_> {
        EnergyBuilder { extent: &mut self.extent, log: &mut self.energy }
    }

    /// Adds activity of hardware other than CPUs.
    pub fn hardware(&mut self) -> HardwareBuilder<'_> {
        HardwareBuilder {
            extent: &mut self.extent,
            tasks: &mut self.tasks,
            log: &mut self.hardware,
        }
    }

    /// Adds states, totals and counters.
    #[inline]
    pub fn system(&mut self) -> SystemBuilder<'_> {
        SystemBuilder { extent: &mut self.extent, log: &mut self.system }
    }
}

impl TimelineBuilder {
    /// The timeline.
    pub fn finish(mut self) -> Timeline {
        let from = self.extent.first_complete();
        let window = self.extent.window();
        self.quality.notes.extend(self.extent.notes());
        let is_windows = self.device.system == Some(OperatingSystem::Windows);
        let swapper = self.names.intern(if is_windows { "Idle" } else { "swapper" });
        let are_apart = self.tasks.processes_are_apart;
        let mut lives = TaskLives::replay(self.tasks.into_entries(), swapper, are_apart);
        process_packages::resolve(&mut lives.processes, &self.packages.packages, &self.names);
        let threads = lives.thread_table();
        let scopes = ScopeResolver { lives: &lives, threads: &threads };

        let mut timeline = Timeline { window, ..Timeline::default() };
        self.cpus.finish(&mut timeline, from, &threads);
        let unknown_threads = self.code.finish(&mut timeline, from, &scopes, &self.names);
        timeline.code.samples = self.samples.finish(&threads);
        timeline.energy = self.energy.finish();
        timeline.hardware = self.hardware.finish(&threads);
        timeline.system = self.system.finish(&scopes);
        timeline.device = self.device;
        timeline.soc_models = self.soc_models;
        timeline.names = self.names;
        let of_cpus = std::mem::replace(&mut timeline.quality, self.quality).notes;
        timeline.quality.notes.extend(of_cpus);
        self.packages.finish(&mut timeline);
        timeline.tasks.processes = lives.processes;
        timeline.tasks.threads = lives.threads;
        timeline.tasks.threads.extend(unknown_threads);
        inferred_schedule::infer(&mut timeline);
        timeline
    }
}
