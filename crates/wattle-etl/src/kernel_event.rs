//! Which of the kernel's events are understood, whichever header they came with.
//!
//! Since Windows XP the kernel writes them behind headers of its own, by group and type; the logger of programs writes the same
//! payloads as classic events of the MOF classes under `MSNT_SystemTrace`, whose opcode is the type.

use super::event_record::{EventKind, EventRecord};
use super::names::{class, group};

/// Event of the kernel, by its class and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelEvent {
    /// `Process` 1, 3, 4.
    Process(Life),
    /// `Process` 2.
    ProcessEnd,
    /// `Thread` 1, 3, 4.
    Thread(Life),
    /// `Thread` 2.
    ThreadEnd,
    /// `Thread` 72.
    ThreadName,
    /// `Image` 10 (under `Process`), 1, 3, 4.
    Image(Life),
    /// `Image` 2.
    ImageUnload,
    /// `Thread` 36.
    Switch,
    /// `Thread` 50.
    Ready,
    /// `PerfInfo` 46.
    Sample,
    /// `PerfInfo` 72, 73, 74.
    SampleInterval,
    /// `PerfInfo` 66, 68, 69: deferred procedure calls.
    Deferred,
    /// `PerfInfo` 67: interrupt service routines.
    Interrupt,
    /// `StackWalk` 32.
    Stack,
    /// `StackWalk` 37, 38.
    StackKey,
    /// `StackWalk` 34, 35, 36.
    StackOfKey,
    /// `DiskIo` 12, 13, 15.
    DiskBegin,
    /// `DiskIo` 10, 11.
    DiskEnd,
    /// `DiskIo` 14.
    DiskFlushed,
    /// `FileIo` 0, 32, 36.
    FileName,
    /// `FileIo` 35.
    FileDelete,
    /// `PageFault` 32.
    HardFault,
    /// `Power` 0x39.
    IdleEnter,
    /// `Power` 0x3a.
    IdleExit,
}

/// Why something is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It began.
    Start,
    /// It was there when recording began (`DCStart`) or ended (`DCEnd`).
    Rundown,
}

impl KernelEvent {
    /// `None` if nothing here understands it.
    #[inline]
    pub fn from_record(record: &EventRecord<'_>) -> Option<Self> {
        let group = match record.kind {
            EventKind::Kernel { group } => group,
            EventKind::Classic => match record.provider {
                class::PROCESS => group::PROCESS,
                class::THREAD => group::THREAD,
                class::IMAGE => group::IMAGE,
                class::DISK_IO => group::DISK_IO,
                class::FILE_IO => group::FILE_IO,
                class::PAGE_FAULT => group::PAGE_FAULT,
                class::PERF_INFO => group::PERF_INFO,
                class::STACK_WALK => group::STACK_WALK,
                _ => return None,
            },
            EventKind::Message | EventKind::Modern => return None,
        };
        Some(match (group, record.opcode) {
            (group::PROCESS, 1) => Self::Process(Life::Start),
            (group::PROCESS, 3 | 4) => Self::Process(Life::Rundown),
            (group::PROCESS, 2) => Self::ProcessEnd,
            (group::THREAD, 1) => Self::Thread(Life::Start),
            (group::THREAD, 3 | 4) => Self::Thread(Life::Rundown),
            (group::THREAD, 2) => Self::ThreadEnd,
            (group::THREAD, 72) => Self::ThreadName,
            (group::PROCESS | group::IMAGE, 10) | (group::IMAGE, 1) => Self::Image(Life::Start),
            (group::IMAGE, 3 | 4) => Self::Image(Life::Rundown),
            (group::IMAGE, 2) => Self::ImageUnload,
            (group::THREAD, 36) => Self::Switch,
            (group::THREAD, 50) => Self::Ready,
            (group::PERF_INFO, 46) => Self::Sample,
            (group::PERF_INFO, 72..=74) => Self::SampleInterval,
            (group::PERF_INFO, 66 | 68 | 69) => Self::Deferred,
            (group::PERF_INFO, 67) => Self::Interrupt,
            (group::STACK_WALK, 32) => Self::Stack,
            (group::STACK_WALK, 37 | 38) => Self::StackKey,
            (group::STACK_WALK, 34..=36) => Self::StackOfKey,
            (group::DISK_IO, 12 | 13 | 15) => Self::DiskBegin,
            (group::DISK_IO, 10 | 11) => Self::DiskEnd,
            (group::DISK_IO, 14) => Self::DiskFlushed,
            (group::FILE_IO, 0 | 32 | 36) => Self::FileName,
            (group::FILE_IO, 35) => Self::FileDelete,
            (group::PAGE_FAULT, 32) => Self::HardFault,
            (group::POWER, 0x39) => Self::IdleEnter,
            (group::POWER, 0x3a) => Self::IdleExit,
            _ => return None,
        })
    }
}
