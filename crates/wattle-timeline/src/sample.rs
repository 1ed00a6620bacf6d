//! Sampled call stacks (`linux.perf`).

use wattle_units::BootNanos;

use crate::{CpuId, NameId, ThreadId};

/// One frame of a stack: a function in a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function; `None` when it was not symbolised.
    pub function: Option<NameId>,
    /// The file it lies in (`/apex/…/libc.so`).
    pub mapping: Option<NameId>,
    /// Offset in the mapping.
    pub offset: u64,
}

/// A node of the tree of stacks: a frame and its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    /// Index of the caller in [`StackSamples::sites`]; `None` at the root.
    pub caller: Option<u32>,
    /// Index into [`StackSamples::frames`].
    pub frame: u32,
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSample {
    /// When.
    pub time: BootNanos,
    /// On which CPU.
    pub cpu: CpuId,
    /// Of which thread.
    pub thread: ThreadId,
    /// Innermost call site in [`StackSamples::sites`]; `None` when the stack could not be unwound.
    pub site: Option<u32>,
}

/// All samples with the tree of their stacks.
#[derive(Clone, Debug, Default)]
pub struct StackSamples {
    /// Frames, each once.
    pub frames: Vec<Frame>,
    /// Call sites, each once; callers before callees.
    pub sites: Vec<CallSite>,
    /// Samples in order of time.
    pub samples: Vec<StackSample>,
}
