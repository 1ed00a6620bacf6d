//! A command line that begins with no command: nothing at all, or files.

mod front_page;
mod package_card;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::CommandFactory as _;

use super::kept_runs::is_run_name;
use super::nearest::{nearest, suggestion};
use super::other_file::OtherFile;
use super::output;
use crate::cli::Cli;
use crate::exit::{Failure, Outcome};

/// The command that files without a command go to.
const REPORT: &str = "report";
/// Files of a folder whose names are compared with a misspelt one.
const MOST_BESIDE: usize = 4096;

/// A command line by its first word.
#[derive(Debug, PartialEq, Eq)]
pub enum Start {
    /// The words of a command, the program's name first.
    Command(Vec<OsString>),
    /// Nothing was asked for.
    FrontPage,
    /// One Android package.
    Package(OsString),
    /// Neither a command nor a file.
    Unknown(OsString),
}

impl Start {
    /// Sorts a command line, the program's name first.
    pub fn new(words: Vec<OsString>) -> Self {
        let Some(first) = words.get(1) else { return Self::FrontPage };
        let is_flag = first.as_encoded_bytes().starts_with(b"-");
        if is_flag || is_command(first) {
            return Self::Command(words);
        }
        let path = Path::new(first);
        if is_run_name(path) {
            let mut words = words;
            words.insert(1, REPORT.into());
            return Self::Command(words);
        }
        if !path.exists() {
            return Self::Unknown(first.clone());
        }
        if words.len() == 2 && OtherFile::from_path(path) == Some(OtherFile::Package) {
            return Self::Package(first.clone());
        }
        let mut words = words;
        words.insert(1, REPORT.into());
        Self::Command(words)
    }
}

/// Runs what a command line asks for that begins with no command.
pub fn run(start: &Start) -> Outcome {
    match start {
        Start::FrontPage => output::print(front_page::TEXT.as_bytes()),
        Start::Package(path) => package_card::run(Path::new(path)),
        Start::Unknown(word) => Err(Failure::Usage(unknown(word))),
        Start::Command(_) => Ok(()),
    }
}

fn is_command(word: &OsStr) -> bool {
    let known = Cli::command();
    word == "help" || word.to_str().is_some_and(|word| known.find_subcommand(word).is_some())
}

fn unknown(word: &OsStr) -> anyhow::Error {
    let path = Path::new(word);
    let word = word.to_string_lossy();
    let is_path = word.contains(['/', '\\', '.']);
    if is_path {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
        let beside: Vec<String> = beside
            .take(MOST_BESIDE)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let near = suggestion(&name, beside.iter().map(String::as_str));
        return anyhow::anyhow!("no such file: {word}{near}");
    }
    let commands = Cli::command();
    let names =
        commands.get_subcommands().filter(|it| !it.is_hide_set()).map(clap::Command::get_name);
    match nearest(&word, names).as_slice() {
        [] => anyhow::anyhow!(
            "{word} is neither a command nor a file; `wattle --help` lists the commands"
        ),
        [first, ..] => anyhow::anyhow!(
            "{word} is neither a command nor a file; the nearest command is: wattle {first}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: &Start) {
        let words = std::iter::once("wattle").chain(words.iter().copied());
        assert_eq!(Start::new(words.map(OsString::from).collect()), *expected);
    }

    fn command(words: &[&str]) -> Start {
        let words = std::iter::once("wattle").chain(words.iter().copied());
        Start::Command(words.map(OsString::from).collect())
    }

    #[test]
    fn the_first_word_decides() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        check(&[], &Start::FrontPage);
        check(&["report", "x"], &command(&["report", "x"]));
        check(&["help"], &command(&["help"]));
        check(&["--version"], &command(&["--version"]));
        check(&[file, "--json", "-"], &command(&["report", file, "--json", "-"]));
        check(&["run:12", "--full"], &command(&["report", "run:12", "--full"]));
        check(&["reprot"], &Start::Unknown("reprot".into()));
    }

    #[track_caller]
    fn check_unknown(word: &str, expected: &str) {
        assert_eq!(unknown(OsStr::new(word)).to_string(), expected);
    }

    #[test]
    fn an_unknown_word_gets_the_nearest_command() {
        check_unknown(
            "reprot",
            "reprot is neither a command nor a file; the nearest command is: wattle report",
        );
        check_unknown(
            "zzzzzz",
            "zzzzzz is neither a command nor a file; `wattle --help` lists the commands",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
        std::fs::write(path("monday.pftrace"), "").expect("written");
        let asked = path("mondey.pftrace");
        check_unknown(&asked, &format!("no such file: {asked}; did you mean monday.pftrace?"));
    }
}
