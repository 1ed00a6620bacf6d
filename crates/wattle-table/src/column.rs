//! A column: what it is, and how its value is taken from a row.

use std::collections::BTreeMap;

use wattle_units::{Estimate, Nanos};

use crate::{
    Cell, Described, Emphasis, Free, Kind, Meta, Row, Rows, Sheet, Views, Writing, reference_of,
};

/// Accessor of a column's value in a row.
pub enum Get<R: 'static> {
    /// Text.
    Text(fn(&R) -> &str),
    /// Text that is made of several fields.
    Made(fn(&R) -> String),
    /// Text, or no data.
    MaybeText(fn(&R) -> Option<&str>),
    /// A small number that names something.
    Id(fn(&R) -> u32),
    /// The same, or no data.
    MaybeId(fn(&R) -> Option<u32>),
    /// A count.
    Count(fn(&R) -> u64),
    /// A count, or no data.
    MaybeCount(fn(&R) -> Option<u64>),
    /// A whole number.
    Integer(fn(&R) -> i64),
    /// A whole number, or no data.
    MaybeInteger(fn(&R) -> Option<i64>),
    /// A number.
    Number(fn(&R) -> f64),
    /// A number, or no data.
    MaybeNumber(fn(&R) -> Option<f64>),
    /// Whether something holds.
    Flag(fn(&R) -> bool),
    /// An energy.
    Energy(fn(&R) -> Option<Estimate>),
    /// A length of time.
    Time(fn(&R) -> Nanos),
    /// A length of time, or no data.
    MaybeTime(fn(&R) -> Option<Nanos>),
    /// The ends of an interval.
    Pair(fn(&R) -> Option<[f64; 2]>),
    /// Texts.
    Texts(fn(&R) -> &[String]),
    /// Texts, or no data.
    MaybeTexts(fn(&R) -> Option<&[String]>),
    /// Numbers that name something.
    Ids(fn(&R) -> &[u32]),
    /// Numbers.
    Numbers(fn(&R) -> Option<&[f64]>),
    /// Numbers of single precision.
    Singles(fn(&R) -> &[f32]),
    /// Counts by name.
    Tally(fn(&R) -> &BTreeMap<String, u64>),
    /// Anything that knows its JSON itself.
    Free(fn(&R) -> Option<&dyn Free>),
    /// A row.
    Object(fn(&R) -> &dyn Row),
    /// A row, or none.
    MaybeObject(fn(&R) -> Option<&dyn Row>),
    /// Rows.
    List(fn(&R) -> &dyn Rows),
    /// Rows, or none.
    MaybeList(fn(&R) -> Option<&dyn Rows>),
    /// The columns of a part of the row.
    Flat(fn() -> &'static Sheet, fn(&R) -> &dyn Row),
}

/// A column of a table of `R`.
pub struct Column<R: 'static> {
    /// Everything but its values.
    pub meta: Meta,
    /// Accessor of its value in a row.
    pub get: Get<R>,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident $kind:ident $get:ident($type:ty) $nullable:literal;)*) => {$(
        $(#[$doc])*
        pub const fn $name(key: &'static str, doc: &'static str, get: fn(&R) -> $type) -> Self {
            let mut meta = Meta::new(key, doc, Kind::$kind);
            meta.domain.is_nullable = $nullable;
            Self { meta, get: Get::$get(get) }
        }
    )*};
}

impl<R: 'static> Column<R> {
    constructors! {
        /// A text.
        text Text Text(&str) false;
        /// A text that may be unknown.
        maybe_text Text MaybeText(Option<&str>) true;
        /// A number that names something.
        id Id Id(u32) false;
        /// A number that names something that may be unknown.
        maybe_id Id MaybeId(Option<u32>) true;
        /// A count.
        count Count Count(u64) false;
        /// A count that may be unknown.
        maybe_count Count MaybeCount(Option<u64>) true;
        /// A whole number that may be negative.
        integer Integer Integer(i64) false;
        /// A whole number that may be negative or unknown.
        maybe_integer Integer MaybeInteger(Option<i64>) true;
        /// A number in the unit of its key.
        number Number Number(f64) false;
        /// A number in the unit of its key that may be unknown.
        maybe_number Number MaybeNumber(Option<f64>) true;
        /// Joules without an interval.
        joules Joules Number(f64) false;
        /// Joules without an interval that may be unknown.
        maybe_joules Joules MaybeNumber(Option<f64>) true;
        /// A part of a whole.
        share Share MaybeNumber(Option<f64>) true;
        /// A relative difference.
        difference Difference MaybeNumber(Option<f64>) true;
        /// Milliwatts.
        power Power MaybeNumber(Option<f64>) true;
        /// Bytes.
        bytes Bytes Number(f64) false;
        /// Bytes that may be unknown.
        maybe_bytes Bytes MaybeNumber(Option<f64>) true;
        /// Whether something holds.
        flag Flag Flag(bool) false;
        /// An energy: the keys `joules`, `interval_joules`, `provenance`, after a word of its own unless that is empty.
        energy Energy Energy(Option<Estimate>) true;
        /// A length of time.
        time Time Time(Nanos) false;
        /// A length of time that may be unknown.
        maybe_time Time MaybeTime(Option<Nanos>) true;
        /// The ends of an interval.
        pair Pair Pair(Option<[f64; 2]>) true;
        /// Texts.
        texts Texts Texts(&[String]) false;
        /// Texts that may be unknown as a whole.
        maybe_texts Texts MaybeTexts(Option<&[String]>) true;
        /// Numbers that name something.
        ids Ids Ids(&[u32]) false;
        /// Numbers that may be unknown as a whole.
        numbers Numbers Numbers(Option<&[f64]>) true;
        /// Numbers of single precision.
        singles Numbers Singles(&[f32]) false;
        /// Counts by name.
        tally Tally Tally(&BTreeMap<String, u64>) false;
    }

    /// A text made of several fields, in views only.
    pub const fn made(key: &'static str, doc: &'static str, get: fn(&R) -> String) -> Self {
        Self { meta: Meta::new(key, doc, Kind::Text), get: Get::Made(get) }.hidden()
    }

    /// The interval of an energy as a column of its own, in views only.
    pub const fn interval(get: fn(&R) -> Option<Estimate>) -> Self {
        let meta = Meta::new("", "two-sided 90 % interval", Kind::Interval);
        Self { meta, get: Get::Energy(get) }.hidden().soft()
    }

    /// The provenance of an energy as a column of its own, in views only.
    pub const fn provenance(get: fn(&R) -> Option<Estimate>) -> Self {
        let meta = Meta::new("", "the weakest among the parts of the figure", Kind::Provenance);
        Self { meta, get: Get::Energy(get) }.hidden().soft()
    }

    /// A share as a bar, in the terminal only.
    pub const fn bar(get: fn(&R) -> Option<f64>) -> Self {
        let mut meta = Meta::new("", "part of the whole", Kind::Bar);
        meta.views = Views { json: false, terminal: true, page: false };
        Self { meta, get: Get::MaybeNumber(get) }
    }

    /// Facts that know their JSON themselves: an object.
    pub const fn facts(
        key: &'static str,
        doc: &'static str,
        get: fn(&R) -> Option<&dyn Free>,
    ) -> Self {
        Self { meta: Meta::new(key, doc, Kind::Free), get: Get::Free(get) }
    }

    /// Whole numbers of a type that knows its JSON itself.
    pub const fn whole_numbers(
        key: &'static str,
        doc: &'static str,
        get: fn(&R) -> Option<&dyn Free>,
    ) -> Self {
        Self { meta: Meta::new(key, doc, Kind::Ids), get: Get::Free(get) }
    }

    /// A word of an enumeration that knows its JSON itself.
    pub const fn word(
        key: &'static str,
        doc: &'static str,
        words: &'static [&'static str],
        get: fn(&R) -> Option<&dyn Free>,
    ) -> Self {
        Self { meta: Meta::new(key, doc, Kind::Text), get: Get::Free(get) }.words(words)
    }

    /// Several words of an enumeration that know their JSON themselves.
    pub const fn word_list(
        key: &'static str,
        doc: &'static str,
        words: &'static [&'static str],
        get: fn(&R) -> Option<&dyn Free>,
    ) -> Self {
        Self { meta: Meta::new(key, doc, Kind::Texts), get: Get::Free(get) }.words(words)
    }

    /// A row inside of the row.
    pub const fn object<T: Described>(
        key: &'static str,
        doc: &'static str,
        get: fn(&R) -> &dyn Row,
    ) -> Self {
        let mut meta = Meta::new(key, doc, Kind::Object);
        meta.domain.shape = Some(reference_of::<T>);
        Self { meta, get: Get::Object(get) }
    }

    /// A row inside of the row that there may not be.
    pub const fn maybe_object<T: Described>(
        key: &'static str,
        doc: &'static str,
        get: fn(&R) -> Option<&dyn Row>,
    ) -> Self {
        let mut meta = Meta::new(key, doc, Kind::Object);
        meta.domain.shape = Some(reference_of::<T>);
        meta.domain.is_nullable = true;
        Self { meta, get: Get::MaybeObject(get) }
    }

    /// Rows inside of the row.
    pub const fn list<T: Described>(
        key: &'static str,
        doc: &'static str,
        get: fn(&R) -> &dyn Rows,
    ) -> Self {
        let mut meta = Meta::new(key, doc, Kind::List);
        meta.domain.shape = Some(reference_of::<T>);
        Self { meta, get: Get::List(get) }
    }

    /// Rows inside of the row whose key is absent where there are none.
    pub const fn maybe_list<T: Described>(
        key: &'static str,
        doc: &'static str,
        get: fn(&R) -> Option<&dyn Rows>,
    ) -> Self {
        let mut meta = Meta::new(key, doc, Kind::List);
        meta.domain.shape = Some(reference_of::<T>);
        meta.domain.is_nullable = true;
        Self { meta, get: Get::MaybeList(get) }.optional()
    }

    /// The columns of a part of the row, among its own.
    pub const fn flat<T: Described>(get: fn(&R) -> &dyn Row) -> Self {
        let meta = Meta::new("", "", Kind::Flat);
        Self { meta, get: Get::Flat(T::sheet, get) }
    }

    /// Its heading; the terminal and the page show it.
    #[must_use]
    pub const fn label(mut self, label: &'static str) -> Self {
        self.meta.look.label = label;
        self.meta.views.terminal = true;
        self.meta.views.page = true;
        self
    }

    /// Its heading in the page where that is another than in the terminal.
    #[must_use]
    pub const fn page_label(mut self, label: &'static str) -> Self {
        self.meta.look.page_label = Some(label);
        self
    }

    /// Marks it as the subject of the table.
    #[must_use]
    pub const fn strong(mut self) -> Self {
        self.meta.look.emphasis = Emphasis::Strong;
        self
    }

    /// Marks it as seldom of interest.
    #[must_use]
    pub const fn soft(mut self) -> Self {
        self.meta.look.emphasis = Emphasis::Soft;
        self
    }

    /// A mark on what deserves attention.
    #[must_use]
    pub const fn warning(mut self) -> Self {
        self.meta.look.emphasis = Emphasis::Warning;
        self
    }

    /// Views show it only in that case, which they name themselves.
    #[must_use]
    pub const fn case(mut self, case: &'static str) -> Self {
        self.meta.look.case = case;
        self
    }

    /// No data is an empty cell in views.
    #[must_use]
    pub const fn blank(mut self) -> Self {
        self.meta.look.is_blank = true;
        self
    }

    /// A narrow terminal may cut its values.
    #[must_use]
    pub const fn elastic(mut self) -> Self {
        self.meta.look.is_elastic = true;
        self
    }

    /// It comes first in the page.
    #[must_use]
    pub const fn leading(mut self) -> Self {
        self.meta.look.leads_page = true;
        self
    }

    /// JSON does not have it.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.meta.views.json = false;
        self
    }

    /// Of the views for people only the terminal has it.
    #[must_use]
    pub const fn not_in_page(mut self) -> Self {
        self.meta.views.page = false;
        self
    }

    /// Of the views for people only the page has it.
    #[must_use]
    pub const fn only_in_page(mut self) -> Self {
        self.meta.views.terminal = false;
        self
    }

    /// Views show it only where some row has a value.
    #[must_use]
    pub const fn rare(mut self) -> Self {
        self.meta.look.is_rare = true;
        self
    }

    /// Its key is absent, not `null`, where there is no data.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.meta.domain.is_optional = true;
        self.meta.domain.is_nullable = false;
        self
    }

    /// The terminal does not keep the thousands of its counts apart.
    #[must_use]
    pub const fn ungrouped(mut self) -> Self {
        self.meta.look.writing = Writing::Ungrouped;
        self
    }

    /// The page writes its times with as many digits as the window needs.
    #[must_use]
    pub const fn instant(mut self) -> Self {
        self.meta.look.writing = Writing::Instant;
        self
    }

    /// Views write the hyphens of its texts as spaces.
    #[must_use]
    pub const fn with_spaces(mut self) -> Self {
        self.meta.look.writing = Writing::Spaced;
        self
    }

    /// There is always data.
    #[must_use]
    pub const fn not_null(mut self) -> Self {
        self.meta.domain.is_nullable = false;
        self
    }

    /// There may be no data.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.meta.domain.is_nullable = true;
        self
    }

    /// The texts that are possible.
    #[must_use]
    pub const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.meta.domain.words = words;
        self
    }

    /// The numbers that are possible.
    #[must_use]
    pub const fn between(mut self, low: f64, high: f64) -> Self {
        self.meta.domain.bounds = [Some(low), Some(high)];
        self
    }

    /// The smallest number that is possible.
    #[must_use]
    pub const fn at_least(mut self, low: f64) -> Self {
        self.meta.domain.bounds[0] = Some(low);
        self
    }

    /// Sets the least and greatest number of values of a list.
    #[must_use]
    pub const fn items(mut self, least: u64, most: u64) -> Self {
        self.meta.domain.items = [Some(least), Some(most)];
        self
    }

    /// Resolves the columns of a description.
    pub fn sheet(columns: &'static [Self]) -> Sheet {
        Sheet::new(columns.iter().map(|it| (it.meta, it.part())))
    }

    /// The value of the column of that number in a row, see [`Sheet::leaves`].
    pub fn cell<'a>(columns: &[Self], sheet: &Sheet, row: &'a R, leaf: usize) -> Cell<'a> {
        let Some(leaf) = sheet.leaves.get(leaf) else { return Cell::Text(None) };
        columns.get(leaf.column).map_or(Cell::Text(None), |it| it.value(row, leaf.inner))
    }

    /// The table whose columns stand in the place of this one.
    fn part(&self) -> Option<&'static Sheet> {
        match self.get {
            Get::Flat(sheet, _) => Some(sheet()),
            _ => None,
        }
    }

    /// The value in a row; of a part the value of that number within it.
    fn value<'a>(&self, row: &'a R, inner: usize) -> Cell<'a> {
        match self.get {
            Get::Text(get) => Cell::Text(Some(get(row))),
            Get::Made(get) => Cell::Made(get(row)),
            Get::MaybeText(get) => Cell::Text(get(row)),
            Get::Id(get) => Cell::Count(Some(get(row).into())),
            Get::MaybeId(get) => Cell::Count(get(row).map(Into::into)),
            Get::Count(get) => Cell::Count(Some(get(row))),
            Get::MaybeCount(get) => Cell::Count(get(row)),
            Get::Integer(get) => Cell::Integer(Some(get(row))),
            Get::MaybeInteger(get) => Cell::Integer(get(row)),
            Get::Number(get) => Cell::Number(Some(get(row))),
            Get::MaybeNumber(get) => Cell::Number(get(row)),
            Get::Flag(get) => Cell::Flag(get(row)),
            Get::Energy(get) => Cell::Energy(get(row)),
            Get::Time(get) => Cell::Time(Some(get(row))),
            Get::MaybeTime(get) => Cell::Time(get(row)),
            Get::Pair(get) => Cell::Pair(get(row)),
            Get::Texts(get) => Cell::Texts(get(row)),
            Get::MaybeTexts(get) => get(row).map_or(Cell::Text(None), Cell::Texts),
            Get::Ids(get) => Cell::Counts(get(row)),
            Get::Numbers(get) => Cell::Numbers(get(row)),
            Get::Singles(get) => Cell::Singles(get(row)),
            Get::Tally(get) => Cell::Tally(get(row)),
            Get::Free(get) => Cell::Free(get(row)),
            Get::Object(get) => Cell::Object(Some(get(row))),
            Get::MaybeObject(get) => Cell::Object(get(row)),
            Get::List(get) => Cell::List(Some(get(row))),
            Get::MaybeList(get) => Cell::List(get(row)),
            Get::Flat(_, get) => get(row).cell(inner),
        }
    }
}
