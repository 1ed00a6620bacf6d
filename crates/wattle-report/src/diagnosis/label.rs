//! Who is who in a diagnosis, and when, in words.

use wattle_diagnose::{Diagnosis, StackFrame, Subject, ThreadUse};
use wattle_units::{BootNanos, Nanos};

/// Stands between frames of a stack in one line, from a caller to whom it called.
pub const CALLS: &str = " -> ";

/// Lookup of the objects to which a diagnosis points by index.
pub trait Labels {
    /// A thread of [`Diagnosis::threads`].
    fn thread(&self, index: u32) -> Option<&ThreadUse>;
    /// Whose it is.
    fn owner(&self, thread: &ThreadUse) -> Option<&Subject>;
    /// Time since the recording's start.
    fn since(&self, instant: BootNanos) -> Nanos;
}

impl Labels for Diagnosis {
    fn thread(&self, index: u32) -> Option<&ThreadUse> {
        self.threads.get(index as usize)
    }

    fn owner(&self, thread: &ThreadUse) -> Option<&Subject> {
        self.subjects.get(thread.subject as usize)
    }

    fn since(&self, instant: BootNanos) -> Nanos {
        instant - self.origin
    }
}

/// `AfterMouse.race (1464)`, as Intel's analyzer heads its tables.
pub fn process(subject: &Subject) -> String {
    format!("{} ({})", process_name(subject), subject.pid)
}

/// Without its number, which is another one in the next recording.
pub fn process_name(subject: &Subject) -> &str {
    let names = [subject.name.as_deref(), subject.package.as_deref()];
    names.into_iter().flatten().find(|name| !name.is_empty()).unwrap_or("unknown")
}

/// `RenderThread (2084)`; the number alone where the thread has no name.
pub fn thread(thread: &ThreadUse) -> String {
    match thread.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => format!("{name} ({})", thread.tid),
        None => thread.tid.to_string(),
    }
}

/// A stack in one line, outermost frame first.
pub fn stack(frames: &[StackFrame]) -> String {
    let frames: Vec<&str> = frames.iter().map(|frame| frame.text.as_str()).collect();
    frames.join(CALLS)
}
