//! The place of a history.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use wattle_store::{Store, StoreError, StoreLocation};

use crate::cli::{HistoryPlace, StoreChoice};
use crate::config::Config;
use crate::exit::Failure;

/// The way to a first run, for who has none.
pub const HOW_TO_KEEP: &str = "keep one with --keep:\n  \
    wattle run app.apk --keep                (records it on a device)\n  \
    wattle report trace.pftrace --keep       (a recording that you have)\n  \
    wattle runs import X.ledger.json.zst     (a ledger that was saved with --save)\n\
    or always, by `keep = true` below `[history]` in wattle.toml\n";

/// The place by the flag or `$WATTLE_STORE`, else the configuration, else the folder of this user.
pub fn location(choice: &StoreChoice, config: &Config) -> Result<StoreLocation, Failure> {
    if let Some(location) = choice.store.clone().or_else(|| config.store()) {
        return Ok(location);
    }
    let folder = wattle_apk::data_folder().ok_or_else(|| {
        Failure::Environment(anyhow!(
            "no folder for the history: set $XDG_DATA_HOME or $HOME, or name one with --store"
        ))
    })?;
    Ok(StoreLocation::Folder(folder.join("history")))
}

/// The most folders above one in which a history is looked for.
const MOST_ABOVE: usize = 16;
/// The most members of a folder that are looked at.
const MOST_MEMBERS: usize = 1000;

/// The history of a project, found from a folder in it: the folder itself, or the nearest above, up to the repository's own, that names a
/// folder in its `wattle.toml`, is a history, or has one in it. `None` if there is none that exists. A database is not taken from a
/// `wattle.toml` that nobody has named: it would be a connection to wherever that file says.
pub fn history_near(folder: &Path) -> Option<PathBuf> {
    let is_history = |folder: &PathBuf| !StoreLocation::Folder(folder.clone()).is_new();
    for above in folder.ancestors().take(MOST_ABOVE) {
        let file = above.join("wattle.toml");
        let config = file.is_file().then(|| Config::find(Some(&file)).ok()).flatten();
        if let Some(StoreLocation::Folder(named)) = config.and_then(|config| config.store())
            && is_history(&named)
        {
            return Some(named);
        }
        let itself = above.to_owned();
        if is_history(&itself) {
            return Some(itself);
        }
        let members = std::fs::read_dir(above).into_iter().flatten().take(MOST_MEMBERS).flatten();
        let mut inside: Vec<PathBuf> = members
            .map(|member| member.path())
            .filter(|path| path.is_dir())
            .filter(is_history)
            .collect();
        // Of several nobody said which one is meant.
        if inside.len() > 1 {
            return None;
        }
        if let Some(only) = inside.pop() {
            return Some(only);
        }
        if above.join(".git").exists() {
            break;
        }
    }
    None
}

/// Opens a history that is there; `None`, and nothing is made, where nothing was ever kept.
pub fn open_existing(place: &HistoryPlace) -> Result<Option<Store>, Failure> {
    let config = Config::find(place.config.as_deref())?;
    let location = location(&place.store, &config)?;
    if location.is_new() {
        return Ok(None);
    }
    Store::open(&location).map(Some).map_err(failure)
}

/// The failure of a history.
pub fn failure(error: StoreError) -> Failure {
    if error.is_usage() {
        Failure::Usage(error.into())
    } else if error.is_unreadable() {
        Failure::Input(error.into())
    } else {
        Failure::Environment(error.into())
    }
}

/// The failure of commands that need a run, where none was ever kept.
pub fn nothing_kept() -> Failure {
    Failure::Usage(anyhow!("no run has been kept yet; {}", HOW_TO_KEEP.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of a project, the folder that is asked about, and the history that is found.
    #[track_caller]
    fn check(files: &[(&str, &str)], asked: &str, expected: Option<&str>) {
        let project = tempfile::tempdir().expect("a folder");
        // What is above the project is no part of it.
        std::fs::create_dir(project.path().join(".git")).expect("a folder");
        std::fs::create_dir_all(project.path().join(asked)).expect("a folder");
        for (name, text) in files {
            let path = if Path::new(name).extension().is_some_and(|it| it == "toml") {
                project.path().join(name)
            } else {
                StoreLocation::database_file(&project.path().join(name))
            };
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("written");
        }
        let found = history_near(&project.path().join(asked));
        assert_eq!(found, expected.map(|it| project.path().join(it)), "{files:?} {asked}");
    }

    #[test]
    fn histories_are_found_from_folders() {
        let named = ("wattle.toml", "[history]\nstore = \"energy\"\n");
        check(&[], "traces", None);
        check(&[("history", "")], "traces", Some("history"));
        check(&[("history", "")], "a/b/c", Some("history"));
        check(&[("history", "")], "history", Some("history"));
        check(&[("history", ""), ("energy", ""), named], "traces", Some("energy"));
        check(&[("history", ""), named], "traces", Some("history"));
        check(&[("a/kept", ""), ("history", "")], "a", Some("a/kept"));
        check(&[("one", ""), ("other", "")], "traces", None);
        let database = ("wattle.toml", "[history]\nstore = \"postgres://host/energy\"\n");
        check(&[database], "traces", None);
    }
}
