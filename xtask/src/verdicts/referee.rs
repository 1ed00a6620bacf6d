//! The checkers and what they say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::changed_file::{Kind, Subject};

/// Why a checker refuses a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A rule of ours, or the words of another checker.
    pub text: String,
    /// The class that it is about, as the runtime names it, where it is about one.
    pub class: Option<String>,
}

impl Reason {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), class: None }
    }
}

/// The verdict of a checker on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// Who says it.
    pub by: &'static str,
    /// Its reasons: none if it accepts the file.
    pub reasons: Vec<Reason>,
    /// It accepts the file, and says less of it than of the original: classes that it could not check.
    pub is_doubt: bool,
}

impl Opinion {
    fn new(by: &'static str, reasons: Vec<Reason>) -> Self {
        Self { by, reasons, is_doubt: false }
    }

    /// Whether the file is accepted without doubt.
    pub fn is_acceptance(&self) -> bool {
        self.reasons.is_empty() && !self.is_doubt
    }

    /// Whether the file is refused.
    pub fn is_refusal(&self) -> bool {
        !self.reasons.is_empty()
    }
}

/// The programs.
#[derive(Debug)]
pub struct Referees {
    wattle: PathBuf,
    runtime: PathBuf,
}

impl Referees {
    /// With the program that is tested, and the folder of the runtime.
    pub fn new(wattle: PathBuf, runtime: PathBuf) -> Result<Self> {
        if !runtime.join("art").is_file() {
            bail!(
                "no Android runtime in {}: `cargo xtask ci runtime` builds it",
                runtime.display()
            );
        }
        Ok(Self { wattle, runtime })
    }

    /// The verdict of `wattle verify`: of the code, or of signatures and the archive.
    pub fn wattle(&self, path: &Path, kind: Kind) -> Result<Opinion> {
        let mut command = Command::new(&self.wattle);
        command.arg("verify").arg(path).args(["--json", "-"]);
        let output = run(&mut command)?;
        let mut reasons = Vec::new();
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                let verdict: Value = serde_json::from_slice(&output.stdout)?;
                let subjects = verdict["subjects"].as_array().into_iter().flatten();
                for defect in subjects.flat_map(|it| it["defects"].as_array().into_iter().flatten())
                {
                    // A package's code is not what apksigner looks at.
                    let is_code = !defect["section"].is_null() || !defect["method"].is_null();
                    if kind == Kind::Code || !is_code {
                        reasons.push(reason(defect));
                    }
                }
            }
            Some(3) => reasons.push(Reason::new("unreadable")),
            _ => bail!("wattle verify {}: {}", path.display(), said(&output)),
        }
        Ok(Opinion::new("wattle", reasons))
    }

    /// The verdicts of Android's checkers.
    pub fn others(&self, path: &Path, subject: &Subject) -> Result<Vec<Opinion>> {
        match subject.kind {
            Kind::Code => {
                let structure = dexdump(path)?;
                // What dexdump refuses the runtime does not load.
                if structure.is_refusal() {
                    return Ok(vec![structure]);
                }
                Ok(vec![structure, self.runtime(path, subject)?])
            }
            Kind::Packages => Ok(vec![apksigner(path)?]),
        }
    }

    /// Classes that the runtime does not verify, with its word for each.
    pub fn not_verified(&self, path: &Path, classes: &Path) -> Result<BTreeSet<String>> {
        let mut command = Command::new(self.runtime.join("art"));
        command.arg("-cp").arg(path).arg("--verify").arg(classes);
        let output = run(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !text.contains("verified=") {
            return Ok(BTreeSet::from([format!("DIED {}", said(&output))]));
        }
        let words = ["HARD", "SOFT", "ACCESS", "LOADFAIL"];
        let lines = text.lines().filter(|line| words.iter().any(|word| line.starts_with(word)));
        // Words and class: reasons have addresses that any change moves.
        Ok(lines.map(words_and_class).collect())
    }

    fn runtime(&self, path: &Path, subject: &Subject) -> Result<Opinion> {
        let found = self.not_verified(path, &subject.classes)?;
        let new: Vec<&String> = found.difference(&subject.known).collect();
        let hard = |line: &&&String| line.starts_with("HARD") || line.starts_with("DIED");
        let reasons: Vec<Reason> =
            new.iter().filter(hard).map(|line| Reason::new((**line).clone())).collect();
        let is_doubt = reasons.is_empty() && !new.is_empty();
        Ok(Opinion { by: "runtime", reasons, is_doubt })
    }
}

/// A defect of ours: its rule, with what was expected where many checks have one rule, and its class.
fn reason(defect: &Value) -> Reason {
    let text = |key: &str| defect[key].as_str().unwrap_or_default();
    let section = text("section");
    let expected = without_numbers(text("expected"));
    let method = text("method");
    // `Lclass;->name(params)return`
    let class = method.split_once(";->").and_then(|(class, _)| class.strip_prefix('L'));
    Reason {
        text: format!("{} {section}: {expected}", text("rule")),
        class: class.map(|class| class.replace('/', ".")),
    }
}

/// The classes of a file, one on a line, as the runtime names them.
pub fn classes(path: &Path) -> Result<String> {
    let output = run(Command::new("dexdump").arg(path))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix("Class descriptor  : 'L")?;
        Some(name.strip_suffix(";'")?.replace('/', ".") + "\n")
    });
    Ok(names.collect())
}

/// The first two words of a line of the runtime.
fn words_and_class(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').take(2).map(|word| word.trim_end_matches(':')).collect();
    words.join(" ")
}

fn dexdump(path: &Path) -> Result<Opinion> {
    let output = run(Command::new("dexdump").arg(path))?;
    if output.status.success() {
        return Ok(Opinion::new("dexdump", Vec::new()));
    }
    let text = said(&output);
    let reason = text.rsplit_once(".dex': ").map_or(text.as_str(), |(_, reason)| reason);
    Ok(Opinion::new("dexdump", vec![Reason::new(without_numbers(reason))]))
}

fn apksigner(path: &Path) -> Result<Opinion> {
    let output = run(Command::new("apksigner").arg("verify").arg(path))?;
    if output.status.success() {
        return Ok(Opinion::new("apksigner", Vec::new()));
    }
    Ok(Opinion::new("apksigner", vec![Reason::new(without_numbers(&said(&output)))]))
}

fn run(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("{}", command.get_program().display()))
}

/// The last line on the standard error, or the way a program ended.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.map_or_else(|| output.status.to_string(), |line| line.trim().to_owned())
}

/// A message whose numbers are one, so that messages can be counted.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace().take(16) {
        let has_digit = word.chars().any(|letter| letter.is_ascii_digit());
        shown += if has_digit { "#" } else { word };
        shown.push(' ');
    }
    shown.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn messages_differ_by_words_only() {
        let one = without_numbers("Bad checksum (fb8aedc4, expected 4012ed84)");
        assert_eq!(one, without_numbers("Bad checksum (1b8aedc4, expected 7012ed84)"));
        assert_ne!(one, without_numbers("Bad file size"));
    }
}
