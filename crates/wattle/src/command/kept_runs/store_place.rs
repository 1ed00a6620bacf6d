//! The place of a history.

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
