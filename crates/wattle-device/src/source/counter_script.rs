//! The script that reads counters on the device.

/// Reads counters at a period, for mksh and every other POSIX shell.
///
/// Arguments: folder of the processes (`/proc`), folder of the kernel's settings (`/sys`), file to write, file whose
/// disappearance ends it, period in ms, seconds after which it ends by itself, names of processes whose threads are read.
///
/// Its cost is the app's loss, so with mksh a sample starts no process: `$(<file)` and `read -t` are
/// built in, clocks are read from `/proc/uptime` and `$EPOCHREALTIME`. Other shells do it with `cat` and `sleep`.
///
/// Three rates: every period the counters of the whole system; every second at most the threads; every ten seconds, and
/// first and last, what is long (`uid_time_in_state`) or needs a process (`dumpsys netstats`). Arithmetic has 32 bits in
/// Android's mksh: hundredths of a second are counted modulo 100 days.
///
/// No absolute path is in it, so that it can be tried on any folder whose name has no space.
pub(super) const SCRIPT: &str = include_str!("counters.sh");
