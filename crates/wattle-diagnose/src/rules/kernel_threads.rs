//! Threads of the kernel, which work for others: context of findings, and no culprits.

use wattle_timeline::{Pid, ThreadId, Timeline, Uid};

/// `kthreadd`, the parent of all threads of the kernel.
const KTHREADD: Pid = Pid(2);
/// Beginnings of names of kernel threads (`ps -e` of Linux and Android), for recordings without parents.
const NAMES: [&str; 30] = [
    "kworker/",
    "ksoftirqd/",
    "migration/",
    "rcu",
    "sugov:",
    "irq/",
    "kswapd",
    "kcompactd",
    "swapper",
    "cpuhp/",
    "kthreadd",
    "jbd2/",
    "f2fs_",
    "crtc_",
    "mmc-cmdqd",
    "dmabuf-",
    "kinteractive",
    "cfinteractive",
    "kgsl",
    "khubd",
    "khugepaged",
    "kblockd",
    "mmcqd/",
    "mdss_",
    "psimon",
    "erofs_",
    "ext4-",
    "watchdog/",
    "scsi_eh",
    "dhd_",
];

/// Whether a thread is one of the kernel's: by its parent, else by its name.
pub(super) fn is_kernel(timeline: &Timeline, thread: ThreadId) -> bool {
    let Some(facts) = timeline.tasks.threads.get(thread.index()) else { return false };
    let process = facts.process.and_then(|it| timeline.tasks.processes.get(it.index()));
    if let Some(process) = process {
        let parent = process.parent.and_then(|it| timeline.tasks.processes.get(it.index()));
        if process.pid == KTHREADD || parent.is_some_and(|it| it.pid == KTHREADD) {
            return true;
        }
        // An app has a uid of its own, and may call its threads what it likes.
        if process.uid.is_some_and(Uid::is_app) || process.package.is_some() {
            return false;
        }
    }
    let name = facts.name.map_or("", |name| timeline.names.get(name));
    NAMES.iter().any(|it| name.starts_with(it))
}
