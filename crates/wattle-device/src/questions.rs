//! Several questions to the device's shell in one round trip.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::{Device, DeviceError};

/// Begins a line that is ours.
const MARK: &str = "@@wattle";

/// Commands that are run one after the other, each with an answer of its own.
///
/// One that fails stops no other, which is not so for commands on one line with `&&`, and none is passed over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    asked: Vec<(String, String)>,
}

/// Answers of the device to each question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    given: BTreeMap<String, Reply>,
    /// Why there are none, or no more.
    silence: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Reply {
    text: String,
    /// Exit status; `None` if the output ends before it.
    status: Option<i32>,
}

impl Questions {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// One more: a name for the answer and a command on one line.
    pub(crate) fn ask(mut self, name: impl Into<String>, command: impl Into<String>) -> Self {
        self.asked.push((name.into(), command.into()));
        self
    }

    /// Puts them to the device, for which there is this much time in all.
    ///
    /// If that is not enough, each is asked again by itself: a service that hangs hides only its own answer.
    ///
    /// # Errors
    /// If the device is gone, or somebody asked to stop.
    pub(crate) fn put(&self, device: &dyn Device, limit: Duration) -> Result<Answers, DeviceError> {
        // A shell without a command is one for a person: it waits for what they type.
        if self.asked.is_empty() {
            return Ok(Answers::default());
        }
        match device.shell(&script(&self.asked), limit) {
            Ok(output) => Ok(read(&output.text())),
            Err(DeviceError::TimedOut { .. }) if self.asked.len() > 1 => {
                self.one_by_one(device, limit)
            }
            Err(error @ DeviceError::TimedOut { .. }) => {
                Ok(Answers { given: BTreeMap::new(), silence: Some(error.to_string()) })
            }
            Err(error) => Err(error),
        }
    }

    fn one_by_one(&self, device: &dyn Device, limit: Duration) -> Result<Answers, DeviceError> {
        let share = limit / u32::try_from(self.asked.len()).unwrap_or(u32::MAX).max(1);
        let mut all = Answers::default();
        for question in &self.asked {
            match device.shell(&script(std::slice::from_ref(question)), share) {
                Ok(output) => all.given.extend(read(&output.text()).given),
                Err(error @ DeviceError::TimedOut { .. }) => all.silence = Some(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

/// One line a question, so that it can be read in a log of the device's commands.
fn script(asked: &[(String, String)]) -> String {
    let mut script = String::new();
    for (name, command) in asked {
        // Writing to a string cannot fail.
        let _ = writeln!(
            script,
            "echo '{MARK} {name}'; {{ {command}; }} </dev/null 2>&1; echo \"\n{MARK} end $?\""
        );
    }
    script
}

fn read(output: &str) -> Answers {
    let mut given = BTreeMap::new();
    let mut open: Option<(String, Reply)> = None;
    for line in output.split_inclusive('\n') {
        let Some(ours) = line.trim_end().strip_prefix(MARK).map(str::trim_start) else {
            if let Some((_, answer)) = &mut open {
                answer.text.push_str(line);
            }
            continue;
        };
        match (ours.strip_prefix("end "), open.take()) {
            (Some(status), Some((name, mut answer))) => {
                answer.status = status.trim().parse().ok();
                // The line before the mark's is ours, too.
                answer.text.truncate(answer.text.trim_end().len());
                given.insert(name, answer);
            }
            (Some(_), None) => {}
            (None, before) => {
                given.extend(before);
                open = Some((ours.to_owned(), Reply::default()));
            }
        }
    }
    given.extend(open);
    Answers { given, silence: None }
}

impl Answers {
    /// Returns the answer to a question, if the command ended well.
    pub(crate) fn text(&self, name: &str) -> Result<&str, String> {
        let Some(answer) = self.given.get(name) else {
            return Err(self.silence.clone().unwrap_or_else(|| "the device did not answer".into()));
        };
        match answer.status {
            Some(0) => Ok(&answer.text),
            Some(status) => Err(format!("exit status {status}: {}", first_line(&answer.text))),
            None => Err("the answer breaks off".into()),
        }
    }

    /// Returns the answer to a question, however its command ended; empty without an answer.
    pub(crate) fn any_text(&self, name: &str) -> &str {
        self.given.get(name).map_or("", |answer| answer.text.as_str())
    }
}

/// The first line with something in it, short enough for a message.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no output");
    match line.char_indices().nth(200) {
        Some((at, _)) => format!("{} …", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Questions, read, script};

    /// Real shells run the script; Android's is mksh.
    #[track_caller]
    fn check(questions: &Questions, expected: &[(&str, Result<&str, &str>)]) {
        for shell in ["sh", "mksh"] {
            let Ok(output) = Command::new(shell).arg("-c").arg(script(&questions.asked)).output()
            else {
                assert_ne!(shell, "sh", "no shell");
                continue;
            };
            let answers = read(&String::from_utf8_lossy(&output.stdout));
            for (name, expected) in expected {
                let found = answers.text(name);
                match expected {
                    Ok(text) => assert_eq!(found, Ok(*text), "{shell}: {name}"),
                    Err(part) => {
                        let found = found.expect_err("a reason");
                        assert!(found.contains(part), "{shell}: {name}: {found}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_question_has_its_own_answer() {
        check(
            &Questions::new()
                .ask("first", "printf 'no newline'")
                .ask("fails", "echo sorry >&2; false")
                .ask("reads", "cat")
                .ask("lines", "echo a; echo; echo b; echo")
                .ask("none", "no-such-command-here")
                .ask("loop", "for f in a b; do echo \"< $f\"; done"),
            &[
                ("first", Ok("no newline")),
                ("fails", Err("exit status 1: sorry")),
                ("reads", Ok("")),
                ("lines", Ok("a\n\nb")),
                ("none", Err("exit status 127")),
                ("loop", Ok("< a\n< b")),
                ("never asked", Err("did not answer")),
            ],
        );
    }

    #[test]
    fn output_that_breaks_off_is_no_answer() {
        let answers = read("@@wattle a\nx\n\n@@wattle end 0\n@@wattle b\nhalf");
        assert_eq!(answers.text("a"), Ok("x"));
        assert_eq!(answers.text("b"), Err("the answer breaks off".into()));
        assert_eq!(answers.any_text("b"), "half");
        assert!(read("@@wattle end 3\n\u{0}@@wattle").text("a").is_err());
    }
}
