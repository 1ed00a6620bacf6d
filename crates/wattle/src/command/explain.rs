//! `wattle explain`: what a rule of `diagnose` looks for.

use std::fmt::Write as _;

use serde::Serialize;
use wattle_diagnose::{FindingSeverity, Rule, rules};

use super::{output, rule_names};
use crate::cli::Explain;
use crate::exit::Outcome;

/// A rule as JSON.
#[derive(Serialize)]
struct Explained {
    id: &'static str,
    title: &'static str,
    severity: FindingSeverity,
    looks_for: &'static str,
    why: &'static str,
    remedy: &'static str,
    example: &'static str,
    counter_example: &'static str,
    references: &'static [&'static str],
    thresholds: Vec<ExplainedThreshold>,
}

#[derive(Serialize)]
struct ExplainedThreshold {
    name: &'static str,
    value: f64,
    unit: &'static str,
    meaning: &'static str,
}

/// Runs `wattle explain`.
pub fn run(flags: &Explain) -> Outcome {
    let asked: Vec<&Rule> = match &flags.rule {
        None => rules().iter().collect(),
        Some(id) => vec![rule_names::find(id)?],
    };
    if flags.json {
        let asked: Vec<Explained> = asked.into_iter().map(explained).collect();
        return output::write_json(std::path::Path::new("-"), &asked);
    }
    let mut text = String::new();
    match asked.as_slice() {
        [rule] if flags.rule.is_some() => page(rule, &mut text),
        rules => list(rules, &mut text),
    }
    output::print(text.as_bytes())
}

fn explained(rule: &Rule) -> Explained {
    let threshold = |it: &wattle_diagnose::Threshold| ExplainedThreshold {
        name: it.name,
        value: it.value,
        unit: it.unit,
        meaning: it.meaning,
    };
    Explained {
        id: rule.id,
        title: rule.title,
        severity: rule.severity,
        looks_for: rule.looks_for,
        why: rule.why,
        remedy: rule.remedy,
        example: rule.example,
        counter_example: rule.counter_example,
        references: rule.references,
        thresholds: rule.thresholds.iter().map(threshold).collect(),
    }
}

// Writing to a String does not fail.
fn list(rules: &[&Rule], text: &mut String) {
    for rule in rules {
        let _ = writeln!(text, "{:<24} {:<8} {}", rule.id, rule.severity.name(), rule.title);
    }
}

fn page(rule: &Rule, text: &mut String) {
    let _ = writeln!(text, "{} ({}): {}", rule.id, rule.severity.name(), rule.title);
    let parts = [
        ("Looks for", rule.looks_for),
        ("Why", rule.why),
        ("What to do", rule.remedy),
        ("Example", rule.example),
        ("No example", rule.counter_example),
    ];
    for (head, part) in parts {
        let _ = writeln!(text, "\n{head}");
        paragraph(part, text);
    }
    if !rule.thresholds.is_empty() {
        let _ = writeln!(text, "\nNumbers (--threshold {}.NAME=NUMBER)", rule.id);
        for it in rule.thresholds {
            let value = format!("{} {}", it.value, it.unit);
            let _ = writeln!(text, "  {:<22} {:>12}  {}", it.name, value.trim_end(), it.meaning);
        }
    }
    if !rule.references.is_empty() {
        let _ = writeln!(text, "\nSee");
        for reference in rule.references {
            let _ = writeln!(text, "  {reference}");
        }
    }
}

/// Wrapped at a width that reads well.
fn paragraph(words: &str, text: &mut String) {
    const WIDTH: usize = 96;
    let mut line = String::from(" ");
    for word in words.split_whitespace() {
        if line.chars().count() + word.chars().count() >= WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from(" ");
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
}
