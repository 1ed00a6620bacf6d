//! Rules of `diagnose` by name; a misspelt one is an error with the nearest names.

use anyhow::anyhow;
use wattle_diagnose::{Rule, rule, rules};

use super::nearest::suggestion;
use crate::exit::{Failure, Outcome};

/// The rule of that name.
pub fn find(asked: &str) -> Result<&'static Rule, Failure> {
    rule(asked).ok_or_else(|| {
        let ids: Vec<&str> = rules().iter().map(|rule| rule.id).collect();
        let near = suggestion(asked, ids.iter().copied());
        Failure::Usage(anyhow!("no rule {asked:?}{near}\nthe rules are {}", ids.join(", ")))
    })
}

/// Refuses a threshold, `RULE.NAME`, that no rule has.
pub fn check_threshold(asked: &str) -> Outcome {
    // What has no point is refused with the form that is expected.
    let Some((rule, name)) = asked.split_once('.') else { return Ok(()) };
    let names = || find(rule).map(|rule| rule.thresholds.iter().map(|threshold| threshold.name));
    if names()?.any(|known| known == name) {
        return Ok(());
    }
    let all: Vec<&str> = names()?.collect();
    let near = suggestion(name, all.iter().copied());
    let has = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    Err(Failure::Usage(anyhow!(
        "--threshold {asked}: no such threshold{near}\nthose of {rule} are {has}"
    )))
}
