//! Who waited for storage.

use rustc_hash::FxHashMap;
use wattle_timeline::{Pid, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::concurrent_users::Concurrent;
use super::hardware_user::HardwareUser;
use crate::attribution::call_paths::CallPaths;

/// `TASK_UNINTERRUPTIBLE` of the kernel's `sched.h`: sleeps that no signal ends, most of them for storage.
const UNINTERRUPTIBLE: u16 = 2;
/// Longer sleeps wait for something else: flash answers within milliseconds, a full queue within some hundred.
const LONGEST_WAIT: Nanos = Nanos::new(300_000_000);
/// The process of which all threads of the kernel are children (`kthreadd`). They serve storage on behalf of others, or wait for
/// their own hardware.
const KERNEL: Pid = Pid(2);

/// By operations of disks, where the recording has some with a thread; else threads in uninterruptible sleep. A call that was open
/// meanwhile is the user.
pub(super) fn storage_users(timeline: &Timeline, paths: &CallPaths) -> Concurrent<HardwareUser> {
    let of = |thread: ThreadId, window: Window| {
        let path = paths.trees.seek(thread, window.start, 0).path();
        (window, HardwareUser::of_path(paths, thread, path))
    };
    let operations = timeline.hardware.disk.iter();
    let by_disk: Vec<_> = operations
        .filter(|it| it.thread != ThreadId::IDLE)
        .map(|it| of(it.thread, it.window))
        .collect();
    if !by_disk.is_empty() {
        return Concurrent::new(by_disk);
    }
    let sleeps = uninterruptible(timeline);
    Concurrent::new(sleeps.into_iter().map(|(thread, window)| of(thread, window)))
}

/// Whether a thread is one of the kernel's own.
fn is_kernels(timeline: &Timeline, thread: ThreadId) -> bool {
    let processes = &timeline.tasks.processes;
    let process = timeline.tasks.threads.get(thread.index()).and_then(|it| it.process);
    let Some(process) = process.and_then(|it| processes.get(it.index())) else { return false };
    let parent = process.parent.and_then(|parent| processes.get(parent.index()));
    process.pid == KERNEL || parent.is_some_and(|parent| parent.pid == KERNEL)
}

/// The uninterruptible sleeps of all threads of programs, each until the thread runs again.
fn uninterruptible(timeline: &Timeline) -> Vec<(ThreadId, Window)> {
    let sleeps = |state: Option<wattle_timeline::TaskState>| {
        state.is_some_and(|state| state.0 & UNINTERRUPTIBLE != 0)
    };
    let mut of_thread: FxHashMap<ThreadId, Vec<(BootNanos, BootNanos, bool)>> =
        FxHashMap::default();
    let slices = || timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter());
    for slice in slices().filter(|it| it.thread != ThreadId::IDLE && sleeps(it.end_state)) {
        of_thread.entry(slice.thread).or_default();
    }
    of_thread.retain(|thread, _| !is_kernels(timeline, *thread));
    for slice in slices() {
        if let Some(of_thread) = of_thread.get_mut(&slice.thread) {
            of_thread.push((slice.window.start, slice.window.end, sleeps(slice.end_state)));
        }
    }
    let mut found = Vec::new();
    for (thread, mut slices) in of_thread {
        slices.sort_unstable();
        let next = slices.iter().skip(1).map(|it| it.0);
        for ((_, end, _), next) in slices.iter().zip(next).filter(|(slice, _)| slice.2) {
            let sleep = Window::new(*end, next.max(*end));
            if sleep.duration() <= LONGEST_WAIT {
                found.push((thread, sleep));
            }
        }
    }
    found.sort_unstable_by_key(|(thread, window)| (*thread, window.start));
    found
}
