//! Tables made from the description of their rows.

use wattle_table::{Align, Cell, Described, Emphasis, Kind, Meta, Row, Writing};
use wattle_units::{Joules, Si};

use super::style::Style;
use super::text_table::{self, Table};
use crate::Figure;
use crate::cells::{
    NO_DATA, bar, grouped, joules, milliwatts, name, percent, provenance, range, signed_percent,
    time,
};

/// A column of a listing: heading, alignment, style, and the text of its cells.
struct Shown<'a, R> {
    key: &'static str,
    head: (&'a str, text_table::Align, Style),
    is_elastic: bool,
    text: Box<dyn Fn(&R) -> String + 'a>,
}

/// A table of rows: the columns that their description shows in the terminal, and those that depend on the rows.
pub struct Listing<'a, R> {
    rows: Vec<&'a R>,
    columns: Vec<Shown<'a, R>>,
}

impl<'a, R: Described> Listing<'a, R> {
    /// With the columns of the description that are always shown.
    pub fn new(rows: Vec<&'a R>) -> Self {
        Self::in_cases(rows, &[])
    }

    /// With the columns of the description, those of these cases among them.
    pub fn in_cases(rows: Vec<&'a R>, cases: &[&str]) -> Self {
        let columns = R::sheet()
            .leaves
            .iter()
            .enumerate()
            .filter(|(at, leaf)| {
                let is_missing = || rows.iter().all(|row| row.cell(*at).is_none());
                let meta = &leaf.meta;
                meta.views.terminal && meta.fits(cases) && !(meta.look.is_rare && is_missing())
            })
            .map(|(at, leaf)| Shown {
                key: leaf.meta.key,
                head: head(&leaf.meta),
                is_elastic: leaf.meta.look.is_elastic,
                text: Box::new(move |row: &R| text(&leaf.meta, &row.cell(at))),
            })
            .collect();
        Self { rows, columns }
    }

    /// Adds a column of numbers before that of a key, or at the end.
    pub fn number_before(&mut self, key: &str, label: &'a str, text: impl Fn(&R) -> String + 'a) {
        let at = self.columns.iter().position(|column| column.key == key);
        let head = (label, text_table::Align::Right, Style::Plain);
        let column = Shown { key: "", head, is_elastic: false, text: Box::new(text) };
        self.columns.insert(at.unwrap_or(self.columns.len()), column);
    }

    /// Gives the column of a key another heading.
    pub fn head(&mut self, key: &str, label: &'a str) {
        if let Some(column) = self.columns.iter_mut().find(|column| column.key == key) {
            column.head.0 = label;
        }
    }

    /// The table.
    pub fn table(&self) -> Table<'a> {
        self.table_with(|_, _| {})
    }

    /// The table, with notes that are added below each row.
    pub fn table_with(&self, notes: impl Fn(&R, &mut Table<'_>)) -> Table<'a> {
        let heads: Vec<_> = self.columns.iter().map(|column| column.head).collect();
        let elastic: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.is_elastic)
            .map(|(at, _)| at)
            .collect();
        let mut table = Table::new(&heads, &elastic);
        for row in &self.rows {
            table.row(self.columns.iter().map(|column| (column.text)(row)));
            notes(row, &mut table);
        }
        table
    }
}

fn head(meta: &Meta) -> (&'static str, text_table::Align, Style) {
    let align = match meta.kind.align() {
        Align::Left => text_table::Align::Left,
        Align::Right => text_table::Align::Right,
    };
    let style = match meta.look.emphasis {
        _ if meta.kind == Kind::Bar => Style::Bar,
        Emphasis::Plain => Style::Plain,
        Emphasis::Strong => Style::Strong,
        Emphasis::Soft => Style::Dim,
        Emphasis::Warning => Style::Warning,
    };
    (meta.look.label, align, style)
}

/// A value as people read it.
fn text(meta: &Meta, cell: &Cell<'_>) -> String {
    if meta.look.is_blank && cell.is_none() {
        return String::new();
    }
    match (meta.kind, cell) {
        (Kind::Interval, Cell::Energy(energy)) => range(Figure(*energy)),
        (Kind::Provenance, Cell::Energy(energy)) => provenance(Figure(*energy)),
        (_, Cell::Energy(energy)) => joules(Figure(*energy)),
        (Kind::Bar, Cell::Number(share)) => bar(*share),
        (Kind::Share, Cell::Number(share)) => percent(*share),
        (Kind::Difference, Cell::Number(share)) => signed_percent(*share),
        (Kind::Joules, Cell::Number(joules)) => {
            joules.map_or(NO_DATA.into(), |joules| Joules::new(joules).to_string())
        }
        (Kind::Power, Cell::Number(power)) => power.map_or(NO_DATA.into(), milliwatts),
        (Kind::Bytes, Cell::Number(bytes)) => {
            bytes.map_or(NO_DATA.into(), |value| Si { value, unit: "B" }.to_string())
        }
        (_, Cell::Number(number)) => number.map_or(NO_DATA.into(), |number| number.to_string()),
        (_, Cell::Made(text)) if meta.look.is_elastic && !meta.look.is_blank => name(text),
        (_, Cell::Made(text)) => text.clone(),
        (_, Cell::Text(text)) if meta.look.writing == Writing::Spaced => {
            text.unwrap_or_default().replace('-', " ")
        }
        (_, Cell::Text(text)) if meta.look.is_elastic => name(text.unwrap_or_default()),
        (_, Cell::Text(text)) => text.unwrap_or(NO_DATA).to_owned(),
        (_, Cell::Texts(texts)) => texts.join(", "),
        (Kind::Count, Cell::Count(Some(count))) if meta.look.writing != Writing::Ungrouped => {
            grouped(*count)
        }
        (_, Cell::Count(count)) => count.map_or(NO_DATA.into(), |count| count.to_string()),
        (_, Cell::Integer(count)) => count.map_or(NO_DATA.into(), |count| count.to_string()),
        (_, Cell::Flag(flag)) => if *flag { "yes" } else { "no" }.to_owned(),
        (_, Cell::Time(length)) => time(*length),
        // Rows inside of a row have tables of their own.
        _ => String::new(),
    }
}
