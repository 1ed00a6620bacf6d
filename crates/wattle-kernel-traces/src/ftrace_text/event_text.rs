//! From an event's name and arguments as text to its meaning.

use wattle_timeline::TaskState;

use super::args::{after, text};
use super::trace_line::digits;
use crate::kernel::{
    BlockRequest, CLONE_THREAD, EventFields, EventKind, KernelEvent, TracedFile, block_event,
    decode, print, suspend_resume,
};
use wattle_import::text::{around, hexadecimal, number};

/// Returns the kind of events of a name. Programs' marks go by the name of the function that wrote them, which some
/// kernels leave out or give as an address.
pub fn kind(name: &[u8]) -> Option<EventKind> {
    let is_mark = name.starts_with(b"tracing_mark_write")
        || name == b"0"
        || name.strip_prefix(b"0x").is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    if is_mark { Some(EventKind::Print) } else { EventKind::of_name(name) }
}

/// The event; `None` if its arguments are not what they should be.
#[inline]
pub fn event(kind: EventKind, args: &[u8]) -> Option<KernelEvent<'_>> {
    match kind {
        EventKind::SchedSwitch => sched_switch(args).or_else(|| sched_switch_short(args)),
        EventKind::SchedWaking => {
            let (tid, comm, target) = woken(args)?;
            Some(KernelEvent::Waking { tid, comm, target })
        }
        EventKind::SchedWakeup => {
            let (tid, comm, target) = woken(args)?;
            Some(KernelEvent::Woken { tid, comm, target })
        }
        EventKind::Print => Some(print(printed(args))),
        other => rare(other, args),
    }
}

fn rare(kind: EventKind, args: &[u8]) -> Option<KernelEvent<'_>> {
    match kind {
        // `(Rescheduling interrupts)`
        EventKind::IpiEntry => {
            let reason = args.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
            Some(KernelEvent::HardIrqBegin { kind: "IPI", handler: reason.unwrap_or(args) })
        }
        // `machine_suspend[3] begin`
        EventKind::SuspendResume => {
            let (action, rest) = around(args, b"[")?;
            let (_, step) = around(rest, b"]")?;
            Some(suspend_resume(action, step.trim_ascii() == b"begin"))
        }
        // `pid=1633 iowait=0 caller=msleep+0x18/0x24`
        EventKind::SchedBlockedReason => Some(KernelEvent::Blocked {
            tid: number(after(args, b"pid")?)? as u32,
            is_io: number(after(args, b"iowait").or_else(|| after(args, b"io_wait"))?)? != 0,
            caller: text(after(args, b"caller").unwrap_or_default()),
        }),
        // `s2mpw02-power-keys state=0x17`
        EventKind::WakeupSourceOn | EventKind::WakeupSourceOff => {
            let (name, _) = around(args, b" state=")?;
            Some(KernelEvent::WakeupSource { name, is_on: kind == EventKind::WakeupSourceOn })
        }
        // `cpu: 0001 target: 169 step: 169 (…)`
        EventKind::HotplugEnter => {
            let (cpu, _) = digits(args.strip_prefix(b"cpu:")?.trim_ascii_start())?;
            Some(KernelEvent::HotplugStep { cpu })
        }
        EventKind::TaskNew => {
            let flags = after(args, b"clone_flags")?;
            let flags = hexadecimal(flags.strip_prefix(b"0x").unwrap_or(flags))?;
            let tid = number(after(args, b"pid")?)? as u32;
            let comm = text(after(args, b"comm")?);
            Some(KernelEvent::NewTask { tid, comm, is_thread: flags & CLONE_THREAD != 0 })
        }
        EventKind::BlockInsert | EventKind::BlockIssue | EventKind::BlockComplete => {
            block_request(kind, args)
        }
        EventKind::FileWritten
        | EventKind::FileWritesOut
        | EventKind::FileBegins
        | EventKind::FileEnds => traced_file(kind, args),
        other => decode(other, &Pairs { kind: other, args }),
    }
}

/// `dev 259,3 ino 12 pos 0 len 4096 flags 0` of ext4, `dev = (259,3), ino = 12, …` of f2fs, `entry_name /data/a, offset 0, …, ino 12` of
/// Android, which says `path` in place of `entry_name` in some kernels.
fn traced_file(kind: EventKind, args: &[u8]) -> Option<KernelEvent<'_>> {
    let step = kind.file_step()?;
    let path = [&b"entry_name "[..], b"path "].iter().find_map(|word| args.strip_prefix(*word));
    let path = path.and_then(|rest| around(rest, b", ")).map(|(path, _)| path);
    let mut places = args.windows(4).enumerate().filter(|(_, part)| *part == b"ino ");
    // A path may have these letters, too; the number is behind it.
    let (at, _) = if path.is_some() { places.next_back() } else { places.next() }?;
    let rest = args.get(at + 4..)?;
    let inode = rest.strip_prefix(b"= ").unwrap_or(rest);
    let end = inode.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(inode.len());
    let inode = number(inode.get(..end)?)?;
    Some(KernelEvent::File { step, file: TracedFile { inode, path } })
}

/// Arguments that are pairs of key and value.
struct Pairs<'a> {
    kind: EventKind,
    args: &'a [u8],
}

impl<'a> Pairs<'a> {
    fn value(&self, place: usize) -> Option<&'a [u8]> {
        let keys = self.kind.fields().get(place)?;
        keys.split('|').find_map(|key| after(self.args, key.as_bytes()))
    }
}

impl<'a> EventFields<'a> for Pairs<'a> {
    fn number(&self, place: usize) -> Option<u64> {
        number(self.value(place)?)
    }

    fn text(&self, place: usize) -> Option<&'a [u8]> {
        match self.value(place) {
            Some(value) => Some(text(value)),
            // Clocks stand in front, without a key.
            None => self.args.split(|byte| *byte == b' ').next().filter(|name| !name.is_empty()),
        }
    }
}

/// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120`
fn sched_switch(args: &[u8]) -> Option<KernelEvent<'_>> {
    let rest = args.strip_prefix(b"prev_comm=")?;
    let (prev_comm, rest) = around(rest, b" prev_pid=")?;
    let (prev, rest) = digits(rest)?;
    let (before, rest) = around(rest, b" ==> next_comm=")?;
    let state = after(before, b"prev_state")?;
    let (next_comm, rest) = around(rest, b" next_pid=")?;
    let (next, _) = digits(rest)?;
    let prev_state = task_state(state);
    Some(KernelEvent::Switch { prev, prev_comm, prev_state, next, next_comm })
}

/// `8,0 WS 4096 () 12345 + 8 [kworker/0:1]`; completions have no number of bytes.
fn block_request(kind: EventKind, args: &[u8]) -> Option<KernelEvent<'_>> {
    /// Bits of the number of a device among those of one driver.
    const MINOR_BITS: u32 = 20;
    let (major, rest) = digits(args)?;
    let (minor, rest) = digits(rest.strip_prefix(b",")?)?;
    let (rwbs, rest) = around(rest.trim_ascii_start(), b" ")?;
    // The command of a request that is not one of data may hold anything but this.
    let (_, rest) = around(rest, b") ")?;
    let (sector, rest) = around(rest, b" + ")?;
    let (sectors, _) = digits(rest)?;
    let device = u64::from(major) << MINOR_BITS | u64::from(minor);
    let request = BlockRequest::new(device, (number(sector)?, sectors), rwbs);
    Some(block_event(kind, request))
}

/// As trace-cmd writes it: `a:1 [120] S ==> b:2 [120]`.
fn sched_switch_short(args: &[u8]) -> Option<KernelEvent<'_>> {
    let (prev, next) = around(args, b" ==> ")?;
    let (prev_comm, prev, state) = named(prev)?;
    let (next_comm, next, _) = named(next)?;
    let prev_state = task_state(state);
    Some(KernelEvent::Switch { prev, prev_comm, prev_state, next, next_comm })
}

/// `a:1 [120]` and what follows.
fn named(text: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let (thread, rest) = around(text, b" [")?;
    let (_, rest) = around(rest, b"]")?;
    let colon = thread.iter().rposition(|byte| *byte == b':')?;
    let (tid, _) = digits(thread.get(colon + 1..)?)?;
    Some((thread.get(..colon)?, tid, rest.trim_ascii()))
}

/// `comm=a pid=1 prio=120 target_cpu=000`, or as trace-cmd writes it: `a:1 [120] success=1 CPU:000`.
fn woken(args: &[u8]) -> Option<(u32, &[u8], u32)> {
    if let Some(rest) = args.strip_prefix(b"comm=") {
        let (comm, rest) = around(rest, b" pid=")?;
        let (tid, rest) = digits(rest)?;
        let target = after(rest, b"target_cpu").or_else(|| after(rest, b"cpu"))?;
        return Some((tid, comm, digits(target)?.0));
    }
    let (comm, tid, rest) = named(args)?;
    let (_, cpu) = around(rest, b"CPU:")?;
    Some((tid, comm, digits(cpu)?.0))
}

/// Returns the printed text, without the function that trace-cmd repeats before it.
fn printed(args: &[u8]) -> &[u8] {
    match around(args, b": ") {
        Some((function, text)) if kind(function) == Some(EventKind::Print) => text,
        _ => args,
    }
}

/// The state of a thread that left the CPU, by the letters that the kernel gives its bits, as those of Linux 4.14.
fn task_state(text: &[u8]) -> TaskState {
    let mut bits = 0;
    for letter in text {
        bits |= match letter {
            // Preempted: it is runnable, whatever else it is on its way to.
            b'+' => return TaskState(0),
            b'S' => 0x01,
            b'D' => 0x02,
            b'T' => 0x04,
            b't' => 0x08,
            b'X' | b'x' => 0x10,
            b'Z' => 0x20,
            b'P' => 0x40,
            b'I' => 0x80,
            // Killable, waking, parked and the like come with others.
            b'K' => 0x100,
            b'W' => 0x200,
            b'N' => 0x800,
            b'R' | b'|' => 0,
            _ => break,
        };
    }
    TaskState(bits)
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{DiskKind, IdleState, SuspendStep};
    use wattle_units::Hertz;

    use super::*;
    use crate::kernel::{BlockStep, FileStep, Mark};

    #[track_caller]
    fn check(name: &str, args: &str, expected: Option<KernelEvent<'_>>) {
        let kind = kind(name.as_bytes()).expect("a name that is known");
        assert_eq!(event(kind, args.as_bytes()), expected, "{name}: {args}");
    }

    fn switch<'a>(prev_comm: &'a str, state: u16, next_comm: &'a str) -> KernelEvent<'a> {
        KernelEvent::Switch {
            prev: 1,
            prev_comm: prev_comm.as_bytes(),
            prev_state: TaskState(state),
            next: 2,
            next_comm: next_comm.as_bytes(),
        }
    }

    #[test]
    fn switches_and_wakeups() {
        check(
            "sched_switch",
            "prev_comm=a =b prev_pid=1 prev_prio=120 prev_state=D|K ==> next_comm=Binder 1 next_pid=2 next_prio=1",
            Some(switch("a =b", 0x102, "Binder 1")),
        );
        check(
            "sched_switch",
            "prev_comm=a prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=2 next_prio=1",
            Some(switch("a", 0, "b")),
        );
        check("sched_switch", "a:x:1 [120] S ==> b:2 [19]", Some(switch("a:x", 1, "b")));
        check("sched_switch", "a prev_pid=1", None);
        let woken = Some(KernelEvent::Woken { tid: 95, comm: b"mm d/0", target: 3 });
        check("sched_wakeup", "comm=mm d/0 pid=95 prio=120 success=1 target_cpu=003", woken);
        check("sched_wakeup_new", "mm d/0:95 [120] success=1 CPU:003", woken);
        let waking = Some(KernelEvent::Waking { tid: 95, comm: b"a", target: 0 });
        check("sched_waking", "comm=a pid=95 prio=120 target_cpu=000", waking);
        check("sched_waking", "comm=a pid=95 prio=120", None);
    }

    #[test]
    fn cpus_and_interrupts() {
        let frequency = Hertz::from_kilohertz(486_000);
        check(
            "cpu_frequency",
            "state=486000 cpu_id=1",
            Some(KernelEvent::Frequency { cpu: 1, frequency }),
        );
        let idle = |state| Some(KernelEvent::Idle { cpu: 6, state });
        check("cpu_idle", "state=2 cpu_id=6", idle(IdleState(2)));
        check("cpu_idle", "state=4294967295 cpu_id=6", idle(IdleState::ACTIVE));
        check("power_start", "type=1 state=2 cpu_id=6", idle(IdleState(2)));
        check("power_end", "cpu_id=6", idle(IdleState::ACTIVE));
        let (min, max) = (Hertz::from_kilohertz(5), Hertz::from_kilohertz(7));
        let limits = Some(KernelEvent::FrequencyLimits { cpu: 4, min, max });
        check("cpu_frequency_limits", "min=5 max=7 cpu_id=4", limits);
        check("cpu_frequency_limits", "min_freq=5 max_freq=7 cpu_id=4", limits);
        let irq = |kind, handler| Some(KernelEvent::HardIrqBegin { kind, handler });
        check("irq_handler_entry", "irq=16 name=mmc 0", irq("IRQ", b"mmc 0"));
        check("ipi_entry", "(Rescheduling interrupts)", irq("IPI", b"Rescheduling interrupts"));
        check("softirq_entry", "vec=7 [action=SCHED]", Some(KernelEvent::SoftIrqBegin { vec: 7 }));
        check(
            "cpuhp_enter",
            "cpu: 0002 target:   0 step:  90 (f)",
            Some(KernelEvent::HotplugStep { cpu: 2 }),
        );
    }

    #[test]
    fn tasks_devices_and_marks() {
        let new = |is_thread| Some(KernelEvent::NewTask { tid: 9, comm: b"a b", is_thread });
        check("task_newtask", "pid=9 comm=a b clone_flags=3d0f00 oom_score_adj=0", new(true));
        check("task_newtask", "pid=9 comm=a b clone_flags=1200000 oom_score_adj=0", new(false));
        check(
            "task_rename",
            "pid=9 oldcomm=x y newcomm=z w oom_score_adj=-1000",
            Some(KernelEvent::Rename { tid: 9, comm: b"z w" }),
        );
        check(
            "sched_process_fork",
            "comm=a pid=1 child_comm=b c child_pid=2",
            Some(KernelEvent::Named { tid: 2, comm: b"b c" }),
        );
        let clock = |value| Some(KernelEvent::Counter { name: b"a_clk", of: "Frequency", value });
        check("clock_set_rate", "a_clk state=133000000 cpu_id=1", clock(133e6));
        let suspend = |is_start| Some(KernelEvent::Suspend { step: SuspendStep::Freeze, is_start });
        check("suspend_resume", "timekeeping_freeze[3] begin", suspend(true));
        check("suspend_resume", "timekeeping_freeze[3] end", suspend(false));
        check("suspend_resume", "dpm_suspend[2] begin", Some(KernelEvent::Nothing));
        let blocked = |is_io, caller| Some(KernelEvent::Blocked { tid: 4, is_io, caller });
        check(
            "sched_blocked_reason",
            "pid=4 iowait=0 caller=msleep+0x18/0x24",
            blocked(false, b"msleep+0x18/0x24"),
        );
        check(
            "sched_blocked_reason",
            "pid=4 iowait=1 caller=wait_on_page",
            blocked(true, b"wait_on_page"),
        );
        let source = |is_on| Some(KernelEvent::WakeupSource { name: b"a key", is_on });
        check("wakeup_source_activate", "a key state=0x4b0017", source(true));
        check("wakeup_source_deactivate", "a key state=0x4b0016", source(false));
        check("wakeup_source_activate", "a key", None);
        let begin = Some(KernelEvent::Mark(Mark::Begin { pid: 7, name: b"draw: x" }));
        for name in ["tracing_mark_write", "0", "tracing_mark_write.isra.0", "0xffffffc0", "print"]
        {
            check(name, "B|7|draw: x", begin);
        }
        check("print", "tracing_mark_write: B|7|draw: x", begin);
        check("print", "0xffffff81: B|7|draw: x", begin);
        check(
            "tracing_mark_write",
            "trace_event_clock_sync: parent_ts=1.0",
            Some(KernelEvent::Nothing),
        );
        let request =
            |sector, sectors, kind| BlockRequest { device: 0x80_0011, sector, sectors, kind };
        let block = |step, request| Some(KernelEvent::Block { step, request });
        let write = request(12_345_678_901, 8, DiskKind::Write);
        check(
            "block_rq_insert",
            "8,17 WS 4096 () 12345678901 + 8 [a b]",
            block(BlockStep::Inserted, write),
        );
        check(
            "block_rq_issue",
            "8,17 WS 4096 () 12345678901 + 8 none,0,0 [a b]",
            block(BlockStep::Issued, write),
        );
        check(
            "block_rq_complete",
            "8,17 WS () 12345678901 + 8 [0]",
            block(BlockStep::Completed, write),
        );
        let flush = request(0, 0, DiskKind::Flush);
        check(
            "block_rq_issue",
            "8,17 FF 0 () 0 + 0 [kworker/1:1H]",
            block(BlockStep::Issued, flush),
        );
        check("block_rq_issue", "8,17 D 4096 () 16 + 8 [fstrim]", Some(KernelEvent::Nothing));
        check("block_rq_issue", "8,17 D 4096", None);
        let file =
            |step, inode, path| Some(KernelEvent::File { step, file: TracedFile { inode, path } });
        let ext4 = "dev 259,3 ino 1234 pos 0 len 4096 flags 0";
        check("ext4_da_write_begin", ext4, file(FileStep::Written, 1234, None));
        check("ext4_writepages", "dev 8,1 ino 7 nr_to_write 9", file(FileStep::WritesOut, 7, None));
        let f2fs = "dev = (259,3), ino = 1234, pos = 0, len = 4096, flags = 0";
        check("f2fs_write_begin", f2fs, file(FileStep::Written, 1234, None));
        check(
            "android_fs_dataread_start",
            "entry_name /data/a b.db, offset 0, bytes 4096, cmd a, pid 7, i_size 9, ino 12",
            file(FileStep::Begins, 12, Some(b"/data/a b.db")),
        );
        check("f2fs_write_begin", "dev = (259,3), pos = 0", None);
        let frequency = Hertz::from_kilohertz(302_000);
        let gpu = Some(KernelEvent::GpuFrequency { gpu: 1, frequency });
        check("gpu_frequency", "state=302000 gpu_id=1", gpu);
        check("kgsl_gpu_frequency", "gpu_freq=302000Khz gpu_id=1", gpu);
    }
}
