//! `wattle runs delete` and `wattle runs prune`.

use std::collections::BTreeSet;

use wattle_store::{Retention, RunId};

use super::run_list::{counted, filter, table};
use crate::cli::{HistoryPlace, Prune};
use crate::command::kept_runs::{self, failure, nothing_kept};
use crate::command::output;
use crate::exit::Outcome;

/// Deletes runs. If one of them is not there, none is deleted.
pub fn delete(runs: &[RunId], place: &HistoryPlace) -> Outcome {
    let mut store = kept_runs::open_existing(place)?.ok_or_else(nothing_kept)?;
    let runs: Vec<RunId> = runs.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    for run in &runs {
        store.run(*run).map_err(failure)?;
    }
    let deleted = store.delete(&runs).map_err(failure)?;
    store.close().map_err(failure)?;
    say(place, &format!("{} deleted\n", counted(deleted)))
}

/// Deletes old runs.
pub fn prune(flags: &Prune) -> Outcome {
    let Some(mut store) = kept_runs::open_existing(&flags.place)? else {
        return say(&flags.place, "no run has been kept yet: nothing to delete\n");
    };
    let retention = Retention { keep_last: flags.keep_last, older_than_ms: flags.older_than };
    let filter = filter(flags.app.as_deref(), &flags.conditions);
    let expired = store.expired(&retention, &filter).map_err(failure)?;
    if flags.dry_run {
        let end = format!("{} would be deleted\n", counted(expired.len()));
        let text = if expired.is_empty() { end } else { format!("{}{end}", table(&expired)) };
        return say(&flags.place, &text);
    }
    let runs: Vec<RunId> = expired.iter().map(|run| run.id).collect();
    let deleted = store.delete(&runs).map_err(failure)?;
    store.close().map_err(failure)?;
    say(&flags.place, &format!("{} deleted\n", counted(deleted)))
}

fn say(place: &HistoryPlace, text: &str) -> Outcome {
    if place.quiet { Ok(()) } else { output::print(text.as_bytes()) }
}
