//! Which events are read, by their names, and which of their fields.

use super::{BlockStep, FileStep};

/// An event that has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "variants are named after the kernel's events")]
pub enum EventKind {
    SchedSwitch,
    SchedWaking,
    SchedWakeup,
    /// Why a thread that is woken had slept.
    SchedBlockedReason,
    CpuFrequency,
    CpuFrequencyLimits,
    CpuIdle,
    /// `power_start` of Linux before 3.8.
    PowerStart,
    PowerEnd,
    ClockRate,
    ClockState,
    IrqEntry,
    IpiEntry,
    HardIrqExit,
    SoftIrqEntry,
    SoftIrqExit,
    SuspendResume,
    SuspendResumeMinimal,
    TaskNew,
    TaskRename,
    ProcessFork,
    ProcessExit,
    ProcessFree,
    HotplugEnter,
    HotplugExit,
    GpuFrequency,
    KgslFrequency,
    KgslLevel,
    GpuWork,
    MaliPowerState,
    GpuPowerState,
    GpuMemory,
    /// The importance of a process to the system.
    OomScore,
    Devfreq,
    Temperature,
    CoolingDevice,
    RegulatorVoltage,
    RegulatorOn,
    RegulatorOff,
    BlockInsert,
    BlockIssue,
    BlockComplete,
    /// A program's data is in a file's pages.
    FileWritten,
    /// A file's pages are written out.
    FileWritesOut,
    /// A file is read or synchronised.
    FileBegins,
    /// A thread is done with a file.
    FileEnds,
    /// Something keeps the device awake from now on.
    WakeupSourceOn,
    /// It does so no more.
    WakeupSourceOff,
    /// Text that a program writes into the buffer.
    Print,
    /// A driver's imitation of a program's mark.
    DriverMark,
}

/// Names, what each is, and the fields that are read of it; alternatives are separated by a bar.
const KINDS: &[(&str, EventKind, &[&str])] = &[
    (
        "sched_switch",
        EventKind::SchedSwitch,
        &["prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid"],
    ),
    ("sched_waking", EventKind::SchedWaking, &["comm", "pid", "target_cpu"]),
    ("sched_wakeup", EventKind::SchedWakeup, &["comm", "pid", "target_cpu"]),
    ("sched_wakeup_new", EventKind::SchedWakeup, &["comm", "pid", "target_cpu"]),
    ("sched_blocked_reason", EventKind::SchedBlockedReason, &["pid", "iowait|io_wait", "caller"]),
    ("cpu_frequency", EventKind::CpuFrequency, &["state", "cpu_id"]),
    (
        "cpu_frequency_limits",
        EventKind::CpuFrequencyLimits,
        &["min|min_freq", "max|max_freq", "cpu_id"],
    ),
    ("cpu_idle", EventKind::CpuIdle, &["state", "cpu_id"]),
    ("power_start", EventKind::PowerStart, &["type", "state", "cpu_id"]),
    ("power_end", EventKind::PowerEnd, &["cpu_id"]),
    ("clock_set_rate", EventKind::ClockRate, &["name", "state"]),
    ("clock_enable", EventKind::ClockState, &["name", "state"]),
    ("clock_disable", EventKind::ClockState, &["name", "state"]),
    ("irq_handler_entry", EventKind::IrqEntry, &["name"]),
    ("irq_handler_exit", EventKind::HardIrqExit, &[]),
    ("ipi_entry", EventKind::IpiEntry, &["reason"]),
    ("ipi_exit", EventKind::HardIrqExit, &[]),
    ("softirq_entry", EventKind::SoftIrqEntry, &["vec"]),
    ("softirq_exit", EventKind::SoftIrqExit, &[]),
    ("suspend_resume", EventKind::SuspendResume, &["action", "start"]),
    ("suspend_resume_minimal", EventKind::SuspendResumeMinimal, &["start"]),
    ("task_newtask", EventKind::TaskNew, &["pid", "comm", "clone_flags"]),
    ("task_rename", EventKind::TaskRename, &["pid", "newcomm"]),
    ("sched_process_fork", EventKind::ProcessFork, &["child_comm", "child_pid"]),
    ("sched_process_exit", EventKind::ProcessExit, &["pid"]),
    ("sched_process_free", EventKind::ProcessFree, &["pid"]),
    ("cpuhp_enter", EventKind::HotplugEnter, &["cpu"]),
    ("cpuhp_multi_enter", EventKind::HotplugEnter, &["cpu"]),
    ("cpuhp_exit", EventKind::HotplugExit, &[]),
    ("gpu_frequency", EventKind::GpuFrequency, &["state", "gpu_id"]),
    ("kgsl_gpu_frequency", EventKind::KgslFrequency, &["gpu_freq", "gpu_id"]),
    ("kgsl_pwrlevel", EventKind::KgslLevel, &["freq"]),
    (
        "gpu_work_period",
        EventKind::GpuWork,
        &["gpu_id", "uid", "start_time_ns", "end_time_ns", "total_active_duration_ns"],
    ),
    ("mali_gpu_power_state", EventKind::MaliPowerState, &["to_state"]),
    ("gpu_power_state", EventKind::GpuPowerState, &["new_state"]),
    ("gpu_mem_total", EventKind::GpuMemory, &["pid", "size"]),
    ("oom_score_adj_update", EventKind::OomScore, &["pid", "oom_score_adj"]),
    ("devfreq_frequency", EventKind::Devfreq, &["dev_name", "freq"]),
    ("thermal_temperature", EventKind::Temperature, &["thermal_zone", "temp"]),
    ("cdev_update", EventKind::CoolingDevice, &["type", "target"]),
    ("regulator_set_voltage_complete", EventKind::RegulatorVoltage, &["name", "val"]),
    ("regulator_enable_complete", EventKind::RegulatorOn, &["name"]),
    ("regulator_disable_complete", EventKind::RegulatorOff, &["name"]),
    ("block_rq_insert", EventKind::BlockInsert, &["dev", "sector", "nr_sector", "rwbs"]),
    ("block_rq_issue", EventKind::BlockIssue, &["dev", "sector", "nr_sector", "rwbs"]),
    ("block_rq_complete", EventKind::BlockComplete, &["dev", "sector", "nr_sector", "rwbs"]),
    ("ext4_da_write_begin", EventKind::FileWritten, &["ino"]),
    ("ext4_write_begin", EventKind::FileWritten, &["ino"]),
    ("f2fs_write_begin", EventKind::FileWritten, &["ino"]),
    ("android_fs_datawrite_start", EventKind::FileWritten, &["ino", "pathbuf"]),
    ("ext4_writepages", EventKind::FileWritesOut, &["ino"]),
    ("f2fs_submit_write_page", EventKind::FileWritesOut, &["ino"]),
    ("android_fs_dataread_start", EventKind::FileBegins, &["ino", "pathbuf"]),
    ("android_fs_fsync_start", EventKind::FileBegins, &["ino", "pathbuf"]),
    ("ext4_sync_file_enter", EventKind::FileBegins, &["ino"]),
    ("f2fs_sync_file_enter", EventKind::FileBegins, &["ino"]),
    ("ext4_writepages_result", EventKind::FileEnds, &["ino"]),
    ("ext4_sync_file_exit", EventKind::FileEnds, &["ino"]),
    ("f2fs_sync_file_exit", EventKind::FileEnds, &["ino"]),
    ("wakeup_source_activate", EventKind::WakeupSourceOn, &["name"]),
    ("wakeup_source_deactivate", EventKind::WakeupSourceOff, &["name"]),
    ("print", EventKind::Print, &["buf"]),
    (
        "tracing_mark_write",
        EventKind::DriverMark,
        &["pid", "trace_name|name", "trace_type|type", "trace_begin", "value"],
    ),
];

impl EventKind {
    /// The event with this name.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        KINDS.iter().find(|(known, ..)| known.as_bytes() == name).map(|(_, kind, _)| *kind)
    }

    /// The step of a request to a disk that it is.
    pub fn block_step(self) -> Option<BlockStep> {
        Some(match self {
            Self::BlockInsert => BlockStep::Inserted,
            Self::BlockIssue => BlockStep::Issued,
            Self::BlockComplete => BlockStep::Completed,
            _ => return None,
        })
    }

    /// The step of a thread with a file that it is.
    pub fn file_step(self) -> Option<FileStep> {
        Some(match self {
            Self::FileWritten => FileStep::Written,
            Self::FileWritesOut => FileStep::WritesOut,
            Self::FileBegins => FileStep::Begins,
            Self::FileEnds => FileStep::Ends,
            _ => return None,
        })
    }

    /// The fields that are read of it, by the places that [`super::decode`] asks for.
    pub fn fields(self) -> &'static [&'static str] {
        KINDS.iter().find(|(_, kind, _)| *kind == self).map_or(&[], |(.., fields)| fields)
    }
}
