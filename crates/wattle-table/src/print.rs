//! Rows as indented JSON, written without a serializer in between.
//!
//! A report of a method trace is tens of megabytes, most of it keys and indentation that are the same for every row. Keys are
//! therefore kept quoted ([`Key::quoted`]), and the text is made in one buffer that is handed on whenever it is full.

use std::io::{self, Write};

use wattle_units::Nanos;

use crate::{Cell, Free, Key, Part, Row, Rows};

/// Bytes of text that are gathered before they are written.
const FULL: usize = 1 << 16;

/// Writes a row as indented JSON, keys in alphabetical order: the text that `serde_json` makes of [`crate::Json`] with its pretty
/// formatter.
pub fn print(row: &dyn Row, to: &mut dyn Write) -> io::Result<()> {
    let mut printer = Printer { to, text: Vec::with_capacity(2 * FULL), depth: 0 };
    printer.object(row)?;
    printer.to.write_all(&printer.text)
}

struct Printer<'a> {
    to: &'a mut dyn Write,
    text: Vec<u8>,
    depth: usize,
}

impl Printer<'_> {
    fn object(&mut self, row: &dyn Row) -> io::Result<()> {
        let sheet = row.sheet();
        self.text.push(b'{');
        self.depth += 1;
        let mut is_empty = true;
        for key in &sheet.keys {
            let cell = row.cell(key.leaf);
            if sheet.leaves[key.leaf].meta.domain.is_optional && cell.is_none() {
                continue;
            }
            self.key(key, is_empty);
            is_empty = false;
            self.value(&cell, key.part)?;
        }
        self.close(b'}', is_empty);
        if self.text.len() >= FULL {
            self.to.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    fn key(&mut self, key: &Key, is_first: bool) {
        self.item(is_first);
        self.text.extend_from_slice(key.quoted.as_bytes());
    }

    /// The beginning of a member's line.
    fn item(&mut self, is_first: bool) {
        if !is_first {
            self.text.push(b',');
        }
        self.line();
    }

    fn line(&mut self) {
        const SPACES: &[u8; 33] = b"\n                                ";
        let indent = 2 * self.depth;
        self.text.extend_from_slice(&SPACES[..=indent.min(32)]);
        for _ in 32..indent {
            self.text.push(b' ');
        }
    }

    fn close(&mut self, end: u8, is_empty: bool) {
        self.depth -= 1;
        if !is_empty {
            self.line();
        }
        self.text.push(end);
    }

    fn list(&mut self, rows: &dyn Rows) -> io::Result<()> {
        self.text.push(b'[');
        self.depth += 1;
        let mut is_empty = true;
        for row in (0..rows.count()).filter_map(|at| rows.row(at)) {
            self.item(is_empty);
            is_empty = false;
            self.object(row)?;
        }
        self.close(b']', is_empty);
        Ok(())
    }

    /// A list of values that are no rows.
    fn plain_list<T: serde::Serialize>(&mut self, items: &[T]) -> io::Result<()> {
        self.text.push(b'[');
        self.depth += 1;
        for (at, item) in items.iter().enumerate() {
            self.item(at == 0);
            self.plain(item)?;
        }
        self.close(b']', items.is_empty());
        Ok(())
    }

    /// A value that is no list and no object.
    fn plain<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        Ok(serde_json::to_writer(&mut self.text, value)?)
    }

    fn null_or<T: Copy>(
        &mut self,
        value: Option<T>,
        print: impl FnOnce(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(value) = value {
            return print(self, value);
        }
        self.text.extend_from_slice(b"null");
        Ok(())
    }

    fn value(&mut self, cell: &Cell<'_>, part: Part) -> io::Result<()> {
        match cell {
            Cell::Energy(energy) => self.null_or(*energy, |it, energy| match part {
                Part::Interval => {
                    let ends = [energy.interval.low, energy.interval.high];
                    it.plain_list(&ends.map(wattle_units::Joules::value))
                }
                Part::Provenance => it.plain(&energy.provenance),
                Part::Whole | Part::Joules => it.plain(&energy.joules.value()),
            }),
            Cell::Text(text) => self.plain(text),
            Cell::Made(text) => self.plain(text),
            Cell::Count(count) => self.plain(count),
            Cell::Integer(number) => self.plain(number),
            Cell::Number(number) => self.plain(number),
            Cell::Flag(flag) => self.plain(flag),
            Cell::Time(time) => self.plain(&time.map(Nanos::seconds)),
            Cell::Pair(pair) => self.null_or(*pair, |it, pair| it.plain_list(&pair)),
            Cell::Texts(texts) => self.plain_list(texts),
            Cell::Counts(counts) => self.plain_list(counts),
            Cell::Numbers(numbers) => self.null_or(*numbers, Self::plain_list),
            Cell::Singles(numbers) => self.plain_list(numbers),
            Cell::Tally(tally) => {
                self.text.push(b'{');
                self.depth += 1;
                for (at, (name, count)) in tally.iter().enumerate() {
                    self.item(at == 0);
                    self.plain(name)?;
                    self.text.extend_from_slice(b": ");
                    self.plain(count)?;
                }
                self.close(b'}', tally.is_empty());
                Ok(())
            }
            Cell::Object(row) => self.null_or(*row, Self::object),
            Cell::List(rows) => self.null_or(*rows, Self::list),
            Cell::Free(free) => self.null_or(*free, Self::free),
        }
    }

    /// Words are written at once. Objects come by the dozen: their keys are put in order first.
    fn free(&mut self, free: &dyn Free) -> io::Result<()> {
        let start = self.text.len();
        free.write(&mut self.text)?;
        if matches!(self.text.get(start), Some(b'{' | b'[')) {
            self.text.truncate(start);
            self.any(&free.json()?)?;
        }
        Ok(())
    }

    fn any(&mut self, value: &serde_json::Value) -> io::Result<()> {
        match value {
            serde_json::Value::Array(items) => {
                self.text.push(b'[');
                self.depth += 1;
                for (at, item) in items.iter().enumerate() {
                    self.item(at == 0);
                    self.any(item)?;
                }
                self.close(b']', items.is_empty());
                Ok(())
            }
            serde_json::Value::Object(members) => {
                self.text.push(b'{');
                self.depth += 1;
                for (at, (name, member)) in members.iter().enumerate() {
                    self.item(at == 0);
                    self.plain(name)?;
                    self.text.extend_from_slice(b": ");
                    self.any(member)?;
                }
                self.close(b'}', members.is_empty());
                Ok(())
            }
            plain => self.plain(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wattle_units::{Estimate, Interval, Joules, Provenance};

    use crate::{Column, Json, Row, describe, print};

    struct Part {
        name: &'static str,
        energy: Option<Estimate>,
    }

    describe!(
        Part,
        "part",
        "a part",
        [
            Column::text("name", "its name", |row: &Part| row.name),
            Column::energy("", "its energy", |row: &Part| row.energy),
        ]
    );

    #[derive(Default)]
    struct Whole {
        parts: Vec<Part>,
        numbers: Option<Vec<f64>>,
        tally: BTreeMap<String, u64>,
        text: Option<String>,
    }

    describe!(
        Whole,
        "whole",
        "a whole",
        [
            Column::list::<Part>("parts", "its parts", |row: &Whole| &row.parts),
            Column::maybe_object::<Part>("first", "the first", |row: &Whole| {
                row.parts.first().map(|part| part as &dyn Row)
            }),
            Column::numbers("numbers", "numbers", |row: &Whole| row.numbers.as_deref()),
            Column::tally("tally", "counts", |row: &Whole| &row.tally),
            Column::maybe_text("text", "text", |row: &Whole| row.text.as_deref()).optional(),
            Column::word("word", "a word", &["measured"], |_| Some(&Provenance::Measured)),
            Column::facts("facts", "facts", |row: &Whole| Some(&row.tally)),
            Column::pair("pair", "ends", |_| Some([0.1, -2e300])),
            Column::flag("flag", "a flag", |_| true),
        ]
    );

    #[track_caller]
    fn check(whole: &Whole) {
        let mut text = Vec::new();
        print(whole, &mut text).unwrap_or_else(|error| unreachable!("{error}"));
        let expected = serde_json::to_string_pretty(&Json(whole)).unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }

    #[test]
    fn the_text_is_that_of_the_pretty_printer() {
        check(&Whole::default());
        let energy = |joules: f64| {
            let joules = Joules::new(joules);
            let interval = Interval { low: joules * 0.5, high: joules * 2.0 };
            Some(Estimate { joules, interval, provenance: Provenance::Modelled })
        };
        let mut whole = Whole {
            parts: vec![
                Part { name: "a \"quoted\"\n\u{1}电", energy: energy(0.1 + 0.2) },
                Part { name: "", energy: None },
                Part { name: "not a number", energy: energy(f64::NAN) },
            ],
            numbers: Some(vec![1.0, 1e-7, f64::INFINITY]),
            tally: BTreeMap::from([("a".to_owned(), 1), ("b\\".to_owned(), u64::MAX)]),
            text: Some(String::new()),
        };
        check(&whole);
        whole.numbers = Some(Vec::new());
        whole.parts.clear();
        check(&whole);
    }
}
