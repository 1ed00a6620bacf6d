//! Components that other estimators leave to this one.

use crate::GpuCurve;

/// Components that others neither model nor meter, and what the others know.
#[derive(Clone, Copy)]
pub(crate) struct Uncovered<'a> {
    /// Whether the CPU is uncovered, what it draws for being awake included.
    pub(crate) cpu: bool,
    /// Whether the GPU is uncovered: neither its power states nor linear terms model it.
    pub(crate) gpu: bool,
    /// The device model's power of the GPU by clock.
    pub(crate) gpu_curve: Option<&'a GpuCurve>,
}
