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

mod alignment;
mod builder;
mod call;
mod clock;
mod clocked_call;
mod code_site;
mod counter;
mod cpu;
mod description;
mod device;
mod device_wake;
mod disk;
mod energy;
mod gpu;
mod identity;
mod meter;
mod names;
mod network;
mod probe;
mod quality;
mod sample;
mod sched;
mod shared_column;
mod state;
mod steps;
mod task;
mod test_run;
mod timeline;
mod usage;
mod window;

pub use alignment::ClockAlignment;
pub use builder::{
    CodeBuilder, CounterKey, CpuBuilder, EnergyBuilder, HardwareBuilder, MAX_CPUS, MethodCalls,
    MethodThread, NameRank, Overlap, ProbedName, ProcessFacts, RailKey, RawScope, SampleBuilder,
    SliceTrackKey, SuspendStep, SystemBuilder, TaskBuilder, TimelineBuilder,
};
pub use call::{CallSlice, CallSlices, SliceScope, SliceTrack};
pub use clock::{ClockError, ClockReading, Clocks, DomainId};
pub use clocked_call::{CLOCK_TICK, ClockedCall, TimeInState};
pub use code_site::{CodeSite, CodeSites, InlinedPlace, Invocation, SiteId, SiteKind};
pub use counter::{CounterScope, CounterTrack};
pub use cpu::{CpuTimeline, IdleState, InterruptKind, InterruptSlice, InterruptSlices};
pub use device::{CpuFacts, DeviceFacts, OperatingSystem};
pub use device_wake::{DeviceWake, WakeCause};
pub use disk::{DiskKind, DiskOperation};
pub use energy::{BatterySample, BatteryTrack, EnergyConsumer, EnergySample, Rail};
pub use gpu::{DevfreqTrack, GpuTimeline, GpuWorkPeriod, TpuTimeline};
pub use identity::{CpuId, NameId, Pid, ProcessId, ThreadId, Tid, Uid};
pub use meter::{MeterTrack, SyncMark};
pub use names::Names;
pub use network::{Direction, NetworkPacket};
pub use probe::{ProbeCost, SliceOrigin};
pub use quality::{ArtifactQuality, Note, Quality, Severity};
pub use sample::{
    CallSite, EventId, Frame, FrameAddress, FrameKind, SampleEvent, SampleUnit, StackSample,
    StackSamples, StackTotal,
};
pub use sched::{SchedSlice, SchedSlices, TaskState, Wakeups};
pub use shared_column::SharedColumn;
pub use state::{StateKind, StateTrack};
pub use steps::{Segment, Steps};
pub use task::{Package, Process, Thread};
pub use test_run::{TestOutcome, TestRun};
pub use timeline::{
    CodeActivity, EnergyReadings, HardwareActivity, Suspend, SystemRecords, Tasks, Timeline,
};
pub use usage::{Quantity, Usage};
pub use window::Window;
