//! The repository that `cargo xtask` works in, and what git knows of it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// The root of the checkout: the folder of the workspace's `Cargo.toml`.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// A text file of the repository, at one commit or in the checkout.
pub struct File {
    /// Relative to the root.
    pub path: String,
    pub text: String,
}

/// The Rust files of the checkout: what git tracks, and what it would track.
pub fn files_of_checkout() -> Result<Vec<File>> {
    let list = git(&["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.rs"])?;
    let mut paths: Vec<&str> = list.lines().collect();
    paths.sort_unstable();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        let full = root().join(path);
        // Deleted, and not yet committed.
        if !full.exists() {
            continue;
        }
        let text = std::fs::read_to_string(&full).with_context(|| path.to_owned())?;
        files.push(File { path: path.to_owned(), text });
    }
    Ok(files)
}

/// The Rust files of a commit, read without a checkout.
pub fn files_of_commit(commit: &str) -> Result<Vec<File>> {
    let list = git(&["ls-tree", "-r", "--format=%(objectname) %(path)", commit])?;
    let is_rust = |path: &str| Path::new(path).extension().is_some_and(|end| end == "rs");
    let wanted: Vec<(&str, &str)> = list
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, path)| is_rust(path))
        .collect();
    let mut git = Command::new("git")
        .args(["cat-file", "--batch"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("git")?;
    let names: String = wanted.iter().flat_map(|(object, _)| [*object, "\n"]).collect();
    let stdin = git.stdin.take();
    // Written beside reading: git stops taking names while its answers are not read.
    let writer = std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(names.as_bytes())));
    let output = git.wait_with_output()?;
    drop(writer.join());
    let mut rest = output.stdout.as_slice();
    let mut files = Vec::new();
    for (object, path) in wanted {
        let line_end = rest.iter().position(|&byte| byte == b'\n').context("an answer of git")?;
        let head = std::str::from_utf8(&rest[..line_end])?;
        let length: usize =
            head.rsplit(' ').next().unwrap_or_default().parse().context(head.to_owned())?;
        if !head.starts_with(object) || rest.len() < line_end + length + 2 {
            bail!("git cat-file answered {head:?} for {path}");
        }
        let text = String::from_utf8_lossy(&rest[line_end + 1..line_end + 1 + length]).into_owned();
        rest = &rest[line_end + length + 2..];
        files.push(File { path: path.to_owned(), text });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The output of a git command in this repository.
pub fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output().context("git")?;
    if !output.status.success() {
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}
