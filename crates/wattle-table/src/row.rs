//! Rows that can be asked for their values without their type, and the values, which may be rows in turn.

use std::collections::BTreeMap;

use wattle_units::{Estimate, Nanos};

use crate::{Free, Sheet};

/// A row of some described table.
pub trait Row {
    /// Its table's columns and keys.
    fn sheet(&self) -> &'static Sheet;

    /// The value of the column of that number, see [`Sheet::leaves`].
    fn cell(&self, leaf: usize) -> Cell<'_>;
}

/// Rows of one described table.
pub trait Rows {
    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// One of them.
    fn row(&self, at: usize) -> Option<&dyn Row>;

    /// The rows unless there are none, for keys that are absent then.
    fn some(&self) -> Option<&dyn Rows>
    where
        Self: Sized,
    {
        (self.count() > 0).then_some(self as &dyn Rows)
    }
}

/// One value of a row. `None` is "no data", which is never 0.
#[derive(Clone)]
pub enum Cell<'a> {
    /// Text.
    Text(Option<&'a str>),
    /// Text that no row holds as it is.
    Made(String),
    /// A count, or a number that names something.
    Count(Option<u64>),
    /// A whole number that may be negative.
    Integer(Option<i64>),
    /// A number in the unit of its column.
    Number(Option<f64>),
    /// Whether something holds.
    Flag(bool),
    /// An energy with its interval and provenance.
    Energy(Option<Estimate>),
    /// A length of time.
    Time(Option<Nanos>),
    /// The ends of an interval, in the unit of the column.
    Pair(Option<[f64; 2]>),
    /// Several texts.
    Texts(&'a [String]),
    /// Several numbers that name something.
    Counts(&'a [u32]),
    /// Several numbers.
    Numbers(Option<&'a [f64]>),
    /// Several numbers of single precision.
    Singles(&'a [f32]),
    /// Counts by name.
    Tally(&'a BTreeMap<String, u64>),
    /// A row inside of this one.
    Object(Option<&'a dyn Row>),
    /// Anything that knows its JSON itself.
    Free(Option<&'a dyn Free>),
    /// Rows inside of this one.
    List(Option<&'a dyn Rows>),
}

impl Cell<'_> {
    /// Whether there is no data.
    pub fn is_none(&self) -> bool {
        match self {
            Self::Text(it) => it.is_none(),
            Self::Count(it) => it.is_none(),
            Self::Integer(it) => it.is_none(),
            Self::Number(it) => it.is_none(),
            Self::Energy(it) => it.is_none(),
            Self::Time(it) => it.is_none(),
            Self::Pair(it) => it.is_none(),
            Self::Numbers(it) => it.is_none(),
            Self::Object(it) => it.is_none(),
            Self::Free(it) => it.is_none(),
            Self::List(it) => it.is_none(),
            Self::Made(_)
            | Self::Flag(_)
            | Self::Texts(_)
            | Self::Counts(_)
            | Self::Singles(_)
            | Self::Tally(_) => false,
        }
    }

    /// The number that rows are sorted by: no data comes last.
    pub fn rank(&self) -> f64 {
        let number = match self {
            Self::Count(it) => it.map(|it| it as f64),
            Self::Integer(it) => it.map(|it| it as f64),
            Self::Number(it) => *it,
            Self::Energy(it) => it.map(|it| it.joules.value()),
            Self::Time(it) => it.map(Nanos::seconds),
            _ => None,
        };
        number.unwrap_or(f64::NEG_INFINITY)
    }
}
