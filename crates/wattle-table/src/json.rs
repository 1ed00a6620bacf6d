//! Rows as JSON.

use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};
use wattle_units::Nanos;

use crate::{Cell, Free, Part, Row, Rows};

/// A row as a JSON object, its keys in alphabetical order.
pub struct Json<'a>(pub &'a dyn Row);

/// A row as a JSON object, its keys in the order of the columns.
pub struct Declared<'a>(pub &'a dyn Row);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Object { row: self.0, is_sorted: true }.serialize(to)
    }
}

impl Serialize for Declared<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Object { row: self.0, is_sorted: false }.serialize(to)
    }
}

struct Object<'a> {
    row: &'a dyn Row,
    is_sorted: bool,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let sheet = self.row.sheet();
        let keys = if self.is_sorted { &sheet.keys } else { &sheet.declared };
        let mut map = to.serialize_map(None)?;
        for key in keys {
            let cell = self.row.cell(key.leaf);
            if cell.is_none() && sheet.leaves[key.leaf].meta.domain.is_optional {
                continue;
            }
            let value = Value { cell, part: key.part, is_sorted: self.is_sorted };
            map.serialize_entry(&key.text, &value)?;
        }
        map.end()
    }
}

struct List<'a> {
    rows: &'a dyn Rows,
    is_sorted: bool,
}

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.rows.count()))?;
        for row in (0..self.rows.count()).filter_map(|at| self.rows.row(at)) {
            list.serialize_element(&Object { row, is_sorted: self.is_sorted })?;
        }
        list.end()
    }
}

struct Value<'a> {
    cell: Cell<'a>,
    part: Part,
    is_sorted: bool,
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.cell {
            Cell::Energy(energy) => match self.part {
                Part::Interval => energy.map(|it| it.interval).serialize(to),
                Part::Provenance => energy.map(|it| it.provenance).serialize(to),
                Part::Whole | Part::Joules => energy.map(|it| it.joules).serialize(to),
            },
            Cell::Text(it) => it.serialize(to),
            Cell::Made(it) => it.serialize(to),
            Cell::Count(it) => it.serialize(to),
            Cell::Integer(it) => it.serialize(to),
            Cell::Number(it) => it.serialize(to),
            Cell::Flag(it) => it.serialize(to),
            Cell::Time(it) => it.map(Nanos::seconds).serialize(to),
            Cell::Pair(it) => it.serialize(to),
            Cell::Texts(it) => it.serialize(to),
            Cell::Counts(it) => it.serialize(to),
            Cell::Numbers(it) => it.serialize(to),
            Cell::Singles(it) => it.serialize(to),
            Cell::Tally(it) => it.serialize(to),
            Cell::Object(it) => {
                it.map(|row| Object { row, is_sorted: self.is_sorted }).serialize(to)
            }
            Cell::Free(it) => {
                it.map(Free::json).transpose().map_err(S::Error::custom)?.serialize(to)
            }
            Cell::List(it) => it.map(|rows| List { rows, is_sorted: self.is_sorted }).serialize(to),
        }
    }
}
