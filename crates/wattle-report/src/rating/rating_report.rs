//! The rating of one ledger.

use wattle_table::{Column, Free, PROVENANCES, Row, describe};
use wattle_units::{Joules, Provenance};

use super::{
    Category, LeftOut, Letter, Limits, Rated, RatedCoverage, RatedMeasure, RatingWarning,
    RatingWarningCode, Rule, rated_coverage,
};
use crate::Figure;

/// Fewer references have no quartiles to speak of.
const LEAST_REFERENCES: usize = 5;
/// References that are named in a warning.
const MOST_NAMED: usize = 3;

/// Rating of a ledger's energy in a category.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RatingReport {
    /// The category's name.
    pub category: String,
    /// The compared measure.
    pub measure: RatedMeasure,
    /// `quartiles` or `baseline`.
    pub rule: &'static str,
    /// Who says what others spend, for figures that are no ledgers.
    pub source: Option<String>,
    /// Joules of the run or per minute; `None` where the ledger has no such figure.
    pub joules: Option<f64>,
    /// Their 90 % interval.
    pub interval_joules: Option<[f64; 2]>,
    /// Their provenance.
    pub provenance: Option<Provenance>,
    /// The class; `None` where there is none, see [`Self::no_letter_reason`].
    pub letter: Option<Letter>,
    /// The classes of both ends of the interval.
    pub letters: Option<[Letter; 2]>,
    /// Why there is no letter.
    pub no_letter_reason: Option<String>,
    /// Part of the references that spend less, 0 to 100; `None` without references.
    pub percentile: Option<f64>,
    /// The same of both ends of the interval.
    pub interval_percentile: Option<[f64; 2]>,
    /// Lower limits of B, C, D and E, in the unit of [`Self::joules`].
    pub limits: Option<Limits>,
    /// Number of references.
    pub references: usize,
    /// Coverage of the app's code; `None` if not stated.
    pub coverage: Option<RatedCoverage>,
    /// Part of the probed methods that is asked for, 0 to 1.
    pub least_coverage: f64,
    /// Whether nothing spoils the comparison. A letter is never shown as good where something does.
    pub comparable: bool,
    /// Reasons against comparing.
    pub warnings: Vec<RatingWarning>,
    /// Named references that could not be compared.
    pub left_out: Vec<LeftOut>,
}

describe!(
    RatingReport,
    "rating",
    "how the energy stands among others",
    [
        Column::text("category", "the category's name", |row: &RatingReport| &row.category),
        Column::word(
            "of",
            "energy of the app or of the device",
            &["app", "device"],
            |row: &RatingReport| Some(&row.measure.energy)
        ),
        Column::word(
            "per",
            "of the run or of a minute",
            &["run", "minute"],
            |row: &RatingReport| Some(&row.measure.per)
        ),
        Column::text("rule", "`quartiles` or `baseline`", |row: &RatingReport| row.rule)
            .words(&["quartiles", "baseline"]),
        Column::maybe_text(
            "source",
            "who says what others spend, for figures that are no ledgers",
            |row: &RatingReport| row.source.as_deref()
        ),
        Column::maybe_number("joules", "of the run or per minute", |row: &RatingReport| row.joules),
        Column::pair("interval_joules", "their 90 % interval", |row: &RatingReport| row
            .interval_joules),
        Column::word("provenance", "how they were come by", PROVENANCES, |row: &RatingReport| row
            .provenance
            .as_ref()
            .map(|it| it as &dyn Free))
        .nullable(),
        Column::word(
            "letter",
            "the class; null where there is none, see Self::no_letter_reason",
            &["A", "B", "C", "D", "E"],
            |row: &RatingReport| row.letter.as_ref().map(|it| it as &dyn Free)
        )
        .nullable(),
        Column::word_list(
            "letters",
            "classes of both ends of the interval",
            &["A", "B", "C", "D", "E"],
            |row: &RatingReport| row.letters.as_ref().map(|it| it as &dyn Free)
        )
        .nullable()
        .items(2, 2),
        Column::maybe_text("no_letter_reason", "why there is no letter", |row: &RatingReport| row
            .no_letter_reason
            .as_deref()),
        Column::maybe_number(
            "percentile",
            "part of the references that spend less",
            |row: &RatingReport| row.percentile
        )
        .between(0.0, 100.0),
        Column::pair(
            "interval_percentile",
            "the same of both ends of the interval",
            |row: &RatingReport| row.interval_percentile
        ),
        Column::numbers("limits", "where B, C, D and E begin", |row: &RatingReport| row
            .limits
            .as_ref()
            .map(Limits::as_slice))
        .items(4, 4),
        Column::count("references", "how many references there are", |row: &RatingReport| row
            .references
            as u64),
        Column::maybe_object::<RatedCoverage>(
            "coverage",
            "how much of the app ran; null where nobody says",
            |row: &RatingReport| row.coverage.as_ref().map(|it| it as &dyn Row)
        ),
        Column::number(
            "least_coverage",
            "part of the probed methods that is asked for, 0 to 1",
            |row: &RatingReport| row.least_coverage
        )
        .between(0.0, 1.0),
        Column::flag(
            "comparable",
            "whether nothing spoils the comparison",
            |row: &RatingReport| row.comparable
        ),
        Column::list::<RatingWarning>("warnings", "what spoils it", |row: &RatingReport| &row
            .warnings),
        Column::list::<LeftOut>(
            "left_out",
            "what was named and could not be compared",
            |row: &RatingReport| &row.left_out
        ),
    ]
);

impl RatingReport {
    /// Rates a ledger's own side in a category.
    pub(crate) fn new(category: &Category, rated: &Rated, ran: Option<RatedCoverage>) -> Self {
        let values = category.values();
        let limits = category.limits();
        let figure = rated.figure().and_then(|figure| {
            let (value, interval) = (figure.joules()?.value(), figure.interval()?);
            let ends = [interval.low, interval.high].map(Joules::value);
            (value.is_finite() && ends.iter().all(|end| end.is_finite())).then_some((value, ends))
        });
        let percentile = |value: f64| {
            let below = values.iter().filter(|other| **other < value).count();
            (!values.is_empty()).then(|| below as f64 / values.len() as f64 * 100.0)
        };
        let classes = figure.zip(limits);
        let mut warnings: Vec<RatingWarning> =
            rated_coverage::warning(ran, category.least_coverage).into_iter().collect();
        warnings.extend(few_references(category));
        warnings.extend(mixed_provenance(category, rated));
        warnings.extend(other_device(category, rated));
        warnings.extend(other_components(category, rated));
        Self {
            category: category.name.clone(),
            measure: category.measure,
            rule: match category.rule {
                Rule::Quartiles => "quartiles",
                Rule::Baseline { .. } => "baseline",
            },
            source: category.source.clone(),
            joules: figure.map(|(value, _)| value),
            interval_joules: figure.map(|(_, ends)| ends),
            provenance: rated.figure().and_then(Figure::provenance),
            letter: classes.map(|((value, _), limits)| limits.letter(value)),
            letters: classes.map(|((_, ends), limits)| ends.map(|end| limits.letter(end))),
            no_letter_reason: match (figure, limits) {
                (Some(_), Some(_)) => None,
                (None, _) => Some(match &rated.figure {
                    Ok(_) => "no energy figure".to_owned(),
                    Err(reason) => reason.clone(),
                }),
                (Some(_), None) => Some(no_limits(&values)),
            },
            percentile: figure.and_then(|(value, _)| percentile(value)),
            interval_percentile: figure
                .and_then(|(_, [low, high])| Some([percentile(low)?, percentile(high)?])),
            limits,
            references: values.len(),
            coverage: ran,
            least_coverage: category.least_coverage,
            comparable: classes.is_some() && warnings.is_empty(),
            warnings,
            left_out: category.left_out.clone(),
        }
    }
}

fn no_limits(values: &[f64]) -> String {
    match values.len() {
        0 => "there is no reference".to_owned(),
        1 => "there is one reference".to_owned(),
        count => format!("the {count} references are all alike"),
    }
}

fn few_references(category: &Category) -> Option<RatingWarning> {
    let count = category.references.len();
    let is_few = category.rule == Rule::Quartiles && count < LEAST_REFERENCES;
    is_few.then(|| RatingWarning {
        code: RatingWarningCode::FewReferences,
        text: format!(
            "classes of {count} references mean little: {LEAST_REFERENCES} are the least"
        ),
    })
}

fn mixed_provenance(category: &Category, rated: &Rated) -> Option<RatingWarning> {
    let own = rated.figure().and_then(Figure::provenance)?;
    let others = category.references.iter().filter_map(|reference| reference.provenance);
    let mut others = others.chain(category.provenance);
    let other = others.find(|other| *other != own)?;
    Some(RatingWarning {
        code: RatingWarningCode::MixedProvenance,
        text: format!("this energy is {own}, some of the others are {other}"),
    })
}

fn other_device(category: &Category, rated: &Rated) -> Option<RatingWarning> {
    let own = rated.device.as_deref()?;
    let references = category.references.iter().filter_map(|reference| reference.device.as_deref());
    let others = references.chain(category.device.as_deref());
    let mut others: Vec<&str> = others.filter(|device| *device != own).collect();
    others.sort_unstable();
    others.dedup();
    others.truncate(MOST_NAMED);
    (!others.is_empty()).then(|| RatingWarning {
        code: RatingWarningCode::OtherDevice,
        text: format!("this run is of {own}, some of the others are of {}", others.join(", ")),
    })
}

fn other_components(category: &Category, rated: &Rated) -> Option<RatingWarning> {
    if rated.components.is_empty() {
        return None;
    }
    let other = category.references.iter().find(|reference| {
        !reference.components.is_empty() && reference.components != rated.components
    })?;
    Some(RatingWarning {
        code: RatingWarningCode::OtherComponents,
        text: format!(
            "this energy is of {}, that of {} of {}",
            rated.components.join(", "),
            other.name,
            other.components.join(", ")
        ),
    })
}
