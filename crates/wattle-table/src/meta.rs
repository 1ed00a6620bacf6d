//! Everything about a column but its values.

use serde_json::Value;

use crate::Definitions;

/// The words for where an energy comes from.
pub const PROVENANCES: &[&str] = &["measured", "modelled", "assumed"];

/// Kind of the values of a column, which determines their notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A number that names something: a pid, a CPU.
    Id,
    /// Number of items or occurrences.
    Count,
    /// A whole number that may be negative.
    Integer,
    /// A number in the unit of its key.
    Number,
    /// Joules without an interval.
    Joules,
    /// Part of a whole, 1 is all of it.
    Share,
    /// A share as a bar, only in views.
    Bar,
    /// A relative difference.
    Difference,
    /// Milliwatts.
    Power,
    /// Bytes.
    Bytes,
    /// Whether something holds.
    Flag,
    /// An energy: three keys in JSON, joules in views.
    Energy,
    /// The interval of an energy, only in views.
    Interval,
    /// The provenance of an energy, only in views.
    Provenance,
    /// Seconds.
    Time,
    /// The ends of an interval in the unit of its key.
    Pair,
    /// Several texts.
    Texts,
    /// Several numbers that name something.
    Ids,
    /// Several numbers.
    Numbers,
    /// Counts by name.
    Tally,
    /// Anything that knows its JSON itself.
    Free,
    /// A row inside of the row.
    Object,
    /// Rows inside of the row.
    List,
    /// Columns of another description among those of the row.
    Flat,
}

impl Kind {
    /// The word that the page's scripts know it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Id => "id",
            Self::Count => "count",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Joules => "joules",
            Self::Share => "share",
            Self::Bar => "bar",
            Self::Difference => "difference",
            Self::Power => "power",
            Self::Bytes => "bytes",
            Self::Flag => "flag",
            Self::Energy => "energy",
            Self::Interval => "interval",
            Self::Provenance => "provenance",
            Self::Time => "time",
            Self::Pair => "pair",
            Self::Texts => "texts",
            Self::Ids => "ids",
            Self::Numbers => "numbers",
            Self::Tally => "tally",
            Self::Free => "free",
            Self::Object => "object",
            Self::List => "list",
            Self::Flat => "flat",
        }
    }

    /// Whether its values follow from energies, so that there are none where no energy is known.
    pub const fn needs_energy(self) -> bool {
        matches!(self, Self::Energy | Self::Interval | Self::Joules | Self::Power)
    }

    /// The side on which its values stand.
    pub const fn align(self) -> Align {
        match self {
            Self::Text
            | Self::Texts
            | Self::Flag
            | Self::Bar
            | Self::Interval
            | Self::Provenance => Align::Left,
            _ => Align::Right,
        }
    }
}

/// The side on which values stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Prominence of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// Like most.
    #[default]
    Plain,
    /// Subject of the table.
    Strong,
    /// Seldom of interest.
    Soft,
    /// A mark on what deserves attention.
    Warning,
}

/// Which views have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Views {
    /// JSON.
    pub json: bool,
    /// The terminal, unless the row's table chooses its columns itself.
    pub terminal: bool,
    /// The page.
    pub page: bool,
}

/// Presentation of a column to people.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties, set by name in descriptions"
)]
pub struct Look {
    /// The heading in the terminal.
    pub label: &'static str,
    /// The heading in the page where it has room for a longer one.
    pub page_label: Option<&'static str>,
    /// Its prominence.
    pub emphasis: Emphasis,
    /// Whether a narrow terminal may cut its values.
    pub is_elastic: bool,
    /// Whether it comes first in the page.
    pub leads_page: bool,
    /// Whether views show it only where some row has a value.
    pub is_rare: bool,
    /// Whether no data is an empty cell.
    pub is_blank: bool,
    /// The case in which views show it, which they name themselves; empty for always.
    pub case: &'static str,
    /// Notation of values that differs from that of their kind.
    pub writing: Writing,
}

/// Deviation of the notation of values from that of others of their kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writing {
    /// Not at all.
    #[default]
    Usual,
    /// The terminal does not keep the thousands of counts apart.
    Ungrouped,
    /// The hyphens of texts are spaces.
    Spaced,
    /// The page writes times with as many digits as the window needs.
    Instant,
}

/// Which values a key of the JSON form may have.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// Whether the value may be `null`.
    pub is_nullable: bool,
    /// Whether the key is absent where there is no data.
    pub is_optional: bool,
    /// The texts that are possible; empty for any.
    pub words: &'static [&'static str],
    /// The smallest and largest number that is possible.
    pub bounds: [Option<f64>; 2],
    /// Least and greatest number of values of a list.
    pub items: [Option<u64>; 2],
    /// The definition of the rows inside of the row.
    pub shape: Option<fn(&mut Definitions) -> Value>,
}

/// Everything about a column but its values.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// The key in JSON; of an energy the word before its three keys, empty for none.
    pub key: &'static str,
    /// A part of a sentence that says how the value comes about.
    pub doc: &'static str,
    /// Kind of the values.
    pub kind: Kind,
    /// Views that show it.
    pub views: Views,
    /// Its presentation to people.
    pub look: Look,
    /// Which values are possible.
    pub domain: Domain,
}

impl Meta {
    pub(crate) const fn new(key: &'static str, doc: &'static str, kind: Kind) -> Self {
        Self {
            key,
            doc,
            kind,
            views: Views { json: true, terminal: false, page: false },
            look: Look {
                label: "",
                page_label: None,
                emphasis: Emphasis::Plain,
                is_elastic: false,
                leads_page: false,
                is_rare: false,
                is_blank: false,
                case: "",
                writing: Writing::Usual,
            },
            domain: Domain {
                is_nullable: false,
                is_optional: false,
                words: &[],
                bounds: [None; 2],
                items: [None; 2],
                shape: None,
            },
        }
    }

    /// Whether views show it that name these cases.
    pub fn fits(&self, cases: &[&str]) -> bool {
        self.look.case.is_empty() || cases.contains(&self.look.case)
    }

    /// The heading in the page.
    pub fn heading(&self) -> &'static str {
        self.look.page_label.unwrap_or(self.look.label)
    }
}
