//! Findings of one dump, in the dump's own clock.

use std::collections::BTreeMap;

use wattle_timeline::{NameId, Quantity, StateKind, Uid, WakeCause};

use crate::limits::{MAX_STATISTICS, MAX_STATISTICS_HISTORY};

/// Names of unknown or unread things that are kept.
const MAX_NAMED: usize = 64;

/// In which form the statistics were written; those that say most exactly come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// `--proto`.
    Proto,
    /// `--usage --proto`.
    UsageProto,
    /// `-c`, `--checkin`.
    Checkin,
    /// For people.
    #[default]
    Text,
}

impl Form {
    pub fn text(self) -> &'static str {
        match self {
            Self::Proto => "protobuf",
            Self::UsageProto => "protobuf of usage",
            Self::Checkin => "check-in lines",
            Self::Text => "text",
        }
    }
}

/// A time of the wall clock as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wall {
    /// Milliseconds since 1970, in the device's zone if it is local.
    pub ms: i64,
    pub is_local: bool,
    /// Milliseconds within which the truth lies after it.
    pub step_ms: i64,
}

/// Simultaneous reading of the history's clock and the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub at_ms: i64,
    pub wall: Wall,
    /// The statistics were reset then: their totals begin here.
    pub is_reset: bool,
}

/// Known state of the battery at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Battery {
    pub percent: Option<f64>,
    pub millivolts: Option<i64>,
    pub milliampere_hours: Option<i64>,
    pub decidegrees: Option<i64>,
    /// Only makers' own versions write it; milliamperes.
    pub milliamperes: Option<i64>,
}

/// One thing that the history says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Said {
    /// A state has this level from now on.
    State {
        kind: StateKind,
        uid: Option<Uid>,
        tag: Option<NameId>,
        level: u32,
    },
    /// Charging by the battery's status; worth less than the flag.
    Status(bool),
    /// The wakelock that began or ended a stretch with wakelocks.
    FirstHolder {
        uid: Uid,
        tag: NameId,
        level: u32,
    },
    Battery(Battery),
    /// Charge counted by one of the device's own rails, milliampere-hours.
    Rail {
        is_modem: bool,
        charge: f64,
    },
    /// The device was woken.
    Wake {
        cause: WakeCause,
        uid: Option<Uid>,
        tag: NameId,
    },
    /// Reset, start or shutdown: what was on is not on any more, unless it is said again.
    Restart,
}

/// When, in milliseconds of the history's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub at_ms: i64,
    pub said: Said,
}

/// One number of a summary, in the unit of its quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Total {
    pub quantity: Quantity,
    pub uid: Option<Uid>,
    pub tag: Option<NameId>,
    pub value: f64,
}

/// The totals of one stretch of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub start: Option<Wall>,
    /// Since the start, by the wall.
    pub length_ms: Option<i64>,
    pub totals: Vec<Total>,
}

/// Counts kept while a dump is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub lines: u64,
    pub history: u64,
    pub totals: u64,
    pub unread: BTreeMap<String, u64>,
    pub unknown: BTreeMap<String, u64>,
    pub unparsed: u64,
    pub first_unparsed: Option<String>,
    pub cut: u64,
    pub backwards: u64,
    pub negative: u64,
    pub unmatched: u64,
    pub repeated: u64,
    pub restarts: u64,
    pub overflows: u64,
    pub no_string: u64,
    pub refused: u64,
}

/// Everything that one dump says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// Index of its quality.
    pub artifact: usize,
    pub form: Form,
    /// `at_ms` of the history is the device's local time.
    pub is_wall: bool,
    /// Of dates without a year, nothing said the year.
    pub year_is_unknown: bool,
    pub history: Vec<Entry>,
    pub anchors: Vec<Anchor>,
    pub summaries: Vec<Summary>,
    pub counts: Counts,
}

/// Counts a name, as long as there are not too many of them.
pub(crate) fn count_name(names: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = names.get_mut(name) {
        *count += 1;
    } else if names.len() < MAX_NAMED {
        // A name is one word of a dump; longer ones are no names.
        names.insert(name.chars().take(64).collect(), 1);
    } else {
        *names.entry("others".to_owned()).or_default() += 1;
    }
}

impl Findings {
    pub fn new(artifact: usize, form: Form) -> Self {
        Self { artifact, form, ..Self::default() }
    }

    /// Names were taken over into another table.
    pub fn rename(&mut self, renamed: &dyn Fn(NameId) -> NameId) {
        for entry in &mut self.history {
            match &mut entry.said {
                Said::State { tag: Some(tag), .. }
                | Said::FirstHolder { tag, .. }
                | Said::Wake { tag, .. } => {
                    *tag = renamed(*tag);
                }
                _ => {}
            }
        }
        for total in self.summaries.iter_mut().flat_map(|summary| &mut summary.totals) {
            total.tag = total.tag.map(renamed);
        }
    }

    pub fn say(&mut self, at_ms: i64, said: Said) {
        if self.history.len() < MAX_STATISTICS_HISTORY {
            self.history.push(Entry { at_ms, said });
        } else {
            self.counts.refused += 1;
        }
    }

    /// Begins a stretch that the totals which follow are of.
    pub fn begin_summary(&mut self) {
        self.summaries.push(Summary::default());
    }

    /// The stretch that is being read; begun if it was not.
    pub fn summary(&mut self) -> Option<&mut Summary> {
        if self.summaries.is_empty() {
            self.begin_summary();
        }
        self.summaries.last_mut()
    }

    /// One number of the stretch, if there is one. Negative ones are no counts of anything.
    pub fn total(
        &mut self,
        quantity: Quantity,
        uid: Option<Uid>,
        tag: Option<NameId>,
        value: impl Into<Option<f64>>,
    ) {
        let Some(value) = value.into() else { return };
        if !value.is_finite() || value < 0.0 {
            self.counts.negative += 1;
            return;
        }
        let held: usize = self.counts.totals as usize;
        if held >= MAX_STATISTICS {
            self.counts.refused += 1;
            return;
        }
        self.counts.totals += 1;
        if let Some(summary) = self.summary() {
            summary.totals.push(Total { quantity, uid, tag, value });
        }
    }

    /// The same from milliseconds.
    pub fn time(
        &mut self,
        quantity: Quantity,
        uid: Option<Uid>,
        tag: Option<NameId>,
        ms: impl Into<Option<i64>>,
    ) {
        self.total(quantity, uid, tag, ms.into().map(|ms| ms as f64 / 1000.0));
    }

    /// A line that is not of its format.
    pub fn unparsed(&mut self, line: &str) {
        self.counts.unparsed += 1;
        if self.counts.first_unparsed.is_none() {
            self.counts.first_unparsed = Some(line.trim().chars().take(80).collect());
        }
    }

    /// A line or field whose meaning is known and of no use here.
    pub fn unread(&mut self, name: &str) {
        count_name(&mut self.counts.unread, name);
    }

    /// A word that no version of Android that is known writes.
    pub fn unknown(&mut self, name: &str) {
        count_name(&mut self.counts.unknown, name);
    }
}
