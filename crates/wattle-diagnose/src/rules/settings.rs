//! Which rules look, and with which thresholds.

use std::collections::BTreeMap;

use crate::{DiagnoseError, Rule, RuleOptions};

/// Options of rules, checked against the table.
#[derive(Debug)]
pub(super) struct Settings {
    on: Vec<&'static str>,
    /// By rule and threshold.
    values: BTreeMap<(&'static str, &'static str), f64>,
}

impl Settings {
    /// Checks names and numbers.
    pub(super) fn new(
        options: &RuleOptions,
        rules: &'static [Rule],
    ) -> Result<Self, DiagnoseError> {
        let find = |asked: &str| {
            rules.iter().find(|rule| rule.id == asked).ok_or_else(|| DiagnoseError::NoSuchRule {
                asked: asked.to_owned(),
                known: rules.iter().map(|rule| rule.id).collect::<Vec<_>>().join(", "),
            })
        };
        for asked in options.only.iter().chain(&options.skip) {
            find(asked)?;
        }
        let is_named = |list: &[String], rule: &Rule| list.iter().any(|it| it == rule.id);
        let on = rules.iter().filter(|rule| {
            (options.only.is_empty() || is_named(&options.only, rule))
                && !is_named(&options.skip, rule)
        });
        let on = on.map(|rule| rule.id).collect();
        let mut values = BTreeMap::new();
        for rule in rules {
            values.extend(rule.thresholds.iter().map(|it| ((rule.id, it.name), it.value)));
        }
        for (name, value) in &options.thresholds {
            let wrong = |expected, found| DiagnoseError::BadOption {
                option: "--threshold",
                expected,
                found,
            };
            let Some((of, threshold)) = name.split_once('.') else {
                return Err(wrong("RULE.THRESHOLD=NUMBER", format!("{name}={value}")));
            };
            let rule = find(of)?;
            let Some(known) = rule.thresholds.iter().find(|it| it.name == threshold) else {
                let names: Vec<&str> = rule.thresholds.iter().map(|it| it.name).collect();
                let found = format!("{name}; {of} has {}", names.join(", "));
                return Err(wrong("a threshold of the rule", found));
            };
            if !value.is_finite() || *value < 0.0 {
                return Err(wrong("a number from 0 on", format!("{name}={value}")));
            }
            values.insert((rule.id, known.name), *value);
        }
        Ok(Self { on, values })
    }

    /// Whether the rule looks.
    pub(super) fn is_on(&self, rule: &Rule) -> bool {
        self.on.contains(&rule.id)
    }

    /// A threshold of a rule; one that the rule does not have is out of reach, which a test of the table rules out.
    pub(super) fn value(&self, rule: &Rule, threshold: &'static str) -> f64 {
        debug_assert!(self.values.contains_key(&(rule.id, threshold)), "{} {threshold}", rule.id);
        self.values.get(&(rule.id, threshold)).copied().unwrap_or(f64::INFINITY)
    }
}
