//! Rating of the energy among others.

use wattle_units::Joules;

use super::style::Style::{self, Dim, Plain};
use super::terminal_page::Page;
use crate::cells::percent;
use crate::{RatedPer, RatingReport};

/// Maximum number of named references that could not be compared: JSON has all.
const MOST_LEFT_OUT: usize = 3;

impl Page<'_> {
    pub(super) fn rating(&self, to: &mut String) {
        let Some(rating) = &self.report.tests.rating else { return };
        self.line(to, style(rating), &headline(rating));
        let unit = unit(rating);
        if let (Some(joules), Some([low, high])) = (rating.joules, rating.interval_joules) {
            let interval = if low < high {
                format!(" [{} – {}]", Joules::new(low), Joules::new(high))
            } else {
                String::new()
            };
            let others = rating.percentile.map_or_else(String::new, |percentile| {
                let of = rating.references;
                format!("; {percentile:.0} % of {of} references spend less")
            });
            let joules = Joules::new(joules);
            let line = format!("{}: {joules}{interval}{unit}{others}", rating.measure.words());
            self.line_indented(to, Plain, &line);
        }
        if let Some(limits) = rating.limits {
            let limits = limits.values().map(|limit| Joules::new(limit).to_string());
            let line = format!("B, C, D and E begin at {}{unit}", limits.join(", "));
            self.line_indented(to, Dim, &line);
        }
        let coverage = match &rating.coverage {
            Some(ran) => format!(
                "coverage: {} of {} probed methods ran ({})",
                ran.executed,
                ran.methods,
                percent(Some(ran.share))
            ),
            None => "coverage: not known".to_owned(),
        };
        self.line_indented(to, Plain, &coverage);
        for warning in &rating.warnings {
            self.line_indented(to, Style::Warning, &format!("warning: {}", warning.text));
        }
        for left_out in rating.left_out.iter().take(MOST_LEFT_OUT) {
            let line = format!("left out: {}: {}", left_out.name, left_out.reason);
            self.line_indented(to, Dim, &line);
        }
        if rating.left_out.len() > MOST_LEFT_OUT {
            let line = format!("left out: {} more", rating.left_out.len() - MOST_LEFT_OUT);
            self.line_indented(to, Dim, &line);
        }
        to.push('\n');
    }
}

fn headline(rating: &RatingReport) -> String {
    let category = &rating.category;
    match (rating.letter, rating.letters) {
        (Some(letter), Some([low, high])) if low != high => {
            format!("Rating {letter} ({low}–{high}) in {category}")
        }
        (Some(letter), _) => format!("Rating {letter} in {category}"),
        (None, _) => {
            let reason = rating.no_letter_reason.as_deref().unwrap_or("no energy figure");
            format!("No rating in {category}: {reason}")
        }
    }
}

/// A letter is good only where it can be trusted, with the whole of its interval.
fn style(rating: &RatingReport) -> Style {
    let worst = rating.letters.map(|letters| letters[1]);
    match worst {
        Some(letter) if rating.comparable && letter.is_good() => Style::Good,
        Some(_) if rating.comparable => Style::Strong,
        _ => Style::Warning,
    }
}

fn unit(rating: &RatingReport) -> &'static str {
    match rating.measure.per {
        RatedPer::Run => "",
        RatedPer::Minute => " per minute",
    }
}
