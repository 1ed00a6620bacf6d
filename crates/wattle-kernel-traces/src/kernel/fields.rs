//! From the fields of an event to its meaning.

use wattle_timeline::{IdleState, SuspendStep};
use wattle_units::Hertz;

use super::marks::print;
use super::{
    BlockRequest, CLONE_THREAD, EventKind, GpuWork, KernelEvent, Mark, OOM_SCORE, TracedFile,
    devfreq_frequency, suspend_resume, task_state,
};

/// The fields of one event, by their places in [`EventKind::fields`].
pub trait EventFields<'a> {
    /// A number; negative ones in two's complement.
    fn number(&self, place: usize) -> Option<u64>;
    /// A text.
    fn text(&self, place: usize) -> Option<&'a [u8]>;
}

/// The event; `None` if a field is not there.
#[inline]
pub fn decode<'a>(kind: EventKind, fields: &impl EventFields<'a>) -> Option<KernelEvent<'a>> {
    let number = |place| fields.number(place);
    let small = |place| fields.number(place).map(|value| value as u32);
    let kilohertz = |place| fields.number(place).map(Hertz::from_kilohertz);
    Some(match kind {
        EventKind::SchedSwitch => KernelEvent::Switch {
            prev_comm: fields.text(0)?,
            prev: small(1)?,
            prev_state: task_state(number(2)?),
            next_comm: fields.text(3)?,
            next: small(4)?,
        },
        EventKind::SchedWaking => {
            KernelEvent::Waking { comm: fields.text(0)?, tid: small(1)?, target: small(2)? }
        }
        EventKind::SchedWakeup => {
            KernelEvent::Woken { comm: fields.text(0)?, tid: small(1)?, target: small(2)? }
        }
        EventKind::CpuFrequency => {
            KernelEvent::Frequency { frequency: kilohertz(0)?, cpu: small(1)? }
        }
        EventKind::CpuFrequencyLimits => {
            KernelEvent::FrequencyLimits { min: kilohertz(0)?, max: kilohertz(1)?, cpu: small(2)? }
        }
        EventKind::CpuIdle => {
            KernelEvent::Idle { state: IdleState::from_event(small(0)?), cpu: small(1)? }
        }
        EventKind::SoftIrqEntry => KernelEvent::SoftIrqBegin { vec: small(0)? },
        EventKind::SoftIrqExit => KernelEvent::SoftIrqEnd,
        EventKind::HardIrqExit => KernelEvent::HardIrqEnd,
        EventKind::IrqEntry => KernelEvent::HardIrqBegin { kind: "IRQ", handler: fields.text(0)? },
        EventKind::IpiEntry => KernelEvent::HardIrqBegin { kind: "IPI", handler: fields.text(0)? },
        EventKind::Print => print(fields.text(0)?),
        other => return decode_rare(other, fields),
    })
}

fn decode_rare<'a>(kind: EventKind, fields: &impl EventFields<'a>) -> Option<KernelEvent<'a>> {
    let number = |place| fields.number(place);
    let small = |place| fields.number(place).map(|value| value as u32);
    let counter = |name, of, value| Some(KernelEvent::Counter { name, of, value });
    Some(match kind {
        EventKind::PowerStart => {
            // Types: 1 an idle state, 2 a frequency, 3 a throttle state.
            if number(0)? != 1 {
                return Some(KernelEvent::Nothing);
            }
            KernelEvent::Idle { state: IdleState::from_event(small(1)?), cpu: small(2)? }
        }
        EventKind::PowerEnd => KernelEvent::Idle { state: IdleState::ACTIVE, cpu: small(0)? },
        EventKind::ClockRate => return counter(fields.text(0)?, "Frequency", number(1)? as f64),
        EventKind::ClockState => return counter(fields.text(0)?, "State", number(1)? as f64),
        EventKind::SuspendResume => suspend_resume(fields.text(0)?, number(1)? != 0),
        EventKind::SuspendResumeMinimal => {
            KernelEvent::Suspend { step: SuspendStep::Minimal, is_start: number(0)? != 0 }
        }
        EventKind::TaskNew => {
            let is_thread = number(2)? & CLONE_THREAD != 0;
            KernelEvent::NewTask { tid: small(0)?, comm: fields.text(1)?, is_thread }
        }
        EventKind::TaskRename => KernelEvent::Rename { tid: small(0)?, comm: fields.text(1)? },
        // Whether the child is a thread or a process is not said.
        EventKind::ProcessFork => KernelEvent::Named { comm: fields.text(0)?, tid: small(1)? },
        EventKind::ProcessExit => KernelEvent::Exit { tid: small(0)? },
        EventKind::ProcessFree => KernelEvent::Free { tid: small(0)? },
        EventKind::HotplugEnter => KernelEvent::HotplugStep { cpu: small(0)? },
        EventKind::GpuFrequency | EventKind::KgslFrequency => {
            let frequency = Hertz::from_kilohertz(number(0)?);
            KernelEvent::GpuFrequency { frequency, gpu: small(1).unwrap_or(0) }
        }
        EventKind::KgslLevel => {
            KernelEvent::GpuFrequency { frequency: Hertz::new(number(0)?), gpu: 0 }
        }
        EventKind::GpuWork => KernelEvent::GpuWork(GpuWork {
            gpu: small(0)?,
            uid: small(1)?,
            start: number(2)?.cast_signed(),
            end: number(3)?.cast_signed(),
            active: number(4)?.cast_signed(),
        }),
        EventKind::MaliPowerState | EventKind::GpuPowerState => {
            KernelEvent::GpuPowerState { state: number(0)? }
        }
        EventKind::GpuMemory => match small(0)? {
            // The kernel's own sum over all processes.
            0 => return counter(b"", "GPU Memory", number(1)? as f64),
            pid => {
                KernelEvent::ProcessCounter { pid, name: b"GPU Memory", value: number(1)? as f64 }
            }
        },
        EventKind::OomScore => KernelEvent::ProcessCounter {
            pid: small(0)?,
            name: OOM_SCORE,
            // A 32-bit number in whatever width the format has.
            value: f64::from(number(1)? as i32),
        },
        EventKind::Devfreq => {
            let frequency = devfreq_frequency(number(1)?);
            KernelEvent::Devfreq { device: fields.text(0)?, frequency }
        }
        EventKind::Temperature => {
            return counter(fields.text(0)?, "Temperature", number(1)?.cast_signed() as f64);
        }
        EventKind::CoolingDevice => {
            return counter(fields.text(0)?, "Cooling Device", number(1)? as f64);
        }
        EventKind::RegulatorVoltage => {
            return counter(fields.text(0)?, "Voltage", number(1)?.cast_signed() as f64);
        }
        EventKind::RegulatorOn => return counter(fields.text(0)?, "State", 1.0),
        EventKind::RegulatorOff => return counter(fields.text(0)?, "State", 0.0),
        EventKind::BlockInsert | EventKind::BlockIssue | EventKind::BlockComplete => {
            let place = (number(1)?, small(2)?);
            let request = BlockRequest::new(number(0)?, place, fields.text(3)?);
            block_event(kind, request)
        }
        EventKind::SchedBlockedReason => KernelEvent::Blocked {
            tid: small(0)?,
            is_io: number(1)? != 0,
            // An address is nothing that can be named.
            caller: fields.text(2).unwrap_or_default(),
        },
        EventKind::WakeupSourceOn => {
            KernelEvent::WakeupSource { name: fields.text(0)?, is_on: true }
        }
        EventKind::WakeupSourceOff => {
            KernelEvent::WakeupSource { name: fields.text(0)?, is_on: false }
        }
        EventKind::DriverMark => return driver_mark(fields),
        other => match other.file_step() {
            Some(step) => {
                let file = TracedFile { inode: number(0)?, path: fields.text(1) };
                KernelEvent::File { step, file }
            }
            None => KernelEvent::Nothing,
        },
    })
}

/// A step of a request; requests without data say nothing.
pub fn block_event(kind: EventKind, request: Option<BlockRequest>) -> KernelEvent<'static> {
    match (kind.block_step(), request) {
        (Some(step), Some(request)) => KernelEvent::Block { step, request },
        _ => KernelEvent::Nothing,
    }
}

fn driver_mark<'a>(fields: &impl EventFields<'a>) -> Option<KernelEvent<'a>> {
    let pid = fields.number(0)? as u32;
    let name = fields.text(1)?;
    let kind = match (fields.number(2), fields.number(3)) {
        (Some(kind), _) if kind != 0 => kind as u8,
        (_, Some(begin)) => [b'E', b'B'][usize::from(begin != 0)],
        _ => return None,
    };
    let value = fields.number(4).unwrap_or(0).cast_signed();
    Some(KernelEvent::Mark(match kind {
        b'B' => Mark::Begin { pid, name },
        b'E' => Mark::End { pid },
        b'I' => Mark::Instant { pid, name },
        b'C' => Mark::Counter { pid, name, value },
        _ => return None,
    }))
}
