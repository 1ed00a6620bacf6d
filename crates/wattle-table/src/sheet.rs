//! A table's columns without its row type.

use crate::{Kind, Meta};

/// A table's columns without its row type, with the columns of parts among its own.
#[derive(Debug)]
pub struct Sheet {
    /// Columns in the order of views.
    pub leaves: Vec<Leaf>,
    /// Keys of the JSON form in alphabetical order.
    pub keys: Vec<Key>,
    /// The same keys in the order of the columns.
    pub declared: Vec<Key>,
}

/// A column, wherever in the row its value is.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Everything but its values.
    pub meta: Meta,
    pub(crate) column: usize,
    /// The number of the column within the part of the row.
    pub(crate) inner: usize,
}

/// A key of the JSON form.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key.
    pub text: String,
    /// The key in quotes, with a colon and a space.
    pub(crate) quoted: String,
    /// The number of its column.
    pub leaf: usize,
    /// Its part of the column's value.
    pub part: Part,
}

/// Part of a column's value under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Of an energy: joules.
    Joules,
    /// Of an energy: the 90 % interval.
    Interval,
    /// Of an energy: measured, modelled or assumed.
    Provenance,
}

impl Key {
    fn new(text: String, leaf: usize, part: Part) -> Self {
        Self { quoted: format!("{}: ", serde_json::Value::from(text.as_str())), text, leaf, part }
    }
}

impl Sheet {
    /// Resolves the columns of a description, some of which stand for the columns of a part of the row.
    pub(crate) fn new(columns: impl Iterator<Item = (Meta, Option<&'static Self>)>) -> Self {
        let mut leaves = Vec::new();
        for (column, (meta, part)) in columns.enumerate() {
            match part {
                Some(part) => leaves.extend((0..).zip(&part.leaves).map(|(inner, leaf)| Leaf {
                    column,
                    inner,
                    ..*leaf
                })),
                None => leaves.push(Leaf { meta, column, inner: 0 }),
            }
        }
        let mut keys = Vec::new();
        for (number, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.meta.views.json) {
            keys.extend(of_leaf(number, &leaf.meta));
        }
        let declared = keys.clone();
        keys.sort_by(|one, other| one.text.cmp(&other.text));
        Self { leaves, keys, declared }
    }

    /// The number of the column of that key.
    pub fn leaf(&self, key: &str) -> Option<usize> {
        self.leaves.iter().position(|leaf| leaf.meta.key == key)
    }
}

/// The keys of one column.
fn of_leaf(leaf: usize, meta: &Meta) -> Vec<Key> {
    if meta.kind != Kind::Energy {
        return vec![Key::new(meta.key.to_owned(), leaf, Part::Whole)];
    }
    let joint = if meta.key.is_empty() { "" } else { "_" };
    let key = |end: &str, part| Key::new(format!("{}{joint}{end}", meta.key), leaf, part);
    vec![
        key("joules", Part::Joules),
        key("interval_joules", Part::Interval),
        key("provenance", Part::Provenance),
    ]
}
