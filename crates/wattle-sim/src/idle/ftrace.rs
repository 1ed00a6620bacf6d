//! The text of an ftrace buffer of an idle run.

use std::fmt::Write as _;
use std::io::{self, Write};

use wattle_units::BootNanos;

use super::idle_run::{IdleRun, RunStep};
use crate::SimError;
use crate::trace::comm;

impl IdleRun {
    /// Writes the text of an ftrace buffer (`/sys/kernel/tracing/trace`): switches and wake-ups, no stacks.
    pub fn write_ftrace<W: Write>(&self, out: W) -> Result<W, SimError> {
        Ok(write(self, out)?)
    }
}

/// Writes it: the header, then events of all CPUs in order of time, as the kernel's `trace` file has them.
fn write<W: Write>(run: &IdleRun, mut out: W) -> io::Result<W> {
    out.write_all(b"# tracer: nop\n#\n")?;
    let entries = run.switches.len() + run.wakings.len();
    writeln!(
        out,
        "# entries-in-buffer/entries-written: {entries}/{entries}   #P:{}\n#",
        run.cores
    )?;
    out.write_all(b"#           TASK-PID    TGID    CPU#  |||||  TIMESTAMP  FUNCTION\n")?;
    out.write_all(b"#              | |         |      |   |||||     |         |\n")?;
    let mut line = String::new();
    for step in run.steps() {
        line.clear();
        // Writing to a String does not fail.
        match step {
            RunStep::Waking(waking) => {
                head(run, waking.waker, waking.core, waking.time, &mut line);
                let (name, tid) = task(run, Some(waking.thread), waking.core);
                let _ = writeln!(
                    line,
                    "sched_waking: comm={name} pid={tid} prio=120 target_cpu={:03}",
                    waking.core
                );
            }
            RunStep::Switch(switch) => {
                head(run, switch.from, switch.core, switch.time, &mut line);
                let (from, from_tid) = task(run, switch.from, switch.core);
                let (to, to_tid) = task(run, switch.to, switch.core);
                let state = if switch.sleeps { "S" } else { "R" };
                let _ = writeln!(
                    line,
                    "sched_switch: prev_comm={from} prev_pid={from_tid} prev_prio=120 prev_state={state} ==> \
                     next_comm={to} next_pid={to_tid} next_prio=120"
                );
            }
        }
        out.write_all(line.as_bytes())?;
    }
    out.flush()?;
    Ok(out)
}

/// Who ran, in which process, where and when.
fn head(run: &IdleRun, thread: Option<u32>, core: u32, time: BootNanos, line: &mut String) {
    let (name, tid) = task(run, thread, core);
    // The idle task is shown as `<idle>` in front of an event only.
    let name = if tid == 0 { "<idle>".to_owned() } else { name };
    let group = match thread {
        Some(thread) => format!("{:7}", run.process(thread).pid),
        None => "-------".to_owned(),
    };
    let micros = time.value() / 1000;
    let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
    let _ =
        write!(line, "{name:>16}-{tid:<7} ({group}) [{core:03}] d..2. {seconds:5}.{micros:06}: ");
}

fn task(run: &IdleRun, thread: Option<u32>, core: u32) -> (String, u32) {
    let Some(thread) = thread else { return (format!("swapper/{core}"), 0) };
    let it = &run.threads[thread as usize];
    let process = run.process(thread);
    (comm(if it.tid == process.pid { &process.name } else { &it.name }), it.tid)
}
