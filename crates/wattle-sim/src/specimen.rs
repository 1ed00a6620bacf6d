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
    pub seeds: Seeds,
}

/// Seeds of what stays the same in other runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds {
    /// Draws the phone.
    pub phone: u64,
    /// Draws the power of each method at a clock.
    pub code: u64,
}
