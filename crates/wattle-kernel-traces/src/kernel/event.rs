//! One event of the kernel's tracer.

use wattle_timeline::{IdleState, SuspendStep, TaskState};
use wattle_units::Hertz;

use super::{BlockRequest, BlockStep, FileStep, Mark, TracedFile};

/// The counter of a process that says how important the system holds it, as Perfetto names it.
pub const OOM_SCORE: &[u8] = b"oom_score_adj";

/// An event, by what it means. Texts lie in the input.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    missing_docs,
    reason = "fields are named as the kernel names them; each variant says what they mean"
)]
pub enum KernelEvent<'a> {
    /// A thread leaves the CPU, another one comes.
    Switch { prev: u32, prev_comm: &'a [u8], prev_state: TaskState, next: u32, next_comm: &'a [u8] },
    /// Something on the event's CPU wakes the thread (`sched_waking`).
    Waking { tid: u32, comm: &'a [u8], target: u32 },
    /// The thread can run (`sched_wakeup`), told on the CPU it will run on.
    Woken { tid: u32, comm: &'a [u8], target: u32 },
    /// A thread is woken from a sleep: whether it waited for a disk, and where in the kernel (`msleep+0x18/0x24`, or empty).
    Blocked { tid: u32, is_io: bool, caller: &'a [u8] },
    /// A CPU runs at a frequency.
    Frequency { cpu: u32, frequency: Hertz },
    /// A CPU's frequency lies within.
    FrequencyLimits { cpu: u32, min: Hertz, max: Hertz },
    /// A CPU idles, or stops idling.
    Idle { cpu: u32, state: IdleState },
    /// A counter of the device: what it belongs to, and what is counted of it.
    Counter { name: &'a [u8], of: &'static str, value: f64 },
    /// A counter of a process.
    ProcessCounter { pid: u32, name: &'a [u8], value: f64 },
    /// A hard interrupt's handler begins: `IRQ` or `IPI`, and its name.
    HardIrqBegin { kind: &'static str, handler: &'a [u8] },
    /// The innermost one ends.
    HardIrqEnd,
    /// A soft interrupt's handler begins, by its number.
    SoftIrqBegin { vec: u32 },
    /// The innermost one ends.
    SoftIrqEnd,
    /// A step of going to sleep or of waking up.
    Suspend { step: SuspendStep, is_start: bool },
    /// A wakeup source of the kernel (a kernel wakelock) begins or ends to keep the device awake.
    WakeupSource { name: &'a [u8], is_on: bool },
    /// The thread that the event is of makes another one.
    NewTask { tid: u32, comm: &'a [u8], is_thread: bool },
    /// A thread has a name.
    Named { tid: u32, comm: &'a [u8] },
    /// A thread renames itself.
    Rename { tid: u32, comm: &'a [u8] },
    /// A thread exits.
    Exit { tid: u32 },
    /// A thread is reaped.
    Free { tid: u32 },
    /// A step of taking a CPU up or down.
    HotplugStep { cpu: u32 },
    /// A GPU runs at a frequency.
    GpuFrequency { gpu: u32, frequency: Hertz },
    /// Work of an app on a GPU.
    GpuWork(GpuWork),
    /// A GPU is in a power state of its driver's.
    GpuPowerState { state: u64 },
    /// A bus or another device runs at a frequency.
    Devfreq { device: &'a [u8], frequency: Hertz },
    /// A step of a request to a disk.
    Block { step: BlockStep, request: BlockRequest },
    /// A thread's step with a file.
    File { step: FileStep, file: TracedFile<'a> },
    /// A program's mark, or a driver's imitation of one.
    Mark(Mark<'a>),
    /// Something was done that another instrument sees too.
    SyncMark(&'a [u8]),
    /// Text that a program printed, if it is no mark.
    Print,
    /// Known, and nothing follows from it.
    Nothing,
}

/// `gpu_work_period`: what an app did on a GPU between two instants, nanoseconds of boot time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuWork {
    /// The GPU.
    pub gpu: u32,
    /// The app.
    pub uid: u32,
    /// The beginning of the period.
    pub start: i64,
    /// Its end.
    pub end: i64,
    /// Time that the GPU worked for the app within the period.
    pub active: i64,
}

/// Under this a bus clock cannot be in hertz.
const DEVFREQ_IN_HERTZ_FROM: u64 = 50_000_000;

/// The frequency of `devfreq_frequency`: in hertz by the kernel's documentation, in kilohertz on Exynos and Tensor.
pub fn devfreq_frequency(frequency: u64) -> Hertz {
    if frequency < DEVFREQ_IN_HERTZ_FROM {
        Hertz::from_kilohertz(frequency)
    } else {
        Hertz::new(frequency)
    }
}

/// The state of a thread that left the CPU. Preempted threads carry a flag of their own past the states:
/// `TASK_REPORT_MAX` since Linux 4.14, `TASK_STATE_MAX` of several sizes before.
pub fn task_state(raw: u64) -> TaskState {
    match raw {
        0x100 | 0x800 | 0x1000 => TaskState(0),
        raw => TaskState((raw & 0x7fff) as u16),
    }
}

/// Makes a thread, not a process (`include/uapi/linux/sched.h`).
pub const CLONE_THREAD: u64 = 0x0001_0000;

/// `suspend_resume`: a step of going to sleep begins or ends. Only in two of them the device does not run.
pub fn suspend_resume(action: &[u8], is_start: bool) -> KernelEvent<'static> {
    let step = match action {
        b"timekeeping_freeze" => SuspendStep::Freeze,
        b"syscore_resume" => SuspendStep::Resume,
        _ => return KernelEvent::Nothing,
    };
    KernelEvent::Suspend { step, is_start }
}
