//! The texts of files at the commit that ran.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::tracking::{ChangedFile, DepartedMethods};

/// The largest text that is taken from a repository, in bytes.
const LARGEST: usize = 4 << 20;
/// The most texts that are remembered.
const MOST_TEXTS: usize = 64;

/// The most files that changed since a commit in which moved methods are looked for.
const MOST_CHANGED: usize = 500;
/// The most bytes of their texts.
const MOST_BYTES: usize = 16 << 20;
/// Paths of files whose methods are looked for.
const SOURCES: [&str; 2] = ["*.kt", "*.java"];

/// The texts of files at commits, by git.
#[derive(Debug, Default)]
pub struct RunTexts {
    known: FxHashMap<(PathBuf, String), Option<String>>,
    /// The repositories of folders: the repository's own folder, and the way from there.
    places: FxHashMap<PathBuf, Option<(PathBuf, PathBuf)>>,
    /// Methods that files lost since commits, by the repository's folder.
    departed: FxHashMap<(PathBuf, String), Arc<DepartedMethods>>,
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

    /// The methods that files of the repository lost since a commit, by their saved texts; with the file's own path as it is named
    /// there. `None` where there is no repository with that commit.
    pub fn departed(
        &mut self,
        path: &Path,
        commit: &str,
    ) -> Option<(Arc<DepartedMethods>, PathBuf)> {
        if !is_commit(commit) {
            return None;
        }
        let folder = existing_folder(path)?;
        if self.departed.len() > MOST_TEXTS || self.places.len() > MOST_CHANGED {
            self.departed.clear();
            self.places.clear();
        }
        let place = self.places.entry(folder.to_owned()).or_insert_with(|| repository(folder));
        let (root, prefix) = place.clone()?;
        let inner = prefix.join(path.strip_prefix(folder).ok()?);
        let key = (root.clone(), commit.to_owned());
        let known = self.departed.entry(key);
        let departed = known.or_insert_with(|| {
            // Of more files it is not certain where a method came from.
            let files = changed_files(&root, commit).unwrap_or_default();
            Arc::new(DepartedMethods::new(files))
        });
        Some((Arc::clone(departed), inner))
    }

    /// Forgets what files lost: some were saved.
    pub fn forget_departed(&mut self) {
        self.departed.clear();
    }
}

/// The repository of a folder: its own folder, and the way from there.
fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let place = git(folder, &["rev-parse", "--show-toplevel", "--show-prefix"])?;
    let mut lines = place.lines();
    Some((PathBuf::from(lines.next()?), PathBuf::from(lines.next().unwrap_or_default())))
}

/// A name that git cannot take for anything else.
fn is_commit(commit: &str) -> bool {
    (4..=64).contains(&commit.len()) && commit.bytes().all(|it| it.is_ascii_hexdigit())
}

/// The sources that differ from a commit, new ones included, by their paths in the repository; `None` if there are too many.
fn changed_files(root: &Path, commit: &str) -> Option<Vec<ChangedFile>> {
    let mut of_commit = vec!["diff", "--name-only", "--no-renames", "-z", commit, "--"];
    let mut new = vec!["ls-files", "--others", "--exclude-standard", "-z", "--"];
    of_commit.extend(SOURCES);
    new.extend(SOURCES);
    let names = git(root, &of_commit)? + &git(root, &new)?;
    let names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    if names.len() > MOST_CHANGED || names.iter().any(|name| name.contains('\n')) {
        return None;
    }
    let before = blobs(root, commit, &names)?;
    let mut bytes: usize = before.iter().flatten().map(String::len).sum();
    let mut files = Vec::new();
    for (name, before) in names.into_iter().zip(before) {
        let file = root.join(name);
        let is_small =
            std::fs::metadata(&file).is_ok_and(|it| it.is_file() && it.len() <= LARGEST as u64);
        let now = is_small.then(|| std::fs::read_to_string(&file).ok()).flatten();
        bytes += now.as_ref().map_or(0, String::len);
        if bytes > MOST_BYTES {
            return None;
        }
        files.push(ChangedFile { path: PathBuf::from(name), before, now });
    }
    Some(files)
}

/// The texts of files at a commit, in their order; `None` for those that were not part of it. By one process, because there may be many.
fn blobs(root: &Path, commit: &str, names: &[&str]) -> Option<Vec<Option<String>>> {
    let mut command = git_command(root, &["cat-file", "--batch"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take()?;
    let wanted: Vec<String> = names.iter().map(|name| format!("{commit}:{name}\n")).collect();
    let wanted = wanted.concat();
    // Git answers while it reads.
    let writer = std::thread::spawn(move || input.write_all(wanted.as_bytes()));
    let mut output = Vec::new();
    let read = child.stdout.take()?.take(MOST_BYTES as u64 + 1).read_to_end(&mut output);
    if read.is_err() || output.len() > MOST_BYTES {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let ended = child.wait();
    let _ = writer.join();
    if !ended.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut rest = output.as_slice();
    let mut found = Vec::new();
    for _ in names {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let head = String::from_utf8_lossy(rest.get(..end)?).into_owned();
        rest = rest.get(end + 1..)?;
        let Some((_, length)) = head.rsplit_once(" blob ") else {
            // `COMMIT:NAME missing`
            found.push(None);
            continue;
        };
        let length: usize = length.parse().ok()?;
        found.push(Some(String::from_utf8_lossy(rest.get(..length)?).into_owned()));
        rest = rest.get(length + 1..)?;
    }
    Some(found)
}

fn text_at(path: &Path, commit: &str) -> Option<String> {
    if !is_commit(commit) {
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
    let output = git_command(folder, arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn git_command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}
