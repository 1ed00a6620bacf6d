//! The event model of a recording: everything read from its artifacts, in one clock, as columns.
//!
//! A [`Timeline`] is made by `wattle-ingest` through a builder and is read-only afterwards. It knows no file
//! format and no energy: it says which thread was on which CPU, at which frequency, inside which
//! call, and what the device's own meters counted. Times are [`wattle_units::BootNanos`].
//!
//! Identity: kernel numbers are reused, so a process is a [`ProcessId`] and a thread a [`ThreadId`]
//! (indices into this timeline); [`Pid`] and [`Tid`] are what the kernel called them.
//!
//! Columns: what comes by the million (on-CPU slices, call slices, wake-ups, samples) is stored as one
//! vector a field; what comes by the dozen is a struct.

mod architecture;
mod blocked_reason;
mod builder;
mod call_slices;
mod clock_alignment;
mod clock_domains;
mod clock_fit;
mod clocked_call;
mod code_site;
mod counter_track;
mod cpu_timeline;
mod device;
mod device_wake;
mod disk;
mod emulator;
mod frame_code;
mod gpu_timeline;
mod interned_names;
mod meter_readings;
mod meter_track;
mod network_packet;
mod probe;
mod process_base;
mod product_name;
mod quality;
mod quality_columns;
mod sched;
mod screen_frame;
mod shared_column;
mod soc_model;
mod stack_copies;
mod stack_samples;
mod state_track;
mod steps;
mod system_usage;
mod task;
mod task_ids;
mod test_run;
mod timeline;
mod uid_name;
mod window;

pub use architecture::Architecture;
pub use blocked_reason::BlockedReason;
pub use builder::{
    CodeBuilder, CounterKey, CpuBuilder, EnergyBuilder, HardwareBuilder, MAX_CPUS, MethodCalls,
    MethodThread, NameRank, Overlap, ProbedName, ProcessFacts, RailKey, RawScope, SampleBuilder,
    SliceTrackKey, SourceSpans, SuspendStep, SystemBuilder, TaskBuilder, TimelineBuilder,
};
pub use call_slices::{CallSlice, CallSlices, SliceScope, SliceTrack};
pub use clock_alignment::ClockAlignment;
pub use clock_domains::{ClockError, ClockReading, Clocks, DomainId};
pub use clock_fit::ClockFit;
pub use clocked_call::{CLOCK_TICK, ClockedCall, TimeInState};
pub use code_site::{CodeSite, CodeSites, InlinedPlace, Invocation, SiteId, SiteKind};
pub use counter_track::{CounterScope, CounterTrack, REQUESTED_TIMER_PERIOD, TIMER_PERIOD};
pub use cpu_timeline::{CpuTimeline, IdleState, InterruptKind, InterruptSlice, InterruptSlices};
pub use device::{CpuFacts, DeviceFacts, OperatingSystem};
pub use device_wake::{DeviceWake, WakeCause};
pub use disk::{DiskKind, DiskOperation};
pub use emulator::Emulator;
pub use frame_code::FrameKind;
pub use gpu_timeline::{DevfreqTrack, GpuTimeline, GpuWorkPeriod, TpuTimeline};
pub use interned_names::Names;
pub use meter_readings::{BatterySample, BatteryTrack, EnergyConsumer, EnergySample, Rail};
pub use meter_track::{MeterTrack, SyncMark};
pub use network_packet::{Direction, NetworkPacket};
pub use probe::{ProbeCost, SliceOrigin};
pub use process_base::process_base;
pub use product_name::product_name;
pub use quality::{ArtifactQuality, Note, Quality, Severity, first_error};
pub use sched::{SchedSlice, SchedSlices, TaskState, Wakeups};
pub use screen_frame::{FrameOwner, JankCauses, ScreenFrame};
pub use shared_column::SharedColumn;
pub use soc_model::{
    SocCpu, SocCpuPoint, SocDependency, SocGpuPoint, SocL3Point, SocModel, SocModelOrigin,
    SocPolicy, SocTopology, SocTpuPoint,
};
pub use stack_copies::{MappedRange, StackCopies, StackCopy, StackRegisters};
pub use stack_samples::{
    CallSite, EventId, Frame, FrameAddress, SampleEvent, SampleUnit, StackSample, StackSamples,
    StackTotal,
};
pub use state_track::{StateKind, StateTrack};
pub use steps::{Segment, Steps};
pub use system_usage::{Quantity, Usage};
pub use task::{Package, Process, Thread};
pub use task_ids::{CpuId, NameId, Pid, ProcessId, ThreadId, Tid, Uid};
pub use test_run::{TestOutcome, TestRun};
pub use timeline::{
    CodeActivity, EnergyReadings, HardwareActivity, Suspend, SystemRecords, Tasks, Timeline,
};
pub use window::Window;
