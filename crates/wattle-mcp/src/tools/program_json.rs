//! JSON that commands of the program print, as rows.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::Value;
use wattle_units::Estimate;

use super::{ToolArguments, ToolContext};
use crate::answer::ToolError;

/// The longest time of a command that only looks something up.
const LONGEST_LOOKUP: Duration = Duration::from_mins(5);

/// The JSON that a command prints. Exit codes other than these are errors with its message.
pub fn json_of(
    context: &ToolContext<'_>,
    arguments: Vec<OsString>,
    accepted: &[i32],
) -> Result<Value, ToolError> {
    let ended = context.program(arguments, LONGEST_LOOKUP)?;
    let is_accepted = ended.code.is_some_and(|code| accepted.contains(&code));
    if !is_accepted || (ended.code != Some(0) && ended.output.is_empty()) {
        return Err(ToolError::new(ended.message()));
    }
    serde_json::from_slice(&ended.output)
        .map_err(|error| ToolError::new(format!("internal error (please report): {error}")))
}

/// The JSON of a command about the kept runs of an app: its words, the arguments with these names as its flags, the history, the app.
pub fn of_history(
    context: &ToolContext<'_>,
    (command, arguments, flags): (&[&str], &ToolArguments, &[&str]),
) -> Result<Value, ToolError> {
    let mut command = words(command);
    command.extend(words(&["--json", "-"]));
    for name in flags {
        if let Some(value) = arguments.text(name) {
            command.push(format!("--{name}={value}").into());
        }
    }
    command.extend(context.shelf.history_arguments());
    if let Some(app) = arguments.text("app") {
        command.extend(["--".into(), app.into()]);
    }
    json_of(context, command, &[0])
}

/// The arguments of a command: words, then values behind flags where there are some.
pub fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// An energy in the form of all JSON of Wattle: `joules`, `interval_joules`, `provenance`.
pub fn energy(value: &Value) -> Option<Estimate> {
    serde_json::from_value(value.clone()).ok()
}

/// The text below a key, or an empty one.
pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list below a key.
pub fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
