//! Power estimators, in the order in which they claim components.
//!
//! ```text
//!  Scene (what is read) ──► CurveCpu ─► Accelerators ─► LinearTerms ─► Figures ─► MeanCpu ─► Rails
//!                              │            │               │             │         │
//!                              ▼            ▼               ▼             ▼         ▼
//!  Draft (what is made)     tracks, claims, errors and notes, appended       scales the tracks to
//!                           for what nobody claimed before                   what was measured
//! ```
//!
//! A new estimator is one file here and one line in [`ESTIMATORS`].

mod accelerators;
mod android_estimate;
mod curve_cpu;
mod estimate_draft;
mod figure_components;
mod linear_terms;
mod mean_cpu;
mod measured_rails;
mod scene;

pub(crate) use curve_cpu::cpu_energies;
pub(crate) use estimate_draft::Draft;
pub(crate) use scene::Scene;

/// One way of estimating power from a recording.
///
/// An estimator reads the [`Scene`] and the claims of those before it, and adds to the [`Draft`]: tracks of components that
/// are still unclaimed, the error sources of those tracks, and its reasons as values.
pub(crate) trait Estimator: Sync {
    /// Adds what this estimator knows.
    fn contribute(&self, scene: &Scene<'_>, draft: &mut Draft);
}

/// All estimators. Earlier ones win: a claimed component is left alone by those that follow, except that rails scale
/// whatever was modelled.
pub(crate) static ESTIMATORS: [&dyn Estimator; 7] = [
    &curve_cpu::CurveCpu,
    &accelerators::Accelerators,
    &linear_terms::LinearTerms,
    &figure_components::FigureComponents,
    &mean_cpu::MeanCpu,
    &android_estimate::AndroidEstimate,
    &measured_rails::Rails,
];
