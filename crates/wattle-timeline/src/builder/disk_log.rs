//! Operations of disks while they are being read.

use super::TimelineBuilder;
use super::task_lives::ThreadTable;
use crate::DiskOperation;

#[derive(Debug, Default)]
pub(crate) struct DiskLog(Vec<DiskOperation>);

impl DiskLog {
    /// In order of their beginning, each with the thread that bore its number then.
    pub fn finish(mut self, threads: &ThreadTable<'_>) -> Vec<DiskOperation> {
        for operation in &mut self.0 {
            if !operation.thread.is_idle() {
                let begin = operation.window.start.value();
                operation.thread = threads.thread(operation.thread.0, begin);
            }
        }
        self.0.sort_by_key(|operation| (operation.window.start, operation.window.end));
        self.0
    }
}

impl TimelineBuilder {
    /// An operation of a disk, of the thread with the number that it holds; of number 0 where nobody is known to have asked for it.
    pub fn disk_operation(&mut self, pid: Option<u32>, operation: DiskOperation) {
        self.extend_to(operation.window.start);
        self.extend_to(operation.window.end);
        let begin = operation.window.start.value();
        match pid {
            _ if operation.thread.is_idle() => {}
            Some(pid) => self.tasks.member(begin, operation.thread.0, pid),
            None => self.tasks.seen(begin, operation.thread.0),
        }
        self.disk.0.push(operation);
    }
}
