//! The texts of files at the commit that ran.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustc_hash::FxHashMap;

/// The largest text that is taken from a repository, in bytes.
const LARGEST: usize = 4 << 20;
/// The most texts that are remembered.
const MOST_TEXTS: usize = 64;

/// The texts of files at commits, by git.
#[derive(Debug, Default)]
pub struct RunTexts {
    known: FxHashMap<(PathBuf, String), Option<String>>,
}

impl RunTexts {
    /// The text of a file at a commit; `None` where it is in no repository, or neither it nor one file of its name was part of the commit.
    pub fn get(&mut self, path: &Path, commit: &str) -> Option<&str> {
        if self.known.len() > MOST_TEXTS {
            self.known.clear();
        }
        let key = (path.to_owned(), commit.to_owned());
        self.known.entry(key).or_insert_with(|| text_at(path, commit)).as_deref()
    }
}

fn text_at(path: &Path, commit: &str) -> Option<String> {
    // A name that git cannot take for anything else.
    let is_name =
        (4..=64).contains(&commit.len()) && commit.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_name {
        return None;
    }
    let folder = existing_folder(path)?;
    let file = path.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
    let here = git(folder, &["cat-file", "blob", &format!("{commit}:./{file}")]);
    here.or_else(|| moved(folder, path, commit)).filter(|text| text.len() <= LARGEST)
}

/// The nearest folder above a file that is there: new files lie in new folders.
fn existing_folder(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| folder.is_dir())
}

/// The text of the one file of this name that the commit had and the working folder has not.
fn moved(folder: &Path, path: &Path, commit: &str) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let root = PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"])?.trim_end());
    let files =
        git(&root, &["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", commit])?;
    let is_gone = |file: &&str| file.rsplit('/').next() == Some(name) && !root.join(file).exists();
    let mut gone = files.lines().filter(is_gone);
    let file = gone.next().filter(|_| gone.next().is_none())?;
    git(&root, &["cat-file", "blob", &format!("{commit}:{file}")])
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
