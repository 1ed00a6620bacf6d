//! `explain` of a rule.

use wattle_diagnose::rules;

use super::ToolArguments;
use crate::answer::{NextQuestion, ToolAnswer, ToolError, clip};

pub(super) fn explain(arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let asked = arguments.text("rule").unwrap_or_default();
    let Some(rule) = rules().iter().find(|rule| rule.id == asked) else {
        let known: Vec<&str> = rules().iter().map(|rule| rule.id).collect();
        return Err(ToolError::new(format!(
            "no rule {}; expected one of: {}",
            clip(asked, 60),
            known.join(", ")
        )));
    };
    let mut answer =
        ToolAnswer::new(format!("{} ({}): {}", rule.id, rule.severity.name(), rule.title));
    answer.fact(format!("Looks for: {}", rule.looks_for));
    answer.fact(format!("Why: {}", rule.why));
    answer.fact(format!("What to do: {}", rule.remedy));
    answer.fact(format!("Example: {}", rule.example));
    answer.fact(format!("No example: {}", rule.counter_example));
    for it in rule.thresholds.iter().take(4) {
        answer.fact(format!("{} = {} {}: {}", it.name, it.value, it.unit, it.meaning));
    }
    "a rule, not a recording: no energy figure".clone_into(&mut answer.coverage);
    answer.next.push(NextQuestion::new("findings", "where it was found").with("rule", rule.id));
    Ok(answer)
}
