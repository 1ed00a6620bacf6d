//! The commit and branch of the working folder.

use std::process::{Command, Stdio};

use wattle_store::CodeVersion;

/// Variables that name the branch where continuous integration has checked out a commit alone: GitHub Actions (of pull requests, of
/// pushes), GitLab, Jenkins, Bitrise.
const BRANCH_VARIABLES: [&str; 5] = [
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_COMMIT_REF_NAME",
    "BRANCH_NAME",
    "BITRISE_GIT_BRANCH",
];

/// The commit, branch and state of the working folder; absent where it is in no repository, or there is no git.
pub fn code_version() -> CodeVersion {
    let Some(commit) = git(&["rev-parse", "--verify", "HEAD"]) else {
        return CodeVersion::default();
    };
    let branch =
        git(&["symbolic-ref", "--quiet", "--short", "HEAD"]).or_else(branch_of_environment);
    let changes = output(&["status", "--porcelain", "--untracked-files=no"]);
    CodeVersion { commit: Some(commit), branch, dirty: changes.map(|text| !text.is_empty()) }
}

/// The commit of the working folder and the one of runs, in short, where the runs are of another commit of the same repository.
pub fn commit_without_runs<'r>(commits: impl Iterator<Item = &'r str>) -> Option<(String, String)> {
    let head = git(&["rev-parse", "--verify", "HEAD"])?;
    let commits: Vec<&str> = commits.collect();
    if commits.contains(&head.as_str()) {
        return None;
    }
    let is_commit = |name: &str| name.len() >= 7 && name.bytes().all(|it| it.is_ascii_hexdigit());
    let known = commits.into_iter().find(|commit| {
        let object = format!("{commit}^{{commit}}");
        is_commit(commit)
            && !head.starts_with(commit)
            && output(&["cat-file", "-e", &object]).is_some()
    })?;
    let short = |name: &str| name.chars().take(9).collect::<String>();
    Some((short(&head), short(known)))
}

fn branch_of_environment() -> Option<String> {
    let value = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
    BRANCH_VARIABLES.iter().find_map(value)
}

fn git(arguments: &[&str]) -> Option<String> {
    output(arguments).filter(|text| !text.is_empty())
}

/// The output of git, without the end of the last line; `None` where it fails.
fn output(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
