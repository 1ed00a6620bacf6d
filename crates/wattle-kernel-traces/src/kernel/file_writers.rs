//! Whose data a request to a disk moves, from the events of file systems (`include/trace/events/ext4.h`, `f2fs.h`, Android's `android_fs.h`).
//!
//! The data that a program writes goes into the page cache, and a kernel thread writes it out later: the block layer sees that thread alone. A file
//! system's events name the file on both sides, so a request of a thread that was just writing a file out is of whoever wrote to it last.

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, TimelineBuilder};
use wattle_units::{BootNanos, Nanos};

/// Events that are kept.
const MAX_EVENTS: usize = 1 << 22;

/// A thread that named a file longer ago than this works on another one, even if nothing said that it was done.
const STALE: Nanos = Nanos::new(1_000_000_000);

/// A thread's step with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStep {
    /// It wrote into the file, by which its data is in memory (`ext4_da_write_begin`, `ext4_write_begin`, `f2fs_write_begin`,
    /// `android_fs_datawrite_start`).
    Written,
    /// It begins to write the file's data out (`ext4_writepages`, `f2fs_submit_write_page`).
    WritesOut,
    /// It begins to read the file, or to wait until its data is on the disk (`android_fs_dataread_start`, `android_fs_fsync_start`,
    /// `ext4_sync_file_enter`, `f2fs_sync_file_enter`).
    Begins,
    /// It is done with the file (`ext4_writepages_result`, `ext4_sync_file_exit`, `f2fs_sync_file_exit`).
    Ends,
}

/// A file as an event names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedFile<'a> {
    /// Its number in its file system. Those of several file systems are taken to differ: the events of Android name no disk.
    pub inode: u64,
    /// Its path, where the event has it.
    pub path: Option<&'a [u8]>,
}

/// An event of a file.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: BootNanos,
    tid: u32,
    step: FileStep,
    inode: u64,
}

/// The file that a request moves data of, and who wrote the data if that is another thread than the one that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The file's number.
    pub inode: u64,
    /// Who wrote it last.
    pub writer: Option<u32>,
}

/// The events of files, and what they say at the time up to which they were looked at.
#[derive(Debug, Default)]
pub struct FileWriters {
    events: Vec<Event>,
    next: usize,
    paths: FxHashMap<u64, NameId>,
    /// By file: who wrote to it last.
    writers: FxHashMap<u64, u32>,
    /// By thread: the file, whether it is written out, and since when.
    current: FxHashMap<u32, (u64, bool, BootNanos)>,
}

impl FileWriters {
    /// Takes in an event of the thread on its CPU. Whether there was room.
    pub fn add(
        &mut self,
        builder: &mut TimelineBuilder,
        (time, tid): (BootNanos, u32),
        step: FileStep,
        file: TracedFile<'_>,
    ) -> bool {
        if self.events.len() >= MAX_EVENTS {
            return false;
        }
        let TracedFile { inode, path } = file;
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            self.paths.insert(inode, builder.names.intern_bytes(path));
        }
        self.events.push(Event { time, tid, step, inode });
        true
    }

    /// Puts the events into the order of time, before they are looked at.
    pub fn sort(&mut self) {
        self.events.sort_by_key(|event| event.time);
    }

    /// The data that a request of a thread moves. Times must not go back from call to call.
    pub fn moved(&mut self, time: BootNanos, tid: u32) -> Option<Moved> {
        while let Some(event) = self.events.get(self.next).filter(|event| event.time <= time) {
            self.next += 1;
            match event.step {
                FileStep::Written => {
                    self.writers.insert(event.inode, event.tid);
                }
                FileStep::WritesOut => {
                    self.current.insert(event.tid, (event.inode, true, event.time));
                }
                FileStep::Begins => {
                    self.current.insert(event.tid, (event.inode, false, event.time));
                }
                FileStep::Ends => {
                    self.current.remove(&event.tid);
                }
            }
        }
        let (inode, is_written_out, since) = *self.current.get(&tid)?;
        if time - since > STALE {
            return None;
        }
        let writer = self.writers.get(&inode).copied().filter(|_| is_written_out);
        Some(Moved { inode, writer })
    }

    /// The name of a file: its path, else its number.
    pub fn name(&self, builder: &mut TimelineBuilder, inode: u64) -> NameId {
        let path = self.paths.get(&inode).copied();
        path.unwrap_or_else(|| builder.names.intern(&format!("inode {inode}")))
    }
}
