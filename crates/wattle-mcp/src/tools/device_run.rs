//! `run`: installs and measures an app on a device, after the user's consent.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::recording_summary::summarise;
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{ToolAnswer, ToolError, clip, weight};
use crate::opened::{OpenRequest, RecordingShelf};

/// The longest scenario, in seconds.
const MOST_SECONDS: u64 = 3600;
/// The longest run with everything around it.
const LONGEST_RUN: Duration = Duration::from_hours(3);

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "run",
    title: "Measure an app on a device",
    description: "Install an app on an attached device, run it or its tests, record, and say who spent the energy. CHANGES THE DEVICE: needs the user's consent, which is asked for \
        (or --allow-device of the server). Returns a handle like open.",
    parameters: &[
        ToolParameter::new("apk", ParameterKind::Text, "The app: an APK, or an archive of APKs")
            .required(),
        ToolParameter::new(
            "test_apk",
            ParameterKind::Text,
            "The APK with its tests; all of them run unless tests are named",
        ),
        ToolParameter::new("tests", ParameterKind::Texts, "Tests: Class or Class#method"),
        ToolParameter::new(
            "duration",
            ParameterKind::Count(MOST_SECONDS),
            "Without tests: seconds to record after the start of the app [default: 10]",
        ),
        ToolParameter::new(
            "serial",
            ParameterKind::Text,
            "Serial of the device [default: the only one]",
        ),
        ToolParameter::new(
            "no_probes",
            ParameterKind::Flag,
            "Install the app as it is, without probes: no energy by method",
        ),
        ToolParameter::new("keep", ParameterKind::Flag, "Keep the run in the history"),
    ],
    uses_device: true,
    function: run,
};

/// The arguments of `wattle run` for these arguments of the tool, without the folder of the recording.
pub fn run_arguments(
    shelf: &RecordingShelf,
    arguments: &ToolArguments,
) -> Result<Vec<OsString>, ToolError> {
    let file = |name: &str| -> Result<Option<PathBuf>, ToolError> {
        let Some(path) = arguments.text(name) else { return Ok(None) };
        let path = shelf.allowed(Path::new(path))?;
        if !path.is_file() {
            return Err(ToolError::new(format!(
                "{name}: expected a file, found {}",
                clip(&path.display().to_string(), 200)
            )));
        }
        Ok(Some(path))
    };
    let mut command: Vec<OsString> = vec!["run".into(), "--quiet".into()];
    if let Some(path) = file("test_apk")? {
        command.extend(["--test-apk".into(), path.into()]);
    }
    for test in arguments.texts("tests") {
        command.push(format!("--test={test}").into());
    }
    if let Some(seconds) = arguments.count("duration") {
        command.push(format!("--duration={}", seconds.max(1)).into());
    }
    if let Some(serial) = arguments.text("serial") {
        command.push(format!("--serial={serial}").into());
    }
    if arguments.flag("no_probes") {
        command.push("--no-probes".into());
    }
    if arguments.flag("keep") {
        command.push("--keep".into());
    }
    let apk = file("apk")?.ok_or_else(|| ToolError::new("apk: expected a file"))?;
    // A whole path, which is not taken for a flag.
    command.push(apk.into());
    Ok(command)
}

/// The longest command that is shown.
const LONGEST_COMMAND: usize = 1000;

/// The command as a user can read it, and give it to a shell; whole in any case.
pub fn command_line(command: &[OsString]) -> String {
    let words: Vec<String> = command
        .iter()
        .filter(|word| *word != "--quiet")
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    clip(&format!("wattle {}", words.join(" ")), usize::MAX)
}

/// The same for an error, where it fits.
pub fn short_command_line(command: &[OsString]) -> Option<String> {
    Some(command_line(command)).filter(|line| weight(line) <= LONGEST_COMMAND)
}

/// A word as shells read it back: between single quotes where it needs any.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:,+@%=".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let mut command = run_arguments(context.shelf, arguments)?;
    let folder = folder(&context.setup.recordings)?;
    let mut own: Vec<OsString> = vec!["--out".into(), folder.clone().into()];
    own.extend(context.setup.device_arguments.iter().cloned());
    own.extend(context.setup.config_arguments.iter().cloned());
    if arguments.flag("keep") {
        own.extend(context.setup.store_arguments.iter().cloned());
    }
    command.extend(own);
    let ended = context.program(command, LONGEST_RUN)?;
    // A test that failed leaves a recording, too.
    if !matches!(ended.code, Some(0 | 1)) || !folder.is_dir() {
        return Err(ToolError::new(ended.message()));
    }
    let request =
        OpenRequest { paths: vec![folder.display().to_string()], ..OpenRequest::default() };
    let opened = context.shelf.open_own(&request, context.job)?;
    let report = opened.report(None);
    let mut answer = summarise(&opened, &report);
    let failed = if ended.code == Some(1) { " (a test failed)" } else { "" };
    answer.answer = format!("Measured{failed}, open as {}: {}", opened.handle, answer.answer);
    answer.facts.insert(0, format!("Recording: {}", folder.display()));
    Ok(answer)
}

/// A new folder for the recording.
fn folder(place: &Path) -> Result<PathBuf, ToolError> {
    let failed = |error: std::io::Error| {
        ToolError::new(format!("{}: {error}", clip(&place.display().to_string(), 200)))
    };
    std::fs::create_dir_all(place).map_err(failed)?;
    (1..10_000)
        .map(|number| place.join(format!("mcp-run-{number}")))
        .find(|folder| !folder.exists())
        .ok_or_else(|| {
            ToolError::new(format!(
                "{}: too many recordings",
                clip(&place.display().to_string(), 200)
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands_are_quoted() {
        let command = ["run", "--quiet", "--test=a;rm -rf /", "it's.apk"].map(OsString::from);
        let line = command_line(&command);
        assert_eq!(line, r"wattle run '--test=a;rm -rf /' 'it'\''s.apk'");
        // The machine's own shell is the judge.
        let script = line.replacen("wattle run", "printf '%s|'", 1);
        let output = std::process::Command::new("sh").arg("-c").arg(script).output();
        let output = output.expect("a shell").stdout;
        assert_eq!(String::from_utf8_lossy(&output), "--test=a;rm -rf /|it's.apk|");
        let long: Vec<OsString> = vec!["x".repeat(2000).into()];
        assert_eq!(short_command_line(&long), None);
    }
}
