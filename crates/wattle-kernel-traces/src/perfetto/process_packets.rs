//! Polls of `/proc`, and the list of packages.

use wattle_timeline::{NameRank, Package, ProcessFacts, RawScope, Severity, Uid};
use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;
use crate::limits::MAX_LISTED_TASKS;

/// `ProcessTree` (`process_tree.proto`).
mod tree {
    pub const PROCESSES: u32 = 1;
    pub const THREADS: u32 = 2;
    /// `ProcessTree.Process`.
    pub const PID: u32 = 1;
    pub const PPID: u32 = 2;
    pub const CMDLINE: u32 = 3;
    pub const UID: u32 = 5;
    pub const PROCESS_START_FROM_BOOT: u32 = 7;
    pub const CMDLINE_IS_COMM: u32 = 9;
    /// `ProcessTree.Thread`.
    pub const TID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const TGID: u32 = 3;
}

/// `ProcessStats.Process` (`process_stats.proto`): counters, as Perfetto names them, and the factor to
/// their unit.
const STATS: [(u32, &str, f64); 12] = [
    (2, "mem.virt", 1024.0),
    (3, "mem.rss", 1024.0),
    (4, "mem.rss.anon", 1024.0),
    (5, "mem.rss.file", 1024.0),
    (6, "mem.rss.shmem", 1024.0),
    (7, "mem.swap", 1024.0),
    (8, "mem.locked", 1024.0),
    (9, "mem.rss.watermark", 1024.0),
    (10, "oom_score_adj", 1.0),
    (21, "runtime.user_ns", 1.0),
    (22, "runtime.kernel_ns", 1.0),
    (24, "mem.dmabuf_rss", 1024.0),
];

/// The kernel thread that makes all others (`kthreadd`).
const KTHREADD: u32 = 2;

/// A worker's name without the queue it served last: `kworker/45:2-mm_percpu_wq` is `kworker/45:2`.
fn without_queue(name: &[u8]) -> &[u8] {
    if !name.starts_with(b"kworker/") {
        return name;
    }
    let end = name.iter().position(|b| matches!(b, b'-' | b'+')).unwrap_or(name.len());
    name.get(..end).unwrap_or(name)
}

impl Reader<'_> {
    pub(super) fn process_tree(&mut self, time: BootNanos, bytes: &[u8]) {
        // Processes first: what a thread is called depends on whose it is.
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == tree::PROCESSES {
                self.tree_process(time, field.value.bytes());
            }
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == tree::THREADS {
                self.tree_thread(time, field.value.bytes());
            }
        }
    }

    /// Whether one more process or thread of a poll is used.
    fn has_room_for_task(&mut self) -> bool {
        self.states.listed_tasks += 1;
        let has_room = self.states.listed_tasks <= MAX_LISTED_TASKS;
        if !has_room {
            self.counts.lose(1);
            self.counts.note(Severity::Error, "task-limit", None, || {
                format!("more than {MAX_LISTED_TASKS} processes and threads are listed: the rest was not used")
            });
        }
        has_room
    }

    fn tree_process(&mut self, time: BootNanos, bytes: &[u8]) {
        if !self.has_room_for_task() {
            return;
        }
        let (mut pid, mut parts, mut first): (u32, u32, &[u8]) = (0, 0, &[]);
        let mut facts = ProcessFacts { parent: Some(0), ..ProcessFacts::default() };
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                tree::PID => pid = value.uint() as u32,
                tree::PPID => facts.parent = Some(value.uint() as u32),
                tree::CMDLINE => {
                    if parts == 0 {
                        first = value.bytes();
                    }
                    parts += 1;
                }
                tree::UID => facts.uid = Some(Uid(value.uint() as u32)),
                tree::PROCESS_START_FROM_BOOT => facts.start = Some(value.int()),
                tree::CMDLINE_IS_COMM => facts.name_is_comm = value.bool(),
                _ => {}
            }
        }
        if parts == 0 {
            return;
        }
        if facts.parent == Some(KTHREADD) {
            first = without_queue(first);
        }
        // A program that rewrote its command line as one text.
        if parts == 1
            && let Some(end) = memchr::memchr(b' ', first)
        {
            first = first.get(..end).unwrap_or(first);
        }
        if !first.is_empty() {
            facts.name = Some(self.builder.names.intern_bytes(first));
        }
        self.builder.tasks().process(time, pid, facts);
    }

    fn tree_thread(&mut self, time: BootNanos, bytes: &[u8]) {
        if !self.has_room_for_task() {
            return;
        }
        let (mut tid, mut pid, mut name): (u32, u32, &[u8]) = (0, 0, &[]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                tree::TID => tid = field.value.uint() as u32,
                tree::TGID => pid = field.value.uint() as u32,
                tree::NAME => name = field.value.bytes(),
                _ => {}
            }
        }
        self.builder.tasks().thread_polled(time, tid, pid);
        if !name.is_empty() {
            let name = self.builder.names.intern_bytes(without_queue(name));
            self.builder.tasks().thread_name(time, tid, name, NameRank::Proc);
        }
    }

    pub(super) fn process_stats(&mut self, time: BootNanos, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number != 1 {
                continue;
            }
            let process = field.value.bytes();
            let Some(pid) = Fields::find(process, 1).map(|pid| pid.uint() as u32) else { continue };
            self.builder.tasks().process_seen(time, pid);
            for field in Fields::new(process).map_while(Result::ok) {
                let known = STATS.iter().find(|(number, ..)| *number == field.number);
                if let Some((_, name, factor)) = known {
                    let name = self.builder.names.intern(name);
                    let key = self.builder.system().counter_track(RawScope::Process(pid), name);
                    self.builder.system().counter(key, time, field.value.int() as f64 * factor);
                }
            }
        }
    }

    pub(super) fn packages_list(&mut self, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 1) {
            let (mut name, mut uid): (&[u8], u32) = (&[], 0);
            let (mut debuggable, mut profileable_from_shell, mut version_code) = (false, false, 0);
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    1 => name = field.value.bytes(),
                    2 => uid = field.value.uint() as u32,
                    3 => debuggable = field.value.bool(),
                    4 => profileable_from_shell = field.value.bool(),
                    5 => version_code = field.value.int(),
                    _ => {}
                }
            }
            let name = self.builder.names.intern_bytes(name);
            let uid = Uid(uid);
            self.builder.tasks().package(Package {
                name,
                uid,
                debuggable,
                profileable_from_shell,
                version_code,
            });
        }
    }

    /// `ProcessDescriptor`, of a track or of a packet of its own. Its pid.
    pub(super) fn process_descriptor(&mut self, time: BootNanos, bytes: &[u8]) -> Option<u32> {
        let (mut pid, mut name): (Option<u32>, &[u8]) = (None, &[]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => pid = Some(field.value.uint() as u32),
                6 => name = field.value.bytes(),
                _ => {}
            }
        }
        let pid = pid?;
        if name.is_empty() {
            self.builder.tasks().process_seen(time, pid);
        } else {
            let name = Some(self.builder.names.intern_bytes(name));
            self.builder.tasks().process(
                time,
                pid,
                ProcessFacts { name, ..ProcessFacts::default() },
            );
        }
        Some(pid)
    }
}

#[cfg(test)]
mod tests {
    use super::without_queue;

    #[test]
    fn workers_lose_their_queue() {
        assert_eq!(without_queue(b"kworker/45:2-mm_percpu_wq"), b"kworker/45:2");
        assert_eq!(without_queue(b"kworker/u16:3+kverityd"), b"kworker/u16:3");
        assert_eq!(without_queue(b"my-app"), b"my-app");
    }
}
