//! The commits between two, and a working folder of git for trying them.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow};

use crate::exit::Failure;

/// Most commits of a search.
const MOST_COMMITS: usize = 10_000;

/// The commits of a search, the good one first.
#[derive(Clone, Debug)]
pub(super) struct CommitRange {
    pub commits: Vec<String>,
}

/// A working folder of its own, in which commits are checked out. It goes when this is dropped.
#[derive(Debug)]
pub(super) struct Checkout {
    folder: tempfile::TempDir,
}

impl CommitRange {
    /// The commits on the first-parent line from one to another.
    pub fn between(good: &str, bad: &str) -> Result<Self, Failure> {
        let commit = |name: &str| {
            let spec = format!("{name}^{{commit}}");
            git(&["rev-parse", "--verify", "--end-of-options", &spec]).map_err(|error| {
                Failure::Usage(error.context(format!("{name}: expected a commit")))
            })
        };
        let (good, bad) = (commit(good)?, commit(bad)?);
        let range = format!("{good}..{bad}");
        let listed = git(&["rev-list", "--first-parent", "--ancestry-path", "--reverse", &range]);
        let listed = listed.map_err(Failure::Usage)?;
        let after = listed.lines().map(str::to_owned);
        let commits: Vec<String> = std::iter::once(good.clone()).chain(after).collect();
        if commits.len() < 2 {
            return Err(Failure::Usage(anyhow!("{bad} does not come after {good}")));
        }
        if commits.len() > MOST_COMMITS {
            let text = format!("expected at most {MOST_COMMITS} commits, found {}", commits.len());
            return Err(Failure::Usage(anyhow!(text)));
        }
        Ok(Self { commits })
    }

    /// A commit with the first line of its message, for people.
    pub fn shown(&self, at: usize) -> String {
        let commit = self.commits.get(at).map_or("", String::as_str);
        let line = git(&["show", "--no-patch", "--format=%h %s", commit]);
        line.unwrap_or_else(|_| commit.to_owned())
    }
}

impl Checkout {
    /// Makes the folder, at a commit.
    pub fn new(commit: &str) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().context("a folder").map_err(Failure::Environment)?;
        let path = folder.path().to_string_lossy().into_owned();
        git(&["worktree", "add", "--force", "--detach", "--quiet", &path, commit])
            .map_err(Failure::Environment)?;
        Ok(Self { folder })
    }

    /// Goes to a commit, with its submodules. What an earlier build left stays, as far as the commit has no other. `Some` is why the
    /// submodules of the commit cannot be had: it is no commit to build then.
    pub fn go_to(&self, commit: &str) -> Result<Option<String>, Failure> {
        git_in(self.path(), &["checkout", "--quiet", "--force", "--detach", commit])
            .map_err(Failure::Environment)?;
        if !self.path().join(".gitmodules").is_file() {
            return Ok(None);
        }
        let update = ["submodule", "update", "--init", "--recursive", "--force", "--quiet"];
        Ok(git_in(self.path(), &update).err().map(|error| format!("its submodules: {error}")))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let path = self.folder.path().to_string_lossy().into_owned();
        // The folder goes in any case; at worst `git worktree prune` forgets it.
        let _ = git(&["worktree", "remove", "--force", &path]);
    }
}

fn git(arguments: &[&str]) -> anyhow::Result<String> {
    git_in(Path::new("."), arguments)
}

/// Takes the variables away by which git would work on another folder than the one it is started in: hooks and aliases of git set
/// them.
pub(super) fn forget_repository(command: &mut Command) {
    for variable in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
    ] {
        command.env_remove(variable);
    }
}

/// The output of git without the end of its last line.
fn git_in(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = Command::new("git");
    forget_repository(&mut command);
    let output =
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().context("git")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or("it says nothing").to_owned();
        return Err(anyhow!("git {}: {first}", arguments.first().copied().unwrap_or_default()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
