//! How wrong the numbers of a model can be, and which of them err together.
//!
//! A power curve that reads 5 % high reads 5 % high in every slice that uses it: errors of one curve
//! are common to all of its slices and add linearly, not in quadrature. What a figure needs in order to
//! have an interval is therefore its energy per *source* (one number of the model: a curve point, a
//! cluster's leakage, a rail) and the sizes of two kinds of error:
//!
//! - each source errs on its own, with relative standard deviation [`ErrorSource::own`];
//! - all sources of a *group* (a cluster's curve) err together as well, with [`ErrorGroup::shared`].
//!
//! With energies `E_s`, groups `g`: `Var = Σ_g shared_g² (Σ_{s∈g} E_s)² + Σ_s own_s² E_s²`.
//!
//! Where a meter fixes the sum of several sources (a rail: the measurement scales, the model splits),
//! only the *share* of a figure can be wrong. With `E_s` the figure's energy, `T_s` the metered total by
//! source, the deviation weight of a source is `w_s = E_s − (ΣE/ΣT)·T_s` (first-order error propagation
//! of the ratio), which takes the place of `E_s` above; the meter's own error then adds
//! `(meter · ΣE)²`.
//!
//! The interval is two-sided 90 %, with Student's t for the degrees of freedom from which the sizes were
//! learnt, and log-normal where the relative error is large, so that no energy gets a negative bound.

use serde::{Deserialize, Serialize};

/// One number of a model whose error is its own. Index into [`ErrorModel::sources`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SourceId(pub u16);

/// Index into [`ErrorModel::groups`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ErrorGroupId(pub u16);

/// Index into [`ErrorModel::meters`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct MeterId(pub u16);

/// One number of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorSource {
    /// What it is (`policy 4 at 2.25 GHz`).
    pub name: String,
    /// The group it errs with.
    pub group: ErrorGroupId,
    /// Relative standard deviation of its own error.
    pub own: f64,
    /// The meter that fixes the sum this source is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter: Option<MeterId>,
    /// Where the number comes from.
    pub provenance: wattle_units::Provenance,
}

/// Numbers of a model that err together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorGroup {
    /// What it is (`policy 4`).
    pub name: String,
    /// Relative standard deviation of the common error.
    pub shared: f64,
    /// Degrees of freedom from which `shared` was learnt; `None` when it is a judgement, and then the
    /// normal quantile is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freedom: Option<f64>,
}

/// An instrument that measured the sum of several sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meter {
    /// Its name (the rail's).
    pub name: String,
    /// Relative standard deviation of its own error.
    pub error: f64,
}

/// All that is known of the errors of one estimate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorModel {
    /// Sources by [`SourceId`].
    pub sources: Vec<ErrorSource>,
    /// Groups by [`ErrorGroupId`].
    pub groups: Vec<ErrorGroup>,
    /// Meters by [`MeterId`].
    pub meters: Vec<Meter>,
}
