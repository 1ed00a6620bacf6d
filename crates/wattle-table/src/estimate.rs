//! An energy as a row of its own: an object with three keys.

use wattle_units::Estimate;

use crate::{Column, describe};

describe!(
    Estimate,
    "estimate",
    "an energy",
    [Column::energy("", "energy", |row: &Estimate| Some(*row)).not_null()]
);
