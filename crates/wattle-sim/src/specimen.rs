//! One phone of a kind.

use crate::curve_error::TrueCurves;
use crate::{Effects, PhoneSpec};

/// One phone of a kind.
#[derive(Clone, Copy)]
pub(crate) struct Specimen<'a> {
    pub spec: &'a PhoneSpec,
    /// Its own power, which differs from its kind's.
    pub curves: &'a TrueCurves,
    /// Effects that no estimator knows.
    pub effects: &'a Effects,
    /// Draws what the phone keeps from run to run.
    pub seed: u64,
}
