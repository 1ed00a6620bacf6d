//! Probes in the app's code: which slices they made, and what they cost.

use wattle_units::Nanos;

use crate::ProcessId;

/// Origin of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SliceOrigin {
    /// The program itself, or the system: a section in its own code.
    #[default]
    Recorded,
    /// The probes of a method: one when it began, one when it ended.
    ProbedMethod,
    /// The probes around a call into the framework.
    ProbedCall,
    /// The recorder inside the app: emptying a buffer of probe records, timing the probes.
    Recorder,
    /// A method trace of the runtime (`am profile`, `Debug.startMethodTracing`).
    MethodTrace,
}

/// Cost of the probes of a process, by empty methods that were timed in it.
///
/// A pair is the probe at a method's entry and the one at its exit. Part of a pair's cost lies between the two time
/// stamps and so inside the slice, the rest outside, in the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeCost {
    /// Whose; `None`: of all processes that have none of their own.
    pub process: Option<ProcessId>,
    /// Cost of a pair on the CPU: median.
    pub pair: Nanos,
    /// 5th percentile.
    pub low: Nanos,
    /// 95th percentile.
    pub high: Nanos,
    /// The part of the median that lies inside the slice.
    pub inside: Nanos,
    /// Number of pairs that were timed.
    pub pairs: u32,
}
