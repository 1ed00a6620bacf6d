//! Rules as SARIF describes them.

use wattle_diagnose::{FindingSeverity, Rule};

use super::REGION_RULE;
use super::log::{Configuration, Descriptor, Level, Message, Properties};

/// All rules, and the one under which regions stand.
pub fn rules() -> Vec<Descriptor> {
    let mut rules: Vec<_> = wattle_diagnose::rules().iter().map(descriptor).collect();
    rules.push(Descriptor {
        id: REGION_RULE,
        short_description: Message::new("A thread is busy and keeps coming back while nothing should happen"),
        full_description: Message::new(
            "Stretches of time at idle in which a thread uses more CPU, and has more events, than it and its process do on the whole.",
        ),
        help: Message::new(
            "Look at what the stacks have in common: a short sleep, a timer that need not tick, a wait that polls. Wait for an event instead, or make the timer slower and let it be coalesced.",
        ),
        help_uri: None,
        default_configuration: Configuration { level: FindingSeverity::Warning.into() },
        properties: Properties::new(),
    });
    rules
}

/// The number of a rule in that list.
pub fn index(rules: &[Descriptor], id: &str) -> Option<usize> {
    rules.iter().position(|rule| rule.id == id)
}

fn descriptor(rule: &Rule) -> Descriptor {
    let thresholds: Vec<_> = rule
        .thresholds
        .iter()
        .map(|threshold| {
            serde_json::json!({
                "name": threshold.name,
                "value": threshold.value,
                "unit": threshold.unit,
                "meaning": threshold.meaning,
            })
        })
        .collect();
    let mut properties = Properties::new();
    properties.insert("thresholds".to_owned(), thresholds.into());
    properties.insert("references".to_owned(), rule.references.to_vec().into());
    properties.insert("example".to_owned(), rule.example.into());
    properties.insert("counter_example".to_owned(), rule.counter_example.into());
    let is_address = |text: &&&'static str| text.starts_with("https://") && !text.contains(' ');
    Descriptor {
        id: rule.id,
        short_description: Message::new(rule.title),
        full_description: Message::new(&format!("{} {}", rule.looks_for, rule.why)),
        help: Message::new(rule.remedy),
        help_uri: rule.references.iter().find(is_address).copied(),
        default_configuration: Configuration { level: Level::from(rule.severity) },
        properties,
    }
}
