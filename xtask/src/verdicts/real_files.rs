//! The code and the packages among the real files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::changed_file::{Kind, Subject};
use super::referee::{self, Opinion, Referees};

/// Bytes of code beyond which a file is left out: its changes are those of a smaller one, and judging them takes longer.
const MOST_CODE: u64 = 700_000;
/// The same of a package.
const MOST_PACKAGE: u64 = 2_500_000;

/// All of them. Files that a checker refuses as they are have no verdict that a change could alter.
pub fn subjects(
    data: &Path,
    place: &Path,
    referees: &Referees,
    only: Option<Kind>,
) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    let mut packages = Vec::new();
    for folder in ["apk", "apk/apksig", "apk/splits"] {
        packages.extend(files(&data.join(folder), "apk")?);
    }
    if only != Some(Kind::Packages) {
        let mut code = files(&data.join("dex"), "dex")?;
        for package in &packages {
            code.extend(unpacked(package, place)?);
        }
        for path in code {
            subjects.extend(subject(&path, Kind::Code, place, referees)?);
        }
    }
    if only != Some(Kind::Code) {
        for path in packages {
            subjects.extend(subject(&path, Kind::Packages, place, referees)?);
        }
    }
    Ok(subjects)
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}

/// The code of a package, as files of their own.
fn unpacked(package: &Path, place: &Path) -> Result<Vec<PathBuf>> {
    let folder = place.join(package.file_name().unwrap_or_default());
    let status = Command::new("unzip")
        .args(["-qo", "-d"])
        .arg(&folder)
        .arg(package)
        .arg("classes*.dex")
        .output()
        .context("unzip")?
        .status;
    // A package without code.
    if !status.success() {
        return Ok(Vec::new());
    }
    files(&folder, "dex")
}

fn subject(path: &Path, kind: Kind, place: &Path, referees: &Referees) -> Result<Option<Subject>> {
    let most = if kind == Kind::Code { MOST_CODE } else { MOST_PACKAGE };
    if path.metadata()?.len() > most {
        return Ok(None);
    }
    let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = format!("{}/{}", parent.display(), path.file_name().unwrap_or_default().display());
    let classes = place.join(format!("{}.classes", name.replace('/', "-")));
    let mut subject =
        Subject { name, kind, bytes: std::fs::read(path)?, classes, known: BTreeSet::new() };
    if kind == Kind::Code {
        std::fs::write(&subject.classes, referee::classes(path)?)?;
        subject.known = referees.not_verified(path, &subject.classes)?;
    }
    let is_good = referees.wattle(path, kind)?.is_acceptance()
        && referees.others(path, &subject)?.iter().all(Opinion::is_acceptance);
    if !is_good {
        println!("left out, because not every checker accepts it as it is: {}", subject.name);
    }
    Ok(is_good.then_some(subject))
}
