//! Methods that moved to another file keep their figures, by the texts of a repository.

use std::path::Path;
use std::process::Command;

use wattle_lsp::digest::{GroupRecord, MethodRecord};
use wattle_lsp::documents::{AnnotatedFile, FileVersions, RunTexts};
use wattle_lsp::energy::{GroupEnergies, MethodTable};
use wattle_lsp::source::Language;
use wattle_lsp::tracking::Freshness;
use wattle_store::{CodeVersion, RunFacts};
use wattle_units::{Estimate, Interval, Joules, Provenance};

const LOAD: &str = "    fun load(limit: Int): Int {
        var sum = limit * 2
        sum += parse(sum, 7)
        return sum
    }
";

fn class(name: &str, methods: &str) -> String {
    format!("package com.example\n\nclass {name} {{\n{methods}}}\n")
}

#[track_caller]
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=test", "-c", "user.email=test@example.com"])
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn energies(commit: &str, is_dirty: bool) -> GroupEnergies {
    let joules = Joules::new(1.0);
    let own = Estimate {
        joules,
        interval: Interval { low: joules, high: joules },
        provenance: Provenance::Modelled,
    };
    let mut methods = MethodTable::default();
    let name = "com.example.Feed.load".to_owned();
    assert!(methods.push(&MethodRecord {
        name,
        calls: 1.0,
        runs: 1,
        own,
        total: own,
        changes: None
    }));
    let code = CodeVersion { commit: Some(commit.to_owned()), branch: None, dirty: Some(is_dirty) };
    let facts = RunFacts { code, ..RunFacts::default() };
    GroupEnergies { runs: GroupRecord { facts, runs: vec![1], ..GroupRecord::default() }, methods }
}

/// The lines of figures in a file, with their marks and what the methods were called.
fn shown(
    folder: &Path,
    file: &str,
    group: &GroupEnergies,
) -> Vec<(u32, Freshness, Option<String>)> {
    let path = folder.join(file);
    let commit = group.commit().expect("a commit").to_owned();
    let now = std::fs::read_to_string(&path).expect("a file");
    let mut texts = RunTexts::default();
    let before = texts.get(&path, &commit).map(str::to_owned);
    let both = (before.as_deref(), now.as_str());
    let mut versions = FileVersions::new(&path, Language::Kotlin, both);
    if let Some((departed, inner)) = texts.departed(&path, &commit) {
        assert_eq!(inner, Path::new(file));
        versions.follow_from(&departed, &inner);
    }
    let annotated = AnnotatedFile::new((&path, Language::Kotlin), &versions, both, (group, None));
    let line = |method: usize| versions.now.all[method].line;
    annotated.methods.iter().map(|it| (line(it.method), it.freshness, it.was.clone())).collect()
}

#[test]
fn a_method_that_moved_to_another_file_keeps_its_figure() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path();
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    git(folder, &["init", "-q"]);
    let small = "    fun size() = 1\n";
    write("app/Feed.kt", &class("Feed", &format!("{LOAD}{small}")));
    write("app/News.kt", &class("News", small));
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "first"]);
    let commit = git(folder, &["rev-parse", "HEAD"]);
    let group = energies(&commit, false);
    let was = || Some("com.example.Feed.load".to_owned());
    assert_eq!(shown(folder, "app/Feed.kt", &group), [(3, Freshness::Current, None)]);
    // To a file that was there, to one that was not.
    write("app/Feed.kt", &class("Feed", small));
    write("app/News.kt", &class("News", &format!("{small}\n{LOAD}")));
    assert_eq!(shown(folder, "app/News.kt", &group), [(5, Freshness::Moved, was())]);
    assert_eq!(shown(folder, "app/Feed.kt", &group), []);
    let unsure = energies(&commit, true);
    assert_eq!(shown(folder, "app/News.kt", &unsure), [(5, Freshness::Unverified, was())]);
    write("app/News.kt", &class("News", small));
    write("app/more/Loader.kt", &class("Loader", LOAD));
    assert_eq!(shown(folder, "app/more/Loader.kt", &group), [(3, Freshness::Moved, was())]);
    // A second copy: nothing says which one it is.
    write("app/News.kt", &class("News", LOAD));
    assert_eq!(shown(folder, "app/more/Loader.kt", &group), []);
    assert_eq!(shown(folder, "app/News.kt", &group), []);
    // It is still where it was.
    write("app/Feed.kt", &class("Feed", &format!("{LOAD}{small}")));
    assert_eq!(shown(folder, "app/News.kt", &group), []);
}
