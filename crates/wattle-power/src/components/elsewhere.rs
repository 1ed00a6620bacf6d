//! What other models have already said.

use crate::GpuCurve;

/// What is modelled or metered by others, and what they know.
#[derive(Clone, Copy, Default)]
pub(crate) struct Elsewhere<'a> {
    /// The CPU is, what it draws for being awake included.
    pub(crate) cpu: bool,
    /// The GPU is, by its power states or by linear terms.
    pub(crate) gpu: bool,
    /// The device model's power of the GPU by clock.
    pub(crate) gpu_curve: Option<&'a GpuCurve>,
}
