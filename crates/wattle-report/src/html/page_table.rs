//! Tables of the page, made from the description of their rows: a list of values for each column.

use serde::Serialize;
use wattle_table::{Cell, Described, Emphasis, Kind, Meta, PROVENANCES, Row, Writing};
use wattle_units::Nanos;

use super::strings::{Strings, five_digits, microseconds};

/// A table as the page's scripts get it.
#[derive(Default, Serialize)]
pub struct PageTable {
    columns: Vec<PageColumn>,
    rows: usize,
    /// Rows that are not in the page.
    left_out: usize,
}

/// A column: its look, and a value for each row.
#[derive(Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties, read by name in the page"
)]
struct PageColumn {
    /// The key in JSON, which files that the page saves have, too; without one they have the label.
    #[serde(skip_serializing_if = "str::is_empty")]
    key: &'static str,
    label: String,
    doc: &'static str,
    /// The word of [`Kind::name`].
    kind: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_strong: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_soft: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_mark: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_instant: bool,
    values: Vec<Value>,
}

/// A value of a row.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    /// Nothing is known.
    None,
    /// A text, by its number in the page's names.
    Text(usize),
    /// A number in the unit of its kind.
    Number(f64),
    /// A count, or a number that names something.
    Count(u64),
    /// The ends of an interval, in joules.
    Interval([f64; 2]),
}

/// Which columns of a description a table has.
#[derive(Clone, Copy, Default)]
pub struct Choice<'a> {
    /// Cases whose columns are shown.
    pub cases: &'a [&'a str],
    /// No energy is known, so that columns that need one are left out.
    pub is_without_energy: bool,
}

impl PageTable {
    /// The first rows of a list, as many as there is room for.
    pub fn new<'a, R: Described>(
        rows: impl ExactSizeIterator<Item = &'a R>,
        most: usize,
        choice: Choice<'_>,
        names: &mut Strings,
    ) -> Self {
        let left_out = rows.len().saturating_sub(most);
        let rows: Vec<&R> = rows.take(most).collect();
        let mut shown: Vec<_> = R::sheet()
            .leaves
            .iter()
            .enumerate()
            .filter(|(at, leaf)| {
                let is_missing = || rows.iter().all(|row| row.cell(*at).is_none());
                let meta = &leaf.meta;
                meta.views.page
                    && meta.fits(choice.cases)
                    && !(choice.is_without_energy && meta.kind.needs_energy())
                    && !(meta.look.is_rare && is_missing())
            })
            .collect();
        // Stable: the others stay in the order of the description.
        shown.sort_by_key(|(_, leaf)| !leaf.meta.look.leads_page);
        let columns = shown
            .into_iter()
            .map(|(at, leaf)| PageColumn {
                key: leaf.meta.key,
                label: leaf.meta.heading().to_owned(),
                doc: leaf.meta.doc,
                kind: leaf.meta.kind.name(),
                is_strong: leaf.meta.look.emphasis == Emphasis::Strong,
                is_soft: leaf.meta.look.emphasis == Emphasis::Soft,
                is_mark: leaf.meta.look.emphasis == Emphasis::Warning,
                is_instant: leaf.meta.look.writing == Writing::Instant,
                values: rows.iter().map(|row| value(&leaf.meta, row.cell(at), names)).collect(),
            })
            .collect();
        Self { columns, rows: rows.len(), left_out }
    }

    /// Adds a column of numbers that depends on the recording and not on the description; the page's scripts know the kind.
    pub fn add(
        &mut self,
        label: &str,
        kind: &'static str,
        values: impl Iterator<Item = Option<f64>>,
    ) -> &mut Self {
        let number =
            |value: Option<f64>| value.map_or(Value::None, |it| Value::Number(five_digits(it)));
        self.columns.push(PageColumn {
            key: "",
            label: label.to_owned(),
            doc: "",
            kind,
            is_strong: false,
            is_soft: false,
            is_mark: false,
            is_instant: false,
            values: values.take(self.rows).map(number).collect(),
        });
        self
    }
}

fn value(meta: &Meta, cell: Cell<'_>, names: &mut Strings) -> Value {
    let number = |it: Option<f64>| it.map_or(Value::None, |it| Value::Number(five_digits(it)));
    match (meta.kind, cell) {
        (Kind::Interval, Cell::Energy(energy)) => energy.map_or(Value::None, |it| {
            let ends = [it.interval.low, it.interval.high];
            Value::Interval(ends.map(|end| five_digits(end.value())))
        }),
        (Kind::Provenance, Cell::Energy(energy)) => energy.map_or(Value::None, |it| {
            Value::Text(names.id(PROVENANCES.get(it.provenance as usize).unwrap_or(&"")))
        }),
        (_, Cell::Energy(energy)) => number(energy.map(|it| it.joules.value())),
        (_, Cell::Number(it)) => number(it),
        (_, Cell::Time(Some(time))) if meta.look.writing == Writing::Instant => {
            Value::Number(microseconds(time))
        }
        (_, Cell::Time(time)) => number(time.map(Nanos::seconds)),
        (_, Cell::Count(it)) => it.map_or(Value::None, Value::Count),
        (_, Cell::Integer(it)) => it.map_or(Value::None, |it| Value::Number(it as f64)),
        (_, Cell::Flag(flag)) => Value::Text(names.id(if flag { "yes" } else { "no" })),
        (_, Cell::Made(text)) => Value::Text(names.id(&text)),
        (_, Cell::Text(text)) if meta.look.writing == Writing::Spaced => {
            Value::Text(names.id(&text.unwrap_or_default().replace('-', " ")))
        }
        (_, Cell::Text(text)) => text.map_or(Value::None, |text| Value::Text(names.id(text))),
        (_, Cell::Texts(texts)) => Value::Text(names.id(&texts.join(", "))),
        // Rows inside of a row have tables of their own.
        _ => Value::None,
    }
}
